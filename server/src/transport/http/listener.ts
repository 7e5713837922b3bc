/** The runtime's server behind ours: its time limits, TLS, and its connections. */
import {
  createServer as createPlain,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecure } from 'node:https';
import type { Socket } from 'node:net';
import type { Connection, Connections } from '#load/connections';
import type { Load } from '#load/load';
import { addressKey } from '#model/address';
import type { Log } from '#model/environment';
import type { Limits } from '#model/limits';
import type { TraceSource } from '#protocol/trace';
import { type FeedContext, feedInSlices } from './feed.ts';
import type { TrustedProxies } from './proxies.ts';
import { answerSocketError, type SocketError } from './socket-faults.ts';
import { readTlsPair, type TlsFiles, TlsWatch, tlsVersionMin } from './tls.ts';

/** Options of {@link newListener}. */
export interface ListenerOptions {
  limits: Pick<Limits, 'requestTimeoutMs' | 'connectionsMax'>;
  traces: TraceSource;
  log: Log;
  /** Many clients share their addresses. */
  proxies: TrustedProxies;
  connections: Connections;
  /** Its turns are those of pipelined requests. */
  load: Load;
  /** Null, the default: plain HTTP. */
  tls?: TlsFiles | null;
  /** A connection above the limit was dropped, or one sent what is not HTTP. */
  onRefusal(reason: 'connections' | 'malformed'): void;
  onRequest(request: IncomingMessage, response: ServerResponse): void;
  /** Which requests make their connections something else; null: none. */
  upgrades: Upgrades | null;
}

/** Requests after which a connection is no longer HTTP. */
export interface Upgrades {
  /** Whether a request is one of them; others are requests like any. */
  accepts(request: IncomingMessage): boolean;
  /** Takes the connection. `head`: what has arrived behind the request. */
  begin(request: IncomingMessage, socket: Socket, head: Buffer): void;
}

/** A server that hands requests on. */
export interface Listener {
  server: Server;
  /** Null without TLS. */
  tls: TlsWatch | null;
  /** The connection that a request came by; null when it had ended before it was asked for. */
  connectionOf(request: Pick<IncomingMessage, 'socket'>): Connection | null;
  /** Looks at the limits again; connections that are open keep what they began with. */
  takeLimits(): void;
}

const headerTimeoutMsMax = 60_000;
const keepAliveMs = 72_000;

/** New connections that are looked at at one time when there are too many. */
const connectionsSpare = 100;

/** A client that takes longer for its part of a TLS handshake is disconnected, ms. */
const handshakeMs = 10_000;

/** Makes one that does not listen yet. Throws when the files of the certificate cannot be used. */
export function newListener(options: ListenerOptions): Listener {
  const { tls: files = null, limits, log } = options;
  const pair = files === null ? null : readTlsPair(files);
  const secrets = pair === null ? null : { cert: pair.cert, key: pair.key, minVersion: tlsVersionMin };
  const server: Server & { setSecureContext?: TlsSetter } = newServer(options, secrets);
  const tls =
    files === null || pair === null || server.setSecureContext === undefined
      ? null
      : new TlsWatch(files, pair, { setSecureContext: server.setSecureContext.bind(server) }, log);
  const takeLimits = () => applyLimits(server, limits);
  takeLimits();
  const connectionOf = countConnections(server, options);
  // The runtime's own listener comes first: the connection has its parser.
  server.on(files === null ? 'connection' : 'secureConnection', (socket: Socket) =>
    feedInSlices(socket, feedContext(socket, options.load, connectionOf({ socket }))),
  );
  return { server, tls, connectionOf, takeLimits };
}

function feedContext(socket: Socket, load: Load, connection: Connection | null): FeedContext {
  const client = addressKey(socket.remoteAddress ?? '');
  return {
    isPipelining: () => connection !== null && connection.requestCount > 1,
    isPrompt: () => load.isPrompt(client),
    runNow: (work) => load.runNow(client, work),
    step: (work) => load.step(client, work),
  };
}

function applyLimits(server: Server, { connectionsMax, requestTimeoutMs }: ListenerOptions['limits']): void {
  // Connections beyond the limit are looked at: one may take the place of an idle one.
  server.maxConnections = connectionsMax + connectionsSpare;
  server.requestTimeout = requestTimeoutMs;
  server.headersTimeout = Math.min(requestTimeoutMs, headerTimeoutMsMax);
  // A connection on which nothing moves: twice as long as anything that is still worked on.
  server.timeout = 2 * requestTimeoutMs + keepAliveMs;
}

type TlsSetter = ConstructorParameters<typeof TlsWatch>[2]['setSecureContext'];

function newServer(options: ListenerOptions, secrets: object | null): Server {
  const { limits, traces, upgrades } = options;
  const { requestTimeoutMs } = limits;
  const http = {
    // Checked in server.ts, since the runtime's own answer would have no trace.
    requireHostHeader: false,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: Math.min(Math.ceil(requestTimeoutMs / 4), 5000),
    shouldUpgradeCallback: (request: IncomingMessage) => upgrades?.accepts(request) ?? false,
  };
  const handshakeTimeout = Math.min(requestTimeoutMs, handshakeMs);
  const server =
    secrets === null ? createPlain(http) : createSecure({ ...http, ...secrets, handshakeTimeout });
  server.on('request', options.onRequest);
  if (upgrades !== null) server.on('upgrade', upgrades.begin);
  // An expectation that is unknown is let pass, instead of the runtime's own bare 417.
  server.on('checkExpectation', options.onRequest);
  server.on('clientError', (error: SocketError, socket: Socket) => {
    options.onRefusal('malformed');
    answerSocketError(error, socket, traces);
  });
  return server;
}

/** Registers connections and refuses those beyond the limits. With TLS a request's socket is another one, of the same peer. */
function countConnections(
  server: Server,
  { connections, proxies, onRefusal }: ListenerOptions,
): Listener['connectionOf'] {
  const byPeer = new Map<string, Connection>();
  const bySocket = new WeakMap<Socket, Connection>();
  server.on('drop', () => onRefusal('connections'));
  server.on('connection', (socket: Socket) => {
    const { remoteAddress: address = '' } = socket;
    const connection = connections.open(address, proxies.has(address), () => socket.destroy());
    if (connection === null) {
      onRefusal('connections');
      socket.destroy();
      return;
    }
    const peer = peerOf(socket);
    byPeer.set(peer, connection);
    socket.once('close', () => {
      connections.close(connection);
      if (byPeer.get(peer) === connection) byPeer.delete(peer);
    });
  });
  return ({ socket }) => {
    const known = bySocket.get(socket);
    if (known !== undefined) return known;
    const connection = byPeer.get(peerOf(socket)) ?? null;
    if (connection !== null) bySocket.set(socket, connection);
    return connection;
  };
}

function peerOf({ remoteAddress, remotePort, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localPort}`;
}
