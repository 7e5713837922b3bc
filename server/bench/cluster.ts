/**
 * The service on PostgreSQL and two shards of ClickHouse beside the embedded store, in one run: ingest and the questions, with one
 * node and with two. Each step has a time after which the run ends with its name.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Cluster,
  type ClusterShape,
  clusterName,
  clusterShapes,
  missingForCluster,
  startCluster,
} from '../test/support/clickhouse-cluster.ts';
import { PostgresServer, postgresPrograms } from '../test/support/postgres-server.ts';
import { Client } from './client.ts';
import { Frames, type Shape, shapeOf } from './frames.ts';
import { each, type Rate, requestRate, requestsOf, type Target } from './ingest.ts';
import { labelQuestion, saveGroups } from './labels.ts';
import { askOften, type Question, questions } from './query.ts';
import { type Figure, median } from './report.ts';
import type { Run } from './run.ts';
import { createIntegrationIn, endProcess, startNode, startService, untilSealed } from './service.ts';
import { storeSets } from './stored.ts';
import { timesOf } from './timing.ts';

/** Two shards of ClickHouse 26.7 where it is installed, else of Debian's; undefined where there is neither. */
function installedCluster(): ClusterShape | undefined {
  return clusterShapes.slice(0, 2).find((one) => missingForCluster(one) === null);
}

/** Requests of a shape, the clients that send them, and what is expected on two processors that all servers share. */
interface Load {
  shape: Shape;
  clients: number;
  least?: number;
}

/** Small requests need many clients: each waits for its insert. */
const loads: readonly Load[] = [
  { shape: shapeOf('100×100'), clients: 64, least: 3e6 },
  { shape: shapeOf('10,080×1'), clients: 64, least: 3e6 },
  { shape: shapeOf('1×1,000'), clients: 128, least: 0.5e6 },
  { shape: shapeOf('1×1'), clients: 1000 },
];

/** All clients have the same address and the same integration, and each has a call under way. */
const manyClients = ['connectionsMax=4000', 'connectionsPerAddressMax=2000', 'requestsMax=8000'].flatMap(
  (limit) => ['--limit', limit],
);

/** How long a node gets requests of a shape before they count, s. */
const warmSeconds = 2;

/** Bytes of the requests that are prepared for one shape. */
const preparedBytesMax = 256 * 2 ** 20;

/** An answer to a question takes at most so many times as long as from the embedded store. */
const timesEmbedded = 3;

/** A single value is answered within the time for which small writes are gathered, and this much more, ms. */
const singleMsMax = 120;

/** Inserts a second that a server gets under small writes. */
const insertsMax = 10;

/** The longest time of one step, ms: the machine may be busy. */
const stepMsMax = 240_000;

/** Measures embedded, one node and two nodes; nothing where the servers are not installed. */
export async function measureCluster(run: Run, storedPoints: number): Promise<Figure[]> {
  const programs = postgresPrograms();
  const cluster = installedCluster();
  if (programs === null || cluster === undefined) {
    process.stdout.write('not measured: needs PostgreSQL, and ClickHouse of test-servers/ or of Debian\n');
    return [];
  }
  const embedded = await measureEmbedded(run);
  const limits = new Map(embedded.map(({ name, value }) => [name, value]));
  await using servers = await startServers(programs, cluster);
  const figures = [...embedded];
  if (storedPoints > 0) await within('store other points', () => storePoints(servers, storedPoints));
  if (storedPoints > 0) await within('merge other points', () => untilMerged(servers.clickhouse));
  for (const count of [1, 2]) figures.push(...(await measureNodes(servers, count, limits, run)));
  return figures;
}

async function measureEmbedded(run: Run): Promise<Figure[]> {
  const service = await startService(manyClients);
  try {
    return await measureTargets('embedded', [service], null, run);
  } finally {
    await service.close();
  }
}

interface Servers extends AsyncDisposable {
  postgres: PostgresServer;
  clickhouse: Cluster;
  /** The options that name them. */
  store: readonly string[];
  credentials: Pick<Target, 'integration' | 'authorization'>;
}

async function startServers(programs: string, cluster: ClusterShape): Promise<Servers> {
  await using starting = new AsyncDisposableStack();
  const postgres = await within('start PostgreSQL', () => PostgresServer.start(programs));
  starting.defer(() => postgres.close());
  const clickhouse = await within('start ClickHouse', () => startCluster(cluster));
  starting.defer(() => clickhouse.close());
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-bench-'));
  starting.defer(() => rm(directory, { recursive: true, force: true }));
  const urls = clickhouse.urls.split(',').map((url) => `${url}/tidemark`);
  const store = ['--meta-url', postgres.url(), '--series-url', urls.join(), '--series-cluster', clusterName];
  const credentials = await within('make an integration', () =>
    createIntegrationIn(store, join(directory, 'credentials.json')),
  );
  const started = starting.move();
  return { postgres, clickhouse, store, credentials, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

async function measureNodes(
  { store, credentials, clickhouse }: Servers,
  count: number,
  limits: ReadonlyMap<string, number>,
  run: Run,
): Promise<Figure[]> {
  await using nodes = new AsyncDisposableStack();
  const targets: Target[] = [];
  for (let i = 0; i < count; i++) {
    const node = await startNode([...store, ...manyClients], credentials);
    nodes.defer(() => within('end a node', () => endProcess(node.process)));
    targets.push(node);
  }
  const figures = await measureTargets(`${count} node${count > 1 ? 's' : ''}`, targets, clickhouse, run);
  return figures.map((figure) => withTarget(figure, limits, run));
}

/** Compares the time of an answer with that of the embedded store. */
function withTarget(figure: Figure, limits: ReadonlyMap<string, number>, run: Run): Figure {
  const known = limits.get(figure.name.replace(/^.*?: /, 'embedded: '));
  if (figure.unit !== 'ms' || known === undefined || figure.target !== undefined) return figure;
  const ratio = { name: `${figure.name}, of embedded`, value: figure.value / known, unit: '×' };
  run.print([{ ...ratio, target: { most: timesEmbedded } }]);
  return figure;
}

/** All figures of a service, whose clients are divided among its nodes. */
async function measureTargets(
  title: string,
  targets: readonly Target[],
  clickhouse: Cluster | null,
  run: Run,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  const add = async (name: string, work: () => Promise<Figure[]>) => {
    const found = await within(`${title}: ${name}`, work);
    figures.push(...run.print(found.map((figure) => ({ ...figure, name: `${title}: ${figure.name}` }))));
  };
  for (const load of loads) await add(load.shape.name, () => measureLoad(targets, load, clickhouse, run));
  await add('a single writer', async () => [await measureSingle(targets[0], clickhouse !== null, run)]);
  for (const question of await within(`${title}: store what is asked for`, () => askable(targets[0], run)))
    await add(question.name, async () => [await timeOf(targets[0], question, run)]);
  return figures;
}

async function measureLoad(
  targets: readonly Target[],
  { shape: frameShape, clients, least }: Load,
  clickhouse: Cluster | null,
  run: Run,
): Promise<Figure[]> {
  const points = frameShape.rows * frameShape.series;
  const send = senderOf(targets, frameShape, clients);
  if (!run.isTiny && least !== undefined) {
    // A turn that does not count, in which the code is compiled; nor does what the servers have to merge after it.
    await send({ ...run, seconds: warmSeconds });
    await (clickhouse === null ? untilSealed(targets[0]) : untilMerged(clickhouse));
  }
  const before = await insertsOf(clickhouse);
  const startMs = performance.now();
  const sent = await send(run);
  const seconds = (performance.now() - startMs) / 1000;
  const after = await insertsOf(clickhouse);
  const inserts = Math.max(0, ...after.map((count, i) => count - before[i])) / seconds / targets.length;
  const rate = sent.reduce((sum, one) => sum + one.rate, 0);
  const isSingle = points === 1;
  const name = `ingest ${frameShape.name}, ${clients} clients`;
  return [
    {
      ...{ name, value: rate * points, unit: isSingle ? 'requests/s' : 'points/s' },
      ...(clickhouse !== null && least !== undefined ? { target: { least } } : {}),
    },
    ...(clickhouse !== null && isSingle
      ? [
          {
            name: 'inserts of a node into a shard, 1×1',
            value: inserts,
            unit: '1/s',
            target: { most: insertsMax },
          },
        ]
      : []),
  ];
}

/** Sends requests of a shape, each once, whose clients are divided among the nodes. */
function senderOf(
  targets: readonly Target[],
  frameShape: Shape,
  clients: number,
): (run: Run) => Promise<Rate[]> {
  const frames = new Frames(frameShape);
  return async (run) => {
    const count = run.isTiny ? clients : countOf(frameShape, targets[0], run);
    const next = each(requestsOf(frameShape, targets[0], count, frames));
    const share = Math.ceil((run.isTiny ? Math.min(clients, 8) : clients) / targets.length);
    const load = { clients: share, seconds: run.seconds };
    return Promise.all(targets.map((target) => requestRate(target, next, load)));
  };
}

/** As many as a good service takes, in bounded memory; each is sent once. */
function countOf(frameShape: Shape, target: Target, { seconds }: Run): number {
  const [first] = requestsOf(frameShape, target, 1);
  const wanted = Math.ceil(((seconds + 0.3) * frameShape.least) / (frameShape.rows * frameShape.series));
  return Math.max(1, Math.min(wanted, Math.floor(preparedBytesMax / first.length)));
}

/** Inserts that each server has carried out. */
async function insertsOf(clickhouse: Cluster | null): Promise<number[]> {
  const sql = "SELECT value FROM system.events WHERE event = 'InsertQuery'";
  return Promise.all((clickhouse?.servers ?? []).map(async (server) => Number((await server.run(sql)) || 0)));
}

/** One client that sends one value after the other. */
async function measureSingle(target: Target, isCluster: boolean, run: Run): Promise<Figure> {
  const count = run.isTiny ? 3 : 30;
  const next = each(requestsOf(singleShape, target, count));
  const client = await Client.open(target.url);
  const times = await timesOf(async () => void (await client.send(next() ?? Buffer.alloc(0))), count);
  client.close();
  const figure = { name: 'a single value is answered', value: median(times), unit: 'ms' };
  return isCluster ? { ...figure, target: { most: singleMsMax } } : figure;
}

const singleShape: Shape = { ...shapeOf('1×1'), name: '1×1 alone' };

/** The seven questions, and what they ask for. */
async function askable(target: Target, run: Run): Promise<Question<never>[]> {
  const signals = run.isTiny ? 500 : 10_000;
  const stored = await storeSets(target);
  await saveGroups(target, signals);
  if (!run.isTiny) await untilSealed(target);
  return [...questions(stored), labelQuestion(target, signals)] as Question<never>[];
}

async function timeOf(target: Target, question: Question<never>, run: Run): Promise<Figure> {
  const { name, value, unit, note } = await askOften(target, question, run);
  return { name, value, unit, note };
}

/** Other points, under signals that nothing asks for: ten thousand of them, a point each second. */
async function storePoints({ postgres, clickhouse: { servers } }: Servers, count: number): Promise<void> {
  // Nodes do not start where ClickHouse has signals that PostgreSQL has not numbered.
  await postgres.run(["select setval('tidemark.signal_number', 1009999)"]);
  const perServer = Math.floor(count / servers.length);
  const startMs = performance.now();
  await Promise.all(
    servers.map(async (server, i) => {
      for (let from = 0; from < perServer; from += rowsAtOnce)
        await server.run(
          `INSERT INTO tidemark.points SELECT 1000000 + 2 * (number % 5000) + ${i}, 1700000000000000 + intDiv(number + ${from}, 5000) * 1000000, (number % 977) / 10, 1 FROM numbers(${Math.min(rowsAtOnce, perServer - from)})`,
        );
    }),
  );
  const seconds = (performance.now() - startMs) / 1000;
  process.stdout.write(`${(count / 1e6).toFixed(0)} M other points stored in ${seconds.toFixed(0)} s\n`);
}

const rowsAtOnce = 5_000_000;

/** Waits until no server merges parts: what is measured is beside stored points, not beside storing them. */
async function untilMerged({ servers }: Cluster): Promise<void> {
  const running = async () => {
    const counts = servers.map((server) => server.run('SELECT count() FROM system.merges'));
    return (await Promise.all(counts)).some((count) => count !== '0');
  };
  while (await running()) await sleep(500);
}

/** Ends the run when a step takes too long, and says which. */
async function within<T>(step: string, work: () => Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`${step}: not done within ${stepMsMax / 1000} s`)),
    stepMsMax,
  );
  try {
    return await Promise.race([work(), promise]);
  } finally {
    clearTimeout(timer);
  }
}
