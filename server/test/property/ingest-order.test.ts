/** Ordering the rows of a frame against the obvious way: apply the rows one after the other to a map. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { orderRows } from '#domain/ingest/order';
import { resultOf } from '#model/steps';

const row = fc.tuple(
  fc.integer({ min: -5, max: 5 }),
  fc.option(fc.integer(), { nil: Number.NaN }),
  fc.option(fc.integer(), { nil: Number.NaN }),
);

test('R9 rows in any order: the later row wins at a time, null leaves the earlier one', () => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 30 }), (rows) => {
      const ordered = resultOf(
        orderRows({
          timesUs: Float64Array.from(rows, (r) => r[0]),
          signals: [1, 2],
          values: Float64Array.from([1, 2].flatMap((c) => rows.map((r) => r[c]))),
        }),
      );
      const times = [...new Set(rows.map((r) => r[0]))].sort((a, b) => a - b);
      assert.deepEqual([...ordered.timesUs], times);
      for (const c of [1, 2]) {
        const last = new Map<number, number>();
        for (const r of rows) if (!Number.isNaN(r[c])) last.set(r[0], r[c]);
        const expected = times.map((time) => last.get(time) ?? Number.NaN);
        const column = ordered.values.subarray((c - 1) * times.length, c * times.length);
        assert.deepEqual([...column], expected);
      }
    }),
  );
});

test('R9 rows that ascend strictly are passed on as they are', () => {
  const rows = {
    timesUs: Float64Array.of(1, 2, 3),
    signals: [1],
    values: Float64Array.of(1, 2, 3),
  };
  assert.equal(resultOf(orderRows(rows)), rows);
});

test('R9 many rows, of which runs are sorted and merged: the later row wins at a time', () => {
  for (const count of [4096, 4097, 8192, 30_000, 70_001]) {
    const timesUs = Float64Array.from({ length: count }, (_, row) => (row * 7919) % (count - 1));
    const values = Float64Array.from({ length: count }, (_, row) => row);
    const last = new Map<number, number>();
    for (const [row, time] of timesUs.entries()) last.set(time, row);
    const times = [...last.keys()].sort((a, b) => a - b);
    const ordered = resultOf(orderRows({ timesUs, signals: [1], values }));
    assert.deepEqual(ordered.timesUs, Float64Array.from(times));
    assert.deepEqual(
      ordered.values,
      Float64Array.from(times, (time) => last.get(time)!),
    );
  }
});
