/** The HTTP server: its routes, its time limits, and how it starts and ends. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Load } from '#load/load';
import type { Log, Random, Stopwatch } from '#model/environment';
import { bug } from '#model/error';
import type { Limits } from '#model/limits';
import type { Authenticator, TokenIssuer } from '#protocol/authenticator';
import { LoginRates } from '#protocol/login-rates';
import { TokenEndpoint } from '#protocol/oauth';
import type { Rpc } from '#protocol/rpc';
import { TokenRates } from '#protocol/token-rates';
import { TraceSource } from '#protocol/trace';
import type { ServePage } from './console/pages-route.ts';
import type { SessionOptions } from './console/session.ts';
import { Exchange } from './exchange.ts';
import { answerFailure } from './failure.ts';
import { newListener } from './listener.ts';
import type { HttpObserver, RequestSpan, RequestTracer } from './observer.ts';
import { serveDocument, serveHealth, serveLife } from './open-routes.ts';
import { HttpProblem } from './problem.ts';
import { Readiness, type ReadyCheck } from './readiness.ts';
import type { HttpRoute } from './route.ts';
import { serveRpc } from './rpc-route.ts';
import type { TlsFiles, TlsWatch } from './tls.ts';
import { serveToken } from './token-route.ts';

/** What the server works with. */
export interface HttpServerOptions {
  rpc: Rpc;
  authenticator: Authenticator & TokenIssuer;
  /** Read at each request; those of time and connections when it starts, and with `reload`. */
  limits: Pick<
    Limits,
    | 'bodyBytesMax'
    | 'requestTimeoutMs'
    | 'connectionsMax'
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
  /** Addresses or networks of the proxies whose X-Forwarded-For and -Proto are believed; default none. */
  trustedProxies?: readonly string[];
  /** Certificate and key; null, the default: plain HTTP. */
  tls?: TlsFiles | null;
  /** Why the service takes no calls now, such as `starting`; null while it does, which is the default. */
  unavailable?(): string | null;
  /** What `/readyz` looks at beside that. */
  readyChecks?: readonly ReadyCheck[];
  /** Further routes: sessions, metrics. */
  routes?: readonly HttpRoute[];
  /** How people prove who they are; default: they cannot. */
  sessions?: SessionOptions;
  /** Serves what no route does: the console's pages. */
  servePage?: ServePage;
  /** Sees every request. */
  observer?: HttpObserver;
  /** Makes a span of every request; null, the default: nobody wants any. */
  tracer?: RequestTracer | null;
}

/** A server that may listen. */
export interface HttpServer {
  /** The runtime's server, for those who upgrade connections. */
  readonly server: Server;
  /** The certificate in use; null without TLS. */
  readonly tls: TlsWatch | null;
  /** Open connections. */
  connectionCount(): number;
  /** Takes new limits of time and connections, and reads the certificate again. */
  reload(): void;
  /** Starts to listen; port 0 takes a free one. Where it listens. */
  listen(host: string, port: number): Promise<AddressInfo>;
  /** Accepts nothing new, lets running requests end for at most `withinMs` (default 10 s), then cuts them off. */
  close(withinMs?: number): Promise<void>;
}

const retryAfterS = '5';
const drainMs = 10_000;

/** Above this part of the connections, each answer ends its own, so that those who wait for one find it. */
const crowdedPart = 0.9;

/** What the server's parts share. */
interface Parts {
  options: HttpServerOptions;
  traces: TraceSource;
  /** Whether answers are to end their connections. */
  endsConnections(): boolean;
  isDraining(): boolean;
}

/** Makes a server that does not listen yet. Throws when the certificate cannot be used. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { limits, observer, log, trustedProxies, tls } = options;
  let isDraining = false;
  const traces = new TraceSource(options.random);
  const onRefusal = observer?.onRefusal.bind(observer) ?? (() => {});
  const listener = newListener({ limits, traces, log, trustedProxies, tls, onRefusal, onBadPath });
  const { fastify, connectionCount } = listener;
  const parts: Parts = {
    options,
    traces,
    endsConnections: () => isDraining || connectionCount() > limits.connectionsMax * crowdedPart,
    isDraining: () => isDraining,
  };
  function onBadPath(request: FastifyRequest, reply: FastifyReply): void {
    void newExchange(request, reply, parts, null).sendProblem(
      new HttpProblem(400, 'The path is not a valid URL'),
    );
  }
  addRoutes(fastify, [...serviceRoutes(parts), ...(options.routes ?? [])], parts);
  return {
    server: fastify.server,
    tls: listener.tls,
    connectionCount,
    reload() {
      listener.takeLimits();
      listener.tls?.reload();
    },
    async listen(host, port) {
      await fastify.listen({ host, port });
      return fastify.server.address() as AddressInfo;
    },
    close(withinMs = drainMs) {
      isDraining = true;
      listener.tls?.close();
      return drain(fastify, withinMs);
    },
  };
}

function addRoutes(fastify: FastifyInstance, routes: readonly HttpRoute[], parts: Parts): void {
  const prefixed = withPrefix(routes, parts.options.pathPrefix ?? '');
  const serve = exchangeServer(parts);
  for (const route of prefixed) addRoute(fastify, route, serve);
  addStrays(fastify, prefixed, serve, parts.options.servePage);
  // An expectation that nobody knows is let pass, instead of the runtime's own bare 417.
  fastify.server.on('checkExpectation', (request, response) =>
    fastify.server.emit('request', request, response),
  );
}

/** A route as it is served: its path as it was defined, or null where there is none. */
type Served = Pick<HttpRoute, 'serve' | 'needsService'> & { name: string | null };

/** Answers one request by a route, whatever happens. */
type Serve = (route: Served, request: FastifyRequest, reply: FastifyReply) => void;

function exchangeServer(parts: Parts): Serve {
  const { observer, tracer = null, log, load } = parts.options;
  return (route, request, reply) => {
    reply.hijack();
    const startMs = performance.now();
    const span = tracer === null ? null : beginSpan(tracer, route, request);
    const exchange = newExchange(request, reply, parts, span);
    const unavailable = route.needsService ? unavailability(parts) : null;
    const work = () => serveExchange(route, exchange, unavailable, load);
    const end = () => {
      span?.end(exchange.status);
      observer?.onRequest(exchange.outcome(route.name, performance.now() - startMs));
    };
    const fail = (error: unknown) => answerFailure(exchange, error, log).then(end);
    (span === null ? work() : span.run(work)).then(end, fail);
  };
}

function beginSpan(tracer: RequestTracer, { name }: Served, request: FastifyRequest): RequestSpan {
  return tracer.begin({ method: request.method, route: name, traceparent: traceparentOf(request) });
}

/** One that comes twice is none. */
function traceparentOf({ headers }: FastifyRequest): string | undefined {
  return Array.isArray(headers.traceparent) ? undefined : headers.traceparent;
}

async function serveExchange(
  route: Pick<HttpRoute, 'serve'>,
  exchange: Exchange,
  unavailable: string | null,
  load: Load,
): Promise<void> {
  exchange.admit(load.open(exchange.address, () => exchange.signal));
  if (unavailable !== null) throw shut(unavailable);
  checkHost(exchange);
  await route.serve(exchange);
}

/** RFC 9112 §3.2: a request of HTTP/1.1 has a Host. */
function checkHost({ request }: Exchange): void {
  if (request.headers.host === undefined && request.httpVersion === '1.1')
    throw new HttpProblem(400, 'The header Host is missing');
}

function unavailability({ options, isDraining }: Parts): string | null {
  return isDraining() ? 'shutting down' : (options.unavailable?.() ?? null);
}

function shut(reason: string): HttpProblem {
  return new HttpProblem(503, `The service takes no calls now: ${reason}`, { 'retry-after': retryAfterS });
}

function newExchange(
  request: FastifyRequest,
  reply: FastifyReply,
  { options, traces, endsConnections }: Parts,
  span: RequestSpan | null,
): Exchange {
  return new Exchange(request.raw, reply.raw, {
    trace: span?.trace ?? traces.next(traceparentOf(request)),
    address: request.ip,
    isSecure: request.protocol === 'https',
    timeoutMs: options.limits.requestTimeoutMs,
    endsConnection: endsConnections,
  });
}

function serviceRoutes(parts: Parts): HttpRoute[] {
  const { rpc, authenticator, limits, stopwatch } = parts.options;
  const logins = new LoginRates(limits, stopwatch);
  const tokens = new TokenEndpoint(authenticator, new TokenRates(limits, stopwatch), logins);
  const calls = { ...parts.options, logins };
  return [
    { method: 'POST', path: '/v1/rpc', needsService: true, serve: (e) => serveRpc(calls, e) },
    {
      method: 'POST',
      path: '/v1/oauth/token',
      needsService: true,
      serve: (e) => serveToken({ tokens }, e),
    },
    openRoute('/openrpc.json', (e) => serveDocument(rpc.documents, e)),
    ...healthRoutes(parts),
  ];
}

/** Health as the process sees it, as clients do, and as those do who send it traffic. */
function healthRoutes(parts: Parts): HttpRoute[] {
  const readiness = new Readiness(parts.options.readyChecks ?? []);
  const serve = (e: Exchange) => serveHealth(unavailability(parts), e);
  return [
    openRoute('/healthz', serve),
    openRoute('/health', serve),
    openRoute('/livez', serveLife),
    openRoute('/readyz', (e) => readiness.serve(unavailability(parts), e)),
  ];
}

function openRoute(path: string, serve: HttpRoute['serve']): HttpRoute {
  return { method: 'GET', path, needsService: false, serve };
}

/** A proxy may take the prefix away or leave it: both reach the same route. */
function withPrefix(routes: readonly HttpRoute[], prefix: string): NamedRoute[] {
  const below = prefix.replace(/\/+$/, '');
  const named = routes.map((route) => ({ ...route, name: route.path }));
  if (below === '') return named;
  return named.flatMap((route) => [route, { ...route, path: below + route.path }]);
}

type NamedRoute = HttpRoute & Served;

function addRoute(fastify: FastifyInstance, route: NamedRoute, serve: Serve): void {
  fastify.route({
    method: route.method,
    url: route.path,
    // Already here, before Fastify looks at the body; it never comes to the handler.
    onRequest: (request, reply) => serve(route, request, reply),
    handler: () => bug('an answered request came to its handler'),
  });
}

/** A page of the console; 404 where there is none, 405 where the path is known. */
function addStrays(
  fastify: FastifyInstance,
  routes: readonly NamedRoute[],
  serve: Serve,
  servePage: ServePage = async () => false,
): void {
  const methods = Map.groupBy(routes, (route) => route.path);
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    const path = request.url.split('?', 1)[0].replace(/\/+$/, '');
    const known = methods.get(path);
    const name = known?.[0].name ?? null;
    const mayBePage = known === undefined && /^(GET|HEAD)$/.test(request.method);
    const serveStray = async (exchange: Exchange) => {
      if (!(mayBePage && (await servePage(exchange)))) failStray(known);
    };
    serve({ name, needsService: false, serve: serveStray }, request, reply);
  });
}

function failStray(known: readonly HttpRoute[] | undefined): never {
  if (known === undefined) throw new HttpProblem(404, 'There is nothing at this path');
  const allowed = known.flatMap((route) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]));
  throw new HttpProblem(405, `This path takes ${allowed.join(' and ')}`, { allow: allowed.join(', ') });
}

async function drain(fastify: FastifyInstance, withinMs: number): Promise<void> {
  const force = setTimeout(() => fastify.server.closeAllConnections(), withinMs);
  const idle = setInterval(() => fastify.server.closeIdleConnections(), 50);
  try {
    await fastify.close();
  } finally {
    clearTimeout(force);
    clearInterval(idle);
  }
}
