/** A connection to a server that a test can cut: everything passes, nothing connects, or nothing comes through. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Transform } from 'node:stream';

/** `cut`: connections end and new ones are refused; `silent`: bytes are neither passed on nor answered. */
export type ProxyMode = 'open' | 'cut' | 'silent';

/** Words of the server's answers that the client reads otherwise, of the same length. */
export type Replacement = readonly [word: string, other: string];

/** Passes bytes to a port of this machine. */
export class TcpProxy {
  readonly #server: Server;
  readonly #replacement: Replacement | null;
  readonly #sockets = new Set<Socket>();
  #mode: ProxyMode = 'open';
  #losing: { word: string; lost(): void } | null = null;

  private constructor(server: Server, replacement: Replacement | null) {
    this.#server = server;
    this.#replacement = replacement;
  }

  /** Starts one in front of a port. */
  static async start(target: number, replacement: Replacement | null = null): Promise<TcpProxy> {
    const server = createServer();
    const proxy = new TcpProxy(server, replacement);
    server.on('connection', (socket) => proxy.#connect(socket, target));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  /** Where it listens. */
  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  /** Changes what happens; with `open` and `cut` all connections end. */
  set(mode: ProxyMode): void {
    this.#mode = mode;
    if (mode === 'silent') for (const socket of this.#sockets) socket.pause();
    else for (const socket of this.#sockets) socket.destroy();
  }

  /** Once: what has this word passes, and its connection ends in place of the answer. Resolves then. */
  async loseAnswerTo(word: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#losing = { word, lost: resolve };
    await promise;
  }

  /** Ends it with all its connections. */
  async close(): Promise<void> {
    this.#server.close();
    this.set('cut');
    await once(this.#server, 'close');
  }

  #connect(client: Socket, target: number): void {
    this.#keep(client);
    if (this.#mode === 'cut') client.destroy();
    if (this.#mode !== 'open') return;
    const server = connect(target, '127.0.0.1');
    this.#keep(server);
    client.on('data', (chunk: Buffer) => this.#look(chunk, client, server));
    client.pipe(server);
    if (this.#replacement === null) server.pipe(client);
    else server.pipe(replacing(this.#replacement)).pipe(client);
    client.once('close', () => server.destroy());
    server.once('close', () => client.destroy());
  }

  #look(sent: Buffer, client: Socket, server: Socket): void {
    if (this.#losing === null || !sent.includes(this.#losing.word)) return;
    const { lost } = this.#losing;
    this.#losing = null;
    server.unpipe();
    server.once('data', () => {
      client.destroy();
      lost();
    });
    server.resume();
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => {}).once('close', () => this.#sockets.delete(socket));
  }
}

/** Small answers come in one piece. */
function replacing([word, other]: Replacement): Transform {
  return new Transform({
    transform: (chunk: Buffer, _, done) =>
      done(null, Buffer.from(chunk.toString('latin1').replaceAll(word, other), 'latin1')),
  });
}
