/** Helpers of the client's tests: a service with scripted answers, and an environment whose timers fire immediately. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { type Environment, systemEnvironment } from '../src/environment.ts';

/** One request as it came. */
export interface Seen {
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** What to answer; `cut` ends the connection, before the answer or in its middle. */
export interface Reply {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  cut?: 'before' | 'within';
}

/** A server that answers each request with what `reply` says; null: never. */
export async function startScript(reply: (seen: Seen, count: number) => Reply | null) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const content = request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
    const one = { path: request.url ?? '', headers: request.headers, body: content.toString() };
    seen.push(one);
    const answer = reply(one, seen.length);
    if (answer === null) return;
    if (answer.cut === 'before') {
      request.socket.destroy();
      return;
    }
    const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {});
    const length = answer.cut === 'within' ? text.length + 1 : text.length;
    response.writeHead(answer.status ?? 200, { 'content-length': length, ...answer.headers });
    response.write(text);
    if (answer.cut === 'within') setTimeout(() => request.socket.destroy(), 20);
    else response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { apiUrl: `http://127.0.0.1:${port}/v1/`, seen, close };
}

/** A environment in which pauses pass at once and are noted, chance is in the middle, and the clock is moved by hand. */
export class FastEnvironment implements Environment {
  readonly pausesMs: number[] = [];
  #nowMs = 0;

  nowMs(): number {
    return this.#nowMs;
  }

  dateMs(): number {
    return 1_772_355_600_000 + this.#nowMs;
  }

  random(): number {
    return 0.5;
  }

  async wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    this.pausesMs.push(ms);
  }

  fetch(url: string, init: RequestInit): Promise<Response> {
    return systemEnvironment.fetch(url, init);
  }

  /** Moves the clock on. */
  advance(ms: number): void {
    this.#nowMs += ms;
  }
}

/** A call that went well. */
export const done: Reply = { body: { jsonrpc: '2.0', id: 1, result: { done: true } } };

/** A JSON-RPC fault. */
export function fault(code: number, message = 'refused', data: object = {}): Reply {
  return {
    body: { jsonrpc: '2.0', id: 1, error: { code, message, data: { trace: 'a'.repeat(32), ...data } } },
  };
}
