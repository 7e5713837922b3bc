/** Two nodes on the same points in ClickHouse, with numbers of one sequence. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '#model/error';
import { partitionUs } from '#storage/clickhouse/partition';
import { openClickHouse } from '#storage/clickhouse/store';
import { eventsSince } from '../contract/series-changes.ts';
import { batchOf, readAll } from '../contract/series-store.ts';
import { onEachCluster, storeOptions } from '../support/clickhouse-store.ts';

onEachCluster(({ replicaCount }, clusterOf) => {
  it('R9 the last write to be acknowledged wins, and every node reads it', async () => {
    const options = storeOptions(clusterOf());
    const nodes = [await openClickHouse(options), await openClickHouse(options)];
    for (let i = 0; i < 100; i++) {
      const [writer, other] = i % 2 === 0 ? nodes : [nodes[1], nodes[0]];
      await writer.append(batchOf([10], [1, i], [2, -i]));
      assert.deepEqual(await readAll(other, 1), [[10, i]]);
      assert.deepEqual(await readAll(other, 2), [[10, -i]]);
    }
    await Promise.all(nodes.map((node) => node.close()));
  });

  it('N2 what was numbered earlier and becomes visible later is not skipped', async () => {
    const options = storeOptions(clusterOf());
    const nodes = [await openClickHouse(options), await openClickHouse(options)];
    const start = await nodes[1].changes.now();
    // A third node has begun a write, and does not say yet whether it has ended.
    const slow = await options.numbers.begin({ firstUs: 20, lastUs: 20 });
    await nodes[0].append(batchOf([10], [1, 1]));
    assert.deepEqual((await eventsSince(nodes[1].changes, start, 1))?.events, []);
    await options.numbers.end(slow);
    const found = await eventsSince(nodes[1].changes, start, 1);
    assert.deepEqual(found?.events, [{ 1: [[10, 1]] }]);
    assert.deepEqual((await eventsSince(nodes[0].changes, found.position, 1))?.events, []);
    await Promise.all(nodes.map((node) => node.close()));
  });

  it('R15 a deletion on one node leaves what another has written after it', async () => {
    const options = storeOptions(clusterOf());
    const nodes = [await openClickHouse(options), await openClickHouse(options)];
    await nodes[0].append(batchOf([10, 20], [1, 1, 2], [2, 3, 4]));
    assert.deepEqual(await nodes[1].deletePoints([1, 2], { startUs: 0, endUs: 15 }), [1, 1]);
    await nodes[0].append(batchOf([10], [1, 5]));
    assert.deepEqual(await readAll(nodes[1], 1), [
      [10, 5],
      [20, 2],
    ]);
    assert.deepEqual(await readAll(nodes[1], 2), [[20, 4]]);
    await Promise.all(nodes.map((node) => node.close()));
  });

  it('R15 what one node has read, and another deletes, is read as deleted', async () => {
    const options = storeOptions(clusterOf());
    const [reader, deleter] = [await openClickHouse(options), await openClickHouse(options)];
    await deleter.append(batchOf([10, 20], [1, 1, 2], [2, 3, 4]));
    for (const signal of [1, 2]) assert.equal((await readAll(reader, signal)).length, 2);
    await deleter.deletePoints([1], { startUs: 0, endUs: 15 });
    assert.deepEqual(await readAll(reader, 1), [[20, 2]]);
    await deleter.deleteSignals([2]);
    assert.deepEqual(await readAll(reader, 2), []);
    await deleter.deleteBefore(100);
    assert.deepEqual(await readAll(reader, 1), []);
    await Promise.all([reader.close(), deleter.close()]);
  });

  if (replicaCount > 1)
    it('R9 a replica that has not got yet what was acknowledged is not read', async () => {
      const options = storeOptions(clusterOf());
      const store = await openClickHouse(options);
      const [, server] = clusterOf().servers;
      const database = /[^/]+$/.exec(options.urls)?.[0];
      const late = `${database}_late`;
      // A third replica, without which an insert is acknowledged.
      const path = `/clickhouse/tables/{shard}/${database}/points`;
      const engine = `ReplicatedReplacingMergeTree('${path}', 'late', version)`;
      const order = `PARTITION BY intDiv(time, ${partitionUs}) ORDER BY (signal, time)`;
      for (const sql of [
        `CREATE DATABASE ${late}`,
        `CREATE TABLE ${late}.layout (schema UInt32, slots String) ENGINE = TinyLog`,
        `CREATE TABLE ${late}.points AS ${database}.points ENGINE = ${engine} ${order}`,
      ])
        await server.run(sql);
      const reader = await openClickHouse({ ...options, urls: `${server.url}/${late}`, cluster: null });
      for (let i = 0; i < 20; i++) {
        await server.run(`DETACH TABLE ${late}.points`);
        await store.append(batchOf([10], [1, i]));
        await server.run(`ATTACH TABLE ${late}.points`);
        const read = () =>
          readAll(reader, 1).catch((error) => {
            assert.ok(error instanceof AppError && error.kind === 'unavailable', String(error));
            return null;
          });
        let found = await read();
        for (; found === null; found = await read()) await wait(10);
        assert.deepEqual(found, [[10, i]]);
      }
      await Promise.all([store.close(), reader.close()]);
    });
});
