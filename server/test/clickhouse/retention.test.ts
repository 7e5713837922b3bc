/** The points of all signals before a time: whole partitions are dropped, of the one that is cut the older part is deleted. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { partitionUs } from '#storage/clickhouse/partition';
import { openClickHouse } from '#storage/clickhouse/store';
import { batchOf, readAll } from '../contract/series-store.ts';
import type { Cluster } from '../support/clickhouse-cluster.ts';
import { onEachCluster, storeOptions } from '../support/clickhouse-store.ts';

/** Times of three partitions in a row: one before 1970, the one around it, and one after it. */
const [early, middle, late] = [-1.5 * partitionUs, -0.5 * partitionUs, 1.5 * partitionUs];

const signals = [1, 2, 3, 4];

/** Two points of each signal. */
const pair = (timeUs: number) =>
  batchOf(
    [timeUs, timeUs + 1],
    ...signals.map((signal): [number, number, number] => [signal, timeUs, signal]),
  );

onEachCluster(({ replicaCount }, clusterOf) => {
  /** What each server answers. */
  const ask = (cluster: Cluster, sql: string) =>
    Promise.all(cluster.servers.map((server) => server.run(`${sql} FORMAT TabSeparated`)));

  const dropped = replicaCount === 1 ? 'are dropped as a whole, without a mutation' : 'lose all their points';

  it(`L5 partitions before the time ${dropped}`, async () => {
    const options = storeOptions(clusterOf());
    const database = options.urls.split('/').at(-1);
    const store = await openClickHouse(options);
    for (const timeUs of [early, middle, late, early]) await store.append(pair(timeUs));
    await store.deleteBefore(partitionUs);
    for (const signal of signals)
      assert.deepEqual(await readAll(store, signal), [
        [late, late],
        [late + 1, signal],
      ]);
    const own = `WHERE database = '${database}' AND table = 'points'`;
    const mutations = await ask(clusterOf(), `SELECT count() FROM system.mutations ${own}`);
    assert.deepEqual(new Set(mutations), new Set([replicaCount === 1 ? '0' : '1']));
    const parts = await ask(
      clusterOf(),
      `SELECT DISTINCT partition FROM system.parts ${own} AND active AND rows > 1`,
    );
    assert.deepEqual(new Set(parts), new Set(['1']));
    await store.append(batchOf([early], [1, 5]));
    assert.deepEqual((await readAll(store, 1))[0], [early, 5]);
    await store.close();
  });

  it('L5 of a partition that the time cuts the older points go, of every signal', async () => {
    const store = await openClickHouse(storeOptions(clusterOf()));
    for (const timeUs of [early, late]) await store.append(pair(timeUs));
    await store.deleteBefore(late + 1);
    for (const signal of signals) assert.deepEqual(await readAll(store, signal), [[late + 1, signal]]);
    await store.append(batchOf([late], [1, 7]));
    await store.deleteBefore(late);
    assert.deepEqual(await readAll(store, 1), [
      [late, 7],
      [late + 1, 1],
    ]);
    await store.close();
  });
});
