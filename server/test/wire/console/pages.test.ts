/** The console's files over HTTP: what is served, under which policy, and what is not. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { type ServiceUnderTest, startService } from '../../support/service.ts';

const script = 'export const answer = 42;\n'.repeat(100);
const index = `<!doctype html><html><head><title>T</title>
<script type="module" src="./assets/main-1a2b.js"></script><link rel="stylesheet" href="./assets/main-3c4d.css">
</head><body><div id="root"></div></body></html>`;

let directory: string;
let service: ServiceUnderTest;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-pages-'));
  const pages = join(directory, 'dist');
  await mkdir(join(pages, 'assets'), { recursive: true });
  await writeFile(join(directory, 'secret.txt'), 'not for you');
  await writeFile(join(pages, 'index.html'), index);
  await writeFile(join(pages, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  await writeFile(join(pages, 'assets', 'main-1a2b.js'), script);
  await writeFile(join(pages, 'assets', 'main-1a2b.js.br'), brotliCompressSync(script));
  await writeFile(join(pages, 'assets', 'main-3c4d.css'), 'body{}');
  await writeFile(join(pages, 'assets', 'notes.bak'), 'of a type that nobody serves');
  service = await startService({ pagesDirectory: pages, baseUrl: 'http://tidemark.test/plant' });
});
after(async () => {
  await service.close();
  await rm(directory, { recursive: true });
});

const page = { accept: 'text/html,*/*;q=0.8' };

/** Sends a path unchanged: `fetch` would normalize it. */
function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status: number; headers: Record<string, string>; body: Buffer }>((resolve, reject) => {
    const { port } = new URL(service.url);
    const sent = request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => {
        const all = response.headers as Record<string, string>;
        resolve({ status: response.statusCode ?? 0, headers: all, body: Buffer.concat(chunks) });
      });
    });
    sent.on('error', reject).end();
  });
}

test('A5f the first page has a strict policy with a nonce of its own, and addresses under the prefix', async () => {
  const { status, headers, body } = await get('/plant/', page);
  const html = body.toString();
  const nonce = /<meta property="csp-nonce" nonce="([\w+/=]{24})">/.exec(html)?.[1];
  assert.ok(nonce);
  assert.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8']);
  assert.equal(
    headers['content-security-policy'],
    `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-src 'self'; worker-src 'self'; manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'`,
  );
  assert.equal(headers['cache-control'], 'no-cache');
  assert.equal(headers.etag, undefined, 'kept content would have an old nonce');
  assert.match(html, /<meta name="base-path" content="\/plant\/">/);
  assert.match(html, /src="\/plant\/assets\/main-1a2b.js".*href="\/plant\/assets\/main-3c4d.css"/s);
  assert.equal(/<(script|style)[^>]*>[^<]/.test(html), false, 'nothing is inline');
  const again = (await get('/plant/', page)).headers['content-security-policy'];
  assert.notEqual(again, headers['content-security-policy']);
});

test('a proxy may take the prefix away; the prefix alone leads to what is below it', async () => {
  assert.match((await get('/', page)).body.toString(), /src="\/plant\/assets/);
  assert.equal((await get('/assets/main-3c4d.css')).status, 200);
  const bare = await get('/plant', page);
  assert.deepEqual([bare.status, bare.headers.location], [308, '/plant/']);
});

test('A5f files whose names depend on their content are cached forever, others are requested again', async () => {
  const asset = await get('/plant/assets/main-1a2b.js');
  assert.deepEqual(
    [asset.status, asset.headers['content-type'], asset.headers['cache-control'], asset.body.toString()],
    [200, 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable', script],
  );
  assert.equal(asset.headers['x-content-type-options'], 'nosniff');
  assert.match(asset.headers['content-security-policy'], /^default-src 'none'; script-src 'self'/);
  const icon = await get('/plant/favicon.svg');
  assert.deepEqual(
    [icon.headers['content-type'], icon.headers['cache-control']],
    ['image/svg+xml', 'no-cache'],
  );
  const known = await get('/plant/favicon.svg', { 'if-none-match': icon.headers.etag });
  assert.deepEqual([known.status, known.body.length], [304, 0]);
});

test('files that the build has compressed are sent compressed to clients that accept it', async () => {
  const asset = await get('/plant/assets/main-1a2b.js', { 'accept-encoding': 'gzip, br, zstd' });
  assert.deepEqual([asset.headers['content-encoding'], asset.headers.vary], ['br', 'accept-encoding']);
  assert.equal(brotliDecompressSync(asset.body).toString(), script);
  const plain = await get('/plant/assets/main-1a2b.js', { 'accept-encoding': 'br;q=0, gzip' });
  assert.equal(plain.headers['content-encoding'], undefined);
});

test('HEAD answers the same without the body', async () => {
  const head = await get('/plant/assets/main-1a2b.js', {}, 'HEAD');
  assert.deepEqual(
    [head.status, head.headers['content-length'], head.body.length],
    [200, String(script.length), 0],
  );
});

test('every address that a person opens is the first page; what a program asks for is not there', async () => {
  for (const path of ['/plant/explorer', '/plant/signals/c1?x=1', '/plant/index.html', '/plant/?a=b'])
    assert.match((await get(path, page)).body.toString(), /<div id="root">/, path);
  assert.equal((await get('/plant/explorer', { accept: 'application/json' })).status, 404);
  assert.equal((await get('/plant/explorer', { ...page, 'sec-fetch-mode': 'cors' })).status, 404);
  for (const path of ['/plant/assets/gone-1.js', '/plant/v1/unknown', '/plant/console/unknown'])
    assert.equal((await get(path, page)).status, 404, path);
  assert.equal((await get('/plant/explorer', page, 'POST')).status, 404);
  assert.equal((await get('/plant/v1/rpc', page)).status, 405);
});

const outside = [
  '/plant/../secret.txt',
  '/plant/%2e%2e/secret.txt',
  '/plant/..%2fsecret.txt',
  '/plant/assets/..%5c..%5csecret.txt',
  '/plant/assets/../../secret.txt',
  '/plant//etc/passwd',
  '/../../../../etc/passwd',
  '/plant/assets/notes.bak',
  '/plant/assets/main-1a2b.js.br',
  '/plant/assets/',
  '/plant/assets/main-1a2b.js%00.css',
  '/plant/__proto__',
];

test('no path leads out of the files, or to one that is not to be served', async () => {
  for (const path of outside) {
    const { status, body } = await get(path);
    assert.ok(status === 404 || status === 400, `${path}: ${status}`);
    assert.equal(/not for you|root:|nobody serves/.test(body.toString()), false, path);
  }
});

test('where the console was not built, the page says so', async () => {
  const bare = await startService();
  try {
    const response = await fetch(bare.url, { headers: page });
    const html = await response.text();
    assert.match(html, /console was not built/);
    assert.match(response.headers.get('content-security-policy') ?? '', /script-src 'self'/);
  } finally {
    await bare.close();
  }
});
