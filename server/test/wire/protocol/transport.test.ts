/** The transport: routes, types, encodings, limits, traces, authentication. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import zlib from 'node:zlib';
import {
  basicAuthorization,
  basicHeader,
  clientOf,
  fixedAuthenticator,
  type HttpUnderTest,
  readJson,
  startHttp,
  testIntegration,
} from '../../support/http.ts';
import { RawClient } from '../../support/raw-client.ts';
import { testMethods } from './methods.ts';

const bodyBytesMax = 64 * 1024;
let http: HttpUnderTest;
before(async () => {
  http = await startHttp({ methods: testMethods, limits: { bodyBytesMax } });
});
after(() => http.close());

const echo = '{"jsonrpc":"2.0","id":1,"method":"service.echo"}';

/** A call of exactly this many bytes. */
function callOf(bytes: number): string {
  const text = '{"jsonrpc":"2.0","id":1,"method":"service.echo","params":{"data":""}}';
  return text.replace('""', `"${'x'.repeat(bytes - text.length)}"`);
}

/** Checks what every problem has. */
async function checkProblem(response: Response, status: number): Promise<{ detail: string }> {
  assert.equal(response.status, status);
  assert.equal(response.headers.get('content-type'), 'application/problem+json');
  const problem = await readJson(response);
  assert.equal(problem.status, status);
  assert.equal(response.headers.get('traceparent')?.split('-')[1], problem.trace);
  return problem;
}

test('E3 an unknown path is 404, a known one with a wrong method 405 with Allow', async () => {
  for (const path of ['/', '/v1', '/v1/rpc/x', '/v2/rpc', '/%2e%2e', '/__proto__', '/healthz/x']) {
    await checkProblem(await fetch(`${http.url}${path}`), 404);
    await checkProblem(await fetch(`${http.url}${path}`, { method: 'POST', body: 'x' }), 404);
  }
  for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
    const response = await fetch(`${http.url}/v1/rpc`, { method });
    assert.equal(response.headers.get('allow'), 'POST');
    await checkProblem(response, 405);
  }
  const health = await fetch(`${http.url}/healthz`, { method: 'POST' });
  assert.equal(health.headers.get('allow'), 'GET, HEAD');
  assert.equal((await fetch(`${http.url}/v1/rpc?x=1`)).status, 405);
  assert.equal((await fetch(`${http.url}/healthz`, { method: 'HEAD' })).status, 200);
});

test('E3 a path that is no URL is 400', async () => {
  await checkProblem(await fetch(`${http.url}/%zz`), 400);
});

test('E3 a Content-Type that is not JSON in UTF-8 is 415; none is fine', async () => {
  for (const type of [
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    ';;;',
    'json',
    'application/json; charset=utf-16',
  ]) {
    await checkProblem(await http.post(echo, { headers: { 'content-type': type } }), 415);
  }
  for (const type of [
    'application/json; charset=utf-8',
    'Application/JSON;Charset="UTF-8"',
    'application/json-rpc',
    'application/x+json',
  ]) {
    assert.equal((await http.post(echo, { headers: { 'content-type': type } })).status, 200, type);
  }
  const bare = await RawClient.open(http.port);
  bare.send(
    `POST /v1/rpc HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: ${basicHeader}\r\ncontent-length: ${echo.length}\r\n\r\n${echo}`,
  );
  assert.equal((await bare.answer()).status, 200);
});

test('E3 a body at the limit is read, one byte more is 413', async () => {
  assert.equal((await http.post(callOf(bodyBytesMax))).status, 200);
  const problem = await checkProblem(await http.post(callOf(bodyBytesMax + 1)), 413);
  assert.match(problem.detail, /at most 65536 bytes/);
});

test('E3 a body of unknown length is measured as it comes', async () => {
  const streamOf = (bytes: number) => new Blob([callOf(bytes)]).stream();
  const send = (bytes: number) =>
    fetch(`${http.url}/v1/rpc`, {
      method: 'POST',
      body: streamOf(bytes),
      duplex: 'half',
      headers: { authorization: basicHeader },
    });
  assert.equal((await send(bodyBytesMax)).status, 200);
  await checkProblem(await send(bodyBytesMax + 1), 413);
});

const compressors = { gzip: zlib.gzipSync, br: zlib.brotliCompressSync, zstd: zlib.zstdCompressSync };

test('E3 request bodies in gzip, br and zstd are read; the limit counts what comes out', async () => {
  for (const [encoding, compress] of Object.entries(compressors)) {
    const send = (text: string) =>
      http.post(new Uint8Array(compress(text)), { headers: { 'content-encoding': encoding } });
    assert.equal((await readJson(await send(echo))).result.limit, 20, encoding);
    assert.equal((await send(callOf(bodyBytesMax))).status, 200);
    await checkProblem(await send(callOf(bodyBytesMax + 1)), 413);
    await checkProblem(await send('x'.repeat(50_000_000)), 413);
    const broken = await http.post('not compressed', { headers: { 'content-encoding': encoding } });
    await checkProblem(broken, 400);
    const cut = new Uint8Array(compress(callOf(5000)).subarray(0, 40));
    await checkProblem(await http.post(cut, { headers: { 'content-encoding': encoding } }), 400);
  }
});

test('E3 an unknown Content-Encoding is 415 and names the known ones', async () => {
  for (const encoding of ['compress', 'gzip, br', 'constructor']) {
    const response = await http.post(echo, { headers: { 'content-encoding': encoding } });
    assert.equal(response.headers.get('accept-encoding'), 'zstd, br, gzip');
    await checkProblem(response, 415);
  }
  assert.equal((await http.post(echo, { headers: { 'content-encoding': 'identity' } })).status, 200);
});

test('E3 answers are compressed as the client asks, when they are worth it', async () => {
  const frame = (rows: number) =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'service.frame', params: { rows } });
  const plain = await (await http.post(frame(20_000), { headers: { 'accept-encoding': 'identity' } })).text();
  const asked: [string, string | null][] = [
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, br;q=0.5', 'gzip'],
    ['zstd;q=0, gzip;q=0', null],
    ['*', null],
    ['identity', null],
    ['deflate', null],
  ];
  for (const rows of [100, 20_000]) {
    for (const [accept, expected] of asked.filter(([accept]) => accept !== '*')) {
      const response = await http.post(frame(rows), { headers: { 'accept-encoding': accept } });
      assert.equal(response.headers.get('content-encoding'), expected, accept);
      assert.equal(response.headers.get('vary'), 'accept-encoding');
      const text = await response.text();
      if (rows === 20_000) assert.equal(text, plain);
    }
  }
  const small = await http.post(echo, { headers: { 'accept-encoding': 'gzip' } });
  assert.equal(small.headers.get('content-encoding'), null);
});

test('E3 an answer of up to a megabyte has its length, a longer one is sent in chunks', async () => {
  for (const [rows, hasLength] of [
    [20_000, true],
    [100_000, false],
  ] as const) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'service.frame', params: { rows } });
    const response = await http.post(body, { headers: { 'accept-encoding': 'identity' } });
    const length = response.headers.get('content-length');
    assert.equal(length !== null, hasLength);
    assert.equal(response.headers.get('transfer-encoding'), hasLength ? null : 'chunked');
    const { byteLength } = await response.arrayBuffer();
    assert.equal(Number(length ?? byteLength), byteLength);
  }
});

test('W7 every answer of every route carries a traceparent; a valid one is continued, an invalid one replaced', async () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const valid = `00-${traceId}-00f067aa0ba902b7-01`;
  const invalid = [
    '',
    'x',
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `ff-${traceId}-00f067aa0ba902b7-01`,
    `${valid}-x`,
    valid.toUpperCase(),
  ];
  const paths = ['/v1/rpc', '/v1/oauth/token', '/oauth/token', '/healthz', '/openrpc.json', '/nothing'];
  for (const path of paths) {
    for (const method of ['GET', 'POST']) {
      const continued = await fetch(`${http.url}${path}`, { method, headers: { traceparent: valid } });
      assert.match(
        continued.headers.get('traceparent') ?? '',
        new RegExp(`^00-${traceId}-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$`),
      );
    }
  }
  for (const traceparent of invalid) {
    const response = await http.post(echo, { headers: { traceparent } });
    assert.match(response.headers.get('traceparent') ?? '', /^00-[0-9a-f]{32}-[0-9a-f]{16}-02$/);
    assert.notEqual(response.headers.get('traceparent')?.slice(3, 35), traceId, traceparent);
  }
  const later = await http.post(echo, { headers: { traceparent: `01-${traceId}-00f067aa0ba902b7-01-more` } });
  assert.equal(later.headers.get('traceparent')?.slice(3, 35), traceId);
});

test('A3 without credentials, or with wrong ones, 401 with two challenges', async () => {
  const none = await fetch(`${http.url}/v1/rpc`, { method: 'POST', body: echo });
  assert.equal(
    none.headers.get('www-authenticate'),
    'Basic realm="tidemark", charset="UTF-8", Bearer realm="tidemark"',
  );
  await checkProblem(none, 401);
  const wrong = [
    basicAuthorization(testIntegration, 'Sesame'),
    basicAuthorization('', ''),
    'Basic',
    'Basic !',
    'Digest x',
    'aaa.bbb.ccc',
    'Bearer',
  ];
  for (const authorization of wrong) {
    const response = await http.post(echo, { authorization });
    assert.doesNotMatch(response.headers.get('www-authenticate') ?? '', /error=/, authorization);
    await checkProblem(response, 401);
  }
});

test('A3 a token that is not valid is named in the challenge', async () => {
  const response = await http.post(echo, { authorization: 'Bearer aaa.bbb.ccd' });
  assert.match(
    response.headers.get('www-authenticate') ?? '',
    /^Basic .*, Bearer realm="tidemark", error="invalid_token"$/,
  );
  await checkProblem(response, 401);
});

test('A1 Basic and Bearer credentials are accepted, the scheme in any case', async () => {
  for (const authorization of [
    basicHeader,
    basicHeader.replace('Basic', 'basic'),
    'Bearer aaa.bbb.ccc',
    'bearer  aaa.bbb.ccc',
  ]) {
    assert.equal((await http.post(echo, { authorization })).status, 200, authorization);
  }
});

/** A connection by which one request was answered, and another one has come but for its last line. */
async function beginAfterOther(port: number, path: string): Promise<RawClient> {
  const client = await RawClient.open(port);
  client.send(`GET /livez HTTP/1.1\r\nhost: x\r\n\r\n${path} HTTP/1.1\r\nhost: x\r\n`);
  for (let i = 0; i < 500 && client.receivedLength === 0; i++) await wait(10);
  return client;
}

test('E3 health says whether calls are taken; while they are not, calls are 503 with Retry-After', async () => {
  const ending = await startHttp({ methods: testMethods });
  assert.equal((await fetch(`${ending.url}/healthz`)).status, 200);
  assert.equal((await ending.post(echo)).status, 200);
  const paths = ['GET /livez', 'GET /healthz', 'GET /health', 'GET /readyz', 'POST /v1/rpc'];
  // A request whose head is under way keeps its connection open while the service stops.
  const clients = await Promise.all(paths.map((path) => beginAfterOther(ending.port, path)));
  const closing = ending.server.close(5000);
  for (const client of clients) client.send('\r\n');
  const texts = await Promise.all(clients.map((client) => client.untilClosed()));
  const [life, ...refused] = texts.map((text) => text.slice(text.lastIndexOf('HTTP/1.1 ')));
  assert.match(life, /^HTTP\/1.1 200 /);
  for (const text of refused) assert.match(text, /^HTTP\/1.1 503 /);
  const [healthz, health, readyz] = refused;
  assert.match(health, /"message":"shutting down","status":"fail"/);
  for (const text of [healthz, readyz])
    assert.ok(text.endsWith('{"status":"unavailable","reason":"shutting down"}'), text);
  assert.match(refused[3], /\r\nretry-after: 5\r\n/);
  assert.match(refused[3], /application\/problem\+json.*shutting down/s);
  await closing;
});

test('W1 behind a path prefix the API answers with and without it', async () => {
  const prefixed = await startHttp({ methods: testMethods, pathPrefix: '/tidemark/' });
  try {
    for (const base of ['', '/tidemark']) {
      const { call } = clientOf(prefixed.url + base);
      assert.equal((await call('service.echo')).result.limit, 20);
      assert.equal((await fetch(`${prefixed.url}${base}/healthz`)).status, 200);
      assert.equal((await fetch(`${prefixed.url}${base}/v1/rpc`)).status, 405);
    }
    assert.equal((await fetch(`${prefixed.url}/other/healthz`)).status, 404);
  } finally {
    await prefixed.close();
  }
});

test('E3 answers are not to be stored, nor guessed at', async () => {
  const response = await http.post(echo);
  assert.equal(response.headers.get('cache-control'), 'no-store');
  assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
});

test('E4 an authenticator that fails is 500 without a word of why, or 503 when it says try again', async () => {
  const broken = await startHttp({
    methods: testMethods,
    authenticator: {
      ...fixedAuthenticator(),
      authenticateBasic: () => Promise.reject(new Error('disk /var/secret')),
    },
  });
  try {
    const response = await broken.post(echo);
    const problem = await checkProblem(response, 500);
    assert.equal(problem.detail, 'Internal error');
    assert.match(String(broken.log.lines.find(({ level }) => level === 'error')?.fields?.error), /secret/);
  } finally {
    await broken.close();
  }
});
