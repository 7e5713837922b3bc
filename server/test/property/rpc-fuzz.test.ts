/** Whatever bytes come, the whole service answers in its own words: no 5xx, no internal error, always JSON-RPC. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { versions } from '#protocol/version';
import { type ServiceUnderTest, startService } from '../support/service.ts';
import { prepareCalls, type ValidCall } from '../support/valid-calls.ts';

let service: ServiceUnderTest;
let valid: ValidCall[];
before(async () => {
  service = await startService({
    limits: { tokenRequestsPerMinute: 1_000_000, wrongLoginsPerMinute: 1_000_000 },
  });
  valid = await prepareCalls(service);
});
after(() => service.close());

const runs = 300;
const version = fc.constantFrom(...versions);
/** Names that mean something to some part of the service, so that mutations go deep. */
const word = fc.constantFrom(
  '$and',
  '$or',
  '$in',
  '$regex',
  'id',
  'name',
  'labels.a',
  '__proto__',
  'constructor',
  'toString',
  'times',
  'series',
  'filter',
  'data',
  'items',
  'rollup',
  'limit',
  'PT1M',
  'P1M',
  '2026-02-01T00:00:00Z',
  'window',
  '(a+)+$',
  'Europe/Berlin',
  '',
  'a',
  'b + 1',
);
const scalar = fc.oneof(
  word,
  fc.integer(),
  fc.double(),
  fc.string({ unit: 'binary' }),
  fc.boolean(),
  fc.constant(null),
);
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(word, fc.string()), tie('json'), { maxKeys: 4 }),
  ),
}));

/** One change of a value somewhere inside: `path` picks the way down. */
function mutate(value: unknown, path: readonly number[], change: unknown): unknown {
  if (path.length === 0 || typeof value !== 'object' || value === null) return change;
  const entries = Object.entries(value);
  if (entries.length === 0) return change;
  const [step, ...rest] = path;
  const [key] = entries[step % entries.length];
  const changed = mutate((value as Record<string, unknown>)[key], rest, change);
  if (Array.isArray(value)) return value.with(Number(key), changed);
  return { ...value, [key]: changed };
}

/** Posts a body and checks the answer, whatever it is. */
async function check(body: string | Uint8Array<ArrayBuffer>, version: string): Promise<void> {
  const response = await service.post(body, { version });
  const text = await response.text();
  assert.ok(response.status === 200 || response.status === 204, `${response.status} ${text}`);
  assert.equal(response.status === 204, text === '');
  if (text === '') return;
  const answer: unknown = JSON.parse(text);
  for (const one of Array.isArray(answer) ? answer : [answer]) checkAnswer(one);
}

function checkAnswer(
  answer: Record<string, unknown> & { error?: { code: number; message: string; data: object } },
): void {
  const { error } = answer;
  assert.deepEqual(Object.keys(answer), ['jsonrpc', 'id', error === undefined ? 'result' : 'error']);
  if (error === undefined) return;
  assert.notEqual(error.code, -32603, JSON.stringify(service.log.lines.at(-1)));
  assert.deepEqual(Object.keys(error), ['code', 'message', 'data']);
  for (const name of Object.keys(error.data))
    assert.ok(['trace', 'params', 'invalidResources'].includes(name), name);
  if (error.code === -32602) assert.ok('params' in error.data, `${error.message} names no parameter`);
}

test('W5 any bytes', async () => {
  const bytes = fc.uint8Array({ maxLength: 200 }).map((bytes) => new Uint8Array(bytes));
  await fc.assert(fc.asyncProperty(bytes, version, check), { numRuns: runs });
});

test('W5 any JSON as the request', async () => {
  const text = json.map((value) => JSON.stringify(value) ?? 'null');
  await fc.assert(fc.asyncProperty(text, version, check), { numRuns: runs });
});

test('W5 any JSON as the parameters of any method', async () => {
  const method = fc.nat().map((n) => valid[n % valid.length].method);
  const calls = fc.record({ jsonrpc: fc.constant('2.0'), id: fc.nat(), method, params: json });
  const property = fc.asyncProperty(calls, version, (call, version) => check(JSON.stringify(call), version));
  await fc.assert(property, { numRuns: runs });
});

test('W5 good calls with a change somewhere inside', async () => {
  const path = fc.array(fc.nat(6), { maxLength: 7 });
  const property = fc.asyncProperty(fc.nat(), path, json, version, async (n, path, change, anyVersion) => {
    const { method, params, version } = valid[n % valid.length];
    const mutated = mutate(params, path, change);
    await check(textOf(method, mutated), n % 3 === 0 ? anyVersion : version);
  });
  await fc.assert(property, { numRuns: 4 * runs });
});

/** Ways to spoil bytes at a place. */
const spoilers = [
  (bytes: Buffer, at: number, byte: number) => bytes.with(at, byte),
  (bytes: Buffer, at: number) => bytes.subarray(0, at),
  (bytes: Buffer, at: number) => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]),
];

test('W5 good calls with a byte changed, left out, or cut off from', async () => {
  const spoiler = fc.constantFrom(...spoilers);
  const property = fc.asyncProperty(fc.nat(), fc.nat(), fc.nat(255), spoiler, async (n, at, byte, spoil) => {
    const { method, params, version } = valid[n % valid.length];
    const bytes = Buffer.from(textOf(method, params));
    await check(new Uint8Array(spoil(bytes, at % bytes.length, byte)), version);
  });
  await fc.assert(property, { numRuns: 2 * runs });
});

test('W5 the good calls are good', async () => {
  for (const { method, params, version } of valid) {
    const { error } = await service.call(method, params, { version });
    assert.equal(error, undefined, `${method}: ${JSON.stringify(error)}`);
  }
});

const headerNames = [
  'authorization',
  'content-type',
  'content-encoding',
  'accept-encoding',
  'x-api-version',
  'traceparent',
];
const headerWord = fc.constantFrom(
  'Basic ',
  'Bearer ',
  'application/json',
  ';',
  ',',
  'gzip',
  'q=',
  '1.1',
  '00-',
  'charset=',
  ' ',
  '"',
  '*',
  'constructor',
);
/** What a header may hold: printable ASCII, often with words that the server knows. */
const headerValue = fc
  .array(fc.oneof(headerWord, fc.string({ unit: 'grapheme-ascii', maxLength: 8 })), { maxLength: 5 })
  .map((words) => words.join('').trim());

test('E3 any headers are answered, never with a 5xx', async () => {
  const headers = fc.dictionary(fc.constantFrom(...headerNames), headerValue);
  const body = textOf('rpc.discover', {});
  const property = fc.asyncProperty(headers, async (headers) => {
    const response = await service.post(body, { headers });
    await response.arrayBuffer();
    assert.ok(response.status < 500, `${response.status}`);
    assert.match(response.headers.get('traceparent') ?? '', /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[0-3]$/);
  });
  await fc.assert(property, { numRuns: runs });
});

test('A2 any form at the token endpoint is answered as RFC 6749 says', async () => {
  const name = fc.constantFrom('grant_type', 'client_id', 'client_secret', 'audience', 'scope', '__proto__');
  const word = fc.oneof(
    fc.constantFrom('client_credentials', service.client.id, ''),
    fc.string({ unit: 'binary' }),
  );
  const form = fc
    .array(fc.tuple(name, word), { maxLength: 6 })
    .map((fields) => new URLSearchParams(fields).toString());
  const property = fc.asyncProperty(fc.oneof(form, fc.string()), async (body) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const response = await fetch(`${service.url}/v1/oauth/token`, { method: 'POST', body, headers });
    assert.ok(response.status === 400 || response.status === 401, `${response.status}`);
    const answer = (await response.json()) as object;
    assert.deepEqual(Object.keys(answer), ['error', 'error_description']);
  });
  await fc.assert(property, { numRuns: runs });
});

function textOf(method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
}
