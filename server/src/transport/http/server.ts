/** The HTTP server: its routes, its time limits, and how it starts and ends. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { bug } from '#model/error';
import type { Limits } from '#model/limits';
import type { Log, Random } from '#model/world';
import type { Authenticator, TokenIssuer } from '#protocol/authenticator';
import { TokenEndpoint } from '#protocol/oauth';
import type { Rpc } from '#protocol/rpc';
import { TokenRates } from '#protocol/token-rates';
import { TraceSource } from '#protocol/trace';
import { Exchange } from './exchange.ts';
import { answerFailure } from './failure.ts';
import { serveDocument, serveHealth } from './open-routes.ts';
import { HttpProblem } from './problem.ts';
import { serveRpc } from './rpc-route.ts';
import { answerSocketError } from './socket-faults.ts';
import { serveToken } from './token-route.ts';

/** What the server works with. */
export interface HttpServerOptions {
  rpc: Rpc;
  authenticator: Authenticator & TokenIssuer;
  limits: Pick<Limits, 'bodyBytesMax' | 'requestTimeoutMs' | 'connectionsMax' | 'tokenRequestsPerMinute'>;
  random: Random;
  log: Log;
  /** Where the API is below the host, such as `/tidemark`; default none. Requests are understood with and without it. */
  pathPrefix?: string;
  /** Addresses or networks of the proxies whose X-Forwarded-For is believed; default none. */
  trustedProxies?: readonly string[];
  /** Why the service takes no calls now, such as `starting`; null while it does, which is the default. */
  unavailable?(): string | null;
  /** Further routes: pages, metrics. */
  routes?: readonly HttpRoute[];
}

/** A route: what it answers to, and how. */
export interface HttpRoute {
  method: 'GET' | 'POST';
  path: string;
  /** Whether it needs the service to be available; else it is served while starting and draining too. */
  needsService: boolean;
  /** Answers through the exchange, or rejects: with an `HttpProblem`, or with what is then a bug. */
  serve(exchange: Exchange): void | Promise<void>;
}

/** A server that may listen. */
export interface HttpServer {
  /** The runtime's server, for those who upgrade connections. */
  readonly server: Server;
  /** Starts to listen; port 0 takes a free one. Where it listens. */
  listen(host: string, port: number): Promise<AddressInfo>;
  /** Accepts nothing new, lets running requests end for at most `withinMs` (default 10 s), then cuts them off. */
  close(withinMs?: number): Promise<void>;
}

const retryAfterS = '5';
const drainMs = 10_000;
const headerTimeoutMsMax = 60_000;
const keepAliveMs = 72_000;

/** Makes a server that does not listen yet. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const state = { isDraining: false };
  const traces = new TraceSource(options.random);
  const fastify = newFastify(options, traces);
  const routes = [...serviceRoutes(options, state), ...(options.routes ?? [])];
  const serve = exchangeServer(options, traces, state);
  for (const route of withPrefix(routes, options.pathPrefix ?? '')) addRoute(fastify, route, serve);
  addStrays(fastify, withPrefix(routes, options.pathPrefix ?? ''), serve);
  fastify.server.maxConnections = options.limits.connectionsMax;
  // An expectation that nobody knows is let pass, instead of the runtime's own bare 417.
  fastify.server.on('checkExpectation', (request, response) =>
    fastify.server.emit('request', request, response),
  );
  return {
    server: fastify.server,
    async listen(host, port) {
      await fastify.listen({ host, port });
      return fastify.server.address() as AddressInfo;
    },
    close(withinMs = drainMs) {
      state.isDraining = true;
      return drain(fastify, withinMs);
    },
  };
}

/** Fastify routes, parses no body (rpc-route.ts and others read it once), logs nothing, and answers no fault itself. */
function newFastify(options: HttpServerOptions, traces: TraceSource): FastifyInstance {
  const { requestTimeoutMs } = options.limits;
  const trusted = options.trustedProxies ?? [];
  return Fastify({
    logger: false,
    requestIdHeader: false,
    return503OnClosing: false,
    trustProxy: trusted.length > 0 ? [...trusted] : false,
    keepAliveTimeout: keepAliveMs,
    requestTimeout: requestTimeoutMs,
    // A connection on which nothing moves: twice as long as anything that is still worked on.
    connectionTimeout: 2 * requestTimeoutMs + keepAliveMs,
    http: {
      // Checked here (checkHost), since the runtime's own answer would have no trace.
      requireHostHeader: false,
      headersTimeout: Math.min(requestTimeoutMs, headerTimeoutMsMax),
      connectionsCheckingInterval: Math.min(Math.ceil(requestTimeoutMs / 4), 5000),
    },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1024 },
    clientErrorHandler: (error, socket) => answerSocketError(error, socket, traces),
    frameworkErrors: (_error, request, reply) => {
      reply.hijack();
      const exchange = newExchange(request, reply, options, traces, () => false);
      void exchange.sendProblem(new HttpProblem(400, 'The path is not a valid URL'));
    },
  }) as unknown as FastifyInstance;
}

/** Answers one request by a route, whatever happens. */
type Serve = (
  route: Pick<HttpRoute, 'serve' | 'needsService'>,
  request: FastifyRequest,
  reply: FastifyReply,
) => void;

function exchangeServer(
  options: HttpServerOptions,
  traces: TraceSource,
  state: { isDraining: boolean },
): Serve {
  return (route, request, reply) => {
    reply.hijack();
    const exchange = newExchange(request, reply, options, traces, () => state.isDraining);
    serveExchange(route, exchange, route.needsService ? unavailability(options, state) : null).catch(
      (error: unknown) => answerFailure(exchange, error, options.log),
    );
  };
}

async function serveExchange(
  route: Pick<HttpRoute, 'serve'>,
  exchange: Exchange,
  unavailable: string | null,
): Promise<void> {
  if (unavailable !== null) throw shut(unavailable);
  checkHost(exchange);
  await route.serve(exchange);
}

/** RFC 9112 §3.2: a request of HTTP/1.1 has a Host. */
function checkHost({ request }: Exchange): void {
  if (request.headers.host === undefined && request.httpVersion === '1.1')
    throw new HttpProblem(400, 'The header Host is missing');
}

function unavailability(options: HttpServerOptions, state: { isDraining: boolean }): string | null {
  return state.isDraining ? 'shutting down' : (options.unavailable?.() ?? null);
}

function shut(reason: string): HttpProblem {
  return new HttpProblem(503, `The service takes no calls now: ${reason}`, { 'retry-after': retryAfterS });
}

function newExchange(
  request: FastifyRequest,
  reply: FastifyReply,
  options: HttpServerOptions,
  traces: TraceSource,
  isDraining: () => boolean,
): Exchange {
  const { traceparent } = request.headers;
  return new Exchange(request.raw, reply.raw, {
    trace: traces.next(Array.isArray(traceparent) ? undefined : traceparent),
    address: request.ip,
    timeoutMs: options.limits.requestTimeoutMs,
    isDraining,
  });
}

function serviceRoutes(options: HttpServerOptions, state: { isDraining: boolean }): HttpRoute[] {
  const { rpc, authenticator, limits } = options;
  const tokens = new TokenEndpoint(authenticator, new TokenRates(limits.tokenRequestsPerMinute));
  const health = ['/healthz', '/health', '/livez', '/readyz'].map((path): HttpRoute => {
    return {
      method: 'GET',
      path,
      needsService: false,
      serve: (e) => serveHealth(unavailability(options, state), e),
    };
  });
  return [
    { method: 'POST', path: '/v1/rpc', needsService: true, serve: (e) => serveRpc(options, e) },
    {
      method: 'POST',
      path: '/v1/oauth/token',
      needsService: true,
      serve: (e) => serveToken({ tokens, limits }, e),
    },
    {
      method: 'GET',
      path: '/openrpc.json',
      needsService: false,
      serve: (e) => serveDocument(rpc.documents, e),
    },
    ...health,
  ];
}

/** A proxy may take the prefix away or leave it: both reach the same route. */
function withPrefix(routes: readonly HttpRoute[], prefix: string): HttpRoute[] {
  const below = prefix.replace(/\/+$/, '');
  if (below === '') return [...routes];
  return routes.flatMap((route) => [route, { ...route, path: below + route.path }]);
}

function addRoute(fastify: FastifyInstance, route: HttpRoute, serve: Serve): void {
  fastify.route({
    method: route.method,
    url: route.path,
    // Already here, before Fastify looks at the body; it never comes to the handler.
    onRequest: (request, reply) => serve(route, request, reply),
    handler: () => bug('an answered request came to its handler'),
  });
}

/** 404, or 405 where the path is known. */
function addStrays(fastify: FastifyInstance, routes: readonly HttpRoute[], serve: Serve): void {
  const methods = Map.groupBy(routes, (route) => route.path);
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    const path = request.url.split('?', 1)[0].replace(/\/+$/, '');
    serve({ needsService: false, serve: () => failStray(methods.get(path)) }, request, reply);
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
