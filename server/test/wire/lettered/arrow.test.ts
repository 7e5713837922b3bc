/** Data frames as Arrow streams, in calls and in answers (W5b-W5f). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import zlib from 'node:zlib';
import { Int32, TimestampMillisecond, vectorFromArray } from 'apache-arrow';
import fc from 'fast-check';
import { unlimitedPlan } from '#model/plan';
import { doubles, readStream, streamOf, timeVector } from '../../support/arrow.ts';
import { type AnswerBody, type CallOptions, readJson } from '../../support/http.ts';
import { newIntegration, serviceOfFile, startService } from '../../support/service.ts';
import { testAct } from '../../support/world.ts';
import { publish, resultOf } from './plant.ts';

const service = await serviceOfFile();
const { integration } = service;
const arrowType = 'application/vnd.apache.arrow.stream';

/** Posts a stream as the frame of a call. */
function post(body: Uint8Array<ArrayBuffer>, query: string, options: CallOptions = {}): Promise<Response> {
  const headers: Record<string, string> = {
    authorization: options.authorization ?? service.authorization,
    'content-type': arrowType,
    ...options.headers,
  };
  if (options.version !== undefined) headers['x-api-version'] = options.version;
  return fetch(`${service.url}/v1/rpc?${query}`, { method: 'POST', body, headers });
}

const own = `method=integration.insert&integration=${integration}`;

async function insert(
  body: Uint8Array<ArrayBuffer>,
  query = own,
  options?: CallOptions,
): Promise<AnswerBody> {
  const response = await post(body, query, options);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'application/json');
  return (await response.json()) as AnswerBody;
}

/** Calls with Accept for Arrow. */
function ask(method: string, params: object, options: CallOptions = {}): Promise<Response> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });
  return service.post(body, { ...options, headers: { accept: arrowType, ...options.headers } });
}

async function streamIn(response: Response) {
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), arrowType);
  return readStream(new Uint8Array(await response.arrayBuffer()));
}

const atUs = Date.parse('2026-03-01T10:00:00Z') * 1000;
const day = { filter: { times: { $gte: '2026-03-01T00:00:00Z', $lt: '2026-03-02T00:00:00Z' } } };
const small = streamOf({ time: timeVector([atUs]), small: doubles([1]) });

test('W5b a stream is inserted as a frame in JSON is, in every version, with the id of the URL', async () => {
  const { item } = await publish(service, 'plant/a', { name: 'A', visible: true });
  const stream = streamOf({
    time: timeVector([atUs / 1000 + 60_000, atUs / 1000], new TimestampMillisecond()),
    'plant/a': doubles([2.5, 1]),
    'plant/new': vectorFromArray([null, 3], new Int32()),
  });
  for (const version of ['1.0', '1.1beta1', '1.1beta2', '1.1', '1.2']) {
    const answer = await insert(stream, `${own}&id=x1`, { version });
    assert.deepEqual([answer.jsonrpc, answer.id], ['2.0', 'x1']);
    const { created, id } = answer.result.signalsByInput['plant/new'];
    assert.equal(created, version === '1.0');
    assert.match(id, /^[0-9a-v]{20}$/);
  }
  assert.equal((await insert(stream)).id, 1);
  const { data } = await resultOf(service, 'service.dataFrame', {
    query: { filter: { id: item } },
    data: day,
  });
  assert.deepEqual(data, {
    times: ['2026-03-01T10:00:00Z', '2026-03-01T10:01:00Z'],
    series: { [item]: [1, 2.5] },
  });
});

test('W5b names of methods and parameters are those of JSON; the body may be compressed', async () => {
  const gzip = new Uint8Array(zlib.gzipSync(small));
  const lower = own.replace('integration.insert', 'INTEGRATION.INSERT');
  const { result } = await insert(gzip, lower, { headers: { 'content-encoding': 'gzip' } });
  assert.deepEqual(Object.keys(result.signalsByInput), ['small']);
});

for (const [what, query, code, message] of [
  ['no method', 'integration=x', -32600, /the URL names the method: \?method=integration\.insert/],
  ['a parameter twice', `${own}&integration=x`, -32600, /"integration" is given twice/],
  ['data in the URL too', `${own}&data=x`, -32600, /"data" is given twice/],
  ['an unknown method', 'method=integration.nothing', -32601, /Method not found/],
] as const) {
  test(`W5b ${what}`, async () => {
    const { error } = await insert(small, query);
    assert.equal(error?.code, code);
    assert.match(error.message, message);
  });
}

for (const [what, query, params] of [
  ['no integration', 'method=integration.insert', { integration: ['required'] }],
  ['an unknown parameter', `${own}&x=1`, { x: ['unknown parameter'] }],
  [
    'a method that takes no frame',
    'method=service.dataFrame',
    { data: ['this method takes no Arrow stream; send its call as JSON'] },
  ],
] as const) {
  test(`W5b ${what}: -32602`, async () => {
    const { error, id } = await insert(small, `${query}&id=5`);
    assert.equal(id, '5');
    assert.equal(error?.code, -32602);
    assert.deepEqual(error.data.params, params);
  });
}

test('W5b another integration is refused, as in JSON', async () => {
  const other = await newIntegration(service.identity, []);
  const { error } = await insert(small, `method=integration.insert&integration=${other.integration}`);
  assert.equal(error?.code, -32003);
});

test('W5d a stream that is none: -32602 at data, and nothing is stored', async () => {
  const cut = streamOf({ time: timeVector([atUs]), uncreated: doubles([1]) }).slice(0, -8);
  const { error, id } = await insert(cut, `${own}&id=c`);
  assert.deepEqual([error?.code, id], [-32602, 'c']);
  assert.deepEqual(Object.keys(error?.data.params ?? {}), ['data']);
  const query = { filter: { input: 'uncreated' } };
  const { data } = await resultOf(service, 'admin.selectSignals', { integration, query }, { version: '1.2' });
  assert.deepEqual(data, []);
});

test('W5d input keys are checked as in JSON', async () => {
  const stream = streamOf({ time: timeVector([atUs]), 'a b': doubles([1]), __proto__x: doubles([2]) });
  const json = await service.call('integration.insert', {
    integration,
    data: { times: ['2026-03-01T10:00:00Z'], series: { 'a b': [1], __proto__x: [2] } },
  });
  const { error } = await insert(stream);
  assert.deepEqual([error?.code, error?.data.params], [-32602, json.error?.data.params]);
});

test('E3 the limit of the body, types and codings are those of JSON', async () => {
  const limited = await startService({ limits: { bodyBytesMax: 2048 } });
  try {
    const headers = { 'content-type': arrowType };
    const send = (body: Uint8Array<ArrayBuffer>, more = {}) =>
      limited.post(body, { headers: { ...headers, ...more } });
    assert.equal((await send(new Uint8Array(4096))).status, 413);
    const bomb = new Uint8Array(zlib.gzipSync(new Uint8Array(4096)));
    assert.equal((await send(bomb, { 'content-encoding': 'gzip' })).status, 413);
    assert.equal((await send(small, { 'content-encoding': 'lz4' })).status, 415);
    const file = await send(small, { 'content-type': 'application/vnd.apache.arrow.file' });
    assert.equal(file.status, 415);
    assert.match((await readJson(file)).detail, /vnd\.apache\.arrow\.stream/);
  } finally {
    await limited.close();
  }
});

test('L4c the points of a stream count for the plan, and one that does not fit stores none; L4 its bytes are metered', async () => {
  const { integration, authorization } = await newIntegration(service.identity, []);
  const plan = await service.plans.create(testAct, { ...unlimitedPlan('arrow'), pointsPerDayMax: 3 });
  await service.plans.assign(testAct, integration, plan.name);
  const query = `method=integration.insert&integration=${integration}`;
  const stream = streamOf({ time: timeVector([atUs, atUs + 1]), a: doubles([1, null]), b: doubles([1, 2]) });
  assert.equal((await insert(stream, query, { authorization })).error, undefined);
  await service.settle();
  const { error } = await insert(stream, query, { authorization });
  assert.deepEqual(error?.code, -32015);
  await service.settle();
  const [{ tally }] = await service.usage.list(integration, 1);
  assert.deepEqual([tally.requests, tally.points, tally.bytesIn], [2, 3, 2 * stream.length]);
});

const points = [
  ['2026-03-01T10:00:00Z', 1],
  ['2026-03-01T10:00:00.000001Z', 2],
  ['2026-03-01T11:00:00Z', -3.5],
] as const;

test('W5e, W5f dataFrame as a stream: raw, in every version that has it', async () => {
  const { item } = await publish(service, 'out/raw', { name: 'Raw', visible: true }, points);
  const { item: empty } = await publish(service, 'out/empty', { name: 'Empty', visible: true });
  for (const version of ['1.1beta2', '1.1', '1.2']) {
    const params = { query: { filter: { id: { $in: [item, empty] } } }, data: day, include: ['item'] };
    const response = await ask('service.dataFrame', params, { version });
    assert.equal(response.headers.get('x-api-version'), version);
    const stream = await streamIn(response);
    const json = await resultOf(service, 'service.dataFrame', params, { version });
    assert.deepEqual(stream.timesUs, [atUs, atUs + 1, atUs + 3600e6]);
    assert.deepEqual(stream.series, json.data.series);
    assert.deepEqual(stream.types[0], 'time: Timestamp<MICROSECOND, UTC>');
    const others = Object.fromEntries([...stream.metadata].map(([name, text]) => [name, JSON.parse(text)]));
    assert.deepEqual(others, { meta: json.meta, included: json.included });
  }
});

test('W5e evaluate as a stream, with nulls', async () => {
  const { item } = await publish(service, 'out/hourly', { name: 'Hourly', visible: true }, points);
  const params = {
    items: [{ id: item, alias: 'a', aggregation: 'max' }],
    calculations: [{ formula: 'gapfill(a) * 2', alias: 'b' }],
    data: { ...day, rollup: 'PT30M' },
  };
  const stream = await streamIn(await ask('service.evaluate', params, { version: '1.2' }));
  const { data } = await resultOf(service, 'service.evaluate', params, { version: '1.2' });
  assert.ok(data.series.a.includes(null));
  assert.deepEqual(stream.series, data.series);
});

test('W5e the data of the flat selectItems as a stream', async () => {
  const { item } = await publish(service, 'out/flat', { name: 'Flat', visible: true }, points);
  const params = {
    items: { include: true, filter: { id: item } },
    data: { include: true, notBefore: '2026-03-01T00:00:00Z', before: '2026-03-02T00:00:00Z' },
  };
  const stream = await streamIn(await ask('service.selectItems', params, { version: '1.1beta1' }));
  const json = await resultOf(service, 'service.selectItems', params, { version: '1.1beta1' });
  assert.deepEqual(stream.series, json.data.series);
  assert.deepEqual(JSON.parse(stream.metadata.get('items') ?? ''), json.items);
});

const hourly = {
  items: [],
  calculations: [{ formula: '1', alias: 'time' }],
  data: { ...day, rollup: 'PT1H' },
};

for (const [what, method, params] of [
  ['an error', 'service.dataFrame', { data: { rollup: 'x' } }],
  ['a result without a frame', 'service.selectItems', { query: { limit: 1 } }],
  ['a frame for each series', 'service.dataFrame', { data: day, format: { dataAsArray: true } }],
  ['a series that is named time', 'service.evaluate', hourly],
] as const) {
  test(`W5e ${what} is answered in JSON`, async () => {
    const response = await ask(method, params, { version: '1.2' });
    assert.equal(response.headers.get('content-type'), 'application/json');
    const { id, result, error } = await readJson(response);
    assert.equal(id, 7);
    assert.equal(what === 'an error', result === undefined && error.code === -32602);
  });
}

test('W5e a batch is answered in JSON, a notification with 204', async () => {
  const call = { jsonrpc: '2.0', method: 'service.dataFrame', params: { data: day } };
  const headers = { accept: arrowType };
  const batch = await service.post(JSON.stringify([{ ...call, id: 1 }]), { headers });
  assert.equal((await readJson(batch))[0].id, 1);
  assert.equal((await service.post(JSON.stringify(call), { headers })).status, 204);
});

test('W5e Accept chooses: JSON unless Arrow is named, and not less wanted', async () => {
  for (const [accept, type] of [
    ['*/*', 'application/json'],
    ['application/*', 'application/json'],
    [`${arrowType};q=0`, 'application/json'],
    [`application/json, ${arrowType};q=0.9`, 'application/json'],
    [`application/json;q=0.9, ${arrowType}`, arrowType],
    [`${arrowType}, application/json`, arrowType],
    [`${arrowType.toUpperCase()}, */*;q=0.1`, arrowType],
  ]) {
    const response = await ask('service.dataFrame', { data: day }, { headers: { accept } });
    assert.equal(response.headers.get('content-type'), type, accept);
    await response.arrayBuffer();
  }
});

test('W5e a long answer is sent in pieces, compressed if the client accepts that', async () => {
  const rows = 30_000;
  const times = Array.from({ length: rows }, (_, row) => atUs + 1000 * row);
  const stream = streamOf({ time: timeVector(times), 'out/long': doubles(times.map((_, row) => row / 7)) });
  const { item } = await publish(service, 'out/long', { name: 'Long', visible: true });
  await insert(stream);
  for (const encoding of ['identity', 'gzip', 'zstd']) {
    const params = { query: { filter: { id: item } }, data: day };
    const response = await ask('service.dataFrame', params, { headers: { 'accept-encoding': encoding } });
    assert.equal(response.headers.get('content-encoding') ?? 'identity', encoding);
    const { timesUs, column } = await streamIn(response);
    assert.deepEqual(timesUs, times);
    assert.deepEqual(
      column(item).toArray(),
      Float64Array.from(times, (_, row) => row / 7),
    );
  }
});

/** Rows in any order, some times more than once, with nulls. */
const rows = fc.array(
  fc.tuple(
    fc.integer({ min: 0, max: 30 }),
    // JSON.stringify writes -0 as 0.
    fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)),
    fc.option(fc.integer({ min: -1000, max: 1000 })),
  ),
  { minLength: 1, maxLength: 40 },
);

let frameCount = 0;

test('W5b, W5e a frame by either way in gives the same points by either way out', async () => {
  const property = fc.asyncProperty(rows, async (rows) => {
    const name = `both/${frameCount++}`;
    const items = await Promise.all(
      ['json-1', 'json-2', 'arrow-1', 'arrow-2'].map((way) =>
        publish(service, `${name}/${way}`, { name: way, visible: true }),
      ),
    );
    const [json1, json2, arrow1, arrow2] = items.map(({ item }) => item);
    const times = rows.map(([second]) => new Date(atUs / 1000 + second * 1000).toISOString());
    const [first, second] = [rows.map((row) => row[1]), rows.map((row) => row[2])];
    const series = { [`${name}/json-1`]: first, [`${name}/json-2`]: second };
    const inserted = await service.call('integration.insert', { integration, data: { times, series } });
    const stream = streamOf({
      time: timeVector(
        rows.map(([second]) => atUs / 1000 + second * 1000),
        new TimestampMillisecond(),
      ),
      [`${name}/arrow-1`]: doubles(first),
      [`${name}/arrow-2`]: vectorFromArray(second, new Int32()),
    });
    const sent = await insert(stream);
    assert.deepEqual([inserted.error, sent.error], [undefined, undefined]);
    const query = { filter: { id: { $in: [json1, json2, arrow1, arrow2] } } };
    const { data } = await resultOf(service, 'service.dataFrame', { query, data: day });
    assert.deepEqual([data.series[arrow1], data.series[arrow2]], [data.series[json1], data.series[json2]]);
    const out = await streamIn(await ask('service.dataFrame', { query, data: day }));
    assert.deepEqual(out.series, data.series);
    assert.deepEqual(
      out.timesUs.map((us) => us / 1000),
      data.times.map(Date.parse),
    );
  });
  await fc.assert(property, { numRuns: 25 });
});
