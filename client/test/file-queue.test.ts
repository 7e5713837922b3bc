/** The queue in files: what it holds survives, within its bound, and whatever happens to its files. */
import assert from 'node:assert/strict';
import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryDirectory } from '../../server/test/support/directory.ts';
import { FileQueue } from '../src/file-queue.ts';
import { PointGatherer, type Points } from '../src/points.ts';

async function temporary(t: TestContext): Promise<string> {
  const directory = await temporaryDirectory(t);
  return directory;
}

/** A batch of points that hardly compress, with its number at second 0. */
function batch(number: number, count = 1): Points {
  const gatherer = new PointGatherer();
  gatherer.add('number', number, 0);
  for (let i = 1; i < count; i++) gatherer.add('noise', Math.sin(number * 1e4 + i), i);
  return gatherer.take();
}

async function opened(directory: string, bytesMax?: number) {
  const queue = new FileQueue({ directory, ...(bytesMax === undefined ? {} : { bytesMax }) });
  return { queue, found: await queue.open() };
}

/** Takes all batches out, one at a time; their numbers. */
async function drain(queue: FileQueue): Promise<number[]> {
  const numbers: number[] = [];
  for (let next = await queue.oldest(1); next !== null; next = await queue.oldest(1)) {
    numbers.push(next.points.get('number')!.values[0]);
    await queue.remove(next.last);
  }
  return numbers;
}

async function segmentsIn(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => name.endsWith('.points')).sort();
}

test('batches come back in order, over restarts, without those that were removed', async (t) => {
  const directory = await temporary(t);
  const { queue } = await opened(directory);
  for (let number = 1; number <= 5; number++) await queue.append(batch(number));
  await queue.remove((await queue.oldest(1))!.last);
  await queue.close();
  const again = await opened(directory);
  assert.deepEqual([again.found.number, again.found.lost, again.queue.points], [4, [], 4]);
  await again.queue.append(batch(6));
  again.queue.appendNow(batch(7));
  const three = await again.queue.oldest(3);
  assert.deepEqual([three?.last, three?.points.get('number')?.values[0]], [3, 4]);
  assert.deepEqual(await drain(again.queue), [2, 3, 4, 5, 6, 7]);
  assert.deepEqual([again.queue.points, again.queue.bytes, await segmentsIn(directory)], [0, 0, []]);
  await again.queue.close();
});

test('at its bound the oldest batches are dropped, and reported; it never takes more bytes', async (t) => {
  const directory = await temporary(t);
  const bytesMax = 200_000;
  const { queue } = await opened(directory, bytesMax);
  let dropped = 0;
  for (let number = 1; number <= 100; number++) {
    const { lost } = await queue.append(batch(number, 400));
    for (const { reason, points } of lost) {
      assert.equal(reason, 'full');
      dropped += points;
    }
    assert.ok(queue.bytes <= bytesMax, `${queue.bytes} bytes`);
  }
  assert.ok(dropped > 0 && queue.bytes > bytesMax * 0.8, `${dropped} dropped, ${queue.bytes} bytes kept`);
  const left = await drain(queue);
  assert.equal(dropped, (100 - left.length) * 400);
  assert.deepEqual(
    left,
    Array.from({ length: left.length }, (_, i) => 101 - left.length + i),
  );
  await queue.close();
});

test('a record that was torn by a crash is cut off; a damaged file in the middle is reported, and the rest is kept', async (t) => {
  const directory = await temporary(t);
  const { queue } = await opened(directory, 65_536);
  for (let number = 1; number <= 9; number++) await queue.append(batch(number, 200));
  await queue.close();
  const names = await segmentsIn(directory);
  assert.ok(names.length > 3, `${names.length} files`);
  await appendFile(join(directory, names.at(-1)!), 'torn');
  const torn = await opened(directory, 65_536);
  assert.deepEqual([torn.found.number, torn.found.lost], [9, []]);
  await torn.queue.close();
  const middle = join(directory, names[1]);
  const bytes = await readFile(middle);
  bytes[bytes.length - 1] ^= 1;
  await writeFile(middle, bytes);
  const { queue: rest, found } = await opened(directory, 65_536);
  assert.deepEqual(
    found.lost.map(({ reason }) => reason),
    ['damaged'],
  );
  const left = await drain(rest);
  assert.ok(left.length < 9 && left.includes(1) && left.includes(9), String(left));
  await rest.close();
});

test('a place that is unknown, or of no file, makes it send again what it has', async (t) => {
  const directory = await temporary(t);
  const { queue } = await opened(directory);
  for (let number = 1; number <= 3; number++) await queue.append(batch(number));
  await queue.remove(2);
  await queue.close();
  await writeFile(join(directory, 'position'), 'nonsense');
  const { queue: again } = await opened(directory);
  assert.deepEqual(await drain(again), [1, 2, 3]);
  await again.close();
});

test('two writers cannot use one directory; the lock of a program that has ended does not count', async (t) => {
  const directory = await temporary(t);
  const { queue } = await opened(directory);
  await assert.rejects(
    opened(directory),
    /is in use by process \d+: give each writer a directory of its own/,
  );
  await queue.close();
  await writeFile(join(directory, 'lock'), '999999999 1');
  await (await opened(directory)).queue.close();
  assert.throws(
    () => new FileQueue({ directory, bytesMax: 1000 }),
    /bytesMax must be at least 65536, got 1000/,
  );
});
