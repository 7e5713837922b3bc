/** The habits of the published clients, each as a flow from the first save to the last read (W1, W4, R3-R13, Q1, Q11). */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { type ServiceUnderTest, startService } from '../../support/service.ts';

let service: ServiceUnderTest;
before(async () => {
  service = await startService();
});
after(() => service.close());

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever the method answers.
type Result = any;

async function call(version: string, method: string, params: object): Promise<Result> {
  const { result, error } = await service.call(method, params, { version });
  assert.equal(error, undefined, JSON.stringify(error));
  return result;
}

/** A strict decoder refuses unknown members. */
function assertMembers(value: object, members: string): void {
  assert.equal(Object.keys(value).join(' '), members);
}

function sha1(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}

const attributeMembers =
  'name description valueType sourceType engUnit sampleInterval gapDetection labels enumValues';

test('R7 R10 R12 the Go client publishes what has changed, and knows it by the hash', async () => {
  const { integration } = service;
  const format = { dataAsArray: true, groupIncludedByType: true };
  const query = { filter: { input: { $in: ['go'] } }, limit: 50, skip: 0, total: false };
  const signal = {
    name: 'Pump',
    description: '',
    valueType: '',
    sourceType: '',
    engUnit: 'bar',
    sampleInterval: 'PT1M30S',
    gapDetection: null,
    labels: { site: ['b', 'a'] },
    enumValues: {},
  };
  await call('1.1', 'integration.saveSignals', { integration, signalsByInput: { go: signal } });
  const times = ['2026-02-28T12:00:00.123456789Z', '2026-02-28T12:00:01Z'];
  await call('1.1', 'integration.insert', { integration, data: { times, series: { go: [1.5, null] } } });

  const select = () =>
    call('1.1', 'admin.selectSignals', { integration, query, format, include: ['item'] }) as Promise<Result>;
  const first = await select();
  assertMembers(first, 'meta data included');
  assertMembers(first.meta, 'total format');
  const [found] = first.data;
  assertMembers(found, 'id type meta attributes relationships');
  assertMembers(found.meta, 'annotations attributesHash relationshipsHash createdAt updatedAt');
  assertMembers(found.attributes, `${attributeMembers} input`);
  assertMembers(found.relationships, 'integration item');
  assert.deepEqual(first.included, { items: [] });
  assert.equal(found.meta.attributesHash, sha1(`${JSON.stringify(found.attributes)}\n`));
  assert.equal(found.meta.relationshipsHash, sha1(`${JSON.stringify(found.relationships)}\n`));

  const { input: _, ...attributes } = found.attributes;
  const annotations = { 'example/attributes-hash': found.meta.attributesHash };
  const publish = {
    integration,
    itemsBySignal: { [found.id]: { ...attributes, visible: false, annotations } },
  };
  const published = await call('1.1', 'admin.publishSignals', publish);
  assertMembers(published.itemsBySignal[found.id], 'id created updated');
  const again = await call('1.1', 'admin.publishSignals', publish);
  assert.deepEqual(again.itemsBySignal[found.id], {
    id: published.itemsBySignal[found.id].id,
    created: false,
    updated: false,
  });
  const { data, included } = await select();
  assert.equal(data[0].meta.attributesHash, found.meta.attributesHash);
  assert.equal(included.items[0].id, data[0].relationships.item.data.id);
  assertMembers(included.items[0].attributes, `${attributeMembers} visible`);
  assert.deepEqual(included.items[0].meta.annotations, annotations);
});

test('Q1 Q11 the Go client reads with zero values for what it does not ask', async () => {
  const zero = '0001-01-01T00:00:00Z';
  const filter = { times: { $gte: zero, $lt: zero }, series: {} };
  const query = { filter: { name: { $in: ['Pump'] } }, limit: 50, skip: 0, total: false };
  const format = { dataAsArray: false, groupIncludedByType: true };
  const raw = await call('1.1', 'clarify.dataFrame', { query, data: { filter }, format, include: null });
  assertMembers(raw, 'meta data');
  assert.deepEqual(raw.data.times, ['2026-02-28T12:00:00.123456Z']);
  const [id] = Object.keys(raw.data.series);

  const data = { filter, rollup: 'PT24H', firstDayOfWeek: 7, timeZone: 'UTC' };
  const items = [{ alias: 'pump', id, timeAggregation: 'max' }];
  const calculations = [{ alias: 'twice', formula: 'pump * 2' }];
  const params = { items, calculations, data, format, include: null };
  const computed = await call('1.1', 'clarify.evaluate', params);
  assert.deepEqual(computed.data, {
    times: ['2026-02-28T00:00:00Z'],
    series: { pump: [1.5], twice: [3] },
  });
  const groups = [
    { alias: 'all', query, timeAggregation: 'state-seconds', groupAggregation: 'max', state: 1 },
  ];
  const grouped = await call('1.2', 'clarify.evaluate', { ...params, groups });
  assert.deepEqual(Object.keys(grouped.data.series), ['pump', 'all', 'twice']);
});

test('R8 R12 the Python client: names in Pascal case, nulls, durations with zero parts', async () => {
  const { integration } = service;
  const signal = {
    name: 'Fan',
    description: '',
    labels: {},
    sourceType: 'measurement',
    valueType: 'numeric',
    engUnit: '',
    enumValues: {},
    sampleInterval: 'P0DT0H0M30.000000S',
    gapDetection: null,
    annotations: null,
  };
  const saved = await call('1.1', 'integration.SaveSignals', {
    integration,
    inputs: { py: signal },
    createOnly: false,
  });
  assertMembers(saved.signalsByInput.py, 'id created updated');
  const inserted = await call('1.1', 'integration.Insert', {
    integration,
    data: { times: ['2026-02-28T12:00:00+00:00', '2026-02-28T13:00:00Z'], series: { py: [1, 3] } },
  });
  assertMembers(inserted.signalsByInput.py, 'id created');

  const query = { filter: { name: 'Fan' }, sort: [], limit: 10, skip: 0, total: true };
  const selected = await call('1.1', 'admin.SelectSignals', {
    integration,
    query,
    include: ['item'],
    groupIncludedByType: true,
  });
  assert.equal(selected.meta.total, 1);
  assert.equal(selected.data[0].attributes.sampleInterval, 'PT30S');
  const published = await call('1.1', 'admin.PublishSignals', {
    integration,
    itemsBySignal: { [selected.data[0].id]: { ...signal, visible: true } },
    createOnly: false,
  });
  const { id } = published.itemsBySignal[selected.data[0].id];
  const items = await call('1.1', 'clarify.SelectItems', { query, include: [], groupIncludedByType: true });
  assert.deepEqual(
    items.data.map((item: Result) => item.id),
    [id],
  );

  const times = { $gte: '2026-02-28T00:00:00Z', $lt: '2026-03-01T00:00:00Z' };
  const data = { filter: { times }, last: -1, rollup: 'P0DT1H0M0.000000S', timeZone: 'UTC' };
  const frame = await call('1.1', 'clarify.dataFrame', {
    query: { ...query, sort: null, total: null },
    data,
    include: [],
    groupIncludedByType: true,
  });
  assert.deepEqual(frame.data.series[`${id}_avg`], [1, 3]);
  const evaluated = await call('1.1', 'clarify.evaluate', {
    items: [{ id, aggregation: 'avg', state: null, lead: null, lag: null, alias: 'fan' }],
    calculations: [{ formula: 'fan + 1', alias: 'more' }],
    data: { ...data, rollup: 'window' },
    include: [],
    format: { dataAsArray: false, groupIncludedByType: true },
  });
  assert.deepEqual(evaluated.data.series, { fan: [2], more: [3] });
});

test('W1 R9 the Node-RED node writes in 1.0, and finds exactly what it expects', async () => {
  const { integration } = service;
  const inputs = { 'node-red_1': { name: 'Flow', type: 'numeric', labels: { room: ['1'] }, locations: [] } };
  const saved = await call('1.0', 'integration.SaveSignals', { integration, inputs });
  assertMembers(saved, 'signalsByInput');
  assertMembers(saved.signalsByInput['node-red_1'], 'id created');
  const inserted = await call('1.0', 'integration.Insert', {
    integration,
    data: { times: ['2026-02-28T12:00:00.000+01:00'], series: { 'node-red_1': [1] } },
  });
  assert.deepEqual(inserted.signalsByInput, {
    'node-red_1': { id: saved.signalsByInput['node-red_1'].id, created: false },
  });
});

test('Q11 the Node-RED node evaluates with an empty list of series', async () => {
  const times = { $gte: '2023-03-01T12:00:00.000Z', $lt: '2023-03-01T12:00:00.000Z' };
  const data = { rollup: 'P1D', filter: { times, series: { $in: [] } } };
  const { data: frame } = await call('1.1', 'clarify.evaluate', { items: [], calculations: [], data });
  assert.deepEqual(frame, { times: [], series: {} });
});

test('R3 R9 the Telegraf output inserts metrics of many fields with their own gaps', async () => {
  const { integration } = service;
  const series = {
    'cpu.usage_idle.cpu-total': [98.1, null, 97.2],
    'disk/used:/var#1': [null, 42, null],
  };
  const times = [1772280000, '2026-02-28T12:00:10Z', '2026-02-28T12:00:20.5Z'];
  const { signalsByInput } = await call('1.1', 'integration.insert', {
    integration,
    data: { times, series },
  });
  assert.deepEqual(Object.keys(signalsByInput), Object.keys(series));
});
