/** Times in shared columns come back as they were, cost little, and are never taken from the wrong column. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { columnsIn, decodeBlock, encodeBlock } from '#storage/codec/block';
import { decodeColumn, encodeColumn, type TimesOf } from '#storage/codec/block-times';
import { findParts, partsWithin, type TimeColumn } from '#storage/codec/time-parts';

/** Ascending times with irregular steps. */
function times(count: number, firstUs = 0, seed = 7919): Float64Array {
  return Float64Array.from({ length: count }, (_, i) => firstUs + i * 60e6 + ((i * i * seed) % 1_000_003));
}

function columnsOf(timesUs: Float64Array, length: number, firstId = 100): TimeColumn[] {
  const count = Math.ceil(timesUs.length / length);
  return Array.from({ length: count }, (_, i) => ({
    id: firstId + 3 * i,
    timesUs: timesUs.slice(i * length, (i + 1) * length),
  }));
}

/** Reads columns as they are stored. */
function storeOf(columns: readonly TimeColumn[]): TimesOf {
  const stored = new Map(columns.map((column) => [column.id, encodeColumn(column)]));
  return (id) => decodeColumn(stored.get(id)!, id);
}

const constant = (timesUs: Float64Array) => ({ timesUs, values: new Float64Array(timesUs.length).fill(1) });

/** The block with these times, after making sure that they come back. */
function blockOf(timesUs: Float64Array, columns: readonly TimeColumn[]): Uint8Array {
  const bytes = encodeBlock(constant(timesUs), findParts(timesUs, columns));
  assert.deepEqual(decodeBlock(bytes, 'b', null, storeOf(columns)), constant(timesUs));
  return bytes;
}

describe('times of a block in shared columns', () => {
  const all = times(3000);
  const columns = columnsOf(all, 1000);

  it('take a few bytes for each column, in whatever part of it they are', () => {
    for (const [from, to] of [
      [0, 3000],
      [17, 2999],
      [990, 1010],
      [1500, 1600],
    ]) {
      const bytes = blockOf(all.slice(from, to), columns);
      assert.ok(bytes.length < 50, `${bytes.length} bytes`);
      const first = Math.floor(from / 1000);
      const last = Math.floor((to - 1) / 1000);
      assert.deepEqual(
        columnsIn(bytes),
        columns.slice(first, last + 1).map(({ id }) => id),
      );
    }
  });

  it('may lack some, and have some of their own', () => {
    const bytes = blockOf(
      all.filter((_, i) => i % 97 !== 5),
      columns,
    );
    assert.ok(bytes.length < 200, `${bytes.length} bytes`);
    const late = Float64Array.from([...all, 123, 456, 70e6]).sort();
    assert.ok(blockOf(late, columns).length < 200);
    assert.deepEqual(columnsIn(blockOf(late, columns)), [100, 103, 106]);
  });

  it('are in no column when they are regular, or other times', () => {
    const regular = Float64Array.from({ length: 1000 }, (_, i) => i * 60e6);
    assert.deepEqual(columnsIn(blockOf(regular, columnsOf(regular, 500))), []);
    assert.equal(findParts(times(3000, 7, 31), columns), null);
    assert.deepEqual(columnsIn(blockOf(times(3000, 7, 31), columns)), []);
    assert.equal(findParts(Float64Array.of(-5, 1), columns), null);
  });

  it('are written out where the parts would take more bytes', () => {
    const alternating = all.map((timeUs, i) => (i % 2 === 0 ? timeUs : timeUs + 1));
    assert.deepEqual(columnsIn(blockOf(alternating, columns)), []);
  });

  it('may alternate between columns that overlap', () => {
    const [even, odd] = [0, 1].map((rest) => all.filter((_, i) => (i >> 6) % 2 === rest));
    const overlapping = [
      { id: 9, timesUs: even },
      { id: 4, timesUs: odd },
    ];
    assert.deepEqual(columnsIn(blockOf(all, overlapping)), [4, 9]);
  });

  it('are any part of any run', () => {
    const steps = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 300 });
    const options = fc.record({
      steps,
      length: fc.integer({ min: 1, max: 90 }),
      kept: fc.integer({ min: 1, max: 9 }),
    });
    fc.assert(
      fc.property(options, fc.nat(299), fc.nat(299), ({ steps, length, kept }, a, b) => {
        let timeUs = 0;
        const run = Float64Array.from(steps, (step) => {
          timeUs += step;
          return timeUs;
        });
        const some = columnsOf(run, length).filter((_, i) => i % kept === 0);
        const parts = findParts(run, some);
        const from = Math.min(a, b) % run.length;
        const to = Math.max(from + 1, Math.min(run.length, Math.max(a, b)));
        const points = constant(run.slice(from, to));
        const bytes = encodeBlock(points, parts && partsWithin(parts, from, to));
        assert.deepEqual(decodeBlock(bytes, 'b', null, storeOf(some)), points);
      }),
    );
  });
});

describe('a damaged column', () => {
  const [column] = columnsOf(times(700), 700, 57);
  const points = constant(column.timesUs);
  const block = encodeBlock(points, findParts(points.timesUs, [column]));
  const readWith = (timesOf: TimesOf) => () => decodeBlock(block, '17 of signal 4', null, timesOf);

  it('is refused with any flipped bit, by the name of the block and its own', () => {
    const sound = encodeColumn(column);
    fc.assert(
      fc.property(fc.nat(), fc.nat(7), (at, bit) => {
        const bytes = sound.slice();
        bytes[at % bytes.length] ^= 1 << bit;
        assert.throws(
          readWith((id) => decodeColumn(bytes, id)),
          /block 17 of signal 4 is damaged: time column 57 is damaged: /,
        );
      }),
    );
    for (let length = 0; length < 20; length++) {
      assert.throws(() => decodeColumn(sound.subarray(0, length), 57), /time column 57 is damaged/);
    }
  });

  it('is refused when it is another one', () => {
    const other = encodeColumn({ id: 58, timesUs: column.timesUs });
    assert.throws(
      readWith((id) => decodeColumn(other, id)),
      /time column 57 is damaged: it is column 58/,
    );
    assert.throws(
      readWith(() => column.timesUs.subarray(1)),
      /a part of its times lies outside of its time column/,
    );
  });

  it('leaves errors that are no damage as they are', () => {
    assert.throws(
      readWith(() => {
        throw new RangeError('the disk is busy');
      }),
      /^RangeError: the disk is busy$/,
    );
  });
});
