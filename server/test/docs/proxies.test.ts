/** The snippets for proxies: nginx and Caddy run with them in front of a service that runs as they say it should. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readCredentials, serve, temporaryDirectory, tidemark, until } from '../cli/process.ts';
import { newCertificate, writeCertificate } from '../support/certificate.ts';
import { findTool } from '../support/machine-tools.ts';

const operate = fileURLToPath(new URL('../../../docs/operate/', import.meta.url));
const run = promisify(execFile);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' ? address!.port : 0;
}

/** A directory with a certificate, and a service behind a proxy that is to listen at `port`. */
async function openBehind(t: TestContext) {
  const directory = await temporaryDirectory(t);
  const port = await freePort();
  const { certPath, keyPath } = await writeCertificate(directory, newCertificate('localhost'));
  const data = join(directory, 'data');
  const base = ['--base-url', `https://localhost:${port}`];
  const service = await serve(t, data, [...base, '--trust-proxy', 'loopback']);
  const credentials = join(directory, 'basic.json');
  const create = ['integration', 'create', 'x', '--grant', 'admin', '--type', 'basic-auth', '--data', data];
  assert.equal((await tidemark([...create, '--credentials', credentials])).code, 0);
  return { directory, port, certPath, keyPath, data, service, credentials };
}

type Rig = Awaited<ReturnType<typeof openBehind>>;

/** Ends a program with the test, and waits until it is there. */
async function awaitReady(t: TestContext, child: ChildProcess, port: number): Promise<void> {
  const closed = once(child, 'close');
  let output = '';
  child.stderr!.on('data', (chunk) => (output += chunk));
  t.after(async () => {
    child.kill('SIGTERM'); // A killed nginx would leave its workers behind.
    await closed;
  });
  const isThere = () =>
    ask(port, '/healthz').then(
      ({ status }) => status === 200,
      () => false,
    );
  assert.ok(await until(isThere, 15_000), output);
}

interface Answer {
  status: number;
  headers: Record<string, unknown>;
  body: string;
}

function ask(
  port: number,
  path: string,
  init: { headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  const method = init.body === undefined ? 'GET' : 'POST';
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      servername: 'localhost',
      port,
      path,
      method,
      rejectUnauthorized: false,
    };
    const headers = { host: `localhost:${port}`, ...init.headers };
    const sent = request({ ...options, headers, agent: false }, (response) => {
      const { statusCode = 0, headers } = response;
      text(response).then((body) => resolve({ status: statusCode, headers, body }), reject);
    });
    sent.setTimeout(10_000, () => sent.destroy(new Error(`no answer to ${path}`)));
    sent.on('error', reject);
    sent.end(init.body);
  });
}

/** What holds behind every proxy. */
async function assertBehind(rig: Rig): Promise<void> {
  const { integration, credentials, apiUrl } = await readCredentials(rig.credentials);
  assert.equal(apiUrl, `https://localhost:${rig.port}/v1/`);
  const authorization = `Basic ${Buffer.from(`${integration}:${credentials.clientSecret}`).toString('base64')}`;
  const call = (method: string, params: object, more: Record<string, string> = {}) =>
    ask(rig.port, '/v1/rpc', {
      headers: { authorization, 'content-type': 'application/json', ...more },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
  const data = { times: ['2024-01-01T00:00:00Z'], series: { a: [1] } };
  const inserted = await call('integration.insert', { integration, data });
  assert.equal(inserted.status, 200, inserted.body);
  assert.match(String(inserted.headers['strict-transport-security']), /max-age=\d+/);
  assert.match(String(inserted.headers.traceparent), /^00-/);
  const signal = JSON.parse(inserted.body).result.signalsByInput.a.id;
  // The audit names who came: the proxy's word counts, the client's own does not.
  const claimed = { 'x-forwarded-for': '203.0.113.9' };
  const published = await call(
    'admin.publishSignals',
    { integration, itemsBySignal: { [signal]: {} } },
    claimed,
  );
  assert.ok(JSON.parse(published.body).result, published.body);
  const { stdout } = await tidemark(['audit', 'list', '--limit', '1', '--json', '--data', rig.data]);
  assert.equal(JSON.parse(stdout)[0].origin, '127.0.0.1');

  const large = await call('integration.insert', { integration, text: 'x'.repeat(9 * 1024 * 1024) });
  assert.equal(large.status, 413);
  assert.equal(large.headers['content-type'], 'application/problem+json');
  assert.equal((await ask(rig.port, '/metrics')).status, 404);
  assert.equal((await ask(rig.port, '/readyz')).status, 200);
}

/** Replaces a text of a snippet, which must contain it. */
function replaceAll(snippet: string, changes: [string, string][]): string {
  return changes.reduce((text, [from, to]) => {
    assert.ok(text.includes(from), `the snippet has no ${from}`);
    return text.replaceAll(from, to);
  }, snippet);
}

test('A3 nginx with its snippet passes calls, addresses and refusals on', async (t) => {
  const nginx = findTool(t, 'nginx');
  if (nginx === null) return;
  const rig = await openBehind(t);
  const site = replaceAll(await readFile(join(operate, 'nginx.conf'), 'utf8'), [
    ['127.0.0.1:8080', new URL(rig.service.url).host],
    ['    listen [::]:443 ssl http2;\n', ''],
    ['listen 443', `listen 127.0.0.1:${rig.port}`],
    ['/etc/ssl/tidemark/fullchain.pem', rig.certPath],
    ['/etc/ssl/tidemark/privkey.pem', rig.keyPath],
    ['signals.example.com', 'localhost'],
  ]);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path temp;`,
  );
  const http = `access_log off; ${temporary.join(' ')}\n${site}`;
  // Its workers buffer bodies in this directory, which is this user's alone.
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const whole = `daemon off; ${user} pid pid; error_log stderr;\nevents {}\nhttp { ${http} }\n`;
  const path = join(rig.directory, 'nginx.conf');
  await writeFile(path, whole);
  const args = ['-p', rig.directory, '-e', 'stderr', '-c', path];
  const { stderr } = await run(nginx, ['-t', ...args]);
  assert.match(stderr, /test is successful/);
  assert.doesNotMatch(stderr, /\[warn\]/);
  await awaitReady(t, spawn(nginx, args), rig.port);
  await assertBehind(rig);
});

test('A3 Caddy with its snippet passes calls, addresses and refusals on', async (t) => {
  const caddy = findTool(t, 'caddy');
  if (caddy === null) return;
  const rig = await openBehind(t);
  const site = replaceAll(await readFile(join(operate, 'Caddyfile'), 'utf8'), [
    ['127.0.0.1:8080', new URL(rig.service.url).host],
    [
      'signals.example.com {',
      `https://localhost:${rig.port} {\n\tbind 127.0.0.1\n\ttls ${rig.certPath} ${rig.keyPath}`,
    ],
  ]);
  const path = join(rig.directory, 'Caddyfile');
  await writeFile(path, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`);
  const home = join(rig.directory, 'home');
  await mkdir(home);
  const env = { ...process.env, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home };
  const args = ['--adapter', 'caddyfile', '--config', path];
  await run(caddy, ['validate', ...args], { env });
  await awaitReady(t, spawn(caddy, ['run', ...args], { env }), rig.port);
  await assertBehind(rig);
});
