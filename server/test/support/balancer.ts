/** What a load balancer is for nodes: one address for all of them. Which node gets connections, the test decides. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Passes bytes on. */
export class Balancer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #port = 0;

  private constructor(server: Server) {
    this.#server = server;
    server.on('connection', (client) => this.#pass(client));
  }

  /** Starts one that does not know a node yet. */
  static async start(): Promise<Balancer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Balancer(server);
  }

  /** Where clients connect. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** From now on this node gets everything; connections to others end. */
  choose(url: string): void {
    const port = Number(new URL(url).port);
    if (port === this.#port) return;
    this.#port = port;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Ends it with all its connections. */
  async close(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, 'close');
  }

  #pass(client: Socket): void {
    const server = connect(this.#port, '127.0.0.1');
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ]) {
      this.#sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.once('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  }
}
