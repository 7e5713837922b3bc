/**
 * The server over streamable HTTP at /mcp, without sessions: each request carries the credentials of the service, Basic or
 * Bearer, and has what these are granted.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { Client, systemEnvironment } from '@tidemark/client';
import { createMcpServer, type McpOptions } from './server.ts';

/** What a server over HTTP is made with. */
export interface HttpOptions extends Pick<McpOptions, 'allowWrites' | 'document'> {
  /** The address of the service; ends in `/v1/`. */
  apiUrl: string;
  /** Pages of browsers that may call, by origin. */
  origins: readonly string[];
}

const bodyBytesMax = 1024 * 1024;
const connectionsMax = 200;

/** Makes the server; it does not listen yet. */
export function createHttpServer(options: HttpOptions): Server {
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 }, (request, response) => {
    answer(request, response, options).catch((error) => {
      if (!response.headersSent)
        refuse(response, 500, error instanceof TooLarge ? error.message : 'internal error');
      response.destroy();
    });
  });
  server.maxConnections = connectionsMax;
  return server;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: HttpOptions,
): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  const { authorization, origin } = request.headers;
  if (pathname !== '/mcp') return refuse(response, 404, 'the address of this server is /mcp');
  // A page of another origin must not use what a browser knows (DNS rebinding).
  if (origin !== undefined && !options.origins.includes(origin))
    return refuse(response, 403, `the origin ${origin} is not allowed; add it with --allow-origin`);
  if (request.method !== 'POST')
    return refuse(response, 405, 'only POST, there are no sessions', { allow: 'POST' });
  if (authorization === undefined)
    return refuse(response, 401, 'credentials of the service are needed', {
      'www-authenticate': 'Basic, Bearer',
    });
  const body = await readJson(request);
  if (body === undefined) return refuse(response, 400, 'the body is not JSON');
  const server = createMcpServer({ ...options, ...callerOf(authorization, options.apiUrl) });
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  });
  response.on('close', () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(request, response, body);
}

function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Record<string, string> = {},
): void {
  const error = { jsonrpc: '2.0', id: null, error: { code: -32000, message } };
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(error));
}

class TooLarge extends Error {}

/** The body; undefined where it is not JSON. */
async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw new TooLarge(`the body must be at most ${bodyBytesMax} bytes long`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** A client that passes the caller's credentials on. */
function callerOf(authorization: string, apiUrl: string): Pick<McpOptions, 'client' | 'integration'> {
  const client = new Client({
    apiUrl,
    credentials: { type: 'session', csrfToken: () => undefined },
    environment: {
      ...systemEnvironment,
      fetch: (url, init) =>
        systemEnvironment.fetch(url, { ...init, headers: { ...(init.headers as object), authorization } }),
    },
  });
  return { client, integration: integrationOf(authorization) };
}

/** The integration that credentials say they are; the service checks it. */
function integrationOf(authorization: string): string {
  const [scheme, value = ''] = authorization.split(' ');
  try {
    if (scheme.toLowerCase() === 'basic') return Buffer.from(value, 'base64').toString().split(':')[0];
    const { integration } = JSON.parse(Buffer.from(value.split('.')[1], 'base64url').toString());
    return String(integration);
  } catch {
    return '';
  }
}
