/** Calculated items through the whole service: saved over console.calculations.*, then read in every form. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { consoleOfFile } from '../../support/browser.ts';

const { service, ada, vic } = await consoleOfFile();
const { integration, authorization, url } = service;

const startS = Date.parse('2026-03-01T00:00:00Z') / 1000;
const at = (minutes: number) => new Date((startS + minutes * 60) * 1000).toISOString().replace('.000', '');

/** Signals with points in each of ten minutes, and their items; the IDs of the items. */
async function plant(): Promise<Record<string, string>> {
  const minutes = Array.from({ length: 10 }, (_, i) => i);
  const data = {
    times: minutes.map((minute) => startS + minute * 60 + 5),
    series: { power: minutes.map((minute) => minute), flow: minutes.map((minute) => 10 + (minute % 3)) },
  };
  const saved = await service.call('integration.insert', { integration, data });
  const items: Record<string, string> = {};
  for (const [input, { id }] of Object.entries(
    saved.result.signalsByInput as Record<string, { id: string }>,
  )) {
    const itemsBySignal = { [id]: { name: input, visible: true } };
    const published = await service.call('admin.publishSignals', { integration, itemsBySignal });
    items[input] = published.result.itemsBySignal[id].id;
  }
  return items;
}

const { power, flow } = await plant();
const calculated = {
  item: { name: 'Efficiency', engUnit: '%', gapDetection: 'PT5M', visible: true },
  formula: '100 * p / lag(f)',
  inputs: [
    { id: power, alias: 'p' },
    { id: flow, alias: 'f', aggregation: 'max' },
  ],
};
const saved = await ada.result('console.calculations.save', calculated);
const { id } = saved;
const data = (rollup?: string) => ({
  filter: { times: { $gte: at(0), $lt: at(10) } },
  ...(rollup !== undefined && { rollup }),
});
const read = async (method: string, params: object, version = '1.2') => {
  const { result, error } = await service.call(method, params, { version });
  assert.equal(error, undefined);
  return result;
};
const written = { items: calculated.inputs, calculations: [{ alias: 'x', formula: calculated.formula }] };

async function exported(query: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${url}/v1/export?${query}`, { headers: { authorization } });
  return { status: response.status, text: await response.text() };
}

test('C1 administrators save, all people see', async () => {
  assert.equal((await vic.call('console.calculations.save', calculated)).error?.code, -32003);
  assert.deepEqual((await vic.result('console.calculations.list')).items, [saved]);
  const { attributes, interval, version, inputs } = saved;
  assert.deepEqual([interval, version, attributes.sourceType], ['PT1M', 1, 'aggregation']);
  assert.deepEqual(inputs[1], { id: flow, alias: 'f', aggregation: 'max', lead: 0, lag: 0 });
  assert.deepEqual(await vic.result('console.calculations.show', { id: flow }), {
    item: null,
    inputs: [],
    usedBy: [{ id, name: 'Efficiency', calculated: true }],
  });
  const shown = await vic.result('console.calculations.show', { id });
  assert.deepEqual(
    [shown.item, shown.inputs.map(({ name }: { name: string }) => name).sort()],
    [saved, ['flow', 'power']],
  );
  const bad = await ada.call('console.calculations.save', { ...calculated, formula: 'p / g' });
  assert.deepEqual(bad.error?.data.params, {
    formula: ['at 5: unknown name "g"; the formula of an item sees its inputs'],
  });
});

test('C2 evaluate gives for the item what it gives for its formula', async () => {
  for (const rollup of ['PT1M', 'PT3M', 'PT1H', 'window']) {
    const items = [{ id, alias: 'x' }];
    const own = await read('service.evaluate', { items, data: data(rollup) });
    const series = { series: { $in: ['x'] } };
    const asked = data(rollup);
    const other = { ...asked, filter: { ...asked.filter, ...series } };
    const whole = await read('service.evaluate', { ...written, data: other });
    assert.deepEqual(own.data, whole.data, rollup);
  }
});

test('C3, C4 data frames and the flat form have it, raw and rolled up', async () => {
  const query = { filter: { id: { $in: [id, power] } } };
  const raw = await read('service.dataFrame', { query, data: data() });
  const minutes = await read('service.evaluate', { ...written, data: data('PT1M') });
  const values = new Map(
    raw.data.times.map((time: string, row: number) => [time, raw.data.series[id][row]] as const),
  );
  for (const [row, time] of minutes.data.times.entries())
    assert.equal(values.get(time) ?? null, minutes.data.series['x'][row], time);
  assert.equal(raw.data.series[power].filter((value: number | null) => value !== null).length, 10);
  const hourly = await read('service.dataFrame', { query, data: data('PT5M') });
  const suffixes = ['count', 'min', 'max', 'sum', 'avg'];
  assert.deepEqual(
    Object.keys(hourly.data.series).sort(),
    [id, power].flatMap((item) => suffixes.map((suffix) => `${item}_${suffix}`)).sort(),
  );
  assert.deepEqual(hourly.data.series[`${id}_count`], [null, 1]);
  assert.deepEqual(hourly.data.series[`${id}_sum`], hourly.data.series[`${id}_avg`]);
  const flatData = { include: true, notBefore: at(0), before: at(10) };
  const flat = await read(
    'service.selectItems',
    { items: { filter: { id }, include: true }, data: flatData },
    '1.1beta1',
  );
  assert.deepEqual(
    flat.data.series[id],
    raw.data.series[id].filter((value: number | null) => value !== null),
  );
});

test('C6 views of items have no new member', async () => {
  const [item, other] = await Promise.all(
    [id, power].map(
      async (one) =>
        (await read('service.selectItems', { query: { filter: { id: one } } })).data[0] ??
        Object.values((await read('service.selectItems', { query: { filter: { id: one } } })).data)[0],
    ),
  );
  const shape = (view: Record<string, object>) => [
    Object.keys(view),
    ...[view['attributes'], view['meta'], view['relationships']].map((part) => Object.keys(part)),
  ];
  assert.deepEqual(shape(item), shape(other));
  assert.deepEqual(item.meta.annotations, saved.annotations);
  assert.equal(item.meta.annotations['tidemark/calculated/formula'], '100 * p / lag(f)');
  const filter = { 'annotations.tidemark/calculated/version': '1' };
  const found = await read('service.selectItems', { query: { filter } });
  assert.deepEqual(
    Object.keys(found.data),
    Object.keys((await read('service.selectItems', { query: { filter: { id } } })).data),
  );
});

test('C4 the newest value is in lists of items', async () => {
  const { byId } = await vic.result('console.items.status', { ids: [id, flow] });
  assert.deepEqual(byId[id], { lastTime: at(9), lastValue: 75 });
});

test('C4 exports have it in the long form and with a rollup, and in parts', async () => {
  const query = `items=${id}&from=${at(0)}&to=${at(10)}&format=jsonl`;
  const rows = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const { text } = await exported(`${query}&form=long`);
  const minutes = await read('service.evaluate', { items: [{ id, alias: 'x' }], data: data('PT1M') });
  assert.deepEqual(
    rows(text).map(({ time, value }) => [time, value]),
    minutes.data.times.map((time: string, row: number) => [time, minutes.data.series['x'][row]]),
  );
  const cut = rows((await exported(`${query}&form=long&limit=4`)).text);
  const rest = rows((await exported(`${query}&form=long&after=${cut.at(-1).next}`)).text);
  assert.deepEqual([...cut.slice(0, -1), ...rest], rows(text));
  const wide = await exported(
    `items=${id},${power}&from=${at(0)}&to=${at(10)}&format=jsonl&form=wide&rollup=PT5M`,
  );
  const hourly = await read('service.evaluate', { items: [{ id, alias: 'x' }], data: data('PT5M') });
  assert.deepEqual(
    rows(wide.text).flatMap((row) => row[`${id}_avg`] ?? []),
    hourly.data.series['x'],
  );
  const refused = await exported(`items=${id}&format=jsonl&form=wide`);
  assert.equal(refused.status, 400);
  assert.match(refused.text, /is a calculated item, which has no points of its own: choose a rollup/);
});

test('C4 an export with an item that cannot be computed over all of it is refused before it begins', async () => {
  const times = ['1900-01-01T00:00:00Z', at(1)];
  const inserted = await service.call('integration.insert', {
    integration,
    data: { times, series: { wrong: [1, 2] } },
  });
  const signal = inserted.result.signalsByInput.wrong.id;
  const itemsBySignal = { [signal]: { name: 'Wrong clock', visible: true } };
  const published = await service.call('admin.publishSignals', { integration, itemsBySignal });
  const inputs = [{ id: published.result.itemsBySignal[signal].id, alias: 'w' }];
  const item = { name: 'Seconds', visible: true };
  const every = { item, formula: 'w', inputs, interval: 'PT1S' };
  const seconds = await ada.result('console.calculations.save', every);
  for (const items of ['*', seconds.id]) {
    const refused = await exported(`items=${items}&format=csv`);
    assert.equal(refused.status, 400);
    const [[path, [problem]]] = Object.entries(JSON.parse(refused.text).params as Record<string, string[]>);
    assert.equal(path, `items.${seconds.id}.rollup`);
    assert.match(problem, /^the window has 3\d{9} buckets, at most 100000000 are allowed; choose wider/);
  }
  const others = encodeURIComponent(JSON.stringify({ id: { $nin: [seconds.id] } }));
  for (const query of [`items=*&from=${at(0)}`, `items=*&filter=${others}`])
    assert.equal((await exported(`${query}&format=csv`)).status, 200);
  await ada.result('console.calculations.delete', { id: seconds.id });
});

test('X4b the description of an item in an export says how it is calculated', async () => {
  const { text } = await exported(`items=${id},${power}&format=jsonl&metadata=true`);
  const lines = text.split('\n').filter((line) => line.includes('"attributes"'));
  const described = new Map(lines.map((line) => [JSON.parse(line).id, JSON.parse(line).calculation]));
  const { formula, inputs, interval } = saved;
  assert.deepEqual([described.get(id), described.get(power)], [{ formula, inputs, interval }, undefined]);
});

test('C4 a formula over the whole window is the same in every part of an export', async () => {
  const sum = await ada.result('console.calculations.save', {
    ...calculated,
    item: { name: 'Sum' },
    formula: 'cumsum(p) + gapfill(f)',
  });
  const query = `items=${sum.id}&from=${at(0)}&to=${at(10)}&format=jsonl&form=long`;
  const values = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const whole = values((await exported(query)).text);
  assert.equal(whole.length, 10);
  const cut = values((await exported(`${query}&limit=7`)).text);
  const rest = values((await exported(`${query}&after=${cut.at(-1).next}`)).text);
  assert.deepEqual([...cut.slice(0, -1), ...rest], whole);
  await ada.result('console.calculations.delete', { id: sum.id });
});

test('C6 live values of it are refused with the reason', async () => {
  const open = (query: string) => fetch(`${url}/v1/live?${query}`, { headers: { authorization } });
  const response = await open(`items=${power},${id}`);
  const { params } = (await response.json()) as { params: object };
  const reason =
    'is a calculated item, which has no live values: watch its inputs, and read it when they change';
  assert.deepEqual([response.status, params], [400, { items: [`${id} ${reason}`] }]);
  const only = await open(`query=${encodeURIComponent(JSON.stringify({ filter: { id } }))}`);
  const problem = (await only.json()) as { params: object };
  assert.deepEqual(problem.params, { query: ['selects calculated items only (C6)'] });
});

test('C7 a changed formula is a new version, and reads use it', async () => {
  const changed = await ada.result('console.calculations.save', { ...calculated, id, formula: 'p' });
  assert.deepEqual([changed.id, changed.version], [id, 2]);
  const { versions } = await vic.result('console.calculations.versions', { id });
  const seen = versions.map(({ version, formula, actorName }: Record<string, unknown>) => [
    ...[version, formula, actorName],
  ]);
  assert.deepEqual(seen, [
    [2, 'p', 'Ada'],
    [1, '100 * p / lag(f)', 'Ada'],
  ]);
  const own = await read('service.evaluate', { items: [{ id, alias: 'x' }], data: data('PT1M') });
  assert.deepEqual(own.data.series['x'], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('C5 an item that another one uses cannot be deleted', async () => {
  const inputs = [{ id, alias: 'e' }];
  const user = await ada.result('console.calculations.save', {
    item: { name: 'User' },
    formula: 'e',
    inputs,
  });
  const refused = await ada.call('console.calculations.delete', { id });
  assert.match(refused.error?.message ?? '', /calculated items use it: "User"/);
  for (const one of [user.id, id]) await ada.result('console.calculations.delete', { id: one });
  assert.deepEqual((await vic.result('console.calculations.list')).items, []);
});
