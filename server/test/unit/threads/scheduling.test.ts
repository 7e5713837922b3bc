/** Which threads the system runs first. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { runnerBeside, systemThreadId } from '#threads/scheduling';

/** What the system says of a thread. */
interface ThreadState {
  /** The numbers of the processors that it may use, such as `0-3`. */
  processors: string;
  niceness: number;
}

const scheduling = JSON.stringify(import.meta.resolve('#threads/scheduling'));

/** Says how it is run after `serve`, and how a thread is that it starts then, after `yieldProcessor`. */
const threadCode = (serve: string) => `
  const { availableParallelism, getPriority } = require('node:os');
  const { readFileSync } = require('node:fs');
  const { parentPort, Worker } = require('node:worker_threads');
  const state = \`({
    processors: /Cpus_allowed_list:\\\\s*(\\\\S+)/.exec(readFileSync('/proc/thread-self/status', 'utf8'))[1],
    niceness: getPriority(0),
  })\`;
  const further = \`
    const { getPriority } = require('node:os');
    const { readFileSync } = require('node:fs');
    import(${scheduling.replaceAll('"', "'")}).then(({ yieldProcessor }) => {
      yieldProcessor('largeReads');
      require('node:worker_threads').parentPort.postMessage(\${state});
    });
  \`;
  import(${scheduling}).then(({ serveFirst }) => {
    const before = eval(state);
    ${serve};
    const after = eval(state);
    new Worker(further, { eval: true }).once('message', (started) => {
      parentPort.postMessage({ before, after, started });
    });
  });
`;

/** How a thread is run before it is a service thread and after that, and a thread that it starts. */
async function statesAround(serve: string): Promise<Record<'before' | 'after' | 'started', ThreadState>> {
  const worker = new Worker(threadCode(serve), { eval: true });
  const [states] = await once(worker, 'message');
  await worker.terminate();
  return states;
}

if (process.platform === 'linux') {
  test('a service thread uses a processor of its own, and threads that it starts use all again', async () => {
    const { before, after, started } = await statesAround(
      'serveFirst(availableParallelism() - 1, availableParallelism())',
    );
    const numbers = before.processors.split(/[-,]/);
    assert.equal(after.processors, numbers.at(-1));
    assert.deepEqual(started, { processors: before.processors, niceness: after.niceness + 10 });
  });

  test('what wakes a service thread runs on another processor than its own, where there is one', async () => {
    const worker = new Worker(
      `import(${scheduling}).then(({ serveFirst, systemThreadId }) => {
        const { parentPort } = require('node:worker_threads');
        serveFirst(0, require('node:os').availableParallelism());
        parentPort.on('message', () => process.exit());
        parentPort.postMessage(systemThreadId());
      });`,
      { eval: true },
    );
    const [threadId] = await once(worker, 'message');
    const processors = () =>
      /Cpus_allowed_list:\s*(\S+)/.exec(readFileSync('/proc/thread-self/status', 'utf8'))?.[1];
    const before = processors();
    let during: string | undefined;
    runnerBeside(threadId)(() => {
      during = processors();
    });
    assert.equal(processors(), before);
    if (availableParallelism() === 1) assert.equal(during, before);
    else assert.notEqual(during?.split(/[-,]/)[0], before?.split(/[-,]/)[0]);
    runnerBeside(systemThreadId())(() => {
      during = processors();
    });
    assert.equal(during, before, 'a thread that uses all processors');
    worker.postMessage('end');
    await once(worker, 'exit');
  });

  test('service threads use all processors where there are not as many as threads', async () => {
    const { before, after, started } = await statesAround('serveFirst(0, availableParallelism() + 1)');
    assert.deepEqual(after, before);
    assert.equal(started.processors, before.processors);
  });
}
