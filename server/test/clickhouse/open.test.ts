/** Opening points in ClickHouse: what does not fit is refused, with what to do. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { checkClickHouse } from '#storage/clickhouse/check';
import { type ClickHouseOptions, openClickHouse } from '#storage/clickhouse/store';
import { systemClock } from '#system-environment';
import { onEachCluster, storeOptions } from '../support/clickhouse-store.ts';

/** Opening must fail in this way. */
async function assertRefused(options: ClickHouseOptions, kind: string, message: RegExp): Promise<void> {
  await assert.rejects(openClickHouse(options), { name: 'AppError', kind, message });
}

/** The name of the database of these options. */
function databaseOf({ urls }: ClickHouseOptions): string {
  return urls.slice(urls.lastIndexOf('/') + 1);
}

onEachCluster((_, clusterOf) => {
  it('an unknown cluster, wrong credentials and a server that is not there are named', async () => {
    const options = storeOptions(clusterOf());
    await assertRefused({ ...options, cluster: 'other' }, 'conflict', /no cluster "other"/);
    await assertRefused({ ...options, cluster: 'a b' }, 'conflict', /letters, digits and underscores/);
    const urls = options.urls.replaceAll('//', '//stranger:secret@');
    await assertRefused({ ...options, urls }, 'unavailable', /refuses the service's user/);
    const nowhere = 'http://127.0.0.1:1/points';
    await assertRefused({ ...options, urls: nowhere }, 'unavailable', /does not answer/);
    await assertRefused({ ...options, urls: 'not a url' }, 'conflict', /must have the form/);
  });

  it('a database of another program is left alone', async () => {
    const options = storeOptions(clusterOf());
    const database = databaseOf(options);
    for (const server of clusterOf().servers) {
      await server.run(`CREATE DATABASE ${database}`);
      await server.run(`CREATE TABLE ${database}.points (id UInt64) ENGINE = TinyLog`);
    }
    await assertRefused(options, 'conflict', /"points" of another program/);
  });

  it('tables that were made for other shards are not used', async () => {
    const options = storeOptions(clusterOf());
    await (await openClickHouse(options)).close();
    const [server] = clusterOf().servers;
    await server.run(`DROP TABLE ${databaseOf(options)}.layout`);
    await server.run(
      `CREATE TABLE ${databaseOf(options)}.layout (schema UInt32, slots String) ENGINE = TinyLog`,
    );
    await server.run(`INSERT INTO ${databaseOf(options)}.layout VALUES (1, '0,1,2')`);
    await assertRefused(options, 'conflict', /must be moved first/);
  });

  it('settings that the table of an older release lacks are named, and set by the next start; others are left', async () => {
    const options = storeOptions(clusterOf());
    await (await openClickHouse(options)).close();
    const database = databaseOf(options);
    const settings = () =>
      clusterOf().servers[0].run(
        `SELECT engine_full FROM system.tables WHERE database = '${database}' AND name = 'points'`,
      );
    if (!(await settings()).includes('merge_selector_base')) return; // A release that has none of them.
    const changes = ['RESET SETTING merge_selector_base', 'MODIFY SETTING fsync_after_insert = 0'];
    for (const server of clusterOf().servers)
      for (const change of changes) await server.run(`ALTER TABLE ${database}.points ${change}`);
    assert.doesNotMatch(await settings(), /merge_selector_base/);
    const findings = await checkClickHouse(options, systemClock);
    assert.deepEqual(
      findings.flatMap(({ sql }) => sql),
      clusterOf().servers.map(() => `ALTER TABLE ${database}.points MODIFY SETTING merge_selector_base = 60`),
    );
    await (await openClickHouse(options)).close();
    assert.match(await settings(), /fsync_after_insert = 0.*merge_selector_base = 60/);
    for (const [before, after] of [
      [10, 60], // What the older release has set.
      [100, 100],
    ]) {
      for (const server of clusterOf().servers)
        await server.run(`ALTER TABLE ${database}.points MODIFY SETTING merge_selector_base = ${before}`);
      await (await openClickHouse(options)).close();
      assert.match(await settings(), new RegExp(`merge_selector_base = ${after}\\b`));
    }
  });

  it('tables that are not complete are completed', async () => {
    const options = storeOptions(clusterOf());
    await (await openClickHouse(options)).close();
    const database = databaseOf(options);
    for (const server of clusterOf().servers) {
      await server.run(`DROP TABLE ${database}.layout`);
      await server.run(`CREATE TABLE ${database}.layout (schema UInt32, slots String) ENGINE = TinyLog`);
    }
    const store = await openClickHouse(options);
    await store.append({ timesUs: Float64Array.of(1), signals: [1, 2], values: Float64Array.of(3, 4) });
    assert.deepEqual(await store.storedSignals(), [1, 2]);
    await store.close();
  });
});
