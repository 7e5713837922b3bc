/** Numbers as bytes are what JSON.stringify makes of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { numberBytesMax, writeNumber } from '#model/number-printer';

const bytes = Buffer.alloc(numberBytesMax + 1);

function printed(value: number): string {
  const end = writeNumber(value, bytes, 0);
  assert.ok(end <= numberBytesMax, String(value));
  return bytes.toString('latin1', 0, end);
}

/** As sensors send them: a few decimals, up to sixteen digits. */
const decimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 16n), max: 10n ** 16n }), fc.nat(16))
  .map(([digits, places]) => Number(`${digits}e-${places}`));
const near = fc.constantFrom(
  1e-7,
  1e-6,
  1,
  1e6,
  1e9,
  999_999_999,
  1e14,
  1e15,
  1e21,
  2 ** 53,
  0.1,
  0.3,
  123.456,
);
const beside = fc
  .tuple(near, fc.integer({ min: -3, max: 3 }), fc.boolean())
  .map(([value, steps, negative]) => {
    const bits = new BigInt64Array(Float64Array.of(value).buffer);
    bits[0] += BigInt(steps);
    return new Float64Array(bits.buffer)[0] * (negative ? -1 : 1);
  });

test('R9 a number is written as JSON.stringify does, whatever was written before it', () => {
  const value = fc.oneof(
    decimal,
    beside,
    fc.double(),
    fc.integer(),
    fc.constantFrom(-0, 5e-324, 1.7976931348623157e308),
  );
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 20 }), (values) => {
      for (const one of values) assert.equal(printed(one), JSON.stringify(one));
    }),
    { numRuns: 20_000 },
  );
});
