/** Sections of blocks at their limits, and sections that no encoder writes: an error, never a wrong number. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import { decodeBlock, encodeBlock } from '#storage/codec/block';
import { ByteReader, ByteWriter } from '#storage/codec/bytes';
import { writeDoubles } from '#storage/codec/doubles';
import { integerRangeMax, writeIntegers } from '#storage/codec/integers';
import { readSmall, writeSmall } from '#storage/codec/small-integers';
import { readTimes, writeOut, writeTimes } from '#storage/codec/times';
import { readValues } from '#storage/codec/values';

function written(write: (out: ByteWriter) => void): ByteReader {
  const out = new ByteWriter();
  write(out);
  return new ByteReader(out.finish());
}

describe('a block', () => {
  /** Six points, a second apart; DESIGN.md explains each byte. */
  const bytes = Uint8Array.from(Buffer.from('0178c42200060001818' + '97a02010000ad03020000090d0000', 'hex'));
  const points = {
    timesUs: Float64Array.from({ length: 6 }, (_, i) => i * 1e6),
    values: Float64Array.of(21.5, 21.6, 21.4, 21.4, 21.5, 21.7),
  };

  it('has the bytes that are documented', () => {
    assert.deepEqual(encodeBlock(points), bytes);
    assert.deepEqual(decodeBlock(bytes, 'of a test'), points);
  });

  it('has a checksum over its first byte too', () => {
    const others = Buffer.concat([bytes.subarray(0, 1), bytes.subarray(5)]);
    assert.equal(new DataView(bytes.buffer).getUint32(1, true), crc32(others));
    const withoutFirst = Uint8Array.from(bytes);
    new DataView(withoutFirst.buffer).setUint32(1, crc32(bytes.subarray(5)), true);
    assert.throws(() => decodeBlock(withoutFirst, 'of a test'), /its checksum differs/);
  });
});

/** Values of a form with one exception so many places behind the first value; `rest` writes what follows. */
function writtenWithException(
  head: readonly [number, number],
  gap: number,
  rest: (out: ByteWriter) => void,
): ByteReader {
  return written((out) => {
    for (const byte of head) out.u8(byte);
    out.varint(1);
    out.varint(gap);
    rest(out);
  });
}

describe('values', () => {
  /** Decimals. */
  const withException = (gap: number) =>
    writtenWithException([2, 1], gap, (out) => {
      out.f64(Math.PI);
      writeIntegers(out, Float64Array.of(10, 20, 30));
    });

  it('have their last exception at the last value', () => {
    const values = new Float64Array(3);
    readValues(withException(2), values);
    assert.deepEqual([...values], [1, 2, Math.PI]);
  });

  it('are refused with an exception behind the last value', () => {
    for (const gap of [3, 4, 2 ** 40]) {
      assert.throws(() => readValues(withException(gap), new Float64Array(3)), /an exception lies outside/);
    }
  });

  it('are refused as runs that are fewer or more values than the block has', () => {
    const runs = () =>
      written((out) => {
        out.u8(1);
        out.varint(2);
        writeIntegers(out, Float64Array.of(2, 3));
        out.u8(3);
        writeDoubles(out, Float64Array.of(7, 8));
      });
    const values = new Float64Array(5);
    readValues(runs(), values);
    assert.deepEqual([...values], [7, 7, 8, 8, 8]);
    for (const count of [4, 6])
      assert.throws(() => readValues(runs(), new Float64Array(count)), /the runs do not add up/);
  });
});

describe('small integers', () => {
  const withException = (gap: number) =>
    writtenWithException([4, 0], gap, (out) => {
      out.varint(1000);
      out.bytes(new Uint8Array(16));
    });

  it('have their last exception at the last integer, and none behind it', () => {
    const integers = new Float64Array(3);
    readSmall(withException(2), integers);
    assert.deepEqual([...integers], [0, 0, 1000]);
    for (const gap of [3, 4, 2 ** 40]) {
      assert.throws(() => readSmall(withException(gap), new Float64Array(3)), /an exception lies outside/);
    }
  });

  it('are refused with a width or form that there is not', () => {
    for (const [width, form] of [
      [54, 1],
      [33, 0],
      [4, 3],
      [255, 255],
    ]) {
      const from = written((out) => {
        out.u8(width);
        out.u8(form);
        out.bytes(new Uint8Array(400));
      });
      assert.throws(() => readSmall(from, new Float64Array(3)), /a width is impossible/);
    }
  });

  it('of every width come back, the widest exceptions too', () => {
    for (let width = 0; width <= 53; width++) {
      const largest = 2 ** width - 1;
      for (const integers of [
        Float64Array.from({ length: 40 }, (_, i) => Math.max(0, largest - i)),
        Float64Array.from({ length: 300 }, (_, i) => (i % 60 === 59 ? largest : i % 2)),
      ]) {
        const out = new Float64Array(integers.length);
        const bytes = readSmall(
          written((to) => writeSmall(to, integers.slice())),
          out,
        );
        assert.deepEqual(bytes === null ? out : Float64Array.from(bytes), integers, `width ${width}`);
      }
    }
  });
});

describe('times', () => {
  const kinds = ['regular', 'counted', 'raw'];
  const roundTrip = (...times: number[]) => {
    const timesUs = Float64Array.from(times);
    const kind = kinds[written((out) => writeTimes(out, timesUs)).u8()];
    const found = new Float64Array(times.length);
    const regular = readTimes(
      written((out) => writeTimes(out, timesUs)),
      found,
    );
    if (regular !== null) writeOut(regular, found);
    assert.deepEqual(found, timesUs);
    return kind;
  };

  it('are counted up to the largest range of integers, and raw beyond it', () => {
    assert.equal(roundTrip(0, 1, integerRangeMax), 'counted');
    assert.equal(roundTrip(0, 1, integerRangeMax + 1), 'raw');
    assert.equal(roundTrip(-(2 ** 52), 0, -1 + 2 ** 52), 'raw');
    assert.equal(roundTrip(-(2 ** 51), 7, 2 ** 51 - 1), 'counted');
    assert.equal(roundTrip(-(2 ** 53), 0, 2 ** 53), 'raw');
    assert.equal(roundTrip(-(2 ** 53) + 1, 2 ** 53 - 1), 'raw');
  });

  it('at a constant step are regular up to that range', () => {
    assert.equal(roundTrip(1, 1 + integerRangeMax), 'regular');
    assert.equal(roundTrip(0, integerRangeMax + 1), 'raw');
    assert.equal(roundTrip(2 ** 53), 'regular');
  });
});
