/** Where clients of the broker connect: TCP and TLS, counted with the connections of HTTP (M1). */
import { createServer as createPlain, type Server, type Socket } from 'node:net';
import { createServer as createSecure, type Server as SecureServer } from 'node:tls';
import type { Connection, Connections } from '#load/connections';
import type { Log } from '#model/environment';
import { type ListenTarget, listen } from '../http/listen.ts';
import { readTlsPair, type TlsFiles, TlsWatch, tlsVersionMin } from '../http/tls.ts';
import type { Broker } from './broker.ts';

/** Options of {@link MqttListener}. */
export interface MqttListenerOptions {
  broker: Broker;
  connections: Connections;
  log: Log;
}

/** A client that takes longer for its part of a TLS handshake is disconnected, ms. */
const handshakeMs = 10_000;

/** Half open, so that the end of a connection is dealt with when it is its turn; else the runtime ends thousands of them at once. */
const socketOptions = { noDelay: true, allowHalfOpen: true } as const;

/** When the system checks whether an idle client is still there, ms. */
const keepAliveMs = 60_000;

/** One port. */
export class MqttListener {
  readonly #server: Server;
  readonly #tls: TlsWatch | null;
  readonly #options: MqttListenerOptions;
  readonly #byPeer = new Map<string, Connection>();

  /** `tls`: the files of the certificate; null: plain TCP. Throws when they cannot be used. */
  constructor(options: MqttListenerOptions, tls: TlsFiles | null) {
    this.#options = options;
    if (tls === null) {
      this.#server = createPlain(socketOptions);
      this.#tls = null;
      this.#server.on('connection', (socket: Socket) => this.#count(socket) && this.#serve(socket));
    } else [this.#server, this.#tls] = this.#secure(tls);
  }

  /** Begins to listen; the port. Rejects with the system's error. */
  async listen(target: Omit<ListenTarget, 'isShared'>): Promise<number> {
    const { port } = await listen(this.#server, { ...target, isShared: false });
    return port;
  }

  /** Reads the certificate again. */
  reload(): void {
    this.#tls?.reload();
  }

  /** Accepts nothing new. */
  close(): void {
    this.#tls?.close();
    this.#server.close();
  }

  #secure(files: TlsFiles): [SecureServer, TlsWatch] {
    const pair = readTlsPair(files);
    const { cert, key } = pair;
    const server = createSecure({
      ...{ cert, key, minVersion: tlsVersionMin },
      ...{ ...socketOptions, handshakeTimeout: handshakeMs },
    });
    server.on('connection', (socket: Socket) => void this.#count(socket));
    server.on('secureConnection', (socket) => this.#serve(socket));
    server.on('tlsClientError', (_error, socket) => socket.destroy());
    return [server, new TlsWatch(files, pair, server, this.#options.log)];
  }

  /** Whether there is room for a connection. */
  #count(socket: Socket): boolean {
    const { remoteAddress: address = '' } = socket;
    const { connections } = this.#options;
    const connection = connections.open(address, false, () => socket.destroy());
    if (connection === null) {
      socket.destroy();
      return false;
    }
    const peer = peerOf(socket);
    this.#byPeer.set(peer, connection);
    socket.once('close', () => {
      connections.close(connection);
      this.#byPeer.delete(peer);
    });
    return true;
  }

  #serve(socket: Socket): void {
    socket.setKeepAlive(true, keepAliveMs);
    const connection = this.#byPeer.get(peerOf(socket));
    this.#options.broker.serve(socket, socket.remoteAddress ?? '', () => {
      if (connection !== undefined) connection.isKnown = true;
    });
  }
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
