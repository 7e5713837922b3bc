/** The command: a server over standard input and output, or over HTTP. */
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import type { Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { Client, type CredentialsFile, ServiceError } from '@tidemark/client';
import type { RpcDocument } from './document.ts';
import { createHttpServer } from './http.ts';
import { createMcpServer } from './server.ts';

/** Where a command writes. */
export interface Output {
  stdout: Writable;
  stderr: Writable;
}

const help = `Usage: tidemark mcp --credentials FILE [--allow-writes]
       tidemark mcp --listen [HOST:]PORT --api-url URL [--allow-origin ORIGIN]... [--allow-writes]

Serves the Model Context Protocol: language models find, read and compute items of a Tidemark service.

  --credentials FILE     credentials file; serves one client on standard input and output
  --listen [HOST:]PORT   serves streamable HTTP at /mcp, by default on 127.0.0.1; each request carries credentials of the service
  --api-url URL          address of the service with --listen, for example http://127.0.0.1:8080/v1/
  --allow-origin ORIGIN  lets pages of this origin call with --listen; may be repeated
  --allow-writes         offers the tools that insert data and save signals
`;

const options = {
  credentials: { type: 'string' },
  listen: { type: 'string' },
  'api-url': { type: 'string' },
  'allow-origin': { type: 'string', multiple: true },
  'allow-writes': { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

class UsageError extends Error {}

/** Runs the command to its end; the exit code. */
export async function run(argv: readonly string[], output: Output): Promise<number> {
  try {
    const values = readOptions(argv);
    if (values.help) output.stdout.write(help);
    else if (values.listen === undefined) await serveStdio(values);
    else await serveHttp(values, output);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof ServiceError)) throw error;
    output.stderr.write(`tidemark mcp: ${error.message}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

function readOptions(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options, strict: true }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

type Values = ReturnType<typeof readOptions>;

async function serveStdio({ credentials, ...values }: Values): Promise<void> {
  if (credentials === undefined)
    throw new UsageError('--credentials FILE or --listen PORT is needed; see --help');
  const file = await readCredentials(credentials);
  const client = Client.fromFile(file);
  const document = (await client.callAny('rpc.discover')) as RpcDocument;
  const allowWrites = values['allow-writes'] ?? false;
  const server = createMcpServer({ client, document, integration: file.integration, allowWrites });
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve;
    process.stdin.on('end', () => void server.close());
  });
  await server.connect(new StdioServerTransport());
  await closed;
}

async function readCredentials(path: string): Promise<CredentialsFile> {
  try {
    const file = JSON.parse(await readFile(path, 'utf8'));
    if (typeof file.apiUrl === 'string' && typeof file.credentials?.clientSecret === 'string') return file;
  } catch (error) {
    if (!(error instanceof SyntaxError))
      throw new UsageError(`cannot read ${path}: ${(error as Error).message}`);
  }
  throw new UsageError(`${path} is not a credentials file`);
}

async function serveHttp(values: Values, { stdout }: Output): Promise<void> {
  const apiUrl = values['api-url'];
  if (apiUrl === undefined || !URL.canParse(apiUrl) || !apiUrl.endsWith('/v1/'))
    throw new UsageError('--api-url must be the address of the service and end in /v1/');
  if (values.credentials !== undefined)
    throw new UsageError(
      '--credentials is for standard input and output; with --listen requests carry their own',
    );
  const { host, port } = addressOf(values.listen ?? '');
  const document = await discover(apiUrl);
  const allowWrites = values['allow-writes'] ?? false;
  const server = createHttpServer({ apiUrl, document, allowWrites, origins: values['allow-origin'] ?? [] });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { port: actual } = server.address() as AddressInfo;
  stdout.write(`listening on http://${host.includes(':') ? `[${host}]` : host}:${actual}/mcp\n`);
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
  server.close();
  server.closeAllConnections();
}

function addressOf(text: string): { host: string; port: number } {
  const match = /^(?:(.+):)?(\d{1,5})$/.exec(text);
  if (match === null || Number(match[2]) > 65_535)
    throw new UsageError(`--listen must be [HOST:]PORT, got ${text}`);
  return { host: match[1]?.replace(/^\[|\]$/g, '') ?? '127.0.0.1', port: Number(match[2]) };
}

/** The document is public: no credentials are needed. */
async function discover(apiUrl: string): Promise<RpcDocument> {
  const url = new URL('../openrpc.json?version=1.2', apiUrl);
  const response = await fetch(url).catch((error: Error) => {
    throw new UsageError(
      `no answer from ${url}: ${String((error.cause as Error | undefined)?.message ?? error.message)}`,
    );
  });
  if (!response.ok) throw new UsageError(`${url} is not a Tidemark service: HTTP ${response.status}`);
  return (await response.json()) as RpcDocument;
}
