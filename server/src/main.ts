/** The composition root: all layers are connected here, and nowhere else. */
import { statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { Audit } from '#domain/audit/audit';
import { Deletion } from '#domain/deletion/deletion';
import { apiUrlOf } from '#domain/identity/credentials-file';
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
import { Load } from '#load/load';
import type { Host, Queues } from '#methods/console/console-domain';
import { methods } from '#methods/index';
import type { ClientOrigin } from '#model/caller';
import type { Clock, Log, Random, Stopwatch } from '#model/environment';
import type { Failure } from '#model/failure';
import { type Limits, liveLimits } from '#model/limits';
import { XidSource } from '#model/xid';
import { Activity } from '#observe/activity';
import { addGauges, type GaugeSources } from '#observe/gauges';
import { type HealthCheck, healthChecks } from '#observe/health';
import { Observation } from '#observe/observation';
import { Rpc } from '#protocol/rpc';
import { sqliteFiles } from '#storage/sqlite/files';
import { openSqlite, type SqliteStore } from '#storage/sqlite/store';
import type { MetaStore, SeriesStore, StoreFiles } from '#storage/store';
import { metadataRoutes } from '#transport/http/metadata-route';
import { createMetricsListener } from '#transport/http/metrics-listener';
import { type MetricsAccess, metricsRoute } from '#transport/http/metrics-route';
import { createHttpServer, type HttpServer } from '#transport/http/server';
import type { TlsFiles } from '#transport/http/tls';
import { consoleDirectory, consoleHttp, createConsoleServices } from './console.ts';
import { httpUrl, isLoopback } from './http-url.ts';

/** The environment of the service. */
export interface Environment {
  clock: Clock;
  stopwatch: Stopwatch;
  random: Random;
  log: Log;
}

/** The files of stores, for commands that inspect and copy them. */
export const storeFiles: StoreFiles = sqliteFiles;

/** Options of {@link openDomain}. */
export interface DomainOptions {
  /** The data directory; created if it is missing. */
  directory: string;
  limits: Limits;
  /** The base URL of the service for clients, without `/v1/`. */
  baseUrl: string;
  /** Further audiences that tokens are requested for (A2); default none. */
  audiences?: readonly string[];
  /** Whether this process is the service, of which there is at most one for a directory. Default false. */
  serving?: boolean;
  /** Called after every acknowledged insert with the number of its points. */
  onInserted?: (integration: string, pointCount: number) => void;
}

/** The service without its transports. */
export interface Domain extends Omit<PeopleServices, 'close'> {
  identity: Identity;
  signals: Signals;
  ingest: Ingest;
  query: Query;
  deletion: Deletion;
  retention: Retention;
  plans: Plans;
  quota: Quota;
  usage: Usage;
  audit: Audit;
  /** Recent failures of each integration. */
  errors: RecentErrors;
  meta: MetaStore;
  series: SeriesStore;
  /** Waits for pending work and closes the store. */
  close(): Promise<void>;
}

/** Opens a data directory and the domain over it. Fails as `openSqlite` does. */
export async function openDomain(options: DomainOptions, environment: Environment): Promise<Domain> {
  const { clock, log } = environment;
  const store = await openSqlite({ ...options, clock, log });
  try {
    return await assembleDomain(store, options, environment);
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Creates the services of the domain. */
async function assembleDomain(
  store: SqliteStore,
  { limits, baseUrl, audiences, onInserted }: DomainOptions,
  { clock, stopwatch, random, log }: Environment,
): Promise<Domain> {
  const { meta, series } = store;
  const ids = new XidSource(clock, random);
  const apiUrl = apiUrlOf(baseUrl);
  const errors = new RecentErrors({ clock, limits });
  const onRefused = noteRefusal(errors);
  const who = { apiUrl, audiences, onRefused };
  const identity = await Identity.open({ meta, clock, random, ids, log, limits, ...who });
  const book = new PlanBook(meta, log);
  await book.reload();
  const usage = await Usage.open({ meta, clock, log, limits });
  const quota = new Quota({ book, usage, clock });
  const plans = new Plans({ meta, clock, book });
  const audit = new Audit({ meta, clock, log });
  const signals = new Signals({ meta, clock, ids, quota, limits });
  const ingest = new Ingest({ signals, series, quota, onInserted });
  const query = new Query({ meta, series, clock, limits });
  const deletion = new Deletion({ meta, series, clock });
  const retention = new Retention({ meta, series, clock, log });
  const services = await openPeople({ meta, clock, stopwatch, random, ids, log, limits });
  const close = async () => {
    await retention.close();
    await identity.close();
    await services.close();
    await audit.close();
    await usage.close();
    await book.close();
    signals.close();
    await store.close();
  };
  return {
    ...services,
    identity,
    signals,
    ingest,
    query,
    deletion,
    retention,
    plans,
    quota,
    usage,
    audit,
    errors,
    meta,
    series,
    close,
  };
}

/** Records rejected credentials as failures of their integration, although no call was made. */
export function noteRefusal(errors: RecentErrors) {
  const nothing = { method: null, code: 401, path: null, problem: null };
  return (integration: string, message: string, { address, traceId }: ClientOrigin) =>
    errors.note({ integration, message, address, traceId, ...nothing });
}

/** Time for open calls to end; the store needs the remainder of the ten seconds of a shutdown. */
const drainMs = 7_000;

/** Options of {@link startService}. */
export interface ServiceOptions {
  directory: string;
  limits: Limits;
  host: string;
  /** 0: selects a free port. */
  port: number;
  /** Null: the address that is bound. */
  baseUrl: string | null;
  /** Further audiences that tokens are requested for (A2); default none. */
  audiences?: readonly string[];
  /** Certificate and key; null, the default: plain HTTP. */
  tls?: TlsFiles | null;
  /** Proxies whose X-Forwarded-… headers are trusted; default none. */
  trustedProxies?: readonly string[];
  /** Names of the data-reading namespace, the primary one first (W8). */
  namespaces: readonly string[];
  /** Days for which the audit log is kept; 0, the default: no limit. */
  auditKeepDays?: number;
  /** Access to the metrics: with the token, or over a separate address; with neither, from this machine only. */
  metrics?: { token: string | null; listen: { host: string; port: number } | null };
  /** Of the program. */
  version: string;
  /** Settings and limits as the console shows them; default none. */
  config?: Host['config'];
  /** Fills an empty service with the demo plant, if the first administrator has selected that. */
  loadDemo?: (domain: Domain, baseUrl: string) => Promise<void>;
}

/** The part of the configuration that can change while the service runs. */
export interface Reloadable {
  /** Limits that are fixed at start are not changed. */
  limits: Limits;
  auditKeepDays: number;
  /** Null: no token. */
  metricsToken: string | null;
}

/** A running service. */
export interface Service {
  /** The address that is bound, `http://HOST:PORT` or `https://…`. */
  url: string;
  /** The base URL for clients, without `/v1/`. */
  baseUrl: string;
  domain: Domain;
  /** Applies the reloadable part of a new configuration, and reloads the certificate. */
  reload(next: Reloadable): void;
  /** Stops accepting, lets open calls end, closes the store. */
  close(): Promise<void>;
}

/** Starts the service. Fails as {@link openDomain} does, or with the system's error when the address cannot be bound. */
export async function startService(options: ServiceOptions, environment: Environment): Promise<Service> {
  const { clock, stopwatch, random, log } = environment;
  const { directory, host, namespaces, audiences, version, tls = null, trustedProxies } = options;
  // Read at each use, so that a reload takes effect.
  const limits = { ...options.limits };
  const port = options.port === 0 ? await freePort(host) : options.port;
  const url = httpUrl(host, port, tls === null ? 'http' : 'https');
  const baseUrl = options.baseUrl ?? url;
  const load = new Load(limits, () => performance.now());
  const activity = new Activity({ clock, limits });
  const onFailure = (failure: Failure) => noteFailure(domain, failure);
  const observation = new Observation({ version, limits, log, activity, onFailure });
  const { metrics } = observation;
  const onInserted = (_: string, pointCount: number) => metrics.onInserted(pointCount);
  const opened = { directory, limits, baseUrl, audiences, serving: true, onInserted };
  const domain = await openDomain(opened, environment);
  domain.retention.start();
  domain.audit.keepFor(options.auditKeepDays ?? 0);
  const checks = healthChecks(directory, limits, () => domain.series.scan({ sources: [] }));
  const queues = () => ({ lanes: load.lanes, requests: load.requestCount });
  const hosted = hostOf(options, domain, checks, activity, queues);
  const { services, pages } = await openConsole(options, domain, baseUrl, hosted, environment);
  const rpc = new Rpc({
    methods: activity.watch(methods({ ...domain, integrations: domain.identity, limits, console: services })),
    info: { title: 'Tidemark', programVersion: version, rpcUrl: `${apiUrlOf(baseUrl)}rpc`, namespaces },
    ...{ limits, log, meter: domain.quota },
    onCall: (outcome) => observation.onCall(outcome),
  });
  const showMetrics = metricsPlace(options, baseUrl);
  const route = metricsRoute(() => metrics.render(), showMetrics.access);
  const http = createHttpServer({
    ...{ rpc, limits, load, stopwatch, random, log, tls, trustedProxies, authenticator: domain.identity },
    pathPrefix: new URL(baseUrl).pathname.replace(/\/$/, ''),
    readyChecks: checks,
    ...pages,
    routes: [...pages.routes, ...metadataRoutes(baseUrl), ...(showMetrics.listen === null ? [route] : [])],
    observer: observation,
    tracer: observation.tracing,
  });
  addGauges(metrics.registry, gaugeSources(directory, domain, load, http));
  const listener = showMetrics.listen === null ? null : createMetricsListener(route, { random, log });
  const listen = async () => {
    if (showMetrics.listen !== null) await listener?.listen(showMetrics.listen.host, showMetrics.listen.port);
    await http.listen(host, port);
  };
  const close = async () => {
    await Promise.all([http.close(drainMs), listener?.close()]);
    services.overview.close();
    await domain.close();
  };
  await listen().catch(async (error) => {
    await close();
    throw error;
  });
  const reload = (next: Reloadable) => {
    showMetrics.access.token = next.metricsToken;
    takeConfiguration(next, limits, domain, http);
  };
  return { url, baseUrl, domain, reload, close };
}

/** Limits are read at each use, so that a reload takes effect. */
function takeConfiguration(next: Reloadable, limits: Limits, { audit }: Domain, http: HttpServer): void {
  Object.assign(limits, liveLimits(next.limits));
  audit.keepFor(next.auditKeepDays);
  http.reload();
}

/** The services for the console's methods, and its part of the HTTP server. */
async function openConsole(
  options: ServiceOptions,
  domain: Domain,
  baseUrl: string,
  host: Host,
  { clock, random }: Environment,
) {
  const services = createConsoleServices({ ...domain, clock }, host, baseUrl);
  const pages = await consoleHttp({
    entrance: domain.entrance,
    baseUrl,
    version: options.version,
    random,
    pagesDirectory: consoleDirectory(),
    loadDemo: async () => options.loadDemo?.(domain, baseUrl),
  });
  return { services, pages };
}

/** Information about the process for the console. */
function hostOf(
  { version, directory, config = () => [] }: ServiceOptions,
  { series }: Domain,
  checks: readonly HealthCheck[],
  calls: Activity,
  queues: () => Pick<Queues, 'lanes' | 'requests'>,
): Host {
  return {
    calls,
    version,
    config,
    memoryBytes: () => process.memoryUsage.rss(),
    uptimeS: () => process.uptime(),
    async storeBytes() {
      const { fileBytes, walBytes } = (await series.figures?.()) ?? { fileBytes: 0, walBytes: 0 };
      return fileBytes + walBytes;
    },
    async diskFreeBytes() {
      const { bavail, bsize } = await statfs(directory);
      return bavail * bsize;
    },
    async queues() {
      const { queueBytes = 0, logBytes = 0, sealLagS = 0 } = (await series.figures?.()) ?? {};
      return { ...queues(), queueBytes, logBytes, sealLagS };
    },
    checks: () => Promise.all(checks.map(findingOf)),
  };
}

/** Records failures of integrations only, since people see their own errors. */
function noteFailure({ errors, people }: Domain, failure: Failure): void {
  if (people.list().every(({ id }) => id !== failure.integration)) errors.note(failure);
}

async function findingOf({ name, check }: HealthCheck): Promise<{ name: string; problem: string | null }> {
  return { name, problem: await check().catch(() => 'failed') };
}

/** The address of the metrics and the access to them; behind a proxy all callers appear to be local. */
function metricsPlace({ metrics, trustedProxies = [] }: ServiceOptions, baseUrl: string) {
  const { token = null, listen = null } = metrics ?? {};
  const isBehindProxy = trustedProxies.length > 0 || !isLoopback(new URL(baseUrl).hostname);
  const without = listen !== null ? 'anybody' : isBehindProxy ? 'nobody' : 'this-machine';
  return { listen, access: { token, without } satisfies MetricsAccess };
}

function gaugeSources(directory: string, { series }: Domain, load: Load, http: HttpServer): GaugeSources {
  return {
    directory,
    store: async () => (await series.figures?.()) ?? null,
    lanes: () => load.lanes,
    readsBytes: () => load.takenBytes('read'),
    answersBytes: () => load.takenBytes('answer'),
    requestCount: () => load.requestCount,
    bodyBytes: () => load.takenBytes('body') + load.takenBytes('inflated'),
    connectionCount: http.connectionCount,
    certificateExpiresAtMs: () => http.tls?.expiresAtMs ?? null,
  };
}

/** Selects a free port in advance, since the address, which tokens contain, must be known before the service is created. */
function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, host, () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
