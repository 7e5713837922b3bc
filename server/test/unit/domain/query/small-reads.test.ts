/** A raw read of few points does not wait for large reads (E3). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CallPlace } from '#load/call-place';
import type { Load } from '#load/load';
import { newLoad } from '../../../support/load.ts';
import { ask, Plant, paths, queryOf } from './plant.ts';

const mebibyte = 1024 * 1024;
const signal = new AbortController().signal;

/** A read that runs, in the lane of small ones until it takes 1 MiB. */
async function newRead(load: Load, client: string): Promise<CallPlace> {
  return load.open(client, () => signal).enter('read');
}

/** A large read, which waits when there are too many. */
async function startLarge(load: Load, client: string, bytes: number): Promise<void> {
  const { memory } = await newRead(load, client);
  void memory.take(bytes);
  await nextTurn();
}

async function readFew({ memory }: CallPlace): Promise<number> {
  const plant = new Plant();
  const item = await plant.item({}, [
    ['2026-01-01T00:00:00Z', 1],
    ['2026-01-01T00:00:01Z', 2],
  ]);
  const data = ask('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', null);
  const { frame } = await plant.query().dataFrame({ query: queryOf([item]), data, paths }, { memory });
  return frame.timesUs.length;
}

test('E3 a raw read of few points passes a queue of large reads, which wait for a place', async () => {
  const load = newLoad({ readsMax: 4 });
  for (let i = 0; i < 8; i++) await startLarge(load, `large-${i}`, 2 * mebibyte);
  const large = load.lanes.find(({ lane }) => lane === 'large-read');
  assert.equal(large?.waitingCount, 5);
  assert.equal(await readFew(await newRead(load, 'calm')), 2);
});

test('E3 a raw read of few points passes a queue of large reads, which wait for memory', async () => {
  // Of 100 MiB 35 are for reads; an eighth of these is left for small ones.
  const load = newLoad({ requestMemoryBytesMax: 100 * mebibyte });
  for (let i = 0; i < 4; i++) await startLarge(load, `large-${i}`, 15 * mebibyte);
  assert.equal(load.waitingCount('read'), 2);
  assert.equal(await readFew(await newRead(load, 'calm')), 2);
});
