/** Rollups and tallies against what they are by definition (Q4-Q6, Q10). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Buckets, bucketRuns } from '#model/bucket';
import type { Points } from '#model/frame';
import { RollupBuilder, rollUp } from '#model/rollup';
import { statistics as statisticsAll } from '#model/statistic';
import { type MergeableStatistic, Tally } from '#model/tally';
import { summarise } from '#storage/sqlite/cut';
import { clip } from '#storage/sqlite/runs';
import { naiveRollup } from '../support/naive-rollup.ts';

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
      fc.subarray([...statisticsAll]),
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

test('Q10 seconds in states are the sums of the times between points', () => {
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

test('Q6 a tally of any parts, as points or as summaries, in any order, gives the same', () => {
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
        const want = { window: whole, statistics: mergeable, states: [], gapUs: 0 };
        const expected = rollUp(points, want, buckets, 0).statistics;
        const tally = new Tally(buckets.edgesUs.length - 1, mergeable);
        const parts = split(points, cuts, count).filter(({ timesUs }) => timesUs.length > 0);
        while (parts.length > 0) {
          const [part] = parts.splice(order[parts.length % order.length] % parts.length, 1);
          const runs = bucketRuns(part.timesUs, whole, buckets);
          const isWhole = runs.starts.length === 2 && runs.starts[1] - runs.starts[0] === part.timesUs.length;
          if (isWhole) tally.addSummary(runs.first, summarise(part));
          else tally.addPoints(part, runs);
        }
        const merged = tally.finish();
        for (const statistic of mergeable) {
          const scale = scaleOf(points) * (statistic === 'stddev' ? 1e3 : 1);
          assertClose(merged.get(statistic)!, expected.get(statistic)!, scale);
        }
        const exact = ['count', 'min', 'max', 'first', 'last'] as const;
        for (const statistic of exact) assert.deepEqual(merged.get(statistic), expected.get(statistic));
      },
    ),
    { numRuns: 500 },
  );
});

test('Q6 the deviation of parts, as points or as summaries, is that of the whole', () => {
  const part = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1, maxLength: 20 });
  const parts = fc.array(fc.tuple(part, fc.boolean()), { minLength: 2, maxLength: 5 });
  fc.assert(
    fc.property(parts, fc.constantFrom(0, 1e6), (parts, offset) => {
      const tally = new Tally(1, ['stddev']);
      const all: number[] = [];
      for (const [values, asSummary] of parts) {
        const points = pointsAt(all.length, values, offset);
        if (asSummary) tally.addSummary(0, summarise(points));
        else tally.addPoints(points, { first: 0, starts: Uint32Array.of(0, values.length) });
        all.push(...points.values);
      }
      const mean = all.reduce((sum, value) => sum + value, 0) / all.length;
      const expected = Math.sqrt(all.reduce((sum, value) => sum + (value - mean) ** 2, 0) / all.length);
      const found = tally.finish().get('stddev')![0];
      assert.ok(Math.abs(found - expected) <= 1e-9 * (1 + expected), `${found}, expected ${expected}`);
    }),
  );
});

function pointsAt(startUs: number, values: readonly number[], offset = 0): Points {
  return {
    timesUs: Float64Array.from(values, (_, i) => startUs + i),
    values: Float64Array.from(values, (value) => value + offset),
  };
}

test('Q6 points in pieces of any size give what they give at once, percentiles of very many too', () => {
  const wide = fc.oneof(
    value,
    fc.double({ min: -8e307, max: 8e307, noNaN: true }),
    fc.constantFrom(-0, 0, 5e-324),
  );
  const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 10 });
  const kept = fc.integer({ min: 1, max: 12 });
  fc.assert(
    fc.property(
      pointsOf(wide, 200),
      edges,
      window,
      sizes,
      kept,
      (points, buckets, window, sizes, keptMax) => {
        const statistics = ['count', 'min', 'max', 'first', 'last', 'median', 'p05', 'p95'] as const;
        const want = { window, statistics, states: 'seen', gapUs: 100 } as const;
        const builder = new RollupBuilder(want, buckets, Number.POSITIVE_INFINITY, keptMax);
        feed(points, sizes, (piece) => builder.add(piece));
        for (let range = builder.next(); range !== null; range = builder.next()) {
          feed(clip(points, range.startUs, range.endUs), sizes, (piece) => builder.addAgain(piece));
        }
        const found = builder.finish(500);
        const expected = naiveRollup(points, { ...want, states: [] }, buckets, 500);
        for (const statistic of statistics) {
          // Of the two zeros either may be meant.
          const plain = (column: Float64Array | undefined) => column?.map((value) => value + 0);
          assert.deepEqual(
            plain(found.statistics.get(statistic)),
            plain(expected.statistics.get(statistic)),
            statistic,
          );
        }
        assert.deepEqual(found.states, rollUp(points, want, buckets, 500).states);
      },
    ),
    { numRuns: 500 },
  );
});

function feed(points: Points, sizes: readonly number[], take: (piece: Points) => void): void {
  const { timesUs, values } = points;
  for (let from = 0, i = 0; from < timesUs.length; i++) {
    const to = from + sizes[i % sizes.length];
    take({ timesUs: timesUs.subarray(from, to), values: values.subarray(from, to) });
    from = to;
  }
}

test('Q6b an average is a number also where the sum is beyond the range of doubles', () => {
  const huge = [1.7e308, 1.6e308, 1.5e308, -1.2e308, 1e308];
  const mean = 0.92e308;
  for (const size of [1, 2, 3, 5]) {
    for (const statistics of [
      ['sum', 'avg'],
      ['sum', 'avg', 'min', 'max'],
    ] as const) {
      const tally = new Tally(1, statistics);
      feed(pointsAt(0, huge), [size], (part) =>
        tally.addPoints(part, { first: 0, starts: Uint32Array.of(0, part.values.length) }),
      );
      const found = tally.finish();
      assert.ok(Math.abs(found.get('avg')![0] / mean - 1) < 1e-12, `${found.get('avg')}`);
      assert.ok(Number.isNaN(found.get('sum')![0]));
    }
  }
  const tally = new Tally(1, ['sum', 'avg']);
  for (const value of [1.7e308, 1.7e308, -1.7e308, -1.6e308])
    tally.addSummary(0, summarise(pointsAt(0, [value])));
  const found = tally.finish();
  assert.ok(Math.abs(found.get('sum')![0] / 1e307 - 1) < 1e-9, 'a sum that comes back into the range is one');
  assert.ok(Math.abs(found.get('avg')![0] / 2.5e306 - 1) < 1e-9);
});

test('Q6 the summary of a block keeps what rounding takes from its sum', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(1e16, -1e16, 1, 3, -2), { minLength: 1, maxLength: 50 }),
      (values) => {
        const { sum, sumLow } = summarise(pointsAt(0, values));
        assert.equal(sum + sumLow, Number(values.reduce((sum, value) => sum + BigInt(value), 0n)));
      },
    ),
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
            { first: 0, starts: Uint32Array.of(0, 1) },
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
