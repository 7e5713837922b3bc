/** Commands and settings of a service that keeps everything in PostgreSQL and ClickHouse. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type RunOptions, serve, temporaryDirectory, tidemark } from '../cli/process.ts';
import { ClusterNodes, missingForNodes } from '../support/cluster-nodes.ts';

const missing = missingForNodes();
const options = missing === null ? {} : { skip: missing };

describe('commands on PostgreSQL and ClickHouse', options, () => {
  let cluster: ClusterNodes;
  let env: Record<string, string>;
  before(async () => {
    cluster = await ClusterNodes.start(0);
    env = cluster.environment;
  });
  after(() => cluster.close());

  const run = (args: string[], more: RunOptions = {}) =>
    tidemark(args, { ...more, env: { ...env, ...more.env } });

  it('check-stores says that there are no tables yet, and schema print makes them', async () => {
    const before = await run(['check-stores']);
    assert.equal(before.code, 0, before.stdout + before.stderr);
    assert.match(before.stdout, /PostgreSQL 127\.0\.0\.1:\d+\/postgres: version 1\d\./);
    assert.match(before.stdout, /there are no tables yet: the first node that starts sees to that/);
    assert.match(before.stdout, /ClickHouse .*shard 2: there are no tables yet/);
    assert.match(before.stdout, /nodes can use these servers/);

    await cluster.postgres.run(['create role node login', 'revoke all on schema public from public']);
    const metaUrl = cluster.postgres.url('postgres', 'node');
    const lacking = await run(['check-stores', '--meta-url', metaUrl]);
    assert.equal(lacking.code, 1);
    assert.match(
      lacking.stdout,
      /PROBLEM.*the role may not change that[\s\S]*create schema if not exists "tidemark";/,
    );

    const printed = JSON.parse((await run(['schema', 'print', '--role', 'node', '--json'])).stdout);
    await cluster.postgres.run(printed.postgres);
    const [, statements] = [printed.clickhouse.length, printed.clickhouse];
    assert.equal(statements.length, 2);
    for (const [i, { sql }] of statements.entries())
      for (const statement of sql) await cluster.clickhouse.servers[i].run(statement);

    const afterwards = await run(['check-stores', '--meta-url', metaUrl]);
    assert.equal(afterwards.code, 0, afterwards.stdout);
    assert.match(afterwards.stdout, /the tables are there, version \d+[\s\S]*the tables are there/);
    const created = await run(['integration', 'create', 'Plant', '--meta-url', metaUrl, '--json']);
    assert.equal(created.code, 0, created.stderr);
  });

  it('a node serves what commands have made, without a data directory', async (t) => {
    const data = join(await temporaryDirectory(t), 'never-made');
    const service = await serve(t, data, ['--meta-url', env.TIDEMARK_META_URL], { env });
    assert.doesNotMatch(service.output.stdout, /a password in the command line/);
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
    const { stdout } = await run(['integration', 'list', '--json']);
    assert.match(stdout, /Plant/);
    assert.equal(await service.stop(), 0);
  });

  it('commands that work on a data directory say what to use instead', async () => {
    for (const args of [['backup', 'x'], ['check'], ['stats'], ['restore', 'x']]) {
      const { code, stderr } = await run(args);
      assert.equal(code, 1);
      assert.match(
        stderr,
        /works on a data directory, and this configuration keeps everything in PostgreSQL/,
      );
    }
  });

  it('check-stores names what is wrong with each server', async () => {
    const wrong = await run([
      'check-stores',
      '--series-cluster',
      'unknown',
      '--meta-url',
      cluster.postgres.url('absent'),
    ]);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stdout, /PROBLEM {2}PostgreSQL .*no such database/);
    assert.match(wrong.stdout, /PROBLEM {2}ClickHouse.*knows no cluster "unknown"/);
    assert.match(wrong.stdout, /a node cannot work with these servers yet/);
  });

  it('check-stores says whose fault it is, without the password', async () => {
    const { postgres, clickhouse, addresses } = cluster;
    await postgres.run(['create database other', "create role locked login password 'right'"]);
    await postgres.run(['create schema tidemark', 'create table tidemark.invoice (id int)'], 'other');
    for (const server of clickhouse.servers) {
      await server.run('CREATE DATABASE other');
      await server.run('CREATE TABLE other.points (id UInt64) ENGINE = TinyLog');
    }
    const series = (change: (url: string) => string) => addresses.seriesUrl.split(',').map(change).join();
    const cases: [setting: string, address: string, problem: RegExp][] = [
      ['--meta-url', 'postgres://tidemark@127.0.0.1:1/postgres', /PostgreSQL.*cannot be reached/],
      ['--meta-url', `postgres://locked:wrong@127.0.0.1:${postgres.port}/postgres`, /refuses the password/],
      ['--meta-url', postgres.url('other'), /tables of another program/],
      ['--series-url', 'http://127.0.0.1:1/tidemark', /ClickHouse.*does not answer/],
      ['--series-url', series((url) => url.replace('//', '//stranger:wrong@')), /refuses the service's user/],
      ['--series-url', series((url) => url.replace(/\/\w+$/, '/other')), /"points" of another program/],
    ];
    for (const [setting, address, problem] of cases) {
      const { code, stdout } = await run(['check-stores', setting, address]);
      assert.equal(code, 1, stdout);
      assert.match(stdout, problem);
      assert.doesNotMatch(stdout, /wrong/);
    }
  });

  it('an address can be in a file, and is shown nowhere', async (t) => {
    const file = join(await temporaryDirectory(t), 'meta-url');
    await writeFile(file, `${env.TIDEMARK_META_URL.replace('tidemark@', 'tidemark:hidden@')}\n`);
    const args = ['config', 'print', '--meta-url-file', file];
    const { code, stdout } = await run(args, { env: { TIDEMARK_META_URL: '' } });
    assert.equal(code, 0);
    assert.match(stdout, /metaUrl +\(hidden\)/);
    assert.doesNotMatch(stdout, /hidden@/);
  });
});

const refused: [args: string[], problem: RegExp][] = [
  [['--meta-url', 'postgres://a/b'], /--meta-url is set without --series-url/],
  [['--series-url', 'http://a/b'], /--series-url is set without --meta-url/],
  [['--series-cluster', 'c'], /--series-cluster is set without --series-url/],
  [
    ['--meta-url', 'http://a:secret@b/c', '--series-url', 'http://a/b'],
    /--meta-url must be a URL that begins with postgres/,
  ],
  [
    ['--meta-url', 'postgres://a/b', '--series-url', 'http://a/b', '--series-replicated'],
    /--series-replicated is set without --series-cluster/,
  ],
  [['--meta-url', 'postgres://a/b', '--series-url', 'http://a/b', '--demo'], /--demo fills a data directory/],
];

it('settings that do not go together are refused with a sentence', async () => {
  for (const [args, problem] of refused) {
    const { code, stderr } = await tidemark(['config', 'check', ...args]);
    assert.equal(code, 2, stderr);
    assert.match(stderr, problem);
    assert.doesNotMatch(stderr, /secret/);
  }
});
