/** Processes that open the same data directory at the same moment; they are threads here, which meet more often. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { openForWriting } from '#storage/sqlite/connection';
import { takeServingLock } from '#storage/sqlite/serving-lock';
import { temporaryDirectory } from '../support/directory.ts';

const source = new URL('../../src/storage/sqlite/', import.meta.url).href;

/** Says "ready", and does for each directory that it is told what `work` says; answers how that went. */
function startWorker(t: TestContext, work: string, begun: SharedArrayBuffer): Worker {
  const program = `
    const { parentPort, workerData } = await import('node:worker_threads');
    const { openForWriting } = await import('${source}connection.ts');
    const { takeServingLock } = await import('${source}serving-lock.ts');
    const begun = new Int32Array(workerData);
    parentPort.on('message', ({ directory, count }) => {
      Atomics.add(begun, 0, 1);
      while (Atomics.load(begun, 0) < count);
      try {
        ${work}
        parentPort.postMessage('done');
      } catch (error) {
        parentPort.postMessage(String(error));
      }
    });
    parentPort.postMessage('ready');
  `;
  const url = new URL(`data:text/javascript,${encodeURIComponent(program)}`);
  const worker = new Worker(url, { workerData: begun });
  t.after(() => worker.terminate());
  return worker;
}

async function answer(worker: Worker): Promise<string> {
  const [said] = await once(worker, 'message');
  return said;
}

test('a store that several processes create at once is open in all of them', async (t) => {
  const root = await temporaryDirectory(t);
  const begun = new SharedArrayBuffer(4);
  const workers = Array.from({ length: 3 }, () =>
    startWorker(t, 'openForWriting(directory).close();', begun),
  );
  await Promise.all(workers.map(answer));
  for (let round = 1; round <= 40; round++) {
    const directory = join(root, String(round));
    const answers = workers.map(answer);
    for (const worker of workers) worker.postMessage({ directory, count: round * workers.length });
    assert.deepEqual(await Promise.all(answers), ['done', 'done', 'done'], `in round ${round}`);
  }
});

test('the lock of a service waits for one who has it for a moment', async (t) => {
  const directory = join(await temporaryDirectory(t), 'data');
  mkdirSync(directory);
  openForWriting(directory).close();
  const begun = new SharedArrayBuffer(4);
  const worker = startWorker(t, 'takeServingLock(directory)();', begun);
  await answer(worker);
  const release = takeServingLock(directory);
  const answered = answer(worker);
  worker.postMessage({ directory, count: 1 });
  while (Atomics.load(new Int32Array(begun), 0) === 0) await sleep(1);
  await sleep(50);
  release();
  assert.equal(await answered, 'done');
});
