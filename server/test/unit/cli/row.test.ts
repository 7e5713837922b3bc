/** Rows of CSV files, and the batches that they become. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Batcher, rowsPerBatch } from '#cli/csv/batches';
import { findDecimal, usualNullWords } from '#cli/csv/cell';
import { type Layout, readLayout } from '#cli/csv/layout';
import { cellReasons, readRow } from '#cli/csv/row';
import { States } from '#cli/csv/states';
import { halveFrame } from '#cli/points/point-batch';
import { Frame } from '#model/frame';
import { streamPieces } from '#protocol/arrow/stream-writer';

const layout: Layout = readLayout(['time', 'a', 'b'], [['2024-01-31', '1', '2']], {
  time: null,
  timeForm: null,
  prefix: '',
  map: new Map(),
});
const reading = { layout, decimal: '.', nullWords: new Set(usualNullWords) } as const;

test('R9 import reads numbers, and empty cells as null', () => {
  assert.deepEqual(readRow(['2024-01-31', ' 1.5e3', ''], reading), {
    time: { us: Date.UTC(2024, 0, 31) * 1000, isLocal: true },
    values: [1500, null],
    rejected: [],
  });
});

function valuesOf(
  cells: string[],
  more: Partial<Parameters<typeof readRow>[1]> = {},
): (number | null)[] | string {
  const row = readRow(['2024-01-31', ...cells], { ...reading, ...more });
  return typeof row === 'string' ? row : row.values;
}

test('R9 import reads decimal commas where that is the decimal mark', () => {
  assert.deepEqual(valuesOf(['-1,5', ',5'], { decimal: ',' }), [-1.5, 0.5]);
  assert.deepEqual(valuesOf(['1.5', '1'], { decimal: ',' }), [null, 1]);
});

test('R9 the usual words for "no value" are no value, in any case; true and false are 1 and 0', () => {
  for (const word of [
    'NaN',
    'null',
    'NULL',
    'NA',
    'n/a',
    'inf',
    '-Infinity',
    '-',
    'empty',
    '#N/A',
    'None',
    ' nan ',
  ]) {
    const row = readRow(['2024-01-31', word, '2'], reading);
    assert.ok(typeof row !== 'string' && row.rejected.length === 0, word);
    assert.deepEqual(row.values, [null, 2], word);
  }
  assert.deepEqual(valuesOf(['TRUE', 'false']), [1, 0]);
});

test('R9 words that are named take the place of the usual ones', () => {
  const row = readRow(['2024-01-31', 'off', 'NaN'], { ...reading, nullWords: new Set(['off']) });
  assert.ok(typeof row !== 'string');
  assert.deepEqual([row.values, row.rejected.map(({ title }) => title)], [[null, null], ['b']]);
});

const rejects: [string[], RegExp][] = [
  [['2024-01-31', '1'], /must have 3 fields, has 2/],
  [['2024-13-31', '1', '2'], /time: "2024-13-31" is not a time/],
];

for (const [fields, reason] of rejects) {
  test(`R9 import rejects a row: ${reason.source}`, () =>
    assert.match(String(readRow(fields, reading)), reason));
}

for (const cell of ['x', '0x10', '1e999', '1,5', 'x'.repeat(100)]) {
  test(`R9 import rejects the cell ${cell.slice(0, 10)}, not its row`, () => {
    const fields = ['2024-01-31', '1', cell];
    const row = readRow(fields, reading);
    assert.ok(typeof row !== 'string');
    assert.deepEqual(row.values, [1, null]);
    const quoted = JSON.stringify(cell.length > 64 ? `${'x'.repeat(64)}…` : cell);
    assert.equal(cellReasons(fields, row.rejected), `b: ${quoted} is not a number`);
  });
}

test('R2 words of a column with states are their numbers, new words get the next free one', () => {
  const states = new States(
    new Map([
      ['0', 'off'],
      ['2', 'on'],
    ]),
    true,
  );
  assert.deepEqual(
    ['on', 'off', '2', 'idle', 'fault', 'idle', '7'].map((word) => states.numberOf(word)),
    [2, 0, 2, 1, 3, 1, 7],
  );
  assert.ok(states.isChanged);
  assert.equal(states.enumValues.get('3'), 'fault');
  assert.ok(Number.isNaN(states.numberOf('x'.repeat(129))));
});

test('R2 a word that is not a state of the signal is rejected', () => {
  const states = new States(new Map([['1', 'on']]), false);
  const own = { ...layout, series: [layout.series[0], { ...layout.series[1], states }] };
  const fields = ['2024-01-31', '1', 'broken'];
  const row = readRow(fields, { ...reading, layout: own });
  assert.ok(typeof row !== 'string');
  assert.equal(cellReasons(fields, row.rejected), 'b: "broken" is not a state of the signal (on)');
});

test('R9 the decimal mark is found, and doubt is said', () => {
  assert.equal(findDecimal(['1', '2,5', '']), ',');
  assert.equal(findDecimal(['1,5', '2.5']), '.');
  assert.equal(findDecimal(['1', 'x']), '.');
  assert.equal(findDecimal(['1,234', '12,345']), null);
  assert.equal(findDecimal(['1,234', '0,345']), ',');
});

test('E3 a batch fits into the body limit', () => {
  for (const [seriesCount, bodyBytesMax] of [
    [1, 1024 * 1024],
    [50, 1024 * 1024],
    [1000, 8 * 1024 * 1024],
    [10_000, 8 * 1024 * 1024],
  ]) {
    const rows = rowsPerBatch(seriesCount, bodyBytesMax);
    const column = Float64Array.from({ length: rows }, (_, i) =>
      i === 0 ? Number.NaN : -Number.MAX_VALUE / (i + 1),
    );
    const keys = Array.from({ length: seriesCount }, (_, i) => `${i}`.padStart(128, 'k'));
    const frame = new Frame(
      column.map((_, i) => i * 1e6),
      new Map(keys.map((key) => [key, column])),
    );
    const { length } = Buffer.concat([...streamPieces(frame, new Map())]);
    assert.ok(length < bodyBytesMax, `${seriesCount} series, ${length} bytes`);
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
      assert.ok(batches.every(({ rows, frame }) => rows <= rowsMax && frame.timesUs.length === rows));
      assert.deepEqual(
        batches.flatMap(({ frame }) => [...(frame.series.get('a') ?? [])]),
        rows.map((_, i) => i),
      );
      assert.deepEqual(
        batches.flatMap(({ frame }) => [...(frame.series.get('b') ?? [])]),
        rows.map(() => Number.NaN),
      );
      assert.equal(batcher.take(), null);
    }),
  );
});

test('E3 a frame that is too large is cut in two, down to one row', () => {
  const frame = new Frame(Float64Array.of(1, 2, 3), new Map([['a', Float64Array.of(4, 5, 6)]]));
  const halves = halveFrame(frame) ?? [];
  assert.deepEqual(
    halves.map(({ timesUs, series }) => [[...timesUs], [...(series.get('a') ?? [])]]),
    [
      [[1], [4]],
      [
        [2, 3],
        [5, 6],
      ],
    ],
  );
  assert.equal(halveFrame(halves[0] as Frame), null);
});
