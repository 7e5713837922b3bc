/** The whole service in this process, over memory stores or as two nodes (node-stores.ts), reached by real HTTP on a free port of this machine. */
import { after } from 'node:test';
import { type Domain, openDomain, type Store } from '#domain/domain';
import type { Identity } from '#domain/identity/identity';
import type { Host } from '#domain/overview/host';
import { RecentErrors } from '#domain/overview/recent-errors';
import { newExporter } from '#methods/export/exporter';
import { methods } from '#methods/index';
import { liveSource } from '#methods/live';
import type { Grant } from '#model/caller';
import { type Limits, limitDefaults } from '#model/limits';
import { Activity } from '#observe/activity';
import { Observation } from '#observe/observation';
import type { Coordination } from '#storage/coordination';
import type { MetaStore } from '#storage/meta-store';
import type { SeriesStore } from '#storage/store';
import { consoleHttp } from '#transport/http/console/console';
import { MemoryMetaStore } from '../memory-store/meta-store.ts';
import { MemorySeriesStore } from '../memory-store/series-store.ts';
import {
  type AnswerBody,
  basicAuthorization,
  type CallOptions,
  clientOf,
  type HttpUnderTest,
  startHttp,
} from './http.ts';
import { closeServers, newDatabases, nodesOn, openNodeStore } from './node-stores.ts';
import { cheapPasswords } from './people.ts';
import { RoundRobin } from './round-robin.ts';
import { FixedClock, KeptLog, SeededRandom, testAct } from './world.ts';

/** What a test may choose; otherwise a memory store, a fixed clock, seeded random values and the default limits. */
export interface ServiceTestOptions {
  meta?: MetaStore;
  series?: SeriesStore;
  limits?: Partial<Limits>;
  /** Looks on. */
  observation?: Observation;
  clock?: FixedClock;
  grants?: readonly Grant[];
  /** Where browsers reach it; default `http://tidemark.test`. */
  baseUrl?: string;
  /** Where the manual's files are; default nowhere. */
  manualDirectory?: string;
  /** Where the console's files are; default nowhere. */
  pagesDirectory?: string;
}

/** A running service with one integration. */
export interface ServiceUnderTest extends HttpUnderTest, Omit<Domain, 'close'> {
  /**
   * Waits until every node knows what any of them has changed and counted, which takes about a second without it; alone it knows
   * changes at once.
   */
  settle(): Promise<void>;
  clock: FixedClock;
  /** The integration's ID. */
  integration: string;
  /** Its Basic header, which {@link HttpUnderTest.call} sends by itself. */
  authorization: string;
  /** Its credentials for a token. */
  client: { id: string; secret: string };
}

/** The API's address in tokens and documents, unless a test chooses another, wherever the server listens. */
export const testApiUrl = 'http://tidemark.test/v1/';

/** What the console shows of the process. */
const testHost: Pick<Host, keyof Host> = {
  version: '0.0.0',
  memoryBytes: () => 1e8,
  uptimeS: () => 3600,
  storeBytes: async () => 4096,
  diskFreeBytes: async () => 1e9,
  queues: async () => ({ requests: 1, running: 0, waiting: 0, queueBytes: 2, logBytes: 3, sealLagS: 4 }),
  checks: async () => [{ name: 'store', problem: null }],
  nodes: async () => [
    {
      ...{ id: '', version: '0.0.0', startedAtMs: 0, isThis: true, silentMs: 0 },
      state: {
        ...{ delayMs: 0, checks: [{ name: 'store', problem: null }], memoryBytes: 1e8 },
        ...{ threads: 1, running: 0, waiting: 0 },
      },
    },
  ],
  config: async () => [{ name: 'port', value: 8080, default: 8080, origin: 'default', reason: 'TCP port' }],
};

/** Starts a service with one integration that has all grants. */
export async function startService(options: ServiceTestOptions = {}): Promise<ServiceUnderTest> {
  const hasStore = options.meta !== undefined || options.series !== undefined;
  const nodes = nodesOn === null || hasStore ? [await startAlone(options)] : await startNodes(options);
  const proxy = nodes.length === 1 ? null : await RoundRobin.start(nodes.map(({ http }) => http.port));
  const [{ http, domain, clock }] = nodes;
  const port = proxy?.port ?? http.port;
  const client = { ...http, ...clientOf(`http://127.0.0.1:${port}`), port };
  const who = await newIntegration(domain.identity, options.grants ?? ['admin', 'service']);
  const call = (method: string, params?: unknown, more: CallOptions = {}): Promise<AnswerBody> =>
    client.call(method, params, { authorization: who.authorization, ...more });
  const post: HttpUnderTest['post'] = (body, more = {}) =>
    client.post(body, { authorization: who.authorization, ...more });
  const close = async () => {
    await proxy?.close();
    await Promise.all(nodes.map((node) => node.http.close()));
    await Promise.all(nodes.map((node) => node.domain.close()));
  };
  const settle = async () => {
    for (const node of nodes) await node.domain.usage.flush();
    for (const node of nodes) {
      await node.domain.meta.refresh();
      await node.domain.catchUp();
    }
  };
  return { ...client, ...domain, call, post, settle, close: once(close), clock, ...who };
}

/** A service that runs alone on stores in memory, unless a test has others. */
async function startAlone(options: ServiceTestOptions): Promise<TestNode> {
  const {
    meta = new MemoryMetaStore(),
    series = new MemorySeriesStore(),
    clock = new FixedClock(),
  } = options;
  const close = async () => {
    await series.close();
    await meta.close();
  };
  return startNode({ meta, series, close }, { ...options, clock }, new SeededRandom());
}

/** Two nodes of one service, on new databases. */
async function startNodes(options: ServiceTestOptions): Promise<TestNode[]> {
  const clock = options.clock ?? new FixedClock();
  const addresses = await newDatabases();
  const limits = { ...limitDefaults, ...options.limits };
  const nodes: TestNode[] = [];
  for (const seed of [1, 2]) {
    const environment = { log: new KeptLog(), random: new SeededRandom(10 * seed), stopwatch: clock };
    const store = await openNodeStore(addresses, limits, environment);
    nodes.push(await startNode(store, { ...options, clock }, new SeededRandom(seed)));
  }
  return nodes;
}

/** One process of a service. */
interface TestNode {
  http: HttpUnderTest;
  domain: Domain;
  clock: FixedClock;
}

type NodeOptions = ServiceTestOptions & Required<Pick<ServiceTestOptions, 'clock'>>;

async function startNode(
  store: Store & { coordination?: Coordination; setupCode?: string },
  options: NodeOptions,
  random: SeededRandom,
): Promise<TestNode> {
  const { clock, baseUrl = 'http://tidemark.test' } = options;
  const limits = { ...limitDefaults, ...options.limits };
  const log = new KeptLog();
  const environment = { clock, stopwatch: clock, random, log };
  const { coordination, setupCode } = store;
  const { members, nodes } = coordination ?? {};
  const errors = new RecentErrors({ clock, limits, members, nodes });
  const calls = new Activity({ clock, stopwatch: clock, limits, members, nodes });
  const domain = await openDomain(
    store,
    { limits, baseUrl, errors, passwordCost: cheapPasswords, coordination, setupCode },
    environment,
  );
  const { version } = testHost;
  const http = await startHttp({
    observation: options.observation ?? new Observation({ version, limits, log, activity: calls, errors }),
    methods: calls.watch(methods({ ...domain, host: testHost, calls })),
    ...(await pagesOf(options, domain, random)),
    authenticator: domain.identity,
    limits,
    random,
    log,
    coordination,
    accounts: domain.quota,
    exporter: newExporter(domain),
    writer: domain.ingest,
    clock,
    live: liveSource(domain),
    catchUp: domain.catchUp,
  });
  return { http, domain, clock };
}

function pagesOf(options: ServiceTestOptions, { signIns: gate }: Domain, random: SeededRandom) {
  const {
    baseUrl = 'http://tidemark.test',
    pagesDirectory: files = '/nowhere',
    manualDirectory: manualFiles = '/nowhere',
  } = options;
  return consoleHttp({ gate, baseUrl, version: testHost.version, random, files, manualFiles });
}

/** Services that have not ended: they do so before the servers that they use. */
const open = new Set<() => Promise<void>>();

/** What is called again does nothing more. */
function once(close: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | null = null;
  const closeOnce = () => {
    open.delete(closeOnce);
    closing ??= close();
    return closing;
  };
  open.add(closeOnce);
  return closeOnce;
}

if (nodesOn !== null) {
  after(async () => {
    await Promise.all([...open].map((close) => close()));
    await closeServers();
  });
}

/** Starts a service for the tests of one file; it ends with them. */
export async function serviceOfFile(options: ServiceTestOptions = {}): Promise<ServiceUnderTest> {
  const service = await startService(options);
  after(() => service.close());
  return service;
}

/** Makes an integration with a password and a client. */
export async function newIntegration(
  identity: Identity,
  grants: readonly Grant[],
): Promise<Pick<ServiceUnderTest, 'integration' | 'authorization' | 'client'>> {
  const { id: integration } = await identity.createIntegration(testAct, 'Test', grants);
  const basic = await identity.createCredential(testAct, integration, 'basic-auth', 'password');
  const client = await identity.createCredential(testAct, integration, 'client-credentials', 'client');
  return {
    integration,
    authorization: basicAuthorization(integration, basic.secret),
    client: { id: client.credential.id, secret: client.secret },
  };
}
