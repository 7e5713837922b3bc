/** A calculated item is what service.evaluate gives for its formula written out, to the last bit (C2). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Aggregated, ItemAggregation } from '#domain/query/request';
import { aggregations } from '#model/aggregation';
import type { Frame } from '#model/frame';
import type { Item } from '#model/signal';
import { ask, evaluation, group, of, Plant, paths, queryOf, type Rows } from '../unit/domain/query/plant.ts';

const startS = Date.parse('2026-03-27T00:00:00Z') / 1000;
const rows: fc.Arbitrary<Rows> = fc
  .array(fc.tuple(fc.integer({ min: -50, max: 350 }), fc.integer({ min: -1, max: 4 })), { maxLength: 40 })
  .map((rows) => rows.map(([tenth, value]): [number, number] => [startS + tenth * 600, value / 3]));

const aggregated: fc.Arbitrary<Omit<Aggregated, 'alias'>> = fc.record({
  aggregation: fc.constantFrom(...aggregations),
  state: fc.integer({ min: 0, max: 1 }),
  lead: fc.constantFrom(0, 0, 1, 5),
  lag: fc.constantFrom(0, 0, 1, 3),
});

/** `lower` over the aliases p and q of items; `upper` over r, which stands for another calculated item, and q. */
const lower = fc.constantFrom(
  'p + q',
  'coalesce(p, 0) - q',
  'movavg(p, 3) * q',
  'gapfill(p) / q',
  'cumsum(p) + lag(q, 2)',
  'interpolate(p)',
  'p > q ? p : null',
  'delta(p) + time_seconds',
  'if(isnull(p), bucket_seconds, lead(p))',
  'gapfill(q) + movmax(p, 2)',
);
const upper = fc.constantFrom(
  'r * q',
  'lag(r) + lead(q, 3)',
  'cumsum(r)',
  'movsum(r, 4) + gapfill(q)',
  'coalesce(r, q, 7)',
  'interpolate(r) - rate(q)',
);

const time = fc
  .integer({ min: 0, max: 300 })
  .map((tenth) => new Date((startS + tenth * 600) * 1000).toISOString());
const width = fc.constantFrom('PT20M', 'PT1H', 'PT6H', 'P1D', 'window');

/** A series under `alias`, shifted as an item with this lead and lag is. */
function shifted(alias: string, name: string, { lead, lag }: Pick<Aggregated, 'lead' | 'lag'>): string {
  const offset = lead - lag;
  return `${alias}=${offset > 0 ? `lead(${name}, ${offset})` : `lag(${name}, ${-offset})`}`;
}

function assertEqual(actual: Frame, expected: Frame): void {
  assert.deepEqual(actual.timesUs, expected.timesUs);
  for (const [key, column] of expected.series) assert.deepEqual(actual.series.get(key), column, key);
  assert.equal(actual.series.size, expected.series.size);
}

const runs = { numRuns: Number(process.env['CALCULATION_RUNS'] ?? 300) };

test('C2 an item over items and a calculated item is evaluate with both formulas written out', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        points: fc.array(rows, { minLength: 3, maxLength: 3 }),
        gap: fc.constantFrom(null, 1800e6, 7200e6),
        how: fc.array(aggregated, { minLength: 6, maxLength: 6 }),
        ...{ lower, upper, from: time, before: time, width },
      }),
      async ({ points, gap, how, lower, upper, from, before, width }) => {
        const plant = new Plant();
        const made: Item[] = [];
        for (const own of points) made.push(await plant.item({ gapDetectionUs: gap }, own));
        const still = { lead: 0, lag: 0 };
        // With `window` an evaluate call allows no lead or lag of items; an item shifted so is null then.
        const [p, q1, r, q2, x, y] = how.map((one) => (width === 'window' ? { ...one, ...still } : one));
        const c1 = await plant.calculated(lower, [of(made[0], 'p', p), of(made[1], 'q', q1)]);
        const plain = (one: typeof r) => ({ ...one, aggregation: 'avg', state: null }) as const;
        const c2 = await plant.calculated(upper, [of(c1, 'r', plain(r)), of(made[2], 'q', q2)]);
        const series = ['x', 'y', 'sum', 'z'];
        const data = ask(from, before, width, { timeZone: 'Europe/Berlin', series });
        const z = of(made[0], 'z');
        const sum = 'sum=coalesce(lag(x), 1) + y';
        const items = [of(c2, 'x', plain(x)), of(c1, 'y', plain(y)), z];
        const actual = await plant.query().evaluate(evaluation(data, items, [sum]));
        const name = (formula: string) => formula.replace(/\bq\b/g, 'q2');
        const written: ItemAggregation[] = [
          of(made[0], 'p', p),
          of(made[1], 'q', q1),
          of(made[2], 'q2', q2),
          z,
        ];
        const formulas = [
          ...[`c1=${lower}`, shifted('r', 'c1', r), `c2=${name(upper)}`],
          ...[shifted('x', 'c2', x), shifted('y', 'c1', y), sum],
        ];
        const request = evaluation({ ...data, series: ['z', 'x', 'y', 'sum'] }, written, formulas);
        assertEqual(actual.frame, (await plant.query().evaluate(request)).frame);
      },
    ),
    runs,
  );
});

test('C3 the statistics and states of an item are those of its one value, in groups too', async () => {
  await fc.assert(
    fc.asyncProperty(
      ...[fc.array(rows, { minLength: 2, maxLength: 2 }), lower, time, time, width],
      async (points, formula, from, before, width) => {
        const plant = new Plant();
        const [a, b] = [await plant.item({}, points[0]), await plant.item({}, points[1])];
        const item = await plant.calculated(formula, [of(a, 'p'), of(b, 'q')]);
        const data = ask(from, before, width);
        const statistics = aggregations.filter((name) => !name.startsWith('state-'));
        const asked = statistics.map((aggregation) => of(item, aggregation, { aggregation }));
        const value = `value=${formula}`;
        const groups = [group('g', { query: queryOf([item, a]), groupAggregation: 'avg' })];
        const request = evaluation(data, [...asked, of(a, 'p'), of(b, 'q')], [value], groups);
        const { series } = (await plant.query().evaluate(request)).frame;
        const values = series.get('value')!;
        for (const name of statistics) {
          const of = name === 'count' ? 1 : name === 'stddev' ? 0 : null;
          const expected = values.map((one) => (Number.isNaN(one) || of === null ? one : of));
          assert.deepEqual(series.get(name), expected, name);
        }
        const p = series.get('p')!;
        const mean = values.map((one, i) =>
          Number.isNaN(one) ? p[i] : Number.isNaN(p[i]) ? one : sumInOrder(item, a, one, p[i]) / 2,
        );
        assert.deepEqual(series.get('g'), mean);
      },
    ),
    runs,
  );
});

/** Members are added in the order of their IDs. */
function sumInOrder(one: Item, other: Item, first: number, second: number): number {
  return one.id < other.id ? first + second : second + first;
}

test('C4 raw values are those of the intervals that begin in the window, each as if the interval were all inside', async () => {
  await fc.assert(
    fc.asyncProperty(
      ...[fc.array(rows, { minLength: 2, maxLength: 2 }), time, time],
      async (points, from, before) => {
        const plant = new Plant();
        const [a, b] = [await plant.item({}, points[0]), await plant.item({}, points[1])];
        const item = await plant.calculated(
          'gapfill(p) + q',
          [of(a, 'p'), of(b, 'q', { lag: 1 })],
          {},
          'PT1H',
        );
        const data = ask(from, before, null);
        const raw = await plant.query().dataFrame({ query: queryOf([item]), data, paths });
        const hour = (text: string) => Math.ceil(Date.parse(text) / 3_600_000) * 3_600_000;
        const whole = [from, before].map((text) => new Date(hour(text)).toISOString());
        const rolled = ask(whole[0], whole[1], 'PT1H', { series: ['x'] });
        const written = evaluation(rolled, [of(a, 'p'), of(b, 'q', { lag: 1 })], ['x=gapfill(p) + q']);
        const expected = (await plant.query().evaluate(written)).frame;
        assert.deepEqual(raw.frame.timesUs, expected.timesUs);
        assert.deepEqual(raw.frame.series.get(item.id), expected.series.get('x'));
      },
    ),
    runs,
  );
});
