/** Checksums of rows: what they tell apart. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkOfNumbers } from '#storage/sqlite/row-check';

test('R9 0 and -0 are one, NaN is null, and every other number is told apart', () => {
  assert.equal(checkOfNumbers([1, -0]), checkOfNumbers([1, 0]));
  assert.equal(checkOfNumbers([1, Number.NaN]), checkOfNumbers([1, null]));
  const different = [[], [0], [null], [1], [0, 0], [0, 1], [1, 0]].map((row) => checkOfNumbers(row));
  assert.equal(new Set(different).size, different.length);
});

test('R9 a row with a text or a blob in the place of a number has no checksum, also where it would become the number', () => {
  for (const value of ['', '0', new Uint8Array(), 0n])
    assert.ok(Number.isNaN(checkOfNumbers([7, value as unknown as number])));
});
