/** The envelope of a call, ids, notifications, batches and parameters. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type HttpUnderTest, readJson, startHttp } from '../../support/http.ts';
import { testMethods } from './methods.ts';

let http: HttpUnderTest;
before(async () => {
  http = await startHttp({ methods: testMethods });
});
after(() => http.close());

/** Posts a text that should be answered with HTTP 200, and reads the answer as text. */
async function send(text: string, version?: string): Promise<string> {
  const response = await http.post(text, { version });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'application/json');
  return response.text();
}

/** The same, as a value without its trace id. */
// biome-ignore lint/suspicious/noExplicitAny: an answer may be anything.
async function ask(value: unknown, version?: string): Promise<any> {
  return JSON.parse(await send(typeof value === 'string' ? value : JSON.stringify(value), version));
}

test('W1 method names match in any case, synonyms too', async () => {
  for (const method of [
    'service.echo',
    'SERVICE.Echo',
    'service.Items.ECHO',
    'clarify.echo',
    'Clarify.items.echo',
  ]) {
    assert.equal((await http.call(method)).result.limit, 20, method);
  }
});

test('W2 an id is echoed with its JSON type, and as it was written', async () => {
  for (const id of [
    '1',
    '"1"',
    '0',
    '""',
    '-7',
    '1.5',
    '"\\u00e4\\n"',
    '9007199254740993',
    '123456789012345678901',
    '1e400',
  ]) {
    const text = await send(`{"jsonrpc":"2.0","id":${id},"method":"service.echo","params":{"limit":1}}`);
    const expected = id.startsWith('"') ? JSON.stringify(JSON.parse(id)) : id;
    assert.equal(text, `{"jsonrpc":"2.0","id":${expected},"result":{"limit":1}}`);
  }
});

test('W2 a call without an id, or with a null id, is carried out and not answered', async () => {
  for (const id of ['', '"id":null,']) {
    for (const method of ['service.echo', 'no.such', 'integration.fail']) {
      const response = await http.post(`{"jsonrpc":"2.0",${id}"method":"${method}","params":{"how":"bug"}}`);
      assert.equal(response.status, 204);
      assert.equal(await response.text(), '');
      assert.equal(response.headers.get('content-type'), null);
      assert.equal(response.headers.get('x-api-version'), '1.1');
    }
  }
  assert.equal(http.log.lines.filter(({ message }) => message === 'internal error').length, 2);
  assert.equal(http.log.lines.filter(({ message }) => message === 'notification failed').length, 4);
});

test('W2 ids that are no ids are an invalid request, answered with id null', async () => {
  for (const id of [{}, [], true, false, [1]]) {
    const answer = await ask({ jsonrpc: '2.0', id, method: 'service.echo' });
    assert.equal(answer.id, null);
    assert.equal(answer.error.code, -32600);
  }
});

test('W5 what is no envelope is an invalid request; the id is echoed where there is one', async () => {
  const wrong = [
    [1, null],
    ['"text"', null],
    ['null', null],
    [{}, null],
    [{ jsonrpc: '2.0', id: 7 }, 7],
    [{ jsonrpc: '2.0', id: 'x', method: 7 }, 'x'],
    [{ jsonrpc: '1.0', id: 7, method: 'service.echo' }, 7],
    [{ jsonrpc: 2, id: 7, method: 'service.echo' }, 7],
    [{ id: 7, method: 'service.echo' }, 7],
    [{ method: 'service.echo' }, null],
  ] as const;
  for (const [value, id] of wrong) {
    const answer = await ask(value);
    assert.deepEqual(Object.keys(answer), ['jsonrpc', 'id', 'error'], JSON.stringify(value));
    assert.equal(answer.id, id);
    assert.equal(answer.error.code, -32600);
  }
});

test('W5 an answer has exactly jsonrpc, id and result or error; an absent result is null', async () => {
  assert.deepEqual(Object.keys(await ask({ jsonrpc: '2.0', id: 1, method: 'service.echo' })), [
    'jsonrpc',
    'id',
    'result',
  ]);
  assert.deepEqual(Object.keys(await ask({ jsonrpc: '2.0', id: 1, method: 'x' })), [
    'jsonrpc',
    'id',
    'error',
  ]);
});

test('E1 a body that is no JSON is a parse error', async () => {
  for (const text of ['', ' ', '{', '{"jsonrpc":"2.0"', '[1,', 'nope', '{"a":1}}', "{'a':1}", '\u0000']) {
    const answer = await ask(text);
    assert.equal(answer.error.code, -32700, text);
    assert.equal(answer.id, null);
  }
  const long = `{"note":"${'x'.repeat(200)}",nope}`;
  assert.equal((await ask(long)).error.message, 'Parse error: the body is not JSON at character 211');
});

test('E1 a body that is not UTF-8 is a parse error', async () => {
  const bytes = Buffer.concat([
    Buffer.from('{"jsonrpc":"2.0","id":1,"method":"'),
    Buffer.from([0xff, 0xfe]),
    Buffer.from('"}'),
  ]);
  for (const body of [bytes, Buffer.from('{"jsonrpc":"2.0"}', 'utf16le'), Buffer.from([0xed, 0xa0, 0x80])]) {
    const answer = await readJson(await http.post(new Uint8Array(body)));
    assert.equal(answer.error.code, -32700);
  }
});

test('W1 a byte order mark before the body is skipped', async () => {
  const answer = await ask(`\ufeff${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'service.echo' })}`);
  assert.equal(answer.result.limit, 20);
});

test('W1 of a name that is given twice the last one counts', async () => {
  const answer = await ask(
    '{"jsonrpc":"2.0","id":1,"method":"x","method":"service.echo","params":{"limit":1,"limit":2}}',
  );
  assert.deepEqual(answer.result, { limit: 2 });
});

test('W3 a batch is answered as an array, notifications left out', async () => {
  const answers = await ask([
    { jsonrpc: '2.0', id: 1, method: 'service.echo', params: { limit: 1 } },
    { jsonrpc: '2.0', method: 'service.echo' },
    { jsonrpc: '2.0', id: 'b', method: 'no.such' },
    17,
    { jsonrpc: '2.0', id: 2, method: 'service.frame' },
  ]);
  assert.deepEqual(
    answers.map((answer: { id: unknown }) => answer.id),
    [1, 'b', null, 2],
  );
  assert.deepEqual(
    answers.map((answer: { error?: { code: number } }) => answer.error?.code),
    [undefined, -32601, -32600, undefined],
  );
  assert.deepEqual(answers[3].result.data.series, { a: [0, null] });
});

test('W3 a batch of notifications is not answered', async () => {
  const response = await http.post(
    JSON.stringify([
      { jsonrpc: '2.0', method: 'service.echo' },
      { jsonrpc: '2.0', id: null, method: 'x' },
    ]),
  );
  assert.equal(response.status, 204);
});

test('W3 an empty batch, and one of more than 50 calls, is one invalid request; 50 calls are answered', async () => {
  const calls = (count: number) =>
    Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', id, method: 'service.echo' }));
  assert.equal((await ask([])).error.code, -32600);
  assert.equal((await ask(calls(50))).length, 50);
  const answer = await ask(calls(51));
  assert.equal(answer.error.code, -32600);
  assert.match(answer.error.message, /1 to 50 calls, got 51/);
});

test('W4 parameters by position, in the order of the document', async () => {
  assert.deepEqual((await http.call('service.echo', [7, 'abc'])).result, { limit: 7, note: 'abc' });
  assert.deepEqual((await http.call('service.echo', [])).result, { limit: 20 });
  const error = (await http.call('service.echo', [1, 'a', null, null, null, 6])).error;
  assert.deepEqual(error?.data.params, { '': ['must have at most 5 entries, got 6'] });
});

test('W4 null for an optional parameter is its default', async () => {
  assert.deepEqual((await http.call('service.echo', { limit: null, note: null, kind: null })).result, {
    limit: 20,
  });
  assert.deepEqual((await http.call('service.echo', { window: null })).result, { limit: 20, window: null });
});

test('W4 params that are neither object nor array are invalid params', async () => {
  for (const params of [null, 1, 'x', true]) {
    const { error } = await http.call('service.echo', params);
    assert.equal(error?.code, -32602);
    assert.deepEqual(Object.keys(error?.data.params ?? {}), ['']);
  }
});

test('W4 an unknown parameter is an error from 1.1 on, and ignored before', async () => {
  for (const version of ['1.1', '1.2']) {
    const { error } = await http.call('service.echo', { other: 1, 'a.b': 2 }, { version });
    assert.deepEqual(error?.data.params, { other: ['unknown parameter'], 'a.b': ['unknown parameter'] });
  }
  for (const version of ['1.0', '1.1beta1', '1.1beta2']) {
    assert.deepEqual((await http.call('service.echo', { other: 1 }, { version })).result, { limit: 20 });
  }
});

test('W4 another name of a parameter is accepted; both at once are not', async () => {
  assert.deepEqual((await http.call('service.echo', { max: 3 })).result, { limit: 3 });
  const { error } = await http.call('service.echo', { max: 3, limit: 3 });
  assert.deepEqual(error?.data.params, { max: ['is another name of "limit"; give only one of them'] });
  const twice = await http.call('service.echo', { max: 3, maximum: 3 }, { version: '1.0' });
  assert.equal(twice.error?.code, -32602);
});

test('E2 a missing parameter is "required", a wrong one says what it must be, and every problem is named at once', async () => {
  assert.deepEqual((await http.call('integration.need')).error?.data.params, {
    integration: ['required'],
    map: ['required'],
  });
  const { error } = await http.call('service.echo', { limit: 1200, note: 'longer', window: 'x', kind: 'z' });
  assert.deepEqual(error?.data.params, {
    limit: ['must be at most 1000, got 1200'],
    note: ['must be at most 5 characters, got 6'],
    window: ['must match ^PT, got "x"'],
    kind: ['must be one of "numeric", "enum", got "z"'],
  });
  const keys = await http.call('integration.need', { integration: 'x', map: { 'a/b': 1.5, A: 1 } });
  assert.deepEqual(keys.error?.data.params, {
    'map.a/b': ['must be an integer, got 1.5'],
    'map.A': ['the key must match ^[a-z/]+$'],
  });
});

test('W4 limits are met at the edge, and refused one past it', async () => {
  assert.equal((await http.call('service.echo', { limit: 1000 })).result.limit, 1000);
  assert.equal((await http.call('service.echo', { limit: 1001 })).error?.code, -32602);
  assert.equal((await http.call('service.echo', { limit: 0 })).result.limit, 0);
  assert.equal((await http.call('service.echo', { limit: -1 })).error?.code, -32602);
  assert.equal((await http.call('service.echo', { note: '😀😀😀😀😀' })).result.note.length, 10);
});

test('R2 the keys __proto__ and constructor are keys like any other, in every version', async () => {
  const data = '{"__proto__":{"limit":1},"constructor":[{"__proto__":2}],"prototype":3}';
  for (const version of ['1.0', '1.2']) {
    const answer = await ask(
      `{"jsonrpc":"2.0","id":1,"method":"service.echo","params":{"data":${data}}}`,
      version,
    );
    assert.equal(JSON.stringify(answer.result.data), data);
  }
  assert.equal(Object.hasOwn(Object.prototype, 'limit'), false);
});

test('W4 a parameter called __proto__ is unknown, and changes nothing', async () => {
  const call = '{"jsonrpc":"2.0","id":1,"method":"service.echo","params":{"__proto__":{"limit":1}}}';
  const { error } = await ask(call, '1.2');
  assert.deepEqual(Object.entries(error.data.params), [['__proto__', ['unknown parameter']]]);
  const { result } = await ask(call, '1.0');
  assert.notEqual(result.limit, 1);
});

test('W4 a lone surrogate in a text or a key is refused; a pair is not', async () => {
  const wrong = ['{"note":"\\ud800"}', '{"data":["\\udc00x"]}', '{"data":{"\\ud800":1}}'];
  for (const params of wrong) {
    const { error } = await ask(`{"jsonrpc":"2.0","id":1,"method":"service.echo","params":${params}}`);
    assert.equal(error.code, -32602, params);
  }
  const answer = await ask(
    '{"jsonrpc":"2.0","id":1,"method":"service.echo","params":{"note":"\\ud83d\\ude00"}}',
  );
  assert.equal(answer.result.note, '😀');
});

test('L1 nesting beyond 100 levels is refused, however deep it goes', async () => {
  const nested = (levels: number) => `{"data":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  const send = (levels: number) =>
    ask(`{"jsonrpc":"2.0","id":1,"method":"service.echo","params":${nested(levels)}}`);
  assert.ok((await send(99)).result);
  assert.equal((await send(100)).error.code, -32602);
  assert.equal((await send(60_000)).error.code, -32602);
  assert.equal((await send(1_000_000)).error.code, -32600, 'too many arrays for one request (L1b)');
});
