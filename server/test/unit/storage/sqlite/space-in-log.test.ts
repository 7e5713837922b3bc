/** Appends wait while the log is long: large ones before small ones. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Batch } from '#storage/store';
import { temporaryDirectory } from '../../../support/directory.ts';
import { LocalStore, turns } from '../../../support/local-store.ts';
import { statsOf } from '../../../support/sealed.ts';

const mib = 1024 * 1024;

function batchOf(count: number, signal: number): Batch {
  const timesUs = Float64Array.from({ length: count }, (_, i) => i);
  return { timesUs, signals: [signal], values: timesUs };
}

/** A process with a log of so many bytes, of which it learns the length when the sealer has looked. */
async function withLog(t: TestContext, bytes: number) {
  const directory = await temporaryDirectory(t);
  const store = await LocalStore.open(directory, true, { backlog: Float64Array.of(bytes) });
  t.after(() => store.kill());
  const points = () => statsOf(directory).blockPoints + statsOf(directory).logPoints;
  const appending = Promise.all([
    store.series.append(batchOf(10, 1)),
    store.series.append(batchOf(20_000, 2)),
  ]);
  await turns();
  const storeAll = async () => {
    await store.storeAll();
    await turns();
  };
  const handleAll = async () => {
    for (let i = 0; i < 100; i++) {
      await turns();
      for (const { role } of store.waiting) await store.deliver(role);
    }
    await appending;
  };
  await storeAll();
  return { points, handleAll };
}

test('with space in the log appends do not wait', async (t) => {
  const { points } = await withLog(t, 400 * mib);
  assert.equal(points(), 20_010);
});

test('the last of the space in the log is left to small appends', async (t) => {
  const { points, handleAll } = await withLog(t, 480 * mib);
  assert.equal(points(), 10);
  await handleAll();
  assert.equal(points(), 20_010);
});

test('without space in the log all appends wait until it has been looked at', async (t) => {
  const { points, handleAll } = await withLog(t, 513 * mib);
  assert.equal(points(), 0);
  await handleAll();
  assert.equal(points(), 20_010);
});
