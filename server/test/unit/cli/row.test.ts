/** Rows of CSV files, and the batches that they become. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Batcher, halve, rowsPerBatch } from '#cli/csv/batches';
import { type Layout, readLayout } from '#cli/csv/layout';
import { readRow } from '#cli/csv/row';
import { utc } from '#cli/csv/row-time';

const layout: Layout = readLayout(['time', 'a', 'b'], [['2024-01-31', '1', '2']], {
  time: null,
  prefix: '',
  map: new Map(),
});
const reading = { layout, localize: utc, decimal: '.' } as const;

test('R9 import reads numbers, and empty cells as null', () => {
  assert.deepEqual(readRow(['2024-01-31', ' 1.5e3', ''], reading), {
    timeUs: Date.UTC(2024, 0, 31) * 1000,
    values: [1500, null],
  });
});

test('R9 import reads decimal commas where it is told to', () => {
  const row = readRow(['2024-01-31', '-1,5', ',5'], { ...reading, decimal: ',' });
  assert.deepEqual(typeof row === 'string' ? row : row.values, [-1.5, 0.5]);
  assert.match(
    String(readRow(['2024-01-31', '1.5', ''], { ...reading, decimal: ',' })),
    /a: "1.5" is no number/,
  );
});

const rejects: [string[], RegExp][] = [
  [['2024-01-31', '1'], /must have 3 fields, has 2/],
  [['2024-13-31', '1', '2'], /time: "2024-13-31" is no time/],
  [['2024-01-31', 'x', '2'], /a: "x" is no number/],
  [['2024-01-31', '1', '0x10'], /b: "0x10" is no number/],
  [['2024-01-31', '1', '1e999'], /b: "1e999" is no number/],
  [['2024-01-31', '1', 'Infinity'], /b: "Infinity" is no number/],
  [['2024-01-31', '1', '1,5'], /b: "1,5" is no number/],
  [['2024-01-31', '1', 'x'.repeat(100)], /b: "x{64}…" is no number/],
];

for (const [fields, reason] of rejects) {
  test(`R9 import rejects a row whole: ${reason.source}`, () =>
    assert.match(String(readRow(fields, reading)), reason));
}

test('E3 a batch of the longest numbers fits into the body limit', () => {
  for (const [seriesCount, bodyBytesMax] of [
    [1, 1024 * 1024],
    [50, 1024 * 1024],
    [1000, 8 * 1024 * 1024],
  ]) {
    const rows = rowsPerBatch(seriesCount, bodyBytesMax);
    const series = Array.from({ length: seriesCount }, (_, i) => [
      'k'.repeat(124) + i,
      Array(rows).fill(-Number.MAX_VALUE),
    ]);
    const data = {
      times: Array(rows).fill('2024-01-31T12:30:15.123456Z'),
      series: Object.fromEntries(series),
    };
    assert.ok(JSON.stringify(data).length < bodyBytesMax, `${seriesCount} series`);
    assert.ok(rows >= 1);
  }
});

test('R9 batches hold every row once, in order, and never more than they may', () => {
  fc.assert(
    fc.property(fc.nat(40), fc.integer({ min: 1, max: 7 }), (count, rowsMax) => {
      const batcher = new Batcher(layout.series, rowsMax);
      const rows = Array.from({ length: count }, (_, i) => ({ timeUs: i * 1e6, values: [i, null] }));
      const batches = [...rows.map((row) => batcher.add(row)), batcher.take()].filter(
        (batch) => batch !== null,
      );
      assert.ok(batches.every(({ rows, frame }) => rows <= rowsMax && frame.times.length === rows));
      assert.deepEqual(
        batches.flatMap(({ frame }) => frame.series.a),
        rows.map((_, i) => i),
      );
      assert.deepEqual(
        batches.flatMap(({ frame }) => frame.series.b),
        rows.map(() => null),
      );
      assert.equal(batcher.take(), null);
    }),
  );
});

test('E3 a batch that is too large is cut in two, down to one row', () => {
  const batcher = new Batcher(layout.series, 10);
  for (const value of [1, 2, 3]) batcher.add({ timeUs: value, values: [value, -value] });
  const halves = halve(batcher.take()!)!;
  assert.deepEqual(
    halves.map(({ rows }) => rows),
    [1, 2],
  );
  assert.deepEqual(
    halves.map(({ frame }) => frame.series),
    [
      { a: [1], b: [-1] },
      { a: [2, 3], b: [-2, -3] },
    ],
  );
  assert.equal(halve(halves[0]), null);
});
