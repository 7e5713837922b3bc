/** Waiting while the store is busy. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Load } from '#domain/retention/load';
import type { StoreFigures } from '#storage/store';
import { MemorySeriesStore } from '../../../memory-store/series-store.ts';

/** A store that says how busy it is. */
class BusyStore extends MemorySeriesStore {
  asked = 0;
  queueBytes = 0;
  logBytes = 0;

  async figures(): Promise<StoreFigures> {
    this.asked++;
    const { queueBytes, logBytes } = this;
    const nothing = { fileBytes: 0, walBytes: 0, writerQueueLength: 0, readerQueueLength: 0 };
    return { ...nothing, queueBytes, logBytes, sealLagS: 0, sealFailureCount: 0, damagedBlockCount: 0 };
  }
}

test('L5 retention does not wait for a store with little to do, and not for one that does not say', async () => {
  const store = new BusyStore();
  await new Load(store).whenLow();
  await new Load(new MemorySeriesStore()).whenLow();
  await new Load(null).whenLow();
  assert.equal(store.asked, 1);
});

test('L5 retention waits while batches queue or the log is long, and looks again', async () => {
  const store = new BusyStore();
  for (const figure of ['queueBytes', 'logBytes'] as const) {
    store[figure] = 2 ** 30;
    let isLow = false;
    const waiting = new Load(store).whenLow().then(() => {
      isLow = true;
    });
    while (store.asked < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.ok(!isLow);
    store[figure] = 0;
    await waiting;
    store.asked = 0;
  }
});

test('L5 retention that waits ends with the service', async () => {
  const store = new BusyStore();
  store.queueBytes = 2 ** 30;
  const load = new Load(store);
  const waiting = load.whenLow();
  load.end();
  await assert.rejects(waiting, /the service is shutting down/);
  await assert.rejects(load.whenLow(), /the service is shutting down/);
});
