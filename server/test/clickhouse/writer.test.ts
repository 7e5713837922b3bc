/** Many small writers: batches are gathered, so that a server gets few inserts a second. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type ClickHouseTuning, tuningDefaults } from '#storage/clickhouse/options';
import { openClickHouse } from '#storage/clickhouse/store';
import { batchOf, readAll } from '../contract/series-store.ts';
import type { Cluster } from '../support/clickhouse-cluster.ts';
import { CountedWrites, onEachCluster, storeOptions } from '../support/clickhouse-store.ts';

const { gatherMs } = tuningDefaults;

/** Options of a store, and how many groups it has written. */
function countedOptions(cluster: Cluster, tuning: Partial<ClickHouseTuning>) {
  const options = storeOptions(cluster, tuning);
  const counted = { options, groups: 0 };
  const begin = options.numbers.begin.bind(options.numbers);
  options.numbers.begin = (range) => {
    counted.groups++;
    return begin(range);
  };
  return counted;
}

onEachCluster((_, clusterOf) => {
  it('1,000 writers of single values in two threads make at most ten inserts a second', async () => {
    const counted = countedOptions(clusterOf(), { gatherMs });
    const { options } = counted;
    const first = await openClickHouse(options);
    const second = await openClickHouse({ ...options, writer: first.shareWriter() });
    const startMs = performance.now();
    await Promise.all(
      Array.from({ length: 1000 }, async (_, i) => {
        const store = i % 2 === 0 ? first : second;
        for (let at = 0; at < 3; at++) await store.append(batchOf([at], [i + 1, at]));
      }),
    );
    const groupsMax = 1 + (performance.now() - startMs) / gatherMs;
    assert.ok(counted.groups <= groupsMax, `${counted.groups} groups, at most ${groupsMax}`);
    for (const signal of [1, 2, 1000])
      assert.deepEqual(await readAll(second, signal), [
        [0, 0],
        [1, 1],
        [2, 2],
      ]);
    await second.close();
    await first.close();
  });

  it('writers of large batches that send one after the other share an insert', async () => {
    const rounds = 10;
    const times = Array.from({ length: 100 }, (_, i) => i);
    const counted = countedOptions(clusterOf(), { gatherMs: 60_000, gatherRows: times.length });
    const store = await openClickHouse(counted.options);
    const writers = [1, 2].map(async (signal) => {
      for (let round = 0; round < rounds; round++) {
        await store.append(batchOf(times, [signal, ...times]));
        await setImmediate(); // As a client, it sends more a little later.
      }
    });
    await Promise.race(writers);
    const { groups } = counted;
    await setImmediate();
    await Promise.all([store.close(), ...writers]);
    // The first group had one batch, since nothing was known before it; the last one came after the race.
    assert.equal(groups, rounds);
  });

  it('N2 a write that followers may have gone on without is not acknowledged', async () => {
    const options = storeOptions(clusterOf());
    const numbers = new CountedWrites();
    const store = await openClickHouse({ ...options, numbers });
    await store.append(batchOf([10], [1, 1]));
    numbers.silentMsMax = 0; // So that each write takes longer.
    const isRefused = { kind: 'unavailable', message: /send it again/ };
    await assert.rejects(store.append(batchOf([10], [1, 2])), isRefused);
    await store.close();
  });

  it('R9 what another thread cannot store is refused with the reason', async () => {
    const first = await openClickHouse(storeOptions(clusterOf()));
    const second = await openClickHouse({ ...storeOptions(clusterOf()), writer: first.shareWriter() });
    await first.close();
    const isRefused = { kind: 'unavailable', message: /being closed/ };
    await assert.rejects(second.append(batchOf([1], [1, 1])), isRefused);
    await second.close();
    await assert.rejects(second.append(batchOf([1], [1, 1])), isRefused);
  });
});
