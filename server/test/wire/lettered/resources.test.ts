/** Lettered statements about resources (R): what this implementation decides. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '#model/error';
import { MemoryMetaStore } from '../../memory-store/meta-store.ts';
import { MemorySeriesStore } from '../../memory-store/series-store.ts';
import { serviceOfFile } from '../../support/service.ts';
import { problemsOf, publish, resultOf } from './plant.ts';

const service = await serviceOfFile();
const { integration } = service;
const nobody = '00000000000000000000';

function save(fields: object, input = 'saved') {
  return { integration, signalsByInput: { [input]: fields } };
}

async function select(filter: object) {
  return (await resultOf(service, 'admin.selectSignals', { integration, query: { filter } })).data;
}

test('R2a characters are code points, and U+0000 is none that may be used', async () => {
  await resultOf(service, 'integration.saveSignals', save({ name: '🌊'.repeat(128) }));
  assert.ok(await problemsOf(service, 'integration.saveSignals', save({ name: '🌊'.repeat(129) })));
  const zero = await problemsOf(service, 'integration.saveSignals', save({ description: 'a\0b' }));
  assert.deepEqual(Object.keys(zero), ['signalsByInput.saved.description']);
});

test('R2b type and valueType may both be given when they say the same', async () => {
  await resultOf(service, 'integration.saveSignals', save({ type: 'enum', valueType: 'enum' }));
  const problems = await problemsOf(
    service,
    'integration.saveSignals',
    save({ type: 'enum', valueType: 'numeric' }),
  );
  assert.deepEqual(Object.keys(problems), ['signalsByInput.saved.type']);
});

test('R2 leading zeros of an enum key are dropped, and the same key twice is invalid', async () => {
  const save7 = save({ enumValues: { '007': 'seven', '0000': 'zero', 12: 'twelve' } }, 'states');
  await resultOf(service, 'integration.saveSignals', save7);
  const [signal] = await select({ 'enumValues.07': 'seven' });
  assert.deepEqual(signal.attributes.enumValues, { 0: 'zero', 7: 'seven', 12: 'twelve' });
  const twice = save({ enumValues: { 7: 'a', '007': 'b' } }, 'states');
  assert.deepEqual(await problemsOf(service, 'integration.saveSignals', twice), {
    'signalsByInput.states.enumValues.007': 'is the same key as "7"; give only one of them',
  });
  for (const key of ['', '10000', '-1', '1.0', '0x1']) {
    const wrong = save({ enumValues: { [key]: 'x' } });
    assert.ok(await problemsOf(service, 'integration.saveSignals', wrong), key);
  }
});

test('R2 label values may have 1,024 characters', async () => {
  const labels = (length: number) => save({ labels: { url: ['x'.repeat(length)] } }, 'labelled');
  await resultOf(service, 'integration.saveSignals', labels(1024));
  assert.equal((await select({ 'labels.url': 'x'.repeat(1024) })).length, 1);
  assert.deepEqual(await problemsOf(service, 'integration.saveSignals', labels(1025)), {
    'signalsByInput.labelled.labels.url': 'must be at most 1024 characters, got 1025',
  });
});

test('R2 __proto__ and constructor are accepted as every key that a pattern allows', async () => {
  for (const key of ['__proto__', 'constructor', 'toString']) {
    const own = <T>(value: T): Record<string, T> => Object.fromEntries([[key, value]]);
    const fields = { name: key, labels: own(['l']), annotations: own('a'), enumValues: { 1: key } };
    const signalsByInput = own(fields);
    const saved = await resultOf(service, 'integration.saveSignals', { integration, signalsByInput });
    const signal = Object.entries<{ id: string }>(saved.signalsByInput)[0];
    assert.equal(signal[0], key);
    const [stored] = await select({ [`labels.${key}`]: 'l', [`annotations.${key}`]: 'a' });
    assert.equal(JSON.stringify(stored.attributes.labels), `{"${key}":["l"]}`);
    assert.equal(JSON.stringify(stored.meta.annotations), `{"${key}":"a"}`);
    const data = { times: [0], series: own([7]) };
    const inserted = await resultOf(service, 'integration.insert', { integration, data });
    assert.deepEqual(Object.entries(inserted.signalsByInput), [[key, { id: signal[1].id, created: false }]]);
    const wrong = { times: [0], series: own(['x']) };
    assert.deepEqual(
      Object.keys(await problemsOf(service, 'integration.insert', { integration, data: wrong })),
      [`data.series.${key}.0`],
    );
  }
});

test('R2 R9 __proto__ is an alias and a series of an evaluation like any other', async () => {
  const { item } = await publish(service, 'alias', {}, [['2026-03-01T10:00:00Z', 2]]);
  const evaluate = {
    items: [{ id: item, alias: '__proto__' }],
    calculations: [{ alias: 'constructor', formula: '__proto__ * 3' }],
    data: {
      filter: { times: { $gte: '2026-03-01T10:00:00Z', $lt: '2026-03-01T11:00:00Z' } },
      rollup: 'PT1H',
    },
  };
  const { data } = await resultOf(service, 'service.evaluate', evaluate);
  assert.deepEqual(Object.entries(data.series), [
    ['__proto__', [2]],
    ['constructor', [6]],
  ]);
});

test('R4 a T that nothing follows may end a duration', async () => {
  for (const [written, stored] of [
    ['P1DT', 'PT24H'],
    ['P7DT', 'PT168H'],
    ['PT', null],
    ['p1wt', 'PT168H'],
  ]) {
    await resultOf(service, 'integration.saveSignals', save({ sampleInterval: written }, 'durations'));
    const [signal] = await select({ input: 'durations' });
    assert.equal(signal.attributes.sampleInterval, stored, String(written));
  }
  for (const wrong of ['P', 'T', 'P1T', 'P1DTT', 'P1DT1'])
    assert.ok(await problemsOf(service, 'integration.saveSignals', save({ sampleInterval: wrong })), wrong);
});

test('R3a second 60 means the next one at the end of a UTC day, and nothing elsewhere', async () => {
  const insert = (time: unknown) => ({ integration, data: { times: [time], series: { leap: [1] } } });
  await resultOf(service, 'integration.insert', insert('2016-12-31T23:59:60Z'));
  await resultOf(service, 'integration.insert', insert('2017-01-01T00:59:60+01:00'));
  for (const time of ['2016-12-31T12:59:60Z', 1.5])
    assert.deepEqual(Object.keys(await problemsOf(service, 'integration.insert', insert(time))), [
      'data.times.0',
    ]);
});

test('R4a intervals are fixed and not negative; zero and null leave them unset', async () => {
  for (const sampleInterval of ['PT0S', null]) {
    await resultOf(service, 'integration.saveSignals', save({ sampleInterval }));
    const [signal] = await select({ input: 'saved' });
    assert.equal(signal.attributes.sampleInterval, null);
  }
  for (const gapDetection of ['-PT1S', 'P1M', ''])
    assert.ok(await problemsOf(service, 'integration.saveSignals', save({ gapDetection })));
});

test('R9a a frame without a number creates the signals of new keys', async () => {
  for (const data of [
    { times: [], series: { 'no-rows': [] } },
    { times: [0], series: { 'all-null': [null] } },
  ]) {
    const { signalsByInput } = await resultOf(service, 'integration.insert', { integration, data });
    assert.deepEqual(
      Object.values<{ created: boolean }>(signalsByInput).map(({ created }) => created),
      [true],
    );
  }
});

test('R9a signals that a request created remain when the store cannot take its points', async () => {
  class FullStore extends MemorySeriesStore {
    override async append(): Promise<void> {
      throw new AppError('unavailable', 'Nothing was stored: the disk is full');
    }
  }
  const full = await serviceOfFile({ meta: new MemoryMetaStore(), series: new FullStore() });
  const insert = { integration: full.integration, data: { times: [0], series: { fresh: [1] } } };
  const request = { jsonrpc: '2.0', id: 1, method: 'integration.insert', params: insert };
  const refused = await full.post(JSON.stringify(request));
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '5']);
  const query = { integration: full.integration, query: { filter: { input: 'fresh' } } };
  assert.equal((await resultOf(full, 'admin.selectSignals', query)).data.length, 1);
});

test('R9b the first three faults of an array are named by element', async () => {
  const data = { times: [0, 1, 2, 3, 4], series: { a: ['x', 1, true, {}, 'y'] } };
  const problems = await problemsOf(service, 'integration.insert', { integration, data });
  assert.deepEqual(Object.keys(problems).sort(), [
    'data.series.a',
    'data.series.a.0',
    'data.series.a.2',
    'data.series.a.3',
  ]);
});

test('R10a a signal that the integration does not have, and an integration that does not exist, are invalid', async () => {
  const itemsBySignal = { [nobody]: { name: 'x' } };
  const foreign = await problemsOf(service, 'admin.publishSignals', { integration, itemsBySignal });
  assert.deepEqual(Object.keys(foreign), [`itemsBySignal.${nobody}`]);
  for (const [method, more] of [
    ['admin.publishSignals', { itemsBySignal: {} }],
    ['admin.selectSignals', {}],
  ] as const)
    assert.deepEqual(Object.keys(await problemsOf(service, method, { integration: nobody, ...more })), [
      'integration',
    ]);
});

test('R11a the limit of the query bounds what connect changes', async () => {
  const { item } = await publish(service, 'many/0', {});
  service.clock.advance(1); // Of different nodes only the IDs of different seconds are in the order in which they were made.
  await resultOf(service, 'integration.saveSignals', {
    integration,
    signalsByInput: Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`many/${i}`, {}])),
  });
  const filter = { input: { $regex: '^many/' } };
  const connect = { integration, item, query: { filter } };
  const { data } = await resultOf(service, 'admin.connectSignals', connect, { version: '1.2' });
  assert.equal(data.length, 20);
  const connected = await resultOf(service, 'admin.selectSignals', {
    integration,
    query: { filter: { $and: [filter, { item }] }, limit: -1 },
  });
  assert.equal(connected.data.length, 20);
});

test('R11a annotate names signals that exist, and answers with each once', async () => {
  const { signal } = await publish(service, 'annotated', {});
  const annotate = (...data: object[]) => ({ integration, data });
  const one = { id: signal, annotations: { a: '1' } };
  const { data } = await resultOf(
    service,
    'admin.annotateSignals',
    annotate(one, { ...one, annotations: { b: '2' } }),
    {
      version: '1.2',
    },
  );
  assert.deepEqual(
    data.map(({ meta }: { meta: { annotations: object } }) => meta.annotations),
    [{ a: '1', b: '2' }],
  );
  const unknown = annotate(one, { id: nobody, annotations: {} });
  assert.deepEqual(
    Object.keys(await problemsOf(service, 'admin.annotateSignals', unknown, { version: '1.2' })),
    ['data.1.id'],
  );
});

test('R12a groupIncludedByType replaces format in 1.1beta2, and is overridden by it later', async () => {
  const params = {
    integration,
    include: ['item'],
    groupIncludedByType: true,
    query: { filter: { input: 'many/0' } },
  };
  const beta = await resultOf(service, 'admin.selectSignals', params, { version: '1.1beta2' });
  assert.deepEqual(Object.keys(beta.included), ['items']);
  const format = { groupIncludedByType: false };
  const later = await resultOf(service, 'admin.selectSignals', { ...params, format }, { version: '1.1' });
  assert.ok(Array.isArray(later.included));
});

test('R12b with dataAsArray a series has only the rows in which it has a value', async () => {
  const one = await publish(service, 'rows/1', {}, [
    ['2026-03-01T10:00:00Z', 1],
    ['2026-03-01T10:01:00Z', null],
  ]);
  service.clock.advance(1);
  const two = await publish(service, 'rows/2', {}, [['2026-03-01T10:01:00Z', 2]]);
  const query = { filter: { id: { $in: [one.item, two.item] } } };
  const { data } = await resultOf(service, 'service.dataFrame', { query, format: { dataAsArray: true } });
  assert.deepEqual(data, [
    { times: ['2026-03-01T10:00:00Z'], series: { [one.item]: [1] } },
    { times: ['2026-03-01T10:01:00Z'], series: { [two.item]: [2] } },
  ]);
});

test('R12c items have no relationship: include adds nothing', async () => {
  for (const include of [['item'], ['items']]) {
    const answer = await resultOf(service, 'service.selectItems', { include });
    assert.deepEqual(answer.included, []);
  }
  assert.deepEqual(Object.keys(await problemsOf(service, 'service.selectItems', { include: ['x'] })), [
    'include.0',
  ]);
});

test('R12 connect and disconnect have no included where there is nothing to include', async () => {
  const { item } = await publish(service, 'related', {});
  const ask = (method: string, more: object = {}) => {
    const query = { filter: { input: 'related' } };
    const params = { integration, query, include: ['item'], ...more };
    return resultOf(service, method, params, { version: '1.2' });
  };
  const connected = await ask('admin.connectSignals', { item });
  assert.deepEqual(
    connected.included.map(({ id }: { id: string }) => id),
    [item],
  );
  assert.equal(Object.hasOwn(await ask('admin.disconnectSignals'), 'included'), false);
  const grouped = await ask('admin.disconnectSignals', { format: { groupIncludedByType: true } });
  assert.equal(Object.hasOwn(grouped, 'included'), false);
  assert.deepEqual((await ask('admin.selectSignals')).included, []);
});

test('R13 a limit of 0 is the default, as if it were absent', async () => {
  const signalsByInput = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`zero/${i}`, {}]));
  await resultOf(service, 'integration.saveSignals', { integration, signalsByInput });
  const filter = { input: { $regex: '^zero/' } };
  const lengthOf = async (query: object) =>
    (await resultOf(service, 'admin.selectSignals', { integration, query: { filter, ...query } })).data
      .length;
  assert.equal(await lengthOf({ limit: 0 }), 20);
  assert.equal(await lengthOf({}), 20);
  assert.equal(await lengthOf({ limit: -1 }), 21);
});

test('R13a what lacks the field comes first ascending and last descending; a negative skip is none', async () => {
  for (const [i, sampleInterval] of ['PT2M', null, 'PT1M'].entries())
    await resultOf(service, 'integration.saveSignals', save({ sampleInterval }, `sorted/${i}`));
  const order = async (sort: string) => {
    const query = { filter: { input: { $regex: '^sorted/' } }, sort: [sort], skip: -3 };
    const { data } = await resultOf(service, 'admin.selectSignals', { integration, query });
    return data.map(({ attributes }: { attributes: { input: string } }) => attributes.input.at(-1)).join('');
  };
  assert.equal(await order('sampleInterval'), '120');
  assert.equal(await order('-sampleInterval'), '021');
  const keys = { integration, query: { sort: Array(17).fill('name') } };
  assert.deepEqual(Object.keys(await problemsOf(service, 'admin.selectSignals', keys)), ['query.sort']);
});

test('R14a levels, comparisons and patterns of a filter are limited', async () => {
  const nested = (levels: number): object => (levels === 1 ? { name: 'x' } : { $and: [nested(levels - 1)] });
  const patterns = (count: number) => ({ $or: Array(count).fill({ name: { $regex: 'a' } }) });
  const ids = (count: number) => ({ id: { $in: Array(count).fill('a') } });
  const pattern = (length: number) => ({ name: { $regex: 'a'.repeat(length) } });
  const within = [nested(16), ids(1000), patterns(50), { $or: Array(1000).fill({}) }, pattern(1000)];
  const beyond = [nested(17), ids(1001), patterns(51), { $or: Array(1001).fill({}) }, pattern(1001)];
  for (const filter of within) await resultOf(service, 'service.selectItems', { query: { filter } });
  for (const filter of beyond)
    assert.ok(await problemsOf(service, 'service.selectItems', { query: { filter } }));
});
