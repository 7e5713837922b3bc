/** The runtime's server behind ours: its time limits, TLS, and what is known of its connections. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Log } from '#model/environment';
import type { Limits } from '#model/limits';
import type { TraceSource } from '#protocol/trace';
import { answerSocketError, type SocketError } from './socket-faults.ts';
import { readTlsPair, type TlsFiles, TlsWatch, tlsVersionMin } from './tls.ts';

/** What the listener works with. */
export interface ListenerOptions {
  limits: Pick<Limits, 'requestTimeoutMs' | 'connectionsMax'>;
  traces: TraceSource;
  log: Log;
  /** Addresses or networks of the proxies whose X-Forwarded-… is believed; default none. */
  trustedProxies?: readonly string[];
  /** Null, the default: plain HTTP. */
  tls?: TlsFiles | null;
  /** A connection above the limit was dropped, or one sent what is not HTTP. */
  onRefusal(reason: 'connections' | 'malformed'): void;
  /** A path that is no valid URL. */
  onBadPath(request: FastifyRequest, reply: FastifyReply): void;
}

/** A server that routes, and otherwise leaves requests alone. */
export interface Listener {
  fastify: FastifyInstance;
  /** Null without TLS. */
  tls: TlsWatch | null;
  /** Open connections. */
  connectionCount(): number;
  /** Looks at the limits again; connections that are open keep what they began with. */
  takeLimits(): void;
}

const headerTimeoutMsMax = 60_000;
const keepAliveMs = 72_000;

/** A client that takes longer for its part of a TLS handshake is disconnected, ms. */
const handshakeMs = 10_000;

/** Makes one that does not listen yet. Throws when the files of the certificate cannot be used. */
export function newListener(options: ListenerOptions): Listener {
  const { tls: files = null, limits, log } = options;
  const pair = files === null ? null : readTlsPair(files);
  const secrets = pair === null ? null : { cert: pair.cert, key: pair.key, minVersion: tlsVersionMin };
  const fastify = newFastify(options, secrets);
  const server = fastify.server as Server & { setSecureContext?: TlsSetter };
  const tls =
    files === null || pair === null || server.setSecureContext === undefined
      ? null
      : new TlsWatch(files, pair, { setSecureContext: server.setSecureContext.bind(server) }, log);
  server.on('drop', () => options.onRefusal('connections'));
  const takeLimits = () => applyLimits(server, limits);
  takeLimits();
  return { fastify, tls, connectionCount: countConnections(server), takeLimits };
}

function applyLimits(server: Server, { connectionsMax, requestTimeoutMs }: ListenerOptions['limits']): void {
  server.maxConnections = connectionsMax;
  server.requestTimeout = requestTimeoutMs;
  server.headersTimeout = Math.min(requestTimeoutMs, headerTimeoutMsMax);
  // A connection on which nothing moves: twice as long as anything that is still worked on.
  server.timeout = 2 * requestTimeoutMs + keepAliveMs;
}

type TlsSetter = ConstructorParameters<typeof TlsWatch>[2]['setSecureContext'];

/** Fastify routes, parses no body (rpc-route.ts and others read it once), logs nothing, and answers no fault itself. */
function newFastify(options: ListenerOptions, secrets: object | null): FastifyInstance {
  const { limits, trustedProxies = [], traces } = options;
  const { requestTimeoutMs } = limits;
  const http = {
    // Checked in server.ts, since the runtime's own answer would have no trace.
    requireHostHeader: false,
    connectionsCheckingInterval: Math.min(Math.ceil(requestTimeoutMs / 4), 5000),
  };
  const carrier =
    secrets === null
      ? { http }
      : { https: { ...http, ...secrets, handshakeTimeout: Math.min(requestTimeoutMs, handshakeMs) } };
  return Fastify({
    ...carrier,
    logger: false,
    requestIdHeader: false,
    return503OnClosing: false,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    keepAliveTimeout: keepAliveMs,
    requestTimeout: requestTimeoutMs,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1024 },
    clientErrorHandler: (error: SocketError, socket: Socket) => {
      options.onRefusal('malformed');
      answerSocketError(error, socket, traces);
    },
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) => {
      reply.hijack();
      options.onBadPath(request, reply);
    },
  } as object) as unknown as FastifyInstance;
}

/** Counts by event: the server itself can only be asked with a callback. */
function countConnections(server: Server): () => number {
  let count = 0;
  server.on('connection', (socket) => {
    count++;
    socket.once('close', () => count--);
  });
  return () => count;
}
