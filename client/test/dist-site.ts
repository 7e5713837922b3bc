/** A web server with the built client as files, and the service behind it, so that both have one origin. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/** Serves an empty page, the files below `dist`, and the routes of the service at `target`; ends with the test. */
export async function serveDist(t: TestContext, dist: URL, target: string): Promise<string> {
  const server = createServer((incoming, answer) => {
    const path = incoming.url ?? '/';
    if (path.startsWith('/v1/')) forward(incoming, answer, new URL(path, target));
    else if (path === '/') answer.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html>');
    else void sendFile(answer, new URL(`.${path}`, dist));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function forward(incoming: IncomingMessage, answer: ServerResponse, url: URL): void {
  const { method, headers } = incoming;
  const outgoing = request(url, { method, headers }, (reply) => {
    answer.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(answer);
  });
  outgoing.on('error', () => answer.destroy());
  incoming.pipe(outgoing);
}

async function sendFile(answer: ServerResponse, file: URL): Promise<void> {
  const text = await readFile(file).catch(() => null);
  if (text === null) answer.writeHead(404).end();
  else answer.writeHead(200, { 'Content-Type': 'text/javascript' }).end(text);
}
