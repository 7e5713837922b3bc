/** The whole service in this process, over memory stores, reached by real HTTP on a free port of this machine. */
import { consoleHttp, createConsoleServices } from '#console';
import { Audit } from '#domain/audit/audit';
import { Deletion } from '#domain/deletion/deletion';
import { Identity } from '#domain/identity/identity';
import { Ingest } from '#domain/ingest/ingest';
import { RecentErrors } from '#domain/overview/recent-errors';
import { openPeople, type PeopleServices } from '#domain/people/open';
import { PlanBook } from '#domain/plans/plan-book';
import { Plans } from '#domain/plans/plans';
import { Quota } from '#domain/plans/quota';
import { Query } from '#domain/query/query';
import { Retention } from '#domain/retention/retention';
import { Signals } from '#domain/signals/signals';
import { Usage } from '#domain/usage/usage';
import { noteRefusal } from '#main';
import type { Host } from '#methods/console/console-domain';
import { methods } from '#methods/index';
import type { Grant } from '#model/caller';
import type { Failure } from '#model/failure';
import { type Limits, limitDefaults } from '#model/limits';
import { XidSource } from '#model/xid';
import { Activity } from '#observe/activity';
import { Observation } from '#observe/observation';
import type { MetaStore, SeriesStore } from '#storage/store';
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
  /** Where the console's files are; default nowhere. */
  pagesDirectory?: string;
}

/** A running service with one integration. */
export interface ServiceUnderTest extends HttpUnderTest, Omit<PeopleServices, 'close'> {
  identity: Identity;
  plans: Plans;
  usage: Usage;
  audit: Audit;
  meta: MetaStore;
  series: SeriesStore;
  clock: FixedClock;
  /** The integration's ID. */
  integration: string;
  /** Its Basic header, which {@link HttpUnderTest.call} sends by itself. */
  authorization: string;
  /** Its credentials for a token. */
  client: { id: string; secret: string };
}

/** The API's address in tokens and documents, wherever the server listens. */
export const testApiUrl = 'http://tidemark.test/v1/';

/** What the console shows of the process, but for its calls. */
const testHost: Omit<Host, 'calls'> = {
  version: '0.0.0',
  memoryBytes: () => 1e8,
  uptimeS: () => 3600,
  storeBytes: async () => 4096,
  diskFreeBytes: async () => 1e9,
  queues: async () => ({ requests: 1, lanes: [], queueBytes: 2, logBytes: 3, sealLagS: 4 }),
  checks: async () => [{ name: 'store', problem: null }],
  config: () => [{ name: 'port', value: 8080, default: 8080, origin: 'default', reason: 'TCP port' }],
};

/** Starts a service with one integration that has all grants. */
export async function startService(options: ServiceTestOptions = {}): Promise<ServiceUnderTest> {
  const {
    meta = new MemoryMetaStore(),
    series = new MemorySeriesStore(),
    clock = new FixedClock(),
    baseUrl = 'http://tidemark.test',
    pagesDirectory = '/nowhere',
  } = options;
  const limits = { ...limitDefaults, ...options.limits };
  const random = new SeededRandom();
  const log = new KeptLog();
  const ids = new XidSource(clock, random);
  const errors = new RecentErrors({ clock, limits });
  const activity = new Activity({ clock, limits });
  const identity = await Identity.open({
    meta,
    clock,
    random,
    ids,
    log,
    limits,
    apiUrl: testApiUrl,
    onRefused: noteRefusal(errors),
  });
  const book = new PlanBook(meta, log);
  const usage = await Usage.open({ meta, clock, log, limits });
  await book.reload();
  const quota = new Quota({ book, usage, clock });
  const plans = new Plans({ meta, clock, book });
  const audit = new Audit({ meta, clock, log });
  const retention = new Retention({ meta, series, clock, log });
  const signals = new Signals({ meta, clock, ids, quota, limits });
  const domain = {
    integrations: identity,
    signals,
    ingest: new Ingest({ signals, series, quota }),
    query: new Query({ meta, series, clock, limits }),
    deletion: new Deletion({ meta, series, clock }),
    limits,
  };
  const services = await openPeople({
    ...{ meta, clock, random, ids, log, limits },
    stopwatch: clock,
    passwordCost: cheapPasswords,
  });
  const consoleServices = createConsoleServices(
    { ...services, identity, usage, audit, plans, retention, errors, meta, series, clock },
    { ...testHost, calls: activity },
    baseUrl,
  );
  const { entrance } = services;
  const onFailure = (failure: Failure) => errors.note(failure);
  const http = await startHttp({
    observation:
      options.observation ?? new Observation({ version: '0.0.0', limits, log, activity, onFailure }),
    methods: activity.watch(methods({ ...domain, console: consoleServices })),
    pathPrefix: new URL(baseUrl).pathname.replace(/\/$/, ''),
    ...(await consoleHttp({ entrance, baseUrl, version: testHost.version, random, pagesDirectory })),
    authenticator: identity,
    limits,
    random,
    log,
    meter: quota,
  });
  const who = await newIntegration(identity, options.grants ?? ['admin', 'service']);
  const call = (method: string, params?: unknown, more: CallOptions = {}): Promise<AnswerBody> =>
    http.call(method, params, { authorization: who.authorization, ...more });
  const post: HttpUnderTest['post'] = (body, more = {}) =>
    http.post(body, { authorization: who.authorization, ...more });
  const close = async () => {
    await http.close();
    consoleServices.overview.close();
    await services.close();
    await identity.close();
    await usage.close();
    await book.close();
    signals.close();
    await series.close();
    await meta.close();
  };
  return {
    ...http,
    ...services,
    call,
    post,
    close,
    identity,
    plans,
    usage,
    audit,
    meta,
    series,
    clock,
    ...who,
  };
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
