/**
 * The backup of docs/scale-out.md, tried: ClickHouse first, then PostgreSQL, while the service runs; restored on other servers.
 * And the refusal where only one of the two was restored, so that points carry numbers which would be given out again.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { temporaryDirectory, tidemark } from '../cli/process.ts';
import { ClusterNodes, missingForNodes, nodeShape } from '../support/cluster-nodes.ts';
import { postgresPrograms } from '../support/postgres-server.ts';

/** Where the tables of a server are differs between releases; the page describes that of one which keeps them by name. */
const missing =
  missingForNodes() ?? (nodeShape.version === '18.16' ? null : 'is tested with ClickHouse 18.16');

const run = promisify(execFile);
const program = (name: string) => join(postgresPrograms() ?? '', name);
const points = join('data', 'tidemark', 'points');

describe('a backup of several nodes', missing === null ? {} : { skip: missing }, () => {
  const started = new AsyncDisposableStack();
  let folder: string;
  let from: ClusterNodes;
  let to: ClusterNodes;
  let client: Awaited<ReturnType<ClusterNodes['newClient']>>;

  before(async () => {
    folder = await temporaryDirectory({ after: (end) => started.defer(end) });
    from = await ClusterNodes.start(1);
    started.defer(() => from.close());
    to = await ClusterNodes.start(0);
    started.defer(() => to.close());
    client = await from.newClient();
  });
  after(() => started.disposeAsync());

  const insert = (cluster: ClusterNodes, key: string, value: number) =>
    cluster.result(0, client.authorization, 'integration.insert', {
      integration: client.integration,
      data: { times: ['2026-03-01T00:00:00Z'], series: { [key]: [value] } },
    });

  const read = async (cluster: ClusterNodes, key: string) => {
    const { meta, series } = cluster.nodes[0].domain;
    const signals = (await meta.signals.byInput(client.integration, [key])).map(({ number }) => number);
    const window = { startUs: 0, endUs: 2 ** 53 };
    const [found] = await series.scan({ sources: [{ signals, window, before: false, after: false }] });
    return [...found.values];
  };

  const dump = (name: string) =>
    run(program('pg_dump'), [
      '--format=custom',
      '--schema=tidemark',
      `--file=${join(folder, name)}`,
      from.addresses.metaUrl,
    ]);

  const restore = (name: string) =>
    run(program('pg_restore'), [
      '--clean',
      '--if-exists',
      `--dbname=${to.addresses.metaUrl}`,
      join(folder, name),
    ]);

  /** Runs what `schema print` says for the new servers of ClickHouse. */
  async function makeTables(): Promise<void> {
    const { metaUrl, seriesUrl, seriesCluster } = to.addresses;
    const env = {
      ...{
        TIDEMARK_META_URL: metaUrl,
        TIDEMARK_SERIES_URL: seriesUrl,
        TIDEMARK_SERIES_CLUSTER: seriesCluster,
      },
    };
    const printed = JSON.parse((await tidemark(['schema', 'print', '--json'], { env })).stdout);
    for (const [i, { sql }] of printed.clickhouse.entries())
      for (const statement of sql) await to.clickhouse.servers[i].run(statement);
  }

  /** Copies what a server has frozen to the same server of the other cluster, and attaches it. */
  async function restoreParts(server: number): Promise<void> {
    const source = join(from.clickhouse.servers[server].dataDirectory, 'shadow', '1', points);
    const target = to.clickhouse.servers[server];
    for (const part of await readdir(source)) {
      await cp(join(source, part), join(target.dataDirectory, points, 'detached', part), { recursive: true });
      await target.run(`ALTER TABLE tidemark.points ATTACH PART '${part}'`);
    }
  }

  it('has what was acknowledged before it, and afterwards no number is given out again', async () => {
    for (const [i, key] of ['a', 'b', 'c', 'd'].entries()) await insert(from, key, i);
    await dump('early');
    await insert(from, 'e', 5);
    await insert(from, 'a', 6);

    for (const server of from.clickhouse.servers) await server.run('ALTER TABLE tidemark.points FREEZE');
    await insert(from, 'late', 7);
    await dump('later');
    await insert(from, 'lost', 8);

    await makeTables();
    for (const [server] of from.clickhouse.servers.entries()) await restoreParts(server);
    await restore('later');
    await to.startNode();
    assert.deepEqual(await Promise.all(['a', 'b', 'c', 'd', 'e'].map((key) => read(to, key))), [
      [6],
      [1],
      [2],
      [3],
      [5],
    ]);
    assert.deepEqual(await read(to, 'late'), [], 'it came between the two, and is sent again');
    for (const key of ['new', 'late', 'a']) await insert(to, key, 9);
    assert.deepEqual(await Promise.all(['new', 'late', 'a'].map((key) => read(to, key))), [[9], [9], [9]]);
    await to.stopNodes();
  });

  it('a node refuses metadata that are older than the points, and says what to do', async () => {
    await restore('early');
    let message = '';
    await assert.rejects(to.startNode(), (error: Error) => {
      message = error.message;
      return true;
    });
    assert.match(message, /ClickHouse is ahead of PostgreSQL/);
    const statement = /select setval.*\)/.exec(message)?.[0] ?? '';
    await to.postgres.run([statement]);
    await to.startNode();
    for (const key of ['newer', 'a']) await insert(to, key, 10);
    assert.deepEqual(await Promise.all(['newer', 'a'].map((key) => read(to, key))), [[10], [10]]);
  });
});
