/** The files for a service of several nodes agree with the program and with one another; nginx and ClickHouse take theirs. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { envOf, secretFileOf } from '#config';
import { type SettingName, settingTable } from '#settings';
import { temporaryDirectory, tidemark } from '../cli/process.ts';
import { clusterShapes, missingForCluster } from '../support/clickhouse-cluster.ts';
import { ClickHouseServer } from '../support/clickhouse-server.ts';
import { startZooKeeper } from '../support/clickhouse-zookeeper.ts';
import { findTool } from '../support/machine-tools.ts';
import { PostgresServer, postgresPrograms } from '../support/postgres-server.ts';
import { freePorts } from '../support/server-process.ts';

const run = promisify(execFile);
const top = fileURLToPath(new URL('../../../', import.meta.url));
const read = (name: string) => readFile(join(top, name), 'utf8');
const files = 'docs/operate/cluster';

/** A document; what is not there fails a test. */
// biome-ignore lint/suspicious/noExplicitAny: the form of the documents is what the tests are about
type Yaml = Record<string, any>;

/** The documents of a YAML file. */
async function documentsOf(t: TestContext, name: string): Promise<Yaml[] | null> {
  const python = findTool(t, 'python3');
  if (python === null) return null;
  const code = 'import sys, yaml, json; print(json.dumps(list(yaml.safe_load_all(open(sys.argv[1])))))';
  const { stdout } = await run('/usr/bin/python3', ['-c', code, join(top, name)]);
  return JSON.parse(stdout);
}

/** Every environment variable of the program. */
const variables = new Set(
  (Object.keys(settingTable) as SettingName[]).flatMap((name) => [envOf(name), envOf(secretFileOf(name))]),
);

function requireVariables(names: readonly string[]): void {
  assert.ok(names.length >= 6);
  for (const name of names) assert.ok(variables.has(name), `${name} is not a setting`);
}

test('compose.cluster.yaml names settings, secrets, volumes, files and hosts that exist', async (t) => {
  const [compose] = (await documentsOf(t, 'compose.cluster.yaml')) ?? [];
  if (compose === undefined) return;
  const { services, volumes, secrets } = compose as Record<string, Record<string, Yaml>>;
  for (const name of ['tidemark-1', 'tidemark-2']) {
    requireVariables(Object.keys(services[name].environment));
    assert.equal(services[name].read_only, true);
  }
  for (const [name, service] of Object.entries(services)) {
    for (const secret of service.secrets ?? []) assert.ok(secret in secrets, `${name}: ${secret}`);
    for (const needed of service.depends_on ?? []) assert.ok(needed in services, `${name}: ${needed}`);
    for (const volume of service.volumes ?? []) {
      const [source] = volume.split(':');
      if (source.startsWith('./')) await read(source);
      else assert.ok(source in volumes, `${name}: ${source}`);
    }
  }
  const config = await read(`${files}/clickhouse.xml`);
  const hosts = [...config.matchAll(/<host>([^<]+)</g)].map(([, host]) => host);
  assert.deepEqual(
    hosts.sort(),
    Object.keys(services)
      .filter((name) => /^(clickhouse|keeper)/.test(name))
      .sort(),
  );
  for (const host of hosts.filter((name) => name !== 'keeper')) {
    const { SHARD, REPLICA } = services[host].environment;
    assert.equal(host, `clickhouse-${SHARD}-${REPLICA}`);
  }
  const keeper = await read(`${files}/keeper.xml`);
  assert.equal(/<port>(\d+)<\/port><\/node>/.exec(config)?.[1], /<tcp_port>(\d+)</.exec(keeper)?.[1]);
});

test('kubernetes.yaml names settings, paths, ports and labels that fit together', async (t) => {
  const documents = await documentsOf(t, `${files}/kubernetes.yaml`);
  if (documents === null) return;
  const of = (kind: string) => documents.find((one) => one.kind === kind)!;
  const { spec } = of('Deployment').spec.template;
  const [{ env, ports, volumeMounts, lifecycle, startupProbe, livenessProbe, readinessProbe }] =
    spec.containers;
  const [, waitS] = lifecycle.preStop.exec.command;
  assert.ok(spec.terminationGracePeriodSeconds >= Number(waitS) + 15, 'calls have time to end');
  requireVariables(env.map(({ name }: Yaml) => name));
  const labels = of('Deployment').spec.template.metadata.labels;
  assert.deepEqual(of('Service').spec.selector, labels);
  assert.deepEqual(of('PodDisruptionBudget').spec.selector.matchLabels, labels);
  assert.equal(ports[0].containerPort, settingTable.port.default);
  for (const probe of [startupProbe, livenessProbe, readinessProbe])
    assert.equal(probe.httpGet.port, ports[0].name);
  const mount = volumeMounts.find(({ name }: Yaml) => name === 'addresses').mountPath;
  const paths = env.filter(({ name }: Yaml) => name.endsWith('_FILE')).map(({ value }: Yaml) => value);
  assert.deepEqual(
    paths.sort(),
    Object.keys(of('Secret').stringData)
      .sort()
      .map((name) => `${mount}/${name}`),
  );
  const monitoring = await read('docs/operate/monitoring.md');
  for (const path of [livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path))
    assert.ok(monitoring.includes(`\`${path}\``), path);
});

test('nginx takes its configuration, which names the nodes of compose.cluster.yaml', async (t) => {
  const nginx = findTool(t, 'nginx');
  if (nginx === null) return;
  const site = await read(`${files}/nginx.conf`);
  const compose = await read('compose.cluster.yaml');
  for (const [, node] of site.matchAll(/server (tidemark-\d):8080/g))
    assert.ok(compose.includes(`  ${node}:\n`));
  const directory = await temporaryDirectory({ after: (end) => t.after(end) });
  const path = join(directory, 'nginx.conf');
  const local = site
    .replaceAll(/tidemark-\d:/g, '127.0.0.1:')
    .replace('listen 8080', 'listen 127.0.0.1:8080');
  const error = join(directory, 'error.log');
  await writeFile(
    path,
    `pid ${directory}/pid; error_log ${error}; events {} http { access_log off; ${local} }`,
  );
  await run(nginx, ['-t', '-p', directory, '-e', error, '-c', path]);
});

const shape = { ...clusterShapes[2], shardCount: 2 };
const missing = postgresPrograms() === null ? 'postgresql is not installed' : missingForCluster(shape);

test('ClickHouse starts with its configuration as two shards of two replicas, and nodes can use it', {
  ...(missing === null ? {} : { skip: missing }),
}, async (t) => {
  await using ending = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-packaging-'));
  ending.defer(() => rm(directory, { recursive: true, force: true }));
  const zookeeper = await startZooKeeper(join(directory, 'zookeeper'));
  ending.defer(() => zookeeper.process.kill());
  const ports = await freePorts(12);
  const [, inner] = /<clickhouse>(.*)<\/clickhouse>/s.exec(await read(`${files}/clickhouse.xml`)) ?? [];
  const names = ['clickhouse-1-1', 'clickhouse-1-2', 'clickhouse-2-1', 'clickhouse-2-2'];
  let cluster = inner
    .replace(/<listen_host>.*?<\/listen_host>/, '')
    .replace('<host>keeper</host><port>9181</port>', `<host>127.0.0.1</host><port>${zookeeper.port}</port>`);
  for (const [i, name] of names.entries())
    cluster = cluster.replace(
      `<host>${name}</host><port>9000</port>`,
      `<host>127.0.0.1</host><port>${ports[3 * i]}</port>`,
    );
  const servers = names.map((name, i) => {
    const [, shard, replica] = name.split('-');
    return new ClickHouseServer({
      ...{ version: '18.16' as const, directory: join(directory, name) },
      ports: { tcp: ports[3 * i], http: ports[3 * i + 1], interserver: ports[3 * i + 2] },
      cluster: cluster
        .replace('<shard from_env="SHARD"/>', `<shard>${shard}</shard>`)
        .replace('<replica from_env="REPLICA"/>', `<replica>${replica}</replica>`),
    });
  });
  ending.defer(async () => void (await Promise.all(servers.map((server) => server.kill()))));
  await Promise.all(servers.map((server) => server.start()));
  const postgres = await PostgresServer.start(postgresPrograms() ?? '');
  ending.defer(() => postgres.close());
  const [compose] = (await documentsOf(t, 'compose.cluster.yaml')) ?? [];
  const environment = compose?.['x-node'].environment ?? {};
  const env = {
    TIDEMARK_META_URL: postgres.url(),
    TIDEMARK_SERIES_URL: servers.map(({ url }) => `${url}/tidemark`).join(),
    TIDEMARK_SERIES_CLUSTER: environment.TIDEMARK_SERIES_CLUSTER,
    TIDEMARK_SERIES_REPLICATED: environment.TIDEMARK_SERIES_REPLICATED,
  };
  const created = await tidemark(['integration', 'create', 'Plant'], { env });
  assert.equal(created.code, 0, created.stderr);
  const { code, stdout } = await tidemark(['check-stores'], { env });
  assert.equal(code, 0, stdout);
  for (const shard of ['shard 1', 'shard 2'])
    assert.match(stdout, new RegExp(`${shard}.*the tables are there`));
  const replicas = await servers[0].run("select total_replicas from system.replicas where table = 'points'");
  assert.equal(replicas, '2');
});
