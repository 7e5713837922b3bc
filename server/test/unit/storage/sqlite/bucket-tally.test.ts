/** Points at a constant step are counted into buckets by arithmetic: as if their times had been written out. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { writeOut } from '#storage/codec/times';
import { BucketTally } from '#storage/sqlite/bucket-tally';

const statistics = ['count', 'sum', 'min', 'max', 'avg', 'first', 'last', 'stddev'] as const;

/** Steps of which small ones have edges between and on their times, and large ones come to the ends of what is exact. */
const step = fc.oneof(fc.integer({ min: 1, max: 7 }), fc.constantFrom(1e6, 3_600_000_001, 2 ** 36 + 1));

const cases = fc.record({
  firstUs: fc.oneof(fc.integer({ min: -50, max: 50 }), fc.constantFrom(-(2 ** 52), 2 ** 51 + 1)),
  stepUs: step,
  count: fc.integer({ min: 1, max: 60 }),
  /** Edges and window, in parts of a step from the first time on. */
  offsets: fc.array(fc.integer({ min: -40, max: 400 }), { minLength: 4, maxLength: 12 }),
});

test('Q4 regular blocks fall into the same buckets as their times do', () => {
  fc.assert(
    fc.property(cases, ({ firstUs, stepUs, count, offsets }) => {
      const at = (offset: number) => firstUs + Math.round((offset * stepUs) / 5);
      const [one, other, ...rest] = offsets.map(at);
      const window = { startUs: Math.min(one, other), endUs: Math.max(one, other) };
      const edgesUs = Float64Array.from(new Set(rest)).sort();
      fc.pre(edgesUs.length >= 2);
      const buckets = { edgesUs, stepUs: null };
      const values = Float64Array.from({ length: count }, (_, i) => ((i * 7) % 11) / 10);
      const regular = { firstUs, stepUs: count === 1 ? 0 : stepUs };
      for (const wanted of [statistics, ['count'], ['sum', 'min', 'max']] as const) {
        const source = { signals: [1], window, statistics: wanted, states: [], gapUs: Infinity };
        const timesUs = new Float64Array(count);
        const written = new Float64Array(count);
        writeOut(regular, written);
        const byTimes = new BucketTally(source, buckets);
        byTimes.add({ timesUs: written, values });
        const byStep = new BucketTally(source, buckets);
        byStep.addBlock({ regular, columns: [], timesUs, values });
        assert.deepEqual(byStep.finish(), byTimes.finish());
      }
    }),
  );
});
