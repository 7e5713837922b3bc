/** `tidemark check-stores` and the start of a node: what is wrong with servers is named, and what to do about it. */
import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { Clock } from '#model/environment';
import { limitDefaults } from '#model/limits';
import type { StoreFinding } from '#model/store-finding';
import { type CheckOptions, checkClickHouse } from '#storage/clickhouse/check';
import { openClickHouse } from '#storage/clickhouse/store';
import { checkPostgres } from '#storage/postgres/check';
import { openPostgres } from '#storage/postgres/store';
import { systemClock } from '#system-environment';
import { storeOptions } from '../support/clickhouse-store.ts';
import { ClusterNodes, missingForNodes, nodeShape } from '../support/cluster-nodes.ts';
import { type Replacement, TcpProxy } from '../support/tcp-proxy.ts';
import { KeptLog } from '../support/world.ts';

const missing = missingForNodes();

/** A clock that many seconds from the one of this machine. */
const shifted = (seconds: number): Clock => ({ nowUs: () => systemClock.nowUs() + seconds * 1e6 });

/** The problems among findings, as text. */
function problemsOf(findings: readonly StoreFinding[]): string {
  const problems = findings.filter(({ kind }) => kind === 'problem');
  return problems.map(({ place, text, sql }) => `${place}: ${text} [${sql.join('; ')}]`).join('\n');
}

describe('servers that nodes cannot work with', missing === null ? {} : { skip: missing }, () => {
  let cluster: ClusterNodes;
  before(async () => {
    cluster = await ClusterNodes.start(0);
  });
  after(() => cluster.close());

  const newSeries = () => storeOptions(cluster.clickhouse);
  const checkSeries = async (options: CheckOptions, clock: Clock = systemClock) =>
    problemsOf(await checkClickHouse(options, clock));
  const checkMeta = async (schema?: string, url = cluster.postgres.url(), clock: Clock = systemClock) =>
    problemsOf(await checkPostgres(url, clock, schema));
  const openMeta = (schema: string) =>
    openPostgres({ url: cluster.postgres.url(), log: new KeptLog(), limits: limitDefaults, schema });

  it('clocks that are more than 10 seconds apart are a problem, in either direction', async () => {
    for (const [seconds, problem] of [
      [-20, /its clock is (19|20)\.\d s ahead of that of this machine: synchronise the clocks/],
      [20, /its clock is (19|20)\.\d s behind that of this machine: synchronise the clocks/],
    ] as const) {
      assert.match(await checkMeta(undefined, undefined, shifted(seconds)), problem);
      const series = await checkSeries(newSeries(), shifted(seconds));
      assert.match(series, problem);
      assert.equal(series.split('\n').length, cluster.clickhouse.servers.length, 'each server is named');
    }
    assert.equal(await checkMeta(undefined, undefined, shifted(8)), '');
    assert.equal(await checkSeries(newSeries(), shifted(-8)), '');
  });

  /** Addresses of proxies in front of all servers, behind which each says that it is of another version. */
  async function behindProxies(t: TestContext, urls: string, replacement: Replacement): Promise<string> {
    let changed = urls;
    for (const port of new Set(urls.match(/(?<=127\.0\.0\.1:)\d+/g))) {
      const proxy = await TcpProxy.start(Number(port), replacement);
      t.after(() => proxy.close());
      changed = changed.replaceAll(`127.0.0.1:${port}`, new URL(proxy.url).host);
    }
    return changed;
  }

  it('a PostgreSQL before 12 is refused', async (t) => {
    const rows = await cluster.postgres.run(["select current_setting('server_version_num') as version"]);
    const version = String(rows[0].version);
    const old = await behindProxies(t, cluster.postgres.url(), [version, `11${version.slice(2)}`]);
    assert.match(await checkMeta(undefined, old), /PostgreSQL 11\.\d+ is too old.*use 12 or newer/);
  });

  it('a ClickHouse before 18.16 is refused', async (t) => {
    const version = await cluster.clickhouse.servers[0].run('SELECT version()');
    const options = newSeries();
    const old = await behindProxies(t, options.urls, [
      version,
      version.replace(/^\d+\.\d+/, ({ length }) => '18.1'.padEnd(length, '0').replace('10', '01')),
    ]);
    const problems = /runs ClickHouse 18\.0?1\..*, the service needs 18\.16 or newer/;
    assert.match(await checkSeries({ ...options, urls: old }), problems);
    await assert.rejects(openClickHouse({ ...options, urls: old }), { message: problems });
  });

  it('a user of ClickHouse without the rights is named, with the statement that grants them', async () => {
    const options = newSeries();
    const as = (user: string) => ({ ...options, urls: options.urls.replaceAll('//', `//${user}@`) });
    assert.match(
      await checkSeries(as('reader')),
      /the user may not write, create or delete \(readonly = 2\)/,
    );
    await assert.rejects(openClickHouse(as('reader')), { message: /may not create the service's tables/ });
    if (nodeShape.version === '18.16') return; // It knows no other rights.
    const problems = await checkSeries(as('limited'));
    assert.match(problems, /the user "limited" lacks rights in the database \w+: ALTER DELETE, CREATE TABLE/);
    assert.match(problems, /GRANT ALTER DELETE, CREATE TABLE ON test_\w+\.\* TO "limited"/);
  });

  it('a schema of PostgreSQL of which only a part was made is refused, by a node too', async () => {
    const { postgres } = cluster;
    await (await openMeta('half')).close();
    assert.equal(await checkMeta('half'), '');
    const [{ version }] = await postgres.run(['select version from half.meta_version']);
    const wrongs: [statement: string, undo: string, problem: RegExp][] = [
      [
        'alter table half.plan rename to plan_away',
        'alter table half.plan_away rename to plan',
        /half made: it has version \d+ and lacks the tables plan; restore it from a backup, or/,
      ],
      [
        'update half.meta_version set version = 11',
        `update half.meta_version set version = ${version}`,
        /half made: it has version 11 and has the tables broker_session, broker_queue, point_change, usage_flush already/,
      ],
      [
        'delete from half.meta_version',
        `insert into half.meta_version values (${version})`,
        /half made: it has version 0 and has the tables .*integration/,
      ],
    ];
    for (const [statement, undo, problem] of wrongs) {
      await postgres.run([statement]);
      assert.match(await checkMeta('half'), problem);
      await assert.rejects(openMeta('half'), { name: 'AppError', kind: 'conflict', message: problem });
      await postgres.run([undo]);
    }
    await (await openMeta('half')).close();
  });

  it('tables of ClickHouse that were half made are completed; those that were lost or changed are refused', async () => {
    const options = newSeries();
    const database = options.urls.slice(options.urls.lastIndexOf('/') + 1);
    const [server] = cluster.clickhouse.servers;
    await server.run(`CREATE DATABASE ${database}`);
    await server.run(`CREATE TABLE ${database}.layout (schema UInt32, slots String) ENGINE = TinyLog`);
    const notes = (await checkClickHouse(options, systemClock)).map(({ kind, text }) => `${kind} ${text}`);
    assert.ok(
      notes.some((text) => text.startsWith('note the tables are half made: the first node that starts')),
    );
    await (await openClickHouse(options)).close();
    assert.equal(await checkSeries(options), '');
    const { isReplicated } = options;
    assert.match(
      await checkSeries({ ...options, isReplicated: !isReplicated }),
      isReplicated
        ? /with replicas .*set --series-replicated/
        : /without replicas .*--series-replicated is set/,
    );
    await server.run(`ALTER TABLE ${database}.points ADD COLUMN other UInt8`);
    assert.match(await checkSeries(options), /with the columns other UInt8, signal UInt64/);
    await server.run(`DROP TABLE ${database}.points`);
    const lost = /has lost its table "points", which it had: restore it/;
    assert.match(await checkSeries(options), lost);
    await assert.rejects(openClickHouse(options), { name: 'AppError', kind: 'conflict', message: lost });
  });
});
