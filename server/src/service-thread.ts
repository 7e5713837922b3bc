/** One service thread: an event loop with its own listener, parsers, caches and printers, over the store that all threads share. */
import { BrokerSessions } from '#domain/broker/sessions';
import { type Domain, openDomain } from '#domain/domain';
import { type ConfigRow, Host } from '#domain/overview/host';
import { RecentErrors } from '#domain/overview/recent-errors';
import { Load } from '#load/load';
import { newExporter } from '#methods/export/exporter';
import { methods } from '#methods/index';
import { liveSource } from '#methods/live';
import type { Environment } from '#model/environment';
import { liveLimits } from '#model/limits';
import { Activity } from '#observe/activity';
import { addGauges, addThreadGauges } from '#observe/gauges';
import { type HealthCheck, healthChecks } from '#observe/health';
import { Observation } from '#observe/observation';
import { LineEndpoint } from '#protocol/line-protocol/line-endpoint';
import { LoginRates } from '#protocol/login-rates';
import { RemoteEndpoint } from '#protocol/remote-write/remote-endpoint';
import { Rpc } from '#protocol/rpc';
import { TraceSource } from '#protocol/trace';
import type { Coordination, Leads, Members } from '#storage/coordination';
import { threadCoordination } from '#threads/coordination';
import type { NumberTables } from '#threads/number-table';
import { serveFirst } from '#threads/scheduling';
import { consoleHttp } from '#transport/http/console/console';
import type { ListenTarget } from '#transport/http/listen';
import { createMetrics, type MetricsEndpoint } from '#transport/http/metrics';
import type { HttpRoute } from '#transport/http/route';
import { createHttpServer, type HttpServer } from '#transport/http/server';
import { metadataRoutes } from '#transport/http/token-route';
import { hookRoutes } from '#transport/mqtt/hooks/hook-routes';
import type { BrokerLink, LinkTarget } from '#transport/mqtt/link/broker-link';
import { Mqtt, type MqttPorts } from '#transport/mqtt/mqtt';
import { mqttWebSockets } from '#transport/mqtt/web-sockets';
import { consoleDirectory, manualDirectory } from './console-directory.ts';
import type { ThreadStore } from './open-store.ts';
import type { Reloadable, ThreadOptions } from './service-options.ts';

/** Time for open calls to end; the store needs the remainder of the ten seconds of a shutdown. */
const drainMs = 7_000;

/** What the threads of one service share. */
export interface Sharing {
  tables: NumberTables;
  members: Members;
}

/** A service thread that may listen. */
export interface ServiceThread {
  domain: Domain;
  /** Begins to accept connections. */
  listen(target: ListenTarget): Promise<void>;
  /** Begins to accept connections of the broker, which is on the first thread; the ports. */
  listenMqtt(host: string): Promise<MqttPorts>;
  /** Applies the reloadable part of a new configuration, and reloads the certificate. */
  reload(next: Reloadable): void;
  /** Accepts nothing new, and lets open calls end. */
  drain(): Promise<void>;
  /** Ends the domain and this thread's use of the store; after {@link drain}. */
  close(): Promise<void>;
}

/** Connects all layers over a store, which it closes if it fails. */
export async function openServiceThread(
  options: ThreadOptions,
  store: ThreadStore,
  environment: Environment,
  { tables, members }: Sharing,
): Promise<ServiceThread> {
  await using opening = new AsyncDisposableStack();
  const limits = { ...options.limits }; // Read at each use, so that a reload takes effect.
  const threads = threadCoordination({ tables, members, stopwatch: environment.stopwatch });
  const coordination = await coordinationOf(store, threads);
  const { nodes } = coordination;
  const shared = { ...options, ...environment, limits, tables, members, nodes, coordination };

  const load = new Load(limits, environment.stopwatch, tables);
  const errors = new RecentErrors(shared);
  const calls = new Activity(shared);
  const observation = new Observation({ ...shared, activity: calls, errors });
  const { metrics } = observation;
  const onInserted = (_: string, pointCount: number) => metrics.onInserted(pointCount);
  const domain = await openDomain(store, { ...shared, errors, onInserted }, environment);
  opening.defer(() => domain.close());
  const { series } = domain;

  const scrapes = createMetrics(() => metrics.render(), shared);
  opening.defer(() => scrapes.close());
  const parts = { ...shared, load, calls, observation, domain, scrapes };
  const directory = diskOf(options);
  const checks = checksOf(parts);
  const rpc = newRpc({ ...parts, checks });
  const mqtt = await openMqtt({ ...parts, rpc });
  opening.defer(() => mqtt?.close());
  const link = await openLink({ ...parts, rpc });
  opening.defer(() => link?.close());
  const http = await openHttp({ ...parts, checks, rpc, broker: mqtt });
  addThreadGauges(metrics.registry, series);
  const gauges = { directory, series, load, http, mqtt: link ?? mqtt, live: domain.live };
  if (members.index === 0) addGauges(metrics.registry, gauges);
  const auditPruning = leadOnce(coordination, domain, options.auditKeepDays ?? 0);
  const closing = opening.move();
  return {
    domain,
    async listen(target) {
      if (members.index === 0) await scrapes.listen();
      await http.listen(target);
      if (options.runsFirst) serveFirst(members.index, options.threads ?? 1);
    },
    listenMqtt: async (host) => (await mqtt?.listen(host, options.mqtt ?? noPorts)) ?? noPorts,
    reload(next) {
      Object.assign(limits, liveLimits(next.limits));
      auditPruning.keepFor(next.auditKeepDays);
      scrapes.setToken(next.metricsToken);
      http.reload();
      mqtt?.reload();
    },
    async drain() {
      await Promise.all([http.close(drainMs), mqtt?.close(), link?.close()]);
    },
    close: () => closing.disposeAsync(),
  };
}

/** Does the work that is done once, for as long as this thread leads. */
function leadOnce(coordination: Coordination, { retention, audit }: Domain, auditKeepDays: number) {
  let isLeading = false;
  let isTakenOver = false;
  let days = auditKeepDays;
  let mayRun: Leads = async () => true;
  const begin = (leads: Leads) => {
    isLeading = true;
    mayRun = leads;
    retention.start({ isTakenOver, mayRun });
    audit.keepFor(days, mayRun);
  };
  const end = () => {
    isLeading = false;
    void retention.close();
    audit.keepFor(0);
  };
  coordination.lead(begin, end);
  isTakenOver = true;
  return {
    keepFor(next: number) {
      days = next;
      if (isLeading) audit.keepFor(days, mayRun);
    },
  };
}

/** The directory whose disk keeps the data; null where other servers keep it. */
function diskOf({ directory, cluster }: Pick<ThreadOptions, 'directory' | 'cluster'>): string | null {
  return cluster ? null : directory;
}

/** With the threads of other nodes, where there are any. Closes the store when these cannot be heard of. */
async function coordinationOf(store: ThreadStore, threads: Coordination): Promise<Coordination> {
  try {
    return (await store.coordinate?.(threads)) ?? threads;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** What `/readyz` asks; the service is ready without the link to an existing broker. */
function checksOf(
  parts: Pick<Parts, 'directory' | 'cluster' | 'limits' | 'domain' | 'members' | 'existingBroker'>,
) {
  const { domain, limits, members, existingBroker = null } = parts;
  const directory = diskOf(parts);
  const own = healthChecks(directory, limits, domain);
  if (existingBroker === null) return own;
  const check = () => members.askFirst<string | null>(linkQuestion);
  return [...own, { name: 'broker', isPartial: true, check }];
}

/** What the transports connect. */
interface Parts extends ThreadOptions, Environment, Sharing {
  coordination: Coordination;
  load: Load;
  calls: Activity;
  observation: Observation;
  domain: Domain;
  scrapes: MetricsEndpoint;
}

/** What the other threads ask the first one about the link to an existing broker. */
const linkQuestion = 'problem of the link to the broker';

const noPorts: MqttPorts = { plain: null, secure: null };

/** Makes what answers calls, from every transport. */
function newRpc(parts: Parts & { checks: readonly HealthCheck[] }): Rpc {
  const { domain, observation, calls, members, coordination, version, namespaces } = parts;
  const { series, apiUrl } = domain;
  const config = () => members.askFirst<readonly ConfigRow[]>('config');
  const host = new Host({ ...parts, directory: diskOf(parts), series, config, nodes: coordination.nodes });
  return new Rpc({
    ...parts,
    methods: calls.watch(methods({ ...domain, host, calls })),
    info: { title: 'Tidemark', programVersion: version, rpcUrl: `${apiUrl}rpc`, namespaces },
    onCall: (outcome) => observation.onCall(outcome),
  });
}

function hasBroker({ mqtt: ports = noPorts }: Pick<ThreadOptions, 'mqtt'>): boolean {
  return ports.plain !== null || ports.secure !== null;
}

/** Makes the broker over the domain, on the first thread; null if it has no port. */
async function openMqtt(parts: Parts & { rpc: Rpc }): Promise<Mqtt | null> {
  const { domain, members } = parts;
  if (members.index > 0 || !hasBroker(parts)) return null;
  domain.traffic.begin('own');
  return Mqtt.open({
    ...parts,
    authenticator: domain.identity,
    accounts: domain.quota,
    traffic: domain.traffic,
    catchUp: domain.catchUp,
    sessions: {
      store: new BrokerSessions(domain.meta),
      isShared: parts.cluster != null,
      owner: Buffer.from(parts.random.bytes(12)).toString('hex'),
    },
    items: {
      watch: (start = { party: 'message broker', items: [], after: null }) => domain.live.watch(start),
      latest: (ids) => domain.latest.ofItems(ids, new AbortController().signal),
      refusalOf: (id) => domain.live.refusalOf(id),
    },
  });
}

/** Connects to an existing broker, on the first thread; null if there is none. */
async function openLink(parts: Parts & { rpc: Rpc }): Promise<BrokerLink | null> {
  const { members, existingBroker: target = null } = parts;
  if (members.index > 0) return null;
  const link = target === null ? null : await newLink({ ...parts, target });
  members.answer(linkQuestion, () => link?.problem ?? null);
  return link;
}

/** Loaded only where it is used. */
async function newLink(parts: Parts & { rpc: Rpc; target: LinkTarget }): Promise<BrokerLink> {
  const { BrokerLink } = await import('#transport/mqtt/link/broker-link');
  const { domain, random } = parts;
  domain.traffic.begin('other');
  return new BrokerLink({
    ...{ ...parts, traces: new TraceSource(random) },
    authenticator: domain.identity,
    accounts: domain.quota,
    catchUp: domain.catchUp,
    onMessage: (integration, isRejected) => domain.traffic.noteForeign(integration, isRejected),
    items: {
      watch: (start = { party: 'message broker', items: [], after: null }) => domain.live.watch(start),
      latest: (ids) => domain.latest.ofItems(ids, new AbortController().signal),
      revision: () => domain.meta.revision('signals'),
      after: (id) => domain.live.itemsAfter(id),
    },
  });
}

/** Where another broker asks about its clients. */
function hooksOf(parts: Parts): HttpRoute[] {
  const { mqttAuthToken = null, existingBroker: own = null, domain, limits, stopwatch, coordination } = parts;
  if (mqttAuthToken === null) return [];
  const logins = new LoginRates(limits, stopwatch, coordination);
  return hookRoutes(mqttAuthToken, { authenticator: domain.identity, logins, own });
}

/** Makes the HTTP server over the domain. */
async function openHttp(
  parts: Parts & { checks: readonly HealthCheck[]; rpc: Rpc; broker: Mqtt | null },
): Promise<HttpServer> {
  const { domain, observation, members, scrapes, checks, rpc, broker, baseUrl } = parts;
  const loadDemo = async () => void (await members.askFirst('load demo'));
  const pages = await consoleHttp({
    ...parts,
    loadDemo,
    gate: domain.signIns,
    files: consoleDirectory(),
    manualFiles: manualDirectory(),
  });
  return createHttpServer({
    ...{ ...parts, ...pages, rpc, observer: observation, tracer: observation.tracing },
    authenticator: domain.identity,
    accounts: domain.quota,
    exporter: newExporter(domain),
    lines: new LineEndpoint({ ...parts, rpc, writer: domain.ingest }),
    live: liveSource(domain),
    remote: new RemoteEndpoint({ ...parts, rpc, writer: domain.ingest }),
    catchUp: domain.catchUp,
    readyChecks: checks,
    webSockets: hasBroker(parts) ? mqttWebSockets(members, broker) : undefined,
    routes: [...pages.routes, ...metadataRoutes(baseUrl), ...scrapes.routes, ...hooksOf(parts)],
  });
}
