/** The HTTP server: its routes, its time limits, and how it starts and ends. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Accounts } from '#load/account';
import { type Connection, Connections } from '#load/connections';
import type { Load } from '#load/load';
import { addressKey } from '#model/address';
import type { Log, Random, Stopwatch } from '#model/environment';
import type { Limits } from '#model/limits';
import type { Authenticator, TokenIssuer } from '#protocol/authenticator';
import type { Exporter } from '#protocol/exporter';
import type { LineEndpoint } from '#protocol/line-protocol/line-endpoint';
import type { LiveSource } from '#protocol/live';
import { LoginRates } from '#protocol/login-rates';
import { TokenEndpoint } from '#protocol/oauth';
import type { RemoteEndpoint } from '#protocol/remote-write/remote-endpoint';
import type { Rpc } from '#protocol/rpc';
import { TokenRates } from '#protocol/token-rates';
import { TraceSource } from '#protocol/trace';
import type { Coordination } from '#storage/coordination';
import type { NumberTables } from '#threads/number-table';
import type { ServePage } from './console/pages-route.ts';
import type { SessionOptions } from './console/session.ts';
import { Exchange } from './exchange.ts';
import { type ExportRouteOptions, serveExport, serveExportForm } from './export-route.ts';
import { answerFailure } from './failure.ts';
import { influxRoutes, serveInfluxHealth } from './influx/influx-routes.ts';
import { type ListenTarget, listen } from './listen.ts';
import { newListener } from './listener.ts';
import { liveRoutes } from './live/live-route.ts';
import type { HttpObserver, RequestSpan, RequestTracer } from './observer.ts';
import { serveDocument, serveHealth, serveLife } from './open-routes.ts';
import { Pipeline } from './pipeline.ts';
import { HttpProblem } from './problem.ts';
import { TrustedProxies } from './proxies.ts';
import { Readiness, type ReadyCheck } from './readiness.ts';
import { serveRemoteWrite } from './remote-write-route.ts';
import type { HttpRoute } from './route.ts';
import { PathRouter, type Served } from './router.ts';
import { serveRpc } from './rpc-route.ts';
import type { TlsFiles, TlsWatch } from './tls.ts';
import { serveToken, tokenPaths } from './token-route.ts';
import { WebSocketRoute, type WebSocketService } from './web-socket-route.ts';

/** Options of {@link createHttpServer}. */
export interface HttpServerOptions {
  rpc: Rpc;
  authenticator: Authenticator & TokenIssuer;
  /** Of the integrations that call. */
  accounts: Accounts;
  /** Read at each request; those of time and connections when it starts, and with `reload`. */
  limits: Pick<
    Limits,
    | 'bodyBytesMax'
    | 'integrationSharePercent'
    | 'requestTimeoutMs'
    | 'connectionsMax'
    | 'connectionsPerAddressMax'
    | 'tokenRequestsPerMinute'
    | 'tokenRequestsBurst'
    | 'wrongLoginsPerMinute'
  >;
  /** Gives each request its ticket. */
  load: Load;
  random: Random;
  /** Times rates and waits. */
  stopwatch: Stopwatch;
  log: Log;
  /** Where the API is below the host, such as `/tidemark`; default none. Requests are understood with and without it. */
  pathPrefix?: string;
  /** Addresses or networks of the proxies whose X-Forwarded-For and -Proto are trusted; default none. */
  trustedProxies?: readonly string[];
  /** Certificate and key; null, the default: plain HTTP. */
  tls?: TlsFiles | null;
  /** With the other members of the service. */
  coordination: Coordination;
  /** What the threads of this process share; default: there is one thread. */
  tables?: NumberTables;
  /** Called before a call is authenticated: learns of what other threads have changed; null, the default: nothing. */
  catchUp?(): Promise<unknown> | null;
  /** Serves `/v1/export`; default: there is no such path. */
  exporter?: Exporter;
  /** Stores what clients of InfluxDB write; default: they are not served. */
  lines?: LineEndpoint;
  /** Live values; default: there are none. */
  live?: LiveSource;
  /** Stores what Prometheus sends; default: it is not served. */
  remote?: RemoteEndpoint;
  /** Further checks of `/readyz`. */
  readyChecks?: readonly ReadyCheck[];
  /** Serves the WebSockets of a path; default: there are none. */
  webSockets?: WebSocketService;
  /** Further routes: sessions, metrics. */
  routes?: readonly HttpRoute[];
  /** Authenticates people; default: people cannot sign in. */
  sessions?: SessionOptions;
  /** Serves paths without a route: the console's pages. */
  servePage?: ServePage;
  /** Is notified of every request. */
  observer?: HttpObserver;
  /** Makes a span of every request; null, the default: no spans. */
  tracer?: RequestTracer | null;
}

/** A server that may listen. */
export interface HttpServer {
  /** The runtime's server, for upgrades of connections. */
  readonly server: Server;
  /** The certificate in use; null without TLS. */
  readonly tls: TlsWatch | null;
  /** Open connections. */
  connectionCount(): number;
  /** Takes new limits of time and connections, and reads the certificate again. */
  reload(): void;
  /** Starts to listen. Where it listens. */
  listen(target: ListenTarget): Promise<AddressInfo>;
  /** Accepts nothing new, lets running requests end for at most `withinMs` (default 10 s), then cuts them off. */
  close(withinMs?: number): Promise<void>;
}

const retryAfterS = '5';
const drainMs = 10_000;

/** What the server's parts share. */
interface Parts {
  options: HttpServerOptions;
  traces: TraceSource;
  proxies: TrustedProxies;
  connections: Connections;
  isDraining(): boolean;
  /** Aborted when draining begins: answers that do not end by themselves end then. */
  draining: AbortSignal;
}

/** Makes a server that does not listen yet. Throws when the certificate cannot be used. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { limits, load, observer, log, tls } = options;
  const draining = new AbortController();
  const traces = new TraceSource(options.random);
  const proxies = new TrustedProxies(options.trustedProxies ?? []);
  const connections = new Connections(limits, options.tables);
  const isDraining = () => draining.signal.aborted;
  const parts: Parts = { options, traces, proxies, connections, isDraining, draining: draining.signal };
  const onRefusal = observer?.onRefusal.bind(observer) ?? (() => {});
  const webSockets = webSocketsOf(parts, (request) => listener.connectionOf(request));
  const serve = requestServer(parts, webSockets);
  const onRequest = (request: IncomingMessage, response: ServerResponse) =>
    serve(request, response, listener.connectionOf(request));
  const listener = newListener({
    limits,
    traces,
    log,
    proxies,
    connections,
    load,
    tls,
    onRefusal,
    onRequest,
    upgrades: webSockets && {
      accepts: (request) => webSockets.accepts(request),
      begin: (...upgrade) => webSockets.begin(...upgrade),
    },
  });
  const { server } = listener;
  return {
    server,
    tls: listener.tls,
    connectionCount: () => connections.count,
    reload() {
      listener.takeLimits();
      listener.tls?.reload();
    },
    listen: (target) => listen(server, target),
    close(withinMs = drainMs) {
      draining.abort();
      listener.tls?.close();
      return drain(server, withinMs);
    },
  };
}

function webSocketsOf(
  { options, proxies, isDraining }: Parts,
  connectionOf: (request: IncomingMessage) => Connection | null,
): WebSocketRoute | null {
  const { webSockets: service, pathPrefix = '', sessions } = options;
  if (service === undefined) return null;
  return new WebSocketRoute({
    ...{ service, pathPrefix: pathPrefix.replace(/\/+$/, ''), origin: sessions?.origin ?? '' },
    ...{ proxies, isDraining, connectionOf },
  });
}

/** Serves a request that came by a connection; null: which has ended meanwhile. */
type ServeRequest = (
  request: IncomingMessage,
  response: ServerResponse,
  connection: Connection | null,
) => void;

/** Gives each request its ticket and its turn on its connection. */
function requestServer(parts: Parts, webSockets: WebSocketRoute | null): ServeRequest {
  const { load, pathPrefix = '', routes = [], servePage } = parts.options;
  const upgrades = webSockets === null ? [] : [webSockets.route];
  const router = new PathRouter([...serviceRoutes(parts), ...upgrades, ...routes], pathPrefix, servePage);
  const pipelines = new WeakMap<Socket, Pipeline>();
  const serve = exchangeServer(parts);
  return (request, response, connection) => {
    // The runtime still parses what had arrived before the connection was ended.
    if (request.socket.destroyed) return;
    const served = router.find(request);
    const exchange = newExchange(request, response, parts, connection);
    const pipeline = pipelines.getOrInsertComputed(request.socket, (socket) => new Pipeline(socket));
    exchange.admit(() => load.open(addressKey(exchange.address), () => exchange.signal));
    const start = () => serve(served, exchange);
    if (!pipeline.add({ response, start, drop: () => exchange.drop() })) exchange.drop();
  };
}

/** Answers one request by a route, whatever happens. */
function exchangeServer(parts: Parts): (route: Served, exchange: Exchange) => void {
  const { observer, tracer = null, log, stopwatch } = parts.options;
  return (route, exchange) => {
    const startMs = stopwatch.elapsedMs();
    const span = tracer === null ? null : beginSpan(tracer, route, exchange.request);
    if (span?.trace != null) exchange.trace = span.trace;
    const unavailable = route.needsService ? unavailability(parts) : null;
    const catchUp = route.needsService ? parts.options.catchUp : undefined;
    const work = () => serveExchange(route, exchange, unavailable, catchUp);
    const end = () => {
      span?.end(exchange.status);
      observer?.onRequest(exchange.outcome(route.name, stopwatch.elapsedMs() - startMs));
    };
    const fail = (error: unknown) => answerFailure(exchange, error, log).then(end);
    (span === null ? work() : span.run(work)).then(end, fail);
  };
}

function beginSpan(tracer: RequestTracer, { name }: Served, request: IncomingMessage): RequestSpan {
  return tracer.begin({ method: request.method ?? '', route: name, traceparent: traceparentOf(request) });
}

/** One that comes twice is none. */
function traceparentOf({ headers }: IncomingMessage): string | undefined {
  return Array.isArray(headers.traceparent) ? undefined : headers.traceparent;
}

/** Rejects rather than throws. */
function serveExchange(
  route: Pick<HttpRoute, 'serve'>,
  exchange: Exchange,
  unavailable: string | null,
  catchUp: HttpServerOptions['catchUp'],
): Promise<void> {
  try {
    exchange.requireTicket();
    if (unavailable !== null) throw shut(unavailable);
    checkHost(exchange);
    const behind = catchUp?.() ?? null;
    return behind === null
      ? Promise.resolve(route.serve(exchange))
      : behind.then(() => route.serve(exchange));
  } catch (error) {
    return Promise.reject(error);
  }
}

/** RFC 9112 §3.2: a request of HTTP/1.1 has a Host. */
function checkHost({ request }: Exchange): void {
  if (request.headers.host === undefined && request.httpVersion === '1.1')
    throw new HttpProblem(400, 'The header Host is missing');
}

/** Why calls are not accepted now; null: they are. */
function unavailability({ isDraining }: Parts): string | null {
  return isDraining() ? 'shutting down' : null;
}

function shut(reason: string): HttpProblem {
  return new HttpProblem(503, `The service takes no calls now: ${reason}`, { 'retry-after': retryAfterS });
}

function newExchange(
  request: IncomingMessage,
  response: ServerResponse,
  { options, traces, proxies, connections, isDraining }: Parts,
  connection: Connection | null,
): Exchange {
  return new Exchange(request, response, {
    trace: traces.next(traceparentOf(request)),
    ...proxies.clientOf(request),
    timeoutMs: options.limits.requestTimeoutMs,
    connection,
    endsConnection: (isKnown) => isDraining() || (!isKnown && connections.isCrowded),
  });
}

function serviceRoutes(parts: Parts): HttpRoute[] {
  const { rpc, authenticator, exporter, limits, stopwatch, coordination } = parts.options;
  const logins = new LoginRates(limits, stopwatch, coordination);
  const tokens = new TokenEndpoint(authenticator, new TokenRates(limits, coordination), logins);
  const calls = { ...parts.options, logins };
  const post = (path: string, serve: HttpRoute['serve']): HttpRoute => {
    return { method: 'POST', path, needsService: true, serve };
  };
  return [
    post('/v1/rpc', (e) => serveRpc(calls, e)),
    ...(exporter === undefined ? [] : exportRoutes({ ...calls, exporter })),
    ...tokenPaths.map((path) => post(path, (e) => serveToken(tokens, e))),
    openRoute('/openrpc.json', (e) => serveDocument(rpc.documents, e)),
    ...healthRoutes(parts),
    ...seriesRoutes(parts, logins),
    ...liveRoutes({ ...calls, draining: parts.draining }),
  ];
}

function exportRoutes(options: ExportRouteOptions): HttpRoute[] {
  const shared = { path: '/v1/export', needsService: true };
  return [
    { ...shared, method: 'GET', serve: (e) => serveExport(options, e) },
    { ...shared, method: 'POST', serve: (e) => serveExportForm(options, e) },
  ];
}

/** Routes of other time-series databases. */
function seriesRoutes(parts: Parts, logins: LoginRates): HttpRoute[] {
  const { lines, remote } = parts.options;
  const influx = lines === undefined ? [] : influxRoutes({ ...parts.options, lines, logins });
  if (remote === undefined) return influx;
  const serve = (e: Exchange) => serveRemoteWrite({ ...parts.options, remote, logins }, e);
  return [...influx, { method: 'POST', path: '/api/v1/write', needsService: true, serve }];
}

/** Health of the process, for clients, and for load balancers. */
function healthRoutes(parts: Parts): HttpRoute[] {
  const readiness = new Readiness(parts.options.readyChecks ?? [], parts.options.stopwatch);
  const serve = (e: Exchange) => serveHealth(unavailability(parts), e);
  return [
    openRoute('/healthz', serve),
    openRoute('/health', (e) => serveInfluxHealth(unavailability(parts), e)),
    openRoute('/livez', serveLife),
    openRoute('/readyz', (e) => readiness.serve(unavailability(parts), e)),
  ];
}

function openRoute(path: string, serve: HttpRoute['serve']): HttpRoute {
  return { method: 'GET', path, needsService: false, serve };
}

function drain(server: Server, withinMs: number): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.closeAllConnections(), withinMs);
    const idle = setInterval(() => server.closeIdleConnections(), 50);
    server.close(() => {
      clearTimeout(force);
      clearInterval(idle);
      resolve();
    });
    server.closeIdleConnections();
  });
}
