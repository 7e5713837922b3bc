/** Frames as Arrow streams, read by `apache-arrow`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Frame } from '#model/frame';
import { streamPieces } from '#protocol/arrow/stream-writer';
import { readStream } from '../../../support/arrow.ts';

function written(frame: Frame, metadata: Record<string, string> = {}): Buffer {
  return Buffer.concat([...streamPieces(frame, new Map(Object.entries(metadata)))]);
}

test('W5f times in µs before and after 1970, values, nulls, metadata', () => {
  const timesUs = Float64Array.of(-(2 ** 53), -1, 0, 1, 1772323200000001, 2 ** 53);
  const series = new Map([
    ['a', Float64Array.of(1, -0.5, 1e300, 5e-324, -0, 3)],
    ['ключ "2"', Float64Array.of(Number.NaN, 2, Number.NaN, 4, 5, Number.NaN)],
    ['none', new Float64Array(6).fill(Number.NaN)],
  ]);
  const read = readStream(written(new Frame(timesUs, series), { meta: '{"total":3}' }));
  assert.deepEqual(read.types, [
    'time: Timestamp<MICROSECOND, UTC>',
    'a: Float64',
    'ключ "2": Float64',
    'none: Float64',
  ]);
  assert.deepEqual(read.timesUs, [...timesUs]);
  assert.deepEqual(read.series, {
    a: [1, -0.5, 1e300, 5e-324, -0, 3],
    'ключ "2"': [null, 2, null, 4, 5, null],
    none: Array(6).fill(null),
  });
  assert.deepEqual(read.metadata, new Map([['meta', '{"total":3}']]));
});

test('W5f a frame without rows, and one without series', () => {
  const empty = readStream(written(new Frame(new Float64Array(0), new Map([['a', new Float64Array(0)]]))));
  assert.deepEqual(empty.types.length, 2);
  assert.deepEqual(empty.timesUs, []);
  const bare = readStream(written(new Frame(Float64Array.of(1, 2), new Map())));
  assert.deepEqual(bare.timesUs, [1, 2]);
});

test('W5f many rows are several batches, in pieces of bounded size, with an empty piece where other work may run', () => {
  const rows = 150_000;
  const column = (k: number) =>
    Float64Array.from({ length: rows }, (_, row) => (row % 7 === k ? Number.NaN : row * k));
  const series = new Map(Array.from({ length: 65 }, (_, k) => [`k${k}`, column(k)]));
  const timesUs = Float64Array.from({ length: rows }, (_, row) => 1e15 + row);
  const pieces = [...streamPieces(new Frame(timesUs, series), new Map())];
  assert.ok(pieces.every((piece) => piece.length <= 128 * 1024));
  assert.equal(pieces.filter((piece) => piece.length === 0).length, 9);
  const read = readStream(Buffer.concat(pieces));
  assert.deepEqual(read.rowCounts, [...Array(9).fill(16_384), 2544]);
  assert.deepEqual(read.timesUs, [...timesUs]);
  for (const [key, values] of series) {
    const column = read.column(key);
    assert.deepEqual(column.toArray(), values);
    assert.equal(column.nullCount, values.filter(Number.isNaN).length);
  }
});
