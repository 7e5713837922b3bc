/** Packed values are, bit for bit, those that were packed, whatever they are. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { resultOf } from '#model/steps';
import { PackedValues, planPacking, writePacked } from '#storage/codec/packed-values';

const anyDecimal = fc
  .tuple(fc.integer({ min: -1_000_000, max: 1_000_000 }), fc.integer({ min: 0, max: 7 }))
  .map(([integer, digits]) => integer / 10 ** digits);

const awkward = fc.constantFrom(
  ...[0, -0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 5e-324, Number.MAX_VALUE],
  ...[2 ** 50, -(2 ** 50), 2 ** 50 + 1, 2 ** 52 + 0.5, 2 ** 53, 255, 256, 65_535, 65_536, 4_294_967_295],
);

/** Columns of one kind, or of a kind in which some are another. */
const anyValue = fc.constantFrom<fc.Arbitrary<number>>(
  fc.integer({ min: 0, max: 5 }),
  fc.integer({ min: 1000, max: 1300 }).map((cents) => cents / 100),
  fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: 0, max: 255 }) },
    { arbitrary: fc.constant(NaN), weight: 1 },
  ),
  anyDecimal,
  fc.double(),
  fc.oneof({ weight: 20, arbitrary: anyDecimal }, { weight: 1, arbitrary: awkward }),
  fc.oneof({ weight: 3, arbitrary: fc.constant(7) }, { weight: 1, arbitrary: awkward }),
);

const anyColumns = fc
  .record({
    rows: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 41, max: 1100 })),
    value: anyValue,
  })
  .chain(({ rows, value }) => {
    const count = rows * Math.max(1, Math.floor(300 / rows));
    return fc.record({
      rows: fc.constant(rows),
      values: fc.array(value, { minLength: count, maxLength: count }),
    });
  });

/** The values from one to before another. */
function part(packed: PackedValues, from: number, to: number): Float64Array {
  const found = new Float64Array(to - from + 1);
  packed.read(from, to, found, 1);
  return found.subarray(1);
}

/** Values packed behind other bytes; null when they would not be shorter. */
function packedOf(values: Float64Array, rows: number): PackedValues | null {
  const packing = resultOf(planPacking(values, rows));
  if (packing === null) return null;
  const buffer = new ArrayBuffer(16 + packing.bytes);
  resultOf(writePacked(values, packing, buffer, 16));
  assert.ok(packing.bytes < values.byteLength);
  return new PackedValues(new Uint8Array(buffer, 16));
}

/** What is read of packed values; null when they would not be shorter. */
function roundTrip(values: Float64Array, rows: number): Float64Array | null {
  const packed = packedOf(values, rows);
  return packed === null ? null : part(packed, 0, values.length);
}

/** Bits of doubles, with one kind of NaN. */
function bitsOf(values: Float64Array): Uint8Array {
  return new Uint8Array(values.map((value) => (Number.isNaN(value) ? Number.NaN : value)).buffer);
}

describe('packed values', () => {
  it('are those that were packed', () => {
    let packedCount = 0;
    fc.assert(
      fc.property(anyColumns, ({ rows, values }) => {
        const before = Float64Array.from(values);
        const found = roundTrip(before, rows);
        if (found === null) return;
        packedCount++;
        assert.deepEqual(bitsOf(found), bitsOf(before));
      }),
      { numRuns: 1500 },
    );
    assert.ok(packedCount > 100, `${packedCount}`);
  });

  it('any part of them can be read alone', () => {
    fc.assert(
      fc.property(anyColumns, fc.nat(), fc.nat(), ({ rows, values }, a, b) => {
        const before = Float64Array.from(values);
        const packed = packedOf(before, rows);
        if (packed === null) return;
        const [from, to] = [a % values.length, b % values.length].sort((x, y) => x - y);
        assert.deepEqual(bitsOf(part(packed, from, to)), bitsOf(before.subarray(from, to)));
      }),
      { numRuns: 500 },
    );
  });

  for (const [name, value, bytesMost] of [
    ['equal values', () => 21.5, 0.2],
    ['a narrow range with two decimals', (i: number) => (2100 + (i % 200)) / 100, 1.3],
    ['a range with three decimals', (i: number) => (2100 + i) / 1000, 2.2],
    ['values of which some are missing', (i: number) => (i % 3 === 0 ? Number.NaN : i / 10), 2.2],
  ] as const) {
    it(`${name} take few bytes`, () => {
      const values = Float64Array.from({ length: 1000 }, (_, i) => value(i));
      const packing = resultOf(planPacking(values, 100))!;
      assert.ok(packing.bytes <= values.length * bytesMost, `${packing.bytes}`);
      assert.deepEqual([...roundTrip(values, 100)!], [...values]);
    });
  }

  it('doubles without a short decimal form, and few values, stay as they are', () => {
    assert.equal(
      resultOf(
        planPacking(
          Float64Array.from({ length: 200 }, (_, i) => Math.sqrt(i + 2)),
          100,
        ),
      ),
      null,
    );
    assert.equal(resultOf(planPacking(Float64Array.of(1, 2), 1)), null);
  });

  it('one double among decimals costs its piece, not the others', () => {
    const values = Float64Array.from({ length: 1000 }, (_, i) => (i === 555 ? Math.PI : i / 10));
    const widths = resultOf(planPacking(values, 100))!.pieces.map(({ width }) => width);
    assert.deepEqual(widths, [1, 1, 1, 1, 1, 8, 1, 1, 1, 1]);
  });

  it('bytes that are none are refused', () => {
    const values = Float64Array.from({ length: 200 }, (_, i) => i);
    const packing = resultOf(planPacking(values, 100))!;
    const buffer = new ArrayBuffer(packing.bytes);
    writePacked(values, packing, buffer, 0);
    assert.throws(() => new PackedValues(new Uint8Array(buffer, 0, packing.bytes - 8)));
    new DataView(buffer).setUint32(4, 0, true);
    assert.throws(() => new PackedValues(new Uint8Array(buffer)), /no length/);
  });
});
