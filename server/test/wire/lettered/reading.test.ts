/** Lettered statements about reading (Q): what this implementation decides. The clock is fixed at 2026-03-01T12:00:00Z. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceOfFile } from '../../support/service.ts';
import { problemsOf, publish, resultOf } from './plant.ts';

const service = await serviceOfFile();

const valve = await publish(
  service,
  'valve',
  { valueType: 'enum', enumValues: { '0': 'shut', '7': 'stuck' } },
  [
    ['2026-03-01T01:00:00Z', 1],
    ['2026-03-01T01:30:00Z', 0],
    ['2026-03-01T10:00:00Z', 1],
  ],
);
const flow = await publish(service, 'flow', { visible: false }, [
  ['2026-02-20T00:00:00Z', 5],
  ['2026-03-01T00:10:00Z', 1],
  ['2026-03-01T00:20:00Z', 2],
  ['2026-03-01T03:00:00Z', 3],
]);

function window(from: string, before: string) {
  return { times: { $gte: from, $lt: before } };
}

const morning = window('2026-03-01T00:00:00Z', '2026-03-01T04:00:00Z');

test('Q1a in the flat form before alone does not move the start', async () => {
  const items = { filter: { id: flow.item } };
  const read = async (data: object) =>
    (
      await resultOf(
        service,
        'service.selectItems',
        { items, data: { include: true, ...data } },
        { version: '1.1' },
      )
    ).data;
  const { times } = await read({ before: '2026-03-01T01:00:00Z' });
  assert.deepEqual(times, ['2026-03-01T00:10:00Z', '2026-03-01T00:20:00Z']);
  assert.deepEqual((await read({ before: '2026-02-21T00:00:00Z' })).times, []);
});

test('Q1a a window reaches no further than timestamps do', async () => {
  const data = { rollup: 'window', filter: { times: { $gte: '1684-07-28T01:00:00Z' } } };
  const one = { id: flow.item, alias: 'a', aggregation: 'count' };
  assert.ok(await resultOf(service, 'service.evaluate', { items: [one], data }));
});

test('Q2a months that lack the day of the origin begin on their last day', async () => {
  const data = {
    rollup: 'P1M',
    origin: '2026-01-31T00:00:00Z',
    filter: window('2026-01-31T00:00:00Z', '2026-05-31T00:00:00Z'),
  };
  const calculations = [{ formula: 'bucket_seconds / 86400', alias: 'days' }];
  const { data: frame } = await resultOf(service, 'service.evaluate', { calculations, data });
  assert.deepEqual(
    frame.times.map((time: string) => time.slice(5, 10)),
    ['01-31', '02-28', '03-31', '04-30'],
  );
  assert.deepEqual(frame.series.days, [28, 31, 30, 31]);
});

test('Q3a an offset is no zone, and a day that was skipped has no bucket', async () => {
  const ask = (timeZone: string, from: string, before: string) => ({
    calculations: [{ formula: '1', alias: 'one' }],
    data: { rollup: 'P1D', timeZone, filter: window(from, before) },
  });
  const offset = ask('+01:00', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z');
  assert.deepEqual(Object.keys(await problemsOf(service, 'service.evaluate', offset)), ['data.timeZone']);
  // Samoa went from 2011-12-29 to 2011-12-31.
  const samoa = ask('Pacific/Apia', '2011-12-29T10:00:00Z', '2012-01-01T10:00:00Z');
  assert.deepEqual((await resultOf(service, 'service.evaluate', samoa)).data.times, [
    '2011-12-29T10:00:00Z',
    '2011-12-30T10:00:00Z',
    '2011-12-31T10:00:00Z',
  ]);
});

test('Q6a p95 of n values is at place 0.95 · (n − 1)', async () => {
  const rows = Array.from({ length: 11 }, (_, i) => [`2026-03-01T05:00:${10 + i}Z`, i * 10] as const);
  const { item } = await publish(service, 'percentiles', {}, rows);
  const items = ['p05', 'median', 'p95'].map((aggregation) => ({
    id: item,
    aggregation,
    alias: aggregation,
  }));
  const { data } = await resultOf(
    service,
    'service.evaluate',
    { items, data: { rollup: 'window' } },
    { version: '1.2' },
  );
  assert.deepEqual(data.series, { p05: [5], median: [50], p95: [95] });
});

test('Q7a of the series that $in names those that exist are returned; an empty list names none', async () => {
  const frame = async ($in: string[]) => {
    const params = {
      query: { filter: { id: flow.item } },
      data: { rollup: 'window', filter: { ...morning, series: { $in } } },
    };
    return Object.keys((await resultOf(service, 'service.dataFrame', params)).data.series);
  };
  assert.deepEqual(await frame([`${flow.item}_max`, 'nobody']), [`${flow.item}_max`]);
  assert.deepEqual(await frame([]), []);
});

test('Q8a last works on raw points and in evaluate', async () => {
  const query = { filter: { id: flow.item } };
  const raw = await resultOf(service, 'service.dataFrame', { query, data: { last: 1 } });
  assert.deepEqual(raw.data, { times: ['2026-03-01T03:00:00Z'], series: { [flow.item]: [3] } });
  const items = [{ id: flow.item, alias: 'a' }];
  const evaluated = await resultOf(service, 'service.evaluate', {
    items,
    data: { rollup: 'PT1H', last: 1, filter: morning },
  });
  assert.deepEqual(evaluated.data.series, { a: [3] });
});

test('Q10a a state has 0 where only others held, null where none did, and nothing beyond now', async () => {
  const items = [{ id: valve.item, aggregation: 'state-seconds', state: 1, alias: 'open' }];
  const calculations = [{ formula: '1', alias: 'one' }];
  const data = { rollup: 'PT1H', filter: window('2026-03-01T00:00:00Z', '2026-03-01T14:00:00Z') };
  const { series } = (await resultOf(service, 'service.evaluate', { items, calculations, data })).data;
  assert.deepEqual(series.open.slice(0, 3), [null, 1800, 0]);
  assert.deepEqual(series.open.slice(9), [0, 3600, 3600, null, null]);
});

test('E2 all that is wrong with items, groups, data and include of an evaluation is said at once', async () => {
  const wrong = {
    items: [{ id: flow.item, alias: 'a', aggregation: 'most' }],
    groups: [
      { alias: 'g', groupAggregation: 'most' },
      { alias: 'h', filter: { colour: 'red' } },
    ],
    data: { rollup: 'weekly' },
    include: ['signal'],
  };
  assert.deepEqual(Object.keys(await problemsOf(service, 'service.evaluate', wrong, { version: '1.2' })), [
    'include.0',
    'data.rollup',
    'items.0.aggregation',
    'groups.0.filter',
    'groups.0.groupAggregation',
    'groups.1.filter.colour',
  ]);
});

test('E2 all that is wrong with query, data and include of a data frame is said at once', async () => {
  const wrong = { query: { sort: ['colour'] }, data: { rollup: 'weekly' }, include: ['signal'] };
  assert.deepEqual(Object.keys(await problemsOf(service, 'service.dataFrame', wrong)), [
    'include.0',
    'query.sort.0',
    'data.rollup',
  ]);
});

test('Q12a a group by filter that is too large is refused, one by query is what its limit chooses', async () => {
  const small = await serviceOfFile({ limits: { itemsLimitMax: 2 } });
  for (const input of ['a', 'b', 'c', 'd', 'e'])
    await publish(small, input, {}, [['2026-03-01T00:00:00Z', 1]]);
  const evaluate = (group: object) => ({
    groups: [{ alias: 'g', groupAggregation: 'sum', ...group }],
    data: { rollup: 'window' },
  });
  const refused = await problemsOf(small, 'service.evaluate', evaluate({ filter: {} }), { version: '1.2' });
  assert.deepEqual(refused, {
    'groups.0': 'all items and groups together must reference at most 2 items, got more than 2',
  });
  const chosen = await resultOf(small, 'service.evaluate', evaluate({ query: { limit: 2 } }), {
    version: '1.2',
  });
  assert.deepEqual(chosen.data.series, { g: [2] });
  const both = await problemsOf(small, 'service.evaluate', evaluate({ filter: {}, query: {} }), {
    version: '1.2',
  });
  assert.deepEqual(Object.keys(both), ['groups.0.filter']);
});

test('Q15 an item that is not visible is read like any other', async () => {
  const found = await resultOf(service, 'service.selectItems', {
    query: { filter: { visible: false, id: flow.item } },
  });
  assert.equal(found.data.length, 1);
  const items = [{ id: flow.item, aggregation: 'sum', alias: 'a' }];
  const { data } = await resultOf(service, 'service.evaluate', {
    items,
    data: { rollup: 'window', filter: morning },
  });
  assert.deepEqual(data.series, { a: [6] });
});
