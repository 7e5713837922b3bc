/** Rows out of columns: the union of times, and columns over it (Q5, Q8). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { alignTo, frameOf, haveSameTimes, unionTimes } from '#domain/query/frame';
import type { Points } from '#model/frame';
import { runAtOnce, runSteps, type Steps } from '#model/steps';

function atOnce<T>(steps: Steps<T>): Promise<T> {
  return runSteps(steps, runAtOnce);
}

const times = fc
  .uniqueArray(fc.integer({ min: 0, max: 12 }), { maxLength: 8 })
  .map((list) => Float64Array.from(list).sort());

/** The rows of series by definition: every time that one of them has, and its value there. */
function rowsByDefinition(all: readonly Points[]): { timesUs: number[]; columns: Float64Array[] } {
  const timesUs = [...new Set(all.flatMap((points) => [...points.timesUs]))].sort((a, b) => a - b);
  const columns = all.map((points) => {
    const values = new Map([...points.timesUs].map((us, i) => [us, points.values[i]]));
    return Float64Array.from(timesUs, (us) => values.get(us) ?? Number.NaN);
  });
  return { timesUs, columns };
}

async function assertRows(all: readonly Points[]): Promise<void> {
  const expected = rowsByDefinition(all);
  const timesUs = await atOnce(unionTimes(all));
  assert.deepEqual(timesUs, Float64Array.from(expected.timesUs));
  for (const [i, points] of all.entries())
    assert.deepEqual(await atOnce(alignTo(timesUs, points)), expected.columns[i]);
  const isShared = all.every((points) => points.timesUs.join() === all[0].timesUs.join());
  assert.equal(await atOnce(haveSameTimes(all)), isShared);
}

test('Q5 the rows of raw series are all times that any of them has, and each value is in its own row', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(times, { maxLength: 5 }), (all) =>
      assertRows(all.map((timesUs, i) => ({ timesUs, values: timesUs.map((us) => us + 100 * i) }))),
    ),
    { numRuns: 1000 },
  );
});

test('Q5 E3b the rows of long series are the same though they are merged in steps, and no step is long', async () => {
  const series = fc.record({
    first: fc.nat(99),
    strides: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(series, { minLength: 2, maxLength: 3 }), async (shapes) => {
      const all = shapes.map(({ first, strides }, i) => {
        const timesUs = new Float64Array(100_000 + i);
        timesUs[0] = first;
        for (let row = 1; row < timesUs.length; row++)
          timesUs[row] = timesUs[row - 1] + strides[row % strides.length];
        return { timesUs, values: timesUs.map((us) => us + i / 10) };
      });
      await assertRows(all);
      const works = [...unionTimes(all)];
      assert.ok(works.length >= 2, `${works.length} steps`);
      assert.ok(works.every((work) => work <= 2e6));
    }),
    { numRuns: 5 },
  );
});

test('Q5 series whose times differ in one place only, the first, the last or another, share no other row', async () => {
  for (const differing of [0, 1, 2]) {
    const one = Float64Array.of(0, 10, 20);
    const other = one.map((us, i) => (i === differing ? us + 1 : us));
    await assertRows([one, other].map((timesUs) => ({ timesUs, values: timesUs })));
  }
});

test('Q5 Q8 rows without a value are dropped, but not the one of window; the newest values of each series are kept', async () => {
  const timesUs = Float64Array.of(0, 1, 2);
  const columns = new Map([
    ['a', Float64Array.of(1, Number.NaN, Number.NaN)],
    ['b', Float64Array.of(2, Number.NaN, 3)],
  ]);
  const rows = (...args: Parameters<typeof frameOf>) => atOnce(frameOf(...args));
  const all = await rows(timesUs, columns, { last: 0, rollup: null });
  assert.deepEqual([...all.timesUs], [0, 2]);
  const last = await rows(timesUs, columns, { last: 1, rollup: null });
  assert.deepEqual([...(last.series.get('b') ?? [])], [Number.NaN, 3]);
  const empty = new Map([['a', Float64Array.of(Number.NaN)]]);
  assert.equal((await rows(Float64Array.of(5), empty, { last: 0, rollup: 'window' })).timesUs.length, 1);
  assert.equal((await rows(Float64Array.of(5), empty, { last: 0, rollup: null })).timesUs.length, 0);
});

test('Q8 E3b the newest values of long series, and rows without any value, are found across steps', async () => {
  const count = 10_000;
  const timesUs = Float64Array.from({ length: count }, (_, i) => i);
  const a = timesUs.map((i) => (i % 2 === 0 ? i : Number.NaN));
  const b = timesUs.map((i) => (i < 100 ? i : Number.NaN));
  const columns = new Map([
    ['a', a],
    ['b', b],
  ]);
  const newest = await atOnce(frameOf(timesUs, columns, { last: 4000, rollup: null }));
  const rows = [...timesUs].filter((i) => i < 100 || (i % 2 === 0 && i >= count - 8000));
  assert.deepEqual([...newest.timesUs], rows);
  assert.deepEqual([...(newest.series.get('b') ?? [])].slice(0, 101), [...b.slice(0, 100), Number.NaN]);
  const values = newest.series.get('a') ?? [];
  assert.equal([...values].filter((value) => !Number.isNaN(value)).length, 4000);
  const [sparse] = [{ timesUs: Float64Array.of(5, 9999), values: Float64Array.of(1, 2) }];
  const aligned = await atOnce(alignTo(timesUs, sparse));
  assert.deepEqual([aligned[4], aligned[5], aligned[9999]], [Number.NaN, 1, 2]);
});
