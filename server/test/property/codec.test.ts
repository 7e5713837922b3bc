/** The codec gives back every bit that it was given, and no damaged byte goes unnoticed. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import type { Points } from '#model/frame';
import { blockPointsMax, decodeBlock, encodeBlock } from '#storage/codec/block';

/** Any double but NaN, the awkward ones often. */
const anyDouble = fc.oneof(
  { weight: 4, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
  { weight: 1, arbitrary: fc.constantFrom(0, -0, 5e-324, -5e-324, 2 ** 53, -(2 ** 53), 2 ** 53 - 1) },
  { weight: 1, arbitrary: fc.constantFrom(Number.MAX_VALUE, 0.1 + 0.2, 2 ** 51, 2 ** 52 + 0.5, 1e22, 1e-7) },
);

/** Decimals with few digits. */
const anyDecimal = fc
  .tuple(fc.integer({ min: -1_000_000, max: 1_000_000 }), fc.integer({ min: 0, max: 6 }))
  .map(([integer, digits]) => integer / 10 ** digits);

/** A column as measurements make them: of one kind, or mixed. */
const anyColumn = (length: number) => {
  const options = { minLength: length, maxLength: length };
  return fc.oneof(
    fc.array(anyDouble, options),
    fc.array(anyDecimal, options),
    fc.array(fc.integer({ min: 0, max: 5 }), options),
    fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), options),
    fc.array(fc.oneof({ weight: 30, arbitrary: anyDecimal }, { weight: 1, arbitrary: anyDouble }), options),
    fc.array(fc.integer({ min: -30, max: 30 }), options).map((steps) => {
      let sum = 0;
      return steps.map((step) => {
        sum += step;
        return sum / 100;
      });
    }),
    anyDouble.map((value) => new Array<number>(length).fill(value)),
  );
};

/** Steps between times: regular, jittering, wild. */
const anySteps = (length: number) => {
  const options = { minLength: length, maxLength: length };
  return fc.oneof(
    fc.constantFrom(1, 1000, 1_000_000, 60_000_000).map((step) => new Array<number>(length).fill(step)),
    fc.array(fc.integer({ min: 59_000_000, max: 61_000_000 }), options),
    fc.array(fc.constantFrom(1000, 2000, 60_000, 86_400_000_000), options),
    fc.array(
      fc.maxSafeNat().map((step) => 1 + Math.floor(step / 1000)),
      options,
    ),
  );
};

const anyPoints: fc.Arbitrary<Points> = fc
  .integer({ min: 1, max: 700 })
  .chain((length) =>
    fc.tuple(fc.integer({ min: -(2 ** 52), max: 2 ** 51 }), anySteps(length - 1), anyColumn(length)),
  )
  .map(([first, steps, column]) => {
    const timesUs = [first];
    for (const step of steps) if (timesUs.at(-1)! + step < 2 ** 53) timesUs.push(timesUs.at(-1)! + step);
    return {
      timesUs: Float64Array.from(timesUs),
      values: Float64Array.from(column.slice(0, timesUs.length)),
    };
  });

function assertSame(found: Points, expected: Points): void {
  assert.deepEqual(found.timesUs, expected.timesUs);
  assert.equal(found.values.length, expected.values.length);
  found.values.forEach((value, i) => {
    assert.ok(Object.is(value, expected.values[i]), `value ${i}: ${value} for ${expected.values[i]}`);
  });
}

describe('codec', () => {
  it('decodes what it encoded, bit by bit', () => {
    fc.assert(
      fc.property(anyPoints, (points) => assertSame(decodeBlock(encodeBlock(points), 'b'), points)),
      { numRuns: 300 },
    );
  });

  it('takes the extremes of time and of count', () => {
    const end = 2 ** 53 - 1;
    const extreme = { timesUs: Float64Array.of(-end, 0, end), values: Float64Array.of(1, 2, 3) };
    assertSame(decodeBlock(encodeBlock(extreme), 'b'), extreme);
    const full = {
      timesUs: Float64Array.from({ length: blockPointsMax }, (_, i) => i * 7),
      values: Float64Array.from({ length: blockPointsMax }, (_, i) => Math.sin(i)),
    };
    assertSame(decodeBlock(encodeBlock(full), 'b'), full);
  });

  it('refuses a block of which any bit is flipped, and names it', () => {
    fc.assert(
      fc.property(anyPoints, fc.nat(), fc.integer({ min: 0, max: 7 }), (points, at, bit) => {
        const bytes = encodeBlock(points);
        bytes[at % bytes.length] ^= 1 << bit;
        assert.throws(
          () => decodeBlock(bytes, '17 of signal 4'),
          /^AppError: block 17 of signal 4 is damaged: /,
        );
      }),
    );
  });

  it('refuses a block that is cut anywhere, or has bytes too many', () => {
    fc.assert(
      fc.property(anyPoints, fc.nat(), (points, at) => {
        const bytes = encodeBlock(points);
        assert.throws(() => decodeBlock(bytes.subarray(0, at % bytes.length), 'b'), /block b is damaged/);
        const longer = new Uint8Array(bytes.length + 1);
        longer.set(bytes);
        assert.throws(() => decodeBlock(longer, 'b'), /block b is damaged/);
      }),
    );
  });

  it('ends, with an error or a column, on any bytes whose checksum happens to fit', () => {
    fc.assert(
      fc.property(
        anyPoints,
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1 }),
        (points, changes) => {
          const bytes = encodeBlock(points);
          for (const [at, byte] of changes) bytes[5 + (at % (bytes.length - 5))] = byte;
          withFittingChecksum(bytes);
          try {
            const { timesUs, values } = decodeBlock(bytes, 'b');
            assert.equal(timesUs.length, values.length);
            assert.ok(timesUs.length <= blockPointsMax);
          } catch (error) {
            assert.match(String(error), /block b is damaged/);
          }
        },
      ),
    );
  });
});

function withFittingChecksum(bytes: Uint8Array): void {
  const sum = crc32(bytes.subarray(5), crc32(bytes.subarray(0, 1)));
  new DataView(bytes.buffer, bytes.byteOffset).setUint32(1, sum, true);
}
