/** Rows out of columns: the union of times, and columns over it (Q5, Q8). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { alignTo, frameOf, unionTimes } from '#domain/query/rows';

const times = fc
  .uniqueArray(fc.integer({ min: 0, max: 12 }), { maxLength: 8 })
  .map((list) => Float64Array.from(list).sort());

test('Q5 the rows of raw series are all times that any of them has, and each value is in its own row', () => {
  fc.assert(
    fc.property(fc.array(times, { maxLength: 5 }), (all) => {
      const series = all.map((timesUs, i) => ({ timesUs, values: timesUs.map((us) => us + 100 * i) }));
      const union = unionTimes(series);
      assert.deepEqual(
        [...union],
        [...new Set(all.flatMap((timesUs) => [...timesUs]))].sort((a, b) => a - b),
      );
      for (const [i, { timesUs }] of series.entries()) {
        const expected = union.map((us) => (timesUs.includes(us) ? us + 100 * i : Number.NaN));
        assert.deepEqual(alignTo(union, series[i]), expected);
      }
    }),
    { numRuns: 1000 },
  );
});

test('Q5 series whose times differ in one place only, the first, the last or another, share no other row', () => {
  for (const differing of [0, 1, 2]) {
    const one = Float64Array.of(0, 10, 20);
    const other = one.map((us, i) => (i === differing ? us + 1 : us));
    const union = unionTimes([one, other].map((timesUs) => ({ timesUs, values: timesUs })));
    assert.deepEqual(
      [...union],
      [...new Set([...one, ...other])].sort((a, b) => a - b),
    );
  }
});

test('Q5 Q8 rows without a value are dropped, but not the one of window; the newest values of each series are kept', () => {
  const timesUs = Float64Array.of(0, 1, 2);
  const columns = new Map([
    ['a', Float64Array.of(1, Number.NaN, Number.NaN)],
    ['b', Float64Array.of(2, Number.NaN, 3)],
  ]);
  const all = frameOf(timesUs, columns, { last: 0, rollup: null });
  assert.deepEqual([...all.timesUs], [0, 2]);
  const last = frameOf(timesUs, columns, { last: 1, rollup: null });
  assert.deepEqual([...(last.series.get('b') ?? [])], [Number.NaN, 3]);
  const empty = new Map([['a', Float64Array.of(Number.NaN)]]);
  assert.equal(frameOf(Float64Array.of(5), empty, { last: 0, rollup: 'window' }).timesUs.length, 1);
  assert.equal(frameOf(Float64Array.of(5), empty, { last: 0, rollup: null }).timesUs.length, 0);
});
