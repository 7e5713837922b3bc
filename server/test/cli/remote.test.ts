/** Commands that call a running service: tokens that are kept between them, certificates, addresses that answer something else. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { newCertificate, writeCertificate } from '../support/certificate.ts';
import { serve, temporaryDirectory, tidemark } from './process.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

interface Rig {
  directory: string;
  /** Calls a method by the command; its outcome. */
  call(): ReturnType<typeof tidemark>;
  /** The requests that came, as `path authorization`. */
  seen: string[];
}

/** A server that gives the answers in turn, and a credentials file for it. */
async function open(t: TestContext, answers: Answer[], apiUrl?: string): Promise<Rig> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      seen.push(`${request.url} ${request.headers.authorization ?? '-'}`);
      answers[Math.min(seen.length, answers.length) - 1](request, response);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const directory = await temporaryDirectory(t);
  const path = join(directory, 'credentials.json');
  const credentials = { type: 'client-credentials', clientId: 'i', clientSecret: 's' };
  const { port } = server.address() as AddressInfo;
  const file = { apiUrl: apiUrl ?? `http://127.0.0.1:${port}/v1/`, integration: 'c'.repeat(20), credentials };
  await writeFile(path, JSON.stringify(file));
  const env = { XDG_CACHE_HOME: directory, TIDEMARK_CREDENTIALS: path };
  return { directory, seen, call: () => tidemark(['call', 'rpc.discover'], { env }) };
}

function say(status: number, body: object, headers: Record<string, string> = {}): Answer {
  return (_, response) =>
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
}

const result = say(200, { jsonrpc: '2.0', id: 1, result: { ok: true } });
const token = (text: string, expiresInS: number) =>
  say(200, { access_token: text, token_type: 'Bearer', expires_in: expiresInS });

test('A2 a token is kept between commands, for its owner only', async (t) => {
  const { call, seen, directory } = await open(t, [token('T', 3600), result]);
  for (let i = 0; i < 2; i++) {
    const { code, stderr } = await call();
    assert.deepEqual([code, stderr], [0, '']);
  }
  assert.deepEqual(seen, ['/v1/oauth/token -', '/v1/rpc Bearer T', '/v1/rpc Bearer T']);
  const tokens = join(directory, 'tidemark', 'tokens');
  const [name] = await readdir(tokens);
  assert.equal((await stat(join(tokens, name))).mode & 0o777, 0o600);
  assert.equal((await stat(tokens)).mode & 0o777, 0o700);
  assert.ok(!(await readFile(join(tokens, name), 'utf8')).includes('"s"'));
});

test('A3 a kept token that is refused is dropped and replaced once', async (t) => {
  const refused = say(401, { title: 'Unauthorized' });
  const rig = await open(t, [
    token('A', 3600),
    result,
    refused,
    token('B', 3600),
    result,
    refused,
    token('C', 3600),
    refused,
  ]);
  assert.equal((await rig.call()).code, 0);
  assert.equal((await rig.call()).code, 0);
  const { code, stderr } = await rig.call();
  assert.deepEqual([code, rig.seen.length], [1, 8]);
  assert.match(stderr, /answered 401: Unauthorized/);
  assert.deepEqual(await readdir(join(rig.directory, 'tidemark', 'tokens')), []);
});

test('A2 a kept token that has expired is not sent', async (t) => {
  const { call, seen } = await open(t, [token('A', 1), result, token('B', 1), result]);
  await call();
  await call();
  assert.deepEqual(
    seen.map((line) => line.split(' ').at(-1)),
    ['-', 'A', '-', 'B'],
  );
});

test('A2 a command works where no token can be kept', async (t) => {
  const { call, directory } = await open(t, [token('T', 3600), result]);
  await writeFile(join(directory, 'tidemark'), 'not a directory');
  assert.equal((await call()).code, 0);
});

test('E3 a command says why it tries again, and what it gives up for', async (t) => {
  const busy = say(503, { detail: 'draining' }, { 'Retry-After': '0' });
  const late = say(503, { detail: 'draining' }, { 'Retry-After': '3600' });
  const { call } = await open(t, [token('T', 3600), busy, late]);
  const { code, stderr } = await call();
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^tidemark: HTTP 503: draining; next attempt in 0\.\d s\ntidemark: .* answered 503: draining\n$/,
  );
});

test('E2 a refusal names the parameters and is not tried again', async (t) => {
  const error = {
    code: -32602,
    message: 'Invalid params',
    data: { trace: 't', params: { query: ['must be'] } },
  };
  const { call, seen } = await open(t, [token('T', 3600), say(200, { jsonrpc: '2.0', id: 1, error })]);
  const { code, stderr } = await call();
  assert.deepEqual([code, stderr], [1, 'tidemark: the service refused: Invalid params; query: must be\n']);
  assert.equal(seen.length, 2);
});

test('W5 an answer of another form, and a redirect, are not a service', async (t) => {
  const page: Answer = (_, response) => response.end('<html>');
  assert.match(
    (await (await open(t, [page])).call()).stderr,
    /is not a Tidemark service: its answer has another form/,
  );
  const rig = await open(t, [token('T', 3600), say(307, {}, { Location: '/elsewhere' })]);
  assert.match((await rig.call()).stderr, /answered 307/);
  assert.equal(rig.seen.length, 2);
});

test('L1 a certificate that is not trusted fails at once and names the remedy; --ca is it', async (t) => {
  const directory = await temporaryDirectory(t);
  const data = join(directory, 'data');
  const { certPath: cert, keyPath: key } = await writeCertificate(directory, newCertificate('localhost'));
  const { url } = await serve(t, data, ['--tls-cert', cert, '--tls-key', key]);
  const { port } = new URL(url);
  const credentials = join(directory, 'credentials.json');
  const create = ['integration', 'create', 'tls', '--data', data, '--credentials', credentials];
  const made = await tidemark(create);
  assert.equal(made.code, 0, made.stderr);
  const env = { XDG_CACHE_HOME: directory };
  const args = ['call', 'rpc.discover', '--credentials', credentials];
  const { code, stderr } = await tidemark(args, { env });
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^tidemark: the certificate of https:\/\/127\.0\.0\.1:\d+ is not trusted \([A-Z_]+\); .* --ca FILE or in NODE_EXTRA_CA_CERTS\n$/,
  );
  const trusted = await tidemark([...args, '--ca', cert], { env });
  assert.equal(trusted.code, 0, trusted.stderr);
  const wrong = await tidemark([...args, '--ca', key], { env });
  assert.deepEqual(
    [wrong.code, wrong.stderr],
    [2, `tidemark: --ca: cannot use ${key}: the text has no certificate in PEM form\n`],
  );
  const health = await tidemark(['health', '--port', port, '--tls']);
  assert.deepEqual([health.code, health.stdout], [0, 'ok\n'], health.stderr);
});
