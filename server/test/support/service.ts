/** The whole service in this process, over memory stores, reached by real HTTP on a free port of this machine. */
import { after } from 'node:test';
import { type Domain, openDomain } from '#domain/domain';
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
import type { MetaStore } from '#storage/meta-store';
import type { SeriesStore } from '#storage/store';
import { consoleHttp } from '#transport/http/console/console';
import { MemoryMetaStore } from '../memory-store/meta-store.ts';
import { MemorySeriesStore } from '../memory-store/series-store.ts';
import {
  type AnswerBody,
  basicAuthorization,
  type CallOptions,
  type HttpUnderTest,
  startHttp,
} from './http.ts';
import { cheapPasswords } from './people.ts';
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
  queues: async () => ({ requests: 1, lanes: [], queueBytes: 2, logBytes: 3, sealLagS: 4 }),
  checks: async () => [{ name: 'store', problem: null }],
  config: async () => [{ name: 'port', value: 8080, default: 8080, origin: 'default', reason: 'TCP port' }],
};

/** Starts a service with one integration that has all grants. */
export async function startService(options: ServiceTestOptions = {}): Promise<ServiceUnderTest> {
  const {
    meta = new MemoryMetaStore(),
    series = new MemorySeriesStore(),
    clock = new FixedClock(),
    baseUrl = 'http://tidemark.test',
    pagesDirectory = '/nowhere',
    manualDirectory = '/nowhere',
  } = options;
  const limits = { ...limitDefaults, ...options.limits };
  const random = new SeededRandom();
  const log = new KeptLog();
  const environment = { clock, stopwatch: clock, random, log };
  const errors = new RecentErrors({ clock, limits });
  const calls = new Activity({ clock, stopwatch: clock, limits });
  const store = {
    meta,
    series,
    async close() {
      await series.close();
      await meta.close();
    },
  };
  const domain = await openDomain(
    store,
    { limits, baseUrl, errors, passwordCost: cheapPasswords },
    environment,
  );
  const { identity, signIns: gate } = domain;
  const { version } = testHost;
  const http = await startHttp({
    observation: options.observation ?? new Observation({ version, limits, log, activity: calls, errors }),
    methods: calls.watch(methods({ ...domain, host: testHost, calls })),
    ...(await consoleHttp({
      gate,
      baseUrl,
      version,
      random,
      files: pagesDirectory,
      manualFiles: manualDirectory,
    })),
    authenticator: identity,
    limits,
    random,
    log,
    accounts: domain.quota,
    exporter: newExporter(domain),
    writer: domain.ingest,
    clock,
    live: liveSource(domain),
    catchUp: domain.catchUp,
  });
  const who = await newIntegration(identity, options.grants ?? ['admin', 'service']);
  const call = (method: string, params?: unknown, more: CallOptions = {}): Promise<AnswerBody> =>
    http.call(method, params, { authorization: who.authorization, ...more });
  const post: HttpUnderTest['post'] = (body, more = {}) =>
    http.post(body, { authorization: who.authorization, ...more });
  const close = async () => {
    await http.close();
    await domain.close();
  };
  return { ...http, ...domain, call, post, close, clock, ...who };
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
