/** Lettered statements about calls and errors (W, E): what this implementation decides. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readJson } from '../../support/http.ts';
import { serviceOfFile } from '../../support/service.ts';
import { problemsOf, publish, resultOf } from './plant.ts';

const service = await serviceOfFile();
const { integration } = service;
const frame = { times: [], series: {} };

test('W2a a number as id comes back digit for digit beyond 2^53, and with its fraction', async () => {
  for (const id of ['12345678901234567890', '-9007199254740993', '1.5', '0']) {
    const response = await service.post(`{"jsonrpc":"2.0","id":${id},"method":"rpc.discover"}`);
    assert.match(
      await response.text(),
      new RegExp(`^{"jsonrpc":"2.0","id":${id.replace('.', '\\.')},"result"`),
    );
  }
});

test('W2a an id of another type is -32600 with id null', async () => {
  for (const id of ['{}', '[1]', 'true']) {
    const answer = await readJson(await service.post(`{"jsonrpc":"2.0","id":${id},"method":"rpc.discover"}`));
    assert.deepEqual([answer.id, answer.error.code], [null, -32600]);
  }
});

test('W3a a call of a batch sees what the ones before it have stored, and answers keep the order', async () => {
  const signalsByInput = { batched: { name: 'Batched' } };
  const calls = [
    { method: 'integration.saveSignals', params: { integration, signalsByInput } },
    { method: 'admin.selectSignals', params: { integration, query: { filter: { input: 'batched' } } } },
    { method: 'integration.saveSignals', params: { integration, signalsByInput } },
  ].map((call, id) => ({ jsonrpc: '2.0', id, ...call }));
  const answers = await readJson(await service.post(JSON.stringify(calls)));
  assert.deepEqual(
    answers.map(({ id }: { id: number }) => id),
    [0, 1, 2],
  );
  assert.equal(answers[1].result.data[0].attributes.name, 'Batched');
  assert.equal(answers[2].result.signalsByInput.batched.created, false);
});

test('W4a the members of a signal are forgiving in the older versions, those of a query never', async () => {
  const signalsByInput = { forgiving: { name: 'x', colour: 'red' } };
  await resultOf(service, 'integration.saveSignals', { integration, signalsByInput }, { version: '1.0' });
  const strict = await problemsOf(service, 'integration.saveSignals', { integration, signalsByInput });
  assert.deepEqual(Object.keys(strict), ['signalsByInput.forgiving.colour']);
  const query = await problemsOf(
    service,
    'service.selectItems',
    { query: { colour: 1 } },
    { version: '1.1beta2' },
  );
  assert.deepEqual(Object.keys(query), ['query.colour']);
});

test('W4a a parameter under two of its names, and one entry too many, are refused', async () => {
  const twice = await problemsOf(service, 'integration.saveSignals', { integration, input: {}, inputs: {} });
  assert.deepEqual(Object.keys(twice), ['inputs']);
  const long = await problemsOf(service, 'integration.insert', [integration, frame, 3]);
  assert.deepEqual(long, { '': 'must have at most 2 entries, got 3' });
});

test('W4b half of a surrogate pair and nesting deeper than 100 levels are refused at any place', async () => {
  const envelope = (data: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"integration.insert","params":{"integration":"${integration}","data":${data}}}`;
  const bodies = {
    'data.times.0': '{"times":["\\ud800"],"series":{}}',
    'data.times.0.0.0.0.0.0': `{"times":${'['.repeat(200)}${']'.repeat(200)},"series":{}}`,
  };
  for (const [path, data] of Object.entries(bodies)) {
    const { error } = await readJson(await service.post(envelope(data)));
    assert.equal(error.code, -32602);
    assert.deepEqual(Object.keys(error.data.params), [path]);
  }
});

test('E2 paths are those of the request: inputs, input and type stay what they were', async () => {
  const wrong = { s: { type: 'text', gapDetection: 'soon', name: 'x'.repeat(129) } };
  for (const name of ['input', 'inputs', 'signalsByInput']) {
    const problems = await problemsOf(service, 'integration.saveSignals', { integration, [name]: wrong });
    assert.deepEqual(Object.keys(problems).sort(), [
      `${name}.s.gapDetection`,
      `${name}.s.name`,
      `${name}.s.type`,
    ]);
  }
  const valueType = { integration, inputs: { s: { valueType: 'text' } } };
  assert.deepEqual(Object.keys(await problemsOf(service, 'integration.saveSignals', valueType)), [
    'inputs.s.valueType',
  ]);
});

test('E2 all faults of a request are reported at once', async () => {
  const query = { limit: 1001, sort: ['x'], filter: { colour: 'red' } };
  const params = { integration: '00000000000000000000', query, include: ['x'] };
  for (const method of ['admin.selectSignals', 'admin.disconnectSignals'])
    assert.deepEqual(Object.keys(await problemsOf(service, method, params, { version: '1.2' })).sort(), [
      'include.0',
      'integration',
      'query.filter.colour',
      'query.limit',
      'query.sort.0',
    ]);
});

test('E2a an ID of the other kind is said to be one', async () => {
  const { signal, item } = await publish(service, 'kinds', {});
  const options = { version: '1.2' };
  const { signalsByInput } = await resultOf(service, 'integration.saveSignals', {
    integration,
    signalsByInput: { unpublished: {} },
  });
  const connect = (id: string) =>
    problemsOf(service, 'admin.connectSignals', { integration, item: id }, options);
  assert.deepEqual(await connect(signal), { item: `is a signal; its item is ${item}` });
  assert.deepEqual(await connect(signalsByInput.unpublished.id), {
    item: 'is a signal; it has no item yet: publish it first',
  });
  const itemsBySignal = { [item]: {} };
  assert.deepEqual(await problemsOf(service, 'admin.publishSignals', { integration, itemsBySignal }), {
    [`itemsBySignal.${item}`]: `is an item; its signal is ${signal}`,
  });
  const data = [{ id: item, annotations: {} }];
  assert.deepEqual(await problemsOf(service, 'admin.annotateSignals', { integration, data }, options), {
    'data.0.id': `is an item; its signal is ${signal}`,
  });
  const items = [{ id: signal, alias: 'a' }];
  assert.deepEqual(await problemsOf(service, 'service.evaluate', { items, data: { rollup: 'PT1H' } }), {
    'items.0.id': `is a signal; its item is ${item}`,
  });
});

test('E2a an answer names the first 50 paths, and how many more there are', async () => {
  const ids = Array.from({ length: 9000 }, (_, i) => String(i).padStart(20, '0'));
  const itemsBySignal = Object.fromEntries(ids.map((id) => [id, {}]));
  const problems = await problemsOf(service, 'admin.publishSignals', { integration, itemsBySignal });
  assert.equal(Object.keys(problems).length, 51);
  assert.equal(problems[''], '8950 more faults; the first 50 paths are listed');
});

test('L1b a call is about 10,000 signals at most, unless configured', async () => {
  const small = await serviceOfFile({ limits: { signalsPerCallMax: 20 } });
  const keys = (count: number, value: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value]));
  const save = (count: number) => ({ integration: small.integration, signalsByInput: keys(count, {}) });
  const insert = (count: number) => ({
    integration: small.integration,
    data: { times: [0], series: keys(count, [1]) },
  });
  await resultOf(small, 'integration.saveSignals', save(20));
  await resultOf(small, 'integration.insert', insert(20));
  assert.deepEqual(await problemsOf(small, 'integration.saveSignals', save(21)), {
    signalsByInput: 'must have at most 20 members, got 21',
  });
  assert.deepEqual(await problemsOf(small, 'integration.insert', insert(21)), {
    'data.series': 'must have at most 20 members, got 21',
  });
});

test('L1b a large request has so many members, objects and arrays at most', async () => {
  const small = await serviceOfFile({ limits: { requestMembersMax: 1000 } });
  const post = async (count: number) => {
    const members = Array.from({ length: count }, (_, i) => `"k${i}":0`).join();
    const padding = 'x'.repeat(200_000);
    const params = `{"integration":"${padding}","signalsByInput":{${members}}}`;
    const body = `{"jsonrpc":"2.0","id":1,"method":"integration.saveSignals","params":${params}}`;
    return (await readJson(await small.post(body))).error;
  };
  // Besides those of the map: six members and three objects.
  assert.equal((await post(991)).code, -32602);
  const refused = await post(992);
  assert.equal(refused.code, -32600);
  assert.match(refused.message, /at most 1000 members, objects and arrays/);
});

test('L1c a large request with a long text, number or array is refused as a whole', async () => {
  const small = await serviceOfFile({ limits: { requestTextBytesMax: 65_536, requestEntriesMax: 20_000 } });
  const post = async (params: string) => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"integration.saveSignals","params":${params}${' '.repeat(200_000)}}`;
    const { error, id } = await readJson(await small.post(body));
    return [error.code, id, error.message];
  };
  const entries = `[${'1,'.repeat(20_000)}1]`;
  for (const [value, message] of [
    [`"${'x'.repeat(65_537)}"`, /a text in a request may have at most 65536 bytes/],
    ['1'.repeat(40_000), /a number may have at most 32768 digits/],
    [entries, /an array may have at most 20000 entries/],
  ] as const) {
    const [code, id, text] = await post(`{"integration":${value}}`);
    assert.deepEqual([code, id], [-32600, null]);
    assert.match(text, message);
  }
  assert.equal((await post(`{"integration":"${'x'.repeat(65_536)}"}`))[0], -32602);
});

test('L4g an integration creates so many signals an hour; more is -32015 and says when', async () => {
  const small = await serviceOfFile({ limits: { newSignalsPerHourMax: 100 } });
  const save = (from: number, count: number) =>
    small.call('integration.saveSignals', {
      integration: small.integration,
      signalsByInput: Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${from + i}`, {}])),
    });
  assert.ok((await save(0, 80)).result);
  const refused = (await save(80, 30)).error;
  assert.equal(refused?.code, -32015);
  assert.match(refused?.message ?? '', /may create 100 an hour; 30 more are possible in 360 s/);
  assert.ok((await save(80, 20)).result, 'fewer fit');
  assert.ok((await save(0, 100)).result, 'existing ones are not new');
  const data = { times: [0], series: { fresh: [1] } };
  const insert = await small.call('integration.insert', { integration: small.integration, data });
  assert.equal(insert.error?.code, -32015);
  small.clock.advance(36);
  assert.ok((await save(200, 1)).result);
});

test('W5a a byte order mark is skipped, what is not UTF-8 is -32700', async () => {
  const text = new TextEncoder().encode('{"jsonrpc":"2.0","id":1,"method":"integration.insert","params":[]}');
  const marked = await readJson(await service.post(Uint8Array.of(0xef, 0xbb, 0xbf, ...text)));
  assert.equal(marked.error.code, -32602);
  const latin = await readJson(
    await service.post(Uint8Array.of(...text.slice(0, -2), 0x22, 0xe9, 0x22, 0x5d, 0x7d)),
  );
  assert.equal(latin.error.code, -32700);
});

test('W10 in 1.1 query, include or format asks for the relational form, anything else for the flat one', async () => {
  const select = (params: object) => resultOf(service, 'service.selectItems', params, { version: '1.1' });
  const flat = [{}, { items: null, data: null, query: null }, { items: {} }, { data: {} }, { signals: {} }];
  for (const params of flat) assert.deepEqual(await select(params), {}, JSON.stringify(params));
  const relational = [{ query: {} }, { include: [] }, { format: {} }, { query: {}, items: null }];
  for (const params of relational) assert.ok((await select(params)).meta, JSON.stringify(params));
});

test('W10 members of both forms are invalid', async () => {
  for (const name of ['items', 'data', 'signals']) {
    const params = { query: {}, [name]: {} };
    const mixed = await problemsOf(service, 'service.selectItems', params, { version: '1.1' });
    assert.deepEqual(Object.keys(mixed), [name]);
  }
});

test('W10 a version that knows one form refuses the members of the other, and ignores no filter', async () => {
  for (const [method, version, names] of [
    ['service.selectItems', '1.1beta1', ['query', 'include', 'format']],
    ['service.selectItems', '1.1beta2', ['items', 'data', 'signals']],
    ['service.selectItems', '1.2', ['items', 'data', 'signals']],
    ['admin.selectSignals', '1.1beta1', ['query', 'include', 'format']],
    ['admin.selectSignals', '1.1beta2', ['items', 'signals']],
  ] as const) {
    const needed = method === 'admin.selectSignals' ? { integration } : {};
    for (const name of names) {
      const problems = await problemsOf(service, method, { ...needed, [name]: {} }, { version });
      assert.deepEqual(problems, { [name]: 'unknown parameter' }, `${method} ${version}`);
    }
  }
});

test('E3a a body of unknown length is read, and refused with 413 once it is too long', async () => {
  const small = await serviceOfFile({ limits: { bodyBytesMax: 1024 } });
  const chunked = (length: number) =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}'));
        controller.enqueue(new Uint8Array(length).fill(0x20));
        controller.close();
      },
    });
  const post = (length: number) =>
    fetch(`${small.url}/v1/rpc`, {
      method: 'POST',
      body: chunked(length),
      headers: { authorization: small.authorization, 'content-type': 'application/json' },
      duplex: 'half',
    });
  assert.equal((await post(100)).status, 200);
  assert.equal((await post(2000)).status, 413);
});

test('E3a types that end in +json are JSON, other charsets than UTF-8 are 415', async () => {
  const statusOf = async (type: string) =>
    (
      await service.post('{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}', {
        headers: { 'content-type': type },
      })
    ).status;
  for (const type of ['application/vnd.x+json', 'application/json-rpc', 'application/json; charset=utf-8'])
    assert.equal(await statusOf(type), 200, type);
  for (const type of ['application/json; charset=latin1', 'text/json5', 'application/jsonx'])
    assert.equal(await statusOf(type), 415, type);
});

test('L1a a limit is what the configuration says, and messages name it', async () => {
  const small = await serviceOfFile({ limits: { selectLimitMax: 3, batchCallsMax: 1 } });
  const problems = await problemsOf(small, 'service.selectItems', { query: { limit: 4 } });
  assert.deepEqual(problems, { 'query.limit': 'must be at most 3, got 4' });
  const call = { jsonrpc: '2.0', id: 1, method: 'rpc.discover' };
  const answer = await readJson(await small.post(JSON.stringify([call, call])));
  assert.match(answer.error.message, /a batch must have 1 to 1 calls, got 2$/);
});
