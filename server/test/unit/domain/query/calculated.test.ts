/** Reading calculated items (C2-C4): what has a meaning of its own beside formulas of a call, and what bounds it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FrameRequest } from '#domain/query/request';
import type { Limits } from '#model/limits';
import type { Item } from '#model/signal';
import { ask, evaluation, group, of, Plant, paths, print, problemsOf, queryOf, type Rows } from './plant.ts';

const day = '2026-03-01';
const at = (time: string) => `${day}T${time}Z`;
const hourly: Rows = [0, 1, 2, 3].map((hour) => [at(`0${hour}:10:00`), hour]);

/** A plant with one item, and frames of items of it. */
async function plantWith(...points: Rows[]): Promise<{ plant: Plant; a: Item }> {
  const plant = new Plant();
  return { plant, a: await plant.item({}, ...points) };
}

function frame(items: readonly Item[], rollup: string | null, more = {}): FrameRequest {
  return { query: queryOf(items), data: ask(at('00:00:00'), at('04:00:00'), rollup, more), paths };
}

test('C2 items at all levels are read once, together', async () => {
  const { plant, a } = await plantWith(hourly);
  const one = await plant.calculated('2 * a', [of(a, 'a')]);
  const two = await plant.calculated('a + b', [of(one, 'a'), of(a, 'b', { aggregation: 'max' })]);
  const data = ask(at('00:00:00'), at('04:00:00'), 'PT1H');
  const { frame } = await plant.query().evaluate(evaluation(data, [of(two, 'x'), of(one, 'y')]));
  assert.equal(plant.series.reads, 1);
  assert.deepEqual(print(frame), [
    `${at('00:00:00')} 0 0`,
    `${at('01:00:00')} 3 2`,
    `${at('02:00:00')} 6 4`,
    `${at('03:00:00')} 9 6`,
  ]);
});

test('C2a with the rollup window what is shifted is null', async () => {
  const { plant, a } = await plantWith(hourly);
  const item = await plant.calculated('coalesce(p, -1) + q', [of(a, 'p', { lag: 1 }), of(a, 'q')]);
  const user = await plant.calculated('coalesce(x, 7)', [of(item, 'x', { lead: 1 })]);
  const data = ask(at('00:00:00'), at('04:00:00'), 'window');
  const { frame } = await plant.query().evaluate(evaluation(data, [of(item, 'x'), of(user, 'y')]));
  assert.deepEqual(print(frame), [`${at('00:00:00')} 0.5 7`]);
});

test('C3 states hold for the bucket, as far as it is inside the window', async () => {
  const { plant, a } = await plantWith([...hourly.slice(0, 2), hourly[3]]);
  const enumValues = new Map([
    ['0', 'off'],
    ['1', 'on'],
  ]);
  const item = await plant.calculated('a > 0', [of(a, 'a')], { valueType: 'enum', enumValues });
  const data = ask(at('00:05:00'), at('03:30:00'), 'PT1H');
  const own = { aggregation: 'state-seconds', state: 1 } as const;
  const asked = [
    of(item, 'on', own),
    of(item, 'off', { ...own, state: 0 }),
    of(item, 'part', { ...own, aggregation: 'state-percent', lag: 1 }),
  ];
  const { frame } = await plant.query().evaluate(evaluation(data, asked));
  assert.deepEqual(print(frame), [
    `${at('00:00:00')} 0 3300 -`,
    `${at('01:00:00')} 3600 0 0`,
    `${at('02:00:00')} - - 100`,
    `${at('03:00:00')} 1800 0 -`,
  ]);
  const named = await plant.query().dataFrame({ query: queryOf([item]), data, paths });
  assert.deepEqual([...named.frame.series.keys()], [`${item.id}_state_0`, `${item.id}_state_1`]);
});

test('C3 gapfill over an item carries as far as its gapDetection, which is not that of its inputs', async () => {
  const { plant, a } = await plantWith([hourly[0]]);
  const item = await plant.calculated('lag(a) + 1', [of(a, 'a')], { gapDetectionUs: 3600e6 });
  const data = ask(at('02:00:00'), at('04:00:00'), 'PT1H', { series: ['x', 'y'] });
  const request = evaluation(data, [of(item, 'i'), of(a, 'a')], ['x=gapfill(i)', 'y=gapfill(a)']);
  assert.deepEqual(print((await plant.query().evaluate(request)).frame), [
    `${at('02:00:00')} 1 0`,
    `${at('03:00:00')} - 0`,
  ]);
});

test('C3 groups combine calculated items with others', async () => {
  const { plant, a } = await plantWith(hourly);
  const item = await plant.calculated('10 * a', [of(a, 'a')]);
  const data = ask(at('00:00:00'), at('02:00:00'), 'PT1H');
  const groups = [
    group('sum', { query: queryOf([a, item]), groupAggregation: 'sum' }),
    group('g', { query: queryOf([a, item]), groupAggregation: 'max', aggregation: 'count' }),
  ];
  const { frame, items } = await plant.query().evaluate(evaluation(data, [], [], groups));
  assert.deepEqual(print(frame), [`${at('00:00:00')} 0 1`, `${at('01:00:00')} 11 1`]);
  assert.deepEqual(
    items.map(({ id }) => id),
    [item.id, a.id].sort(),
  );
});

test('C4 raw rows beside those of other items; outsidePoints adds the nearest values, and last keeps the newest', async () => {
  const { plant, a } = await plantWith(hourly);
  const item = await plant.calculated('10 * a', [of(a, 'a')], {}, 'PT1H');
  const read = async (more = {}) => {
    const { frame: raw } = await plant.query().dataFrame(frame([a, item], null, more));
    return print(
      new (raw.constructor as never as new (...args: unknown[]) => typeof raw)(
        raw.timesUs,
        new Map([a, item].map(({ id }) => [id, raw.series.get(id)])),
      ),
    );
  };
  const hours = [0, 1, 2, 3];
  const rows = hours.flatMap((hour) => [
    `${at(`0${hour}:00:00`)} - ${10 * hour}`,
    `${at(`0${hour}:10:00`)} ${hour} -`,
  ]);
  assert.deepEqual(await read(), rows);
  assert.deepEqual(await read({ last: 1 }), rows.slice(-2));
  const inside = ask(at('01:05:00'), at('02:05:00'), null, { outsidePoints: true });
  const outside = await plant.query().dataFrame({ query: queryOf([item]), data: inside, paths });
  assert.deepEqual(print(outside.frame), [
    `${at('01:00:00')} 10`,
    `${at('02:00:00')} 20`,
    `${at('03:00:00')} 30`,
  ]);
  const between = ask(at('01:05:00'), at('01:06:00'), null, { outsidePoints: true });
  const around = await plant.query().dataFrame({ query: queryOf([item]), data: between, paths });
  assert.deepEqual(print(around.frame), [`${at('01:00:00')} 10`, `${at('02:00:00')} 20`]);
});

test('C4 items of different intervals have each its own rows, and one without inputs there has none', async () => {
  const { plant, a } = await plantWith(hourly);
  const b = await plant.item({});
  const one = await plant.calculated('a', [of(a, 'a')], {}, 'PT2H');
  const two = await plant.calculated('a', [of(a, 'a', { aggregation: 'sum' })], {}, 'PT1H');
  const none = await plant.calculated('b', [of(b, 'b')], {}, 'PT1H');
  const { frame: raw } = await plant.query().dataFrame(frame([one, two, none], null));
  const column = ({ id }: Item) => [...(raw.series.get(id) ?? [])];
  assert.deepEqual(column(one), [0.5, Number.NaN, 2.5, Number.NaN]);
  assert.deepEqual(column(two), [0, 1, 2, 3]);
  assert.deepEqual(column(none), [Number.NaN, Number.NaN, Number.NaN, Number.NaN]);
});

test('C2 work, memory, items and levels are bounded, and the error says where', async () => {
  const { plant, a } = await plantWith(hourly);
  const one = await plant.calculated('cumsum(a) + sin(a)', [of(a, 'a')], {}, 'PT1S');
  const two = await plant.calculated('a', [of(one, 'a')]);
  const long = { ...frame([two], null), data: ask('2026-02-20T00:00:00Z', at('00:00:00'), 'PT1S') };
  const refused = (limits: Partial<Limits>, request = long) =>
    problemsOf(plant.query(limits).dataFrame(request));
  const [[path, [problem]]] = Object.entries(await refused({ formulaWorkMsMax: 1 }));
  assert.equal(path, 'data.rollup');
  assert.match(problem, /^the formula of the calculated item c0+3: must take at most 1 ms to compute/);
  const [[, [memory]]] = Object.entries(await refused({ formulaValuesMax: 1000 }));
  assert.match(memory, /must hold at most 1000 values at one time/);
  assert.deepEqual(await refused({ calculationItemsMax: 1 }), {
    'data.rollup': ['the inputs of calculated items are more than 1: ask for fewer of them at a time'],
  });
  assert.deepEqual(await refused({ calculationLevelsMax: 1 }), {
    'data.rollup': ['calculated items may use others over at most 1 levels'],
  });
  const [[, [rows]]] = Object.entries(await refused({ bucketColumnsMax: 1000 }, frame([one], null)));
  assert.match(rows, /^more than 1000 buckets would have to be computed; rollup/);
});
