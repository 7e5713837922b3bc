/** A proxy of HTTP in front of several nodes: each call goes to the next one, over a connection of its own. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Headers between two neighbours, which are not passed on (RFC 9110 §7.6.1). */
const ofConnection = /^(connection|keep-alive|transfer-encoding|proxy-connection|te|trailer|upgrade)$/i;

/** Passes each request to the next of its ports, and the answer back as it comes. */
export class RoundRobin {
  readonly #server: Server;
  readonly #ports: readonly number[];
  #turn = 0;

  private constructor(server: Server, ports: readonly number[]) {
    this.#server = server;
    this.#ports = ports;
    server.on('request', (incoming, outgoing) => this.#pass(incoming, outgoing));
    // The runtime would answer this by itself; the nodes decide.
    server.on('checkContinue', (incoming, outgoing) => this.#pass(incoming, outgoing));
  }

  /** Starts one in front of ports of this machine. */
  static async start(ports: readonly number[]): Promise<RoundRobin> {
    const server = createServer({ requireHostHeader: false });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new RoundRobin(server, ports);
  }

  /** Where it listens. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Ends it with all its connections. */
  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  #pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const port = this.#ports[this.#turn++ % this.#ports.length];
    const { method, url: path, rawHeaders } = incoming;
    const headers = passedOn(rawHeaders);
    const onward = request({ host: '127.0.0.1', port, method, path, headers, agent: false, setHost: false });
    onward.on('continue', () => outgoing.writeContinue());
    onward.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage, passedOn(answer.rawHeaders));
      answer.pipe(outgoing);
      answer.on('error', () => outgoing.destroy());
    });
    // A node may answer before it has read everything, and end the connection.
    onward.on('error', () => outgoing.headersSent || outgoing.destroy());
    onward.on('close', () => incoming.resume());
    outgoing.on('close', () => onward.destroy());
    if (incoming.headers.expect !== undefined) onward.flushHeaders();
    incoming.pipe(onward);
  }
}

/** Names and values in turn, without those of the connection. */
function passedOn(rawHeaders: readonly string[]): string[] {
  const passed: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (!ofConnection.test(rawHeaders[i])) passed.push(rawHeaders[i], rawHeaders[i + 1]);
  return passed;
}
