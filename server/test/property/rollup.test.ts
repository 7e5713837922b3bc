/** Rollups and tallies against what they are by definition (Q4-Q6, Q10). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Buckets, bucketStarts } from '#model/bucket';
import type { Points } from '#model/frame';
import { rollUp, type Statistic } from '#model/rollup';
import { type MergeableStatistic, Tally } from '#model/tally';
import { naiveRollup } from '../support/naive-rollup.ts';

const statisticsAll: Statistic[] = [
  'count',
  'sum',
  'min',
  'max',
  'avg',
  'first',
  'last',
  'median',
  'p05',
  'p95',
  'stddev',
];
const mergeable: MergeableStatistic[] = ['count', 'sum', 'min', 'max', 'avg', 'first', 'last', 'stddev'];

const value = fc.oneof(
  fc.integer({ min: -3, max: 12 }),
  fc.double({ min: -1e6, max: 1e6, noNaN: true }),
  fc.constantFrom(1e15, -1e15, 9999, 10_000, 0.1),
);

function pointsOf(value: fc.Arbitrary<number>, maxLength = 60): fc.Arbitrary<Points> {
  return fc
    .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 1000 }), value), { selector: ([us]) => us, maxLength })
    .map((rows) => rows.sort(([a], [b]) => a - b))
    .map((rows) => ({
      timesUs: Float64Array.from(rows, ([us]) => us),
      values: Float64Array.from(rows, ([, value]) => value),
    }));
}

const edges = fc
  .uniqueArray(fc.integer({ min: -100, max: 1100 }), { minLength: 2, maxLength: 30 })
  .map((edges): Buckets => ({ edgesUs: Float64Array.from(edges).sort(), stepUs: null }));

const window = fc
  .tuple(fc.integer({ min: -50, max: 1050 }), fc.integer({ min: -50, max: 1050 }))
  .map(([a, b]) => ({ startUs: Math.min(a, b), endUs: Math.max(a, b) }));

/** Equal to 1e-12 of the values' size (Q6); NaN equals NaN. */
function assertClose(actual: Float64Array, expected: Float64Array, scale: number): void {
  assert.equal(actual.length, expected.length);
  for (let i = 0; i < actual.length; i++) {
    const isSame = Number.isNaN(actual[i])
      ? Number.isNaN(expected[i])
      : Math.abs(actual[i] - expected[i]) <= 1e-12 * scale;
    assert.ok(isSame, `row ${i}: ${actual[i]}, expected ${expected[i]}`);
  }
}

function scaleOf(points: Points): number {
  return points.values.reduce((sum, value) => sum + Math.abs(value), 1);
}

test('Q4 Q6 every statistic is what its definition gives', () => {
  fc.assert(
    fc.property(pointsOf(value), edges, window, (points, buckets, window) => {
      const want = { window, statistics: statisticsAll, states: [], gapUs: 0 };
      const actual = rollUp(points, want, buckets, 0);
      const expected = naiveRollup(points, want, buckets, 0);
      for (const statistic of statisticsAll) {
        const scale = scaleOf(points) * (statistic === 'stddev' ? 1e3 : 1);
        assertClose(actual.statistics.get(statistic)!, expected.statistics.get(statistic)!, scale);
      }
      assert.equal(actual.states.size, 0);
    }),
    { numRuns: 500 },
  );
});

test('Q6 only what is asked for is computed', () => {
  fc.assert(
    fc.property(
      pointsOf(value),
      edges,
      window,
      fc.subarray(statisticsAll),
      (points, buckets, window, statistics) => {
        const all = rollUp(points, { window, statistics: statisticsAll, states: [], gapUs: 0 }, buckets, 0);
        const some = rollUp(points, { window, statistics, states: [], gapUs: 0 }, buckets, 0);
        assert.deepEqual([...some.statistics.keys()].sort(), statistics.toSorted());
        for (const [statistic, column] of some.statistics)
          assert.deepEqual(column, all.statistics.get(statistic));
      },
    ),
  );
});

test('Q10 seconds in states are what the stretches between points give', () => {
  const state = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom(9999, 10_000, -1, 1.5));
  const gap = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.constant(Number.POSITIVE_INFINITY));
  const wanted = fc.oneof(
    fc.constant('seen' as const),
    fc.subarray([0, 1, 2, 3, 9999, 42], { minLength: 1 }),
  );
  const now = fc.integer({ min: -100, max: 1200 });
  fc.assert(
    fc.property(
      pointsOf(state),
      edges,
      window,
      gap,
      wanted,
      now,
      (points, { edgesUs }, inside, gapUs, states, nowUs) => {
        const window = {
          startUs: Math.max(inside.startUs, edgesUs[0]),
          endUs: Math.min(inside.endUs, edgesUs[edgesUs.length - 1]),
        };
        const want = { window, statistics: [], states, gapUs };
        const actual = rollUp(points, want, { edgesUs, stepUs: null }, nowUs).states;
        const expected = naiveRollup(points, want, { edgesUs, stepUs: null }, nowUs).states;
        const ascending = [...expected.keys()].sort((a, b) => a - b);
        assert.deepEqual([...actual.keys()], ascending);
        for (const [state, column] of actual) assertClose(column, expected.get(state)!, 1);
      },
    ),
    { numRuns: 500 },
  );
});

/** Cuts points at random into parts that overlap in time. */
function split(points: Points, picks: readonly number[], count: number): Points[] {
  return Array.from({ length: count }, (_, part) => {
    const isIn = (_: number, i: number) => picks[i % picks.length] % count === part;
    return { timesUs: points.timesUs.filter(isIn), values: points.values.filter(isIn) };
  });
}

test('Q6 tallies of any parts, merged in any order, give the same', () => {
  const picks = fc.array(fc.nat(99), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(
      pointsOf(value),
      edges,
      picks,
      fc.integer({ min: 1, max: 6 }),
      picks,
      (points, buckets, cuts, count, order) => {
        const whole = { startUs: -1e9, endUs: 1e9 };
        const expected = rollUp(
          points,
          { window: whole, statistics: mergeable, states: [], gapUs: 0 },
          buckets,
          0,
        ).statistics;
        const tallies = split(points, cuts, count).map((part) => {
          const tally = new Tally(buckets.edgesUs.length - 1, mergeable);
          tally.addPoints(part, bucketStarts(part.timesUs, whole, buckets));
          return tally;
        });
        while (tallies.length > 1) {
          const [one] = tallies.splice(order[tallies.length % order.length] % tallies.length, 1);
          tallies[order[0] % tallies.length].merge(one);
        }
        const merged = tallies[0].finish();
        for (const statistic of mergeable) {
          const scale = scaleOf(points) * (statistic === 'stddev' ? 1e3 : 1);
          assertClose(merged.get(statistic)!, expected.get(statistic)!, scale);
        }
        const exact = ['count', 'min', 'max', 'first', 'last'] as const;
        for (const statistic of exact) assert.deepEqual(merged.get(statistic), expected.get(statistic));
      },
    ),
    { numRuns: 300 },
  );
});

test('Q6 a sum keeps what rounding takes, in every order', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(1e16, -1e16, 1, 3, -2), { minLength: 1, maxLength: 50 }),
      (values) => {
        const exact = Number(values.reduce((sum, value) => sum + BigInt(value), 0n));
        const tally = new Tally(1, ['sum']);
        for (const value of values) {
          tally.addPoints(
            { timesUs: Float64Array.of(0), values: Float64Array.of(value) },
            Uint32Array.of(0, 1),
          );
        }
        assert.equal(tally.finish().get('sum')![0], exact);
        const points = { timesUs: Float64Array.from(values, (_, i) => i), values: Float64Array.from(values) };
        const want = {
          window: { startUs: 0, endUs: 100 },
          statistics: ['sum' as const],
          states: [],
          gapUs: 0,
        };
        const sum = rollUp(points, want, { edgesUs: Float64Array.of(0, 100), stepUs: 100 }, 0).statistics.get(
          'sum',
        )![0];
        assert.equal(sum, exact);
      },
    ),
    { numRuns: 500 },
  );
});
