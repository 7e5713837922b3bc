/** A store that rolls up and one that only scans give the same answers (Q6, Q9-Q12). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Aggregated } from '#domain/query/request';
import { aggregations } from '#model/aggregation';
import type { Frame } from '#model/frame';
import type { Item } from '#model/signal';
import type { RollupRequest } from '#storage/store';
import { naiveRollup } from '../support/naive-rollup.ts';
import { ask, evaluation, group, of, Plant, paths, queryOf, type Rows } from '../unit/domain/query/plant.ts';

const startS = Date.parse('2026-01-01T00:00:00Z') / 1000;

/** Answers from every point there is, by definition. */
async function rollupByTheBook(plant: Plant, { sources, buckets, nowUs }: RollupRequest) {
  const ever = { startUs: -(2 ** 53), endUs: 2 ** 53 };
  const scans = sources.map(({ signals }) => ({ signals, window: ever, before: false, after: false }));
  const points = await plant.series.scan({ sources: scans });
  return sources.map((source, i) => naiveRollup(points[i], source, buckets, nowUs));
}

const rows: fc.Arbitrary<Rows> = fc
  .array(fc.tuple(fc.integer({ min: -50, max: 250 }), fc.integer({ min: 0, max: 4 })), { maxLength: 25 })
  .map((rows) => rows.map(([tenth, value]): [number, number] => [startS + tenth * 600, value]));

const aggregated: fc.Arbitrary<Omit<Aggregated, 'alias'>> = fc.record({
  aggregation: fc.constantFrom(...aggregations),
  state: fc.integer({ min: 0, max: 4 }),
  lead: fc.constantFrom(0, 0, 1, 5),
  lag: fc.constantFrom(0, 0, 1, 3),
});
const rollup = fc.constantFrom('PT20M', 'PT1H', 'PT6H', 'P1D');
const time = fc
  .integer({ min: 0, max: 200 })
  .map((tenth) => new Date((startS + tenth * 600) * 1000).toISOString());
const gap = fc.constantFrom(null, 1800e6, 7200e6);

async function plantOf(
  items: { points: Rows[]; gap: number | null }[],
): Promise<{ plant: Plant; made: Item[] }> {
  const plant = new Plant();
  const made: Item[] = [];
  for (const { points, gap } of items) {
    const valueType = made.length % 2 === 0 ? 'numeric' : 'enum';
    made.push(await plant.item({ valueType, gapDetectionUs: gap }, ...points));
  }
  return { plant, made };
}

function assertSame(actual: Frame, expected: Frame): void {
  assert.deepEqual([...actual.series.keys()], [...expected.series.keys()]);
  assert.deepEqual(actual.timesUs, expected.timesUs);
  for (const [key, column] of actual.series) {
    const other = expected.series.get(key)!;
    const isFar = (value: number, i: number) =>
      Math.abs(value - other[i]) > 1e-9 || Number.isNaN(value) !== Number.isNaN(other[i]);
    assert.equal(column.findIndex(isFar), -1, key);
  }
}

const items = fc.array(fc.record({ points: fc.array(rows, { maxLength: 3 }), gap }), {
  minLength: 2,
  maxLength: 4,
});

test('Q6 Q9 Q10 Q12 evaluate is the same from rollups by the book as from scans', async () => {
  await fc.assert(
    fc.asyncProperty(
      items,
      fc.array(aggregated, { minLength: 4, maxLength: 4 }),
      time,
      time,
      rollup,
      async (items, how, from, before, width) => {
        const { plant, made } = await plantOf(items);
        const data = ask(from, before, width, { timeZone: 'Europe/Berlin' });
        const asked = how.map((one, i) => of(made[i % made.length], `a${i}`, one));
        const request = evaluation(data, asked, ['c=gapfill(a0) + lag(a1, 2)'], [group('g', how[3])]);
        const scanned = await plant.query().evaluate(request);
        const pushed = await plant.query({}, (request) => rollupByTheBook(plant, request)).evaluate(request);
        assertSame(scanned.frame, pushed.frame);
      },
    ),
    { numRuns: 60 },
  );
});

test('Q7 Q10 a data frame and the flat form are the same from rollups by the book as from scans', async () => {
  await fc.assert(
    fc.asyncProperty(items, time, time, rollup, async (items, from, before, width) => {
      const { plant, made } = await plantOf(items);
      const request = { query: queryOf(made), data: ask(from, before, width), paths };
      const byTheBook = plant.query({}, (request) => rollupByTheBook(plant, request));
      for (const form of ['dataFrame', 'selectData'] as const) {
        const scanned = await plant.query()[form](request);
        assertSame(scanned.frame, (await byTheBook[form](request)).frame);
      }
    }),
    { numRuns: 40 },
  );
});
