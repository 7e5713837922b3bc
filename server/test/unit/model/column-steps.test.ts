/** Columns that are made in steps: as long as asked for, with what was asked for, and no step is long. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { areEqual, computed, concatenated, copied, filled } from '#model/column-steps';
import { resultOf, type Steps } from '#model/steps';

const lengths = [0, 1, 4095, 4096, 4097, 10_000];

function numbers(length: number): Float64Array {
  return Float64Array.from({ length }, (_, i) => i);
}

function longestStep(steps: Steps<unknown>): number {
  return Math.max(0, ...steps);
}

describe('columns in steps', () => {
  for (const length of lengths)
    it(`E3b of ${length} values`, () => {
      const column = numbers(length);
      assert.deepEqual(resultOf(filled(length, 7)), new Float64Array(length).fill(7));
      assert.deepEqual(
        resultOf(computed(length, (i) => 2 * i)),
        column.map((i) => 2 * i),
      );
      const copy = resultOf(copied(column));
      assert.deepEqual(copy, column);
      assert.notEqual(copy.buffer, column.buffer);
      const parts = [column, Float64Array.of(-1), column];
      const whole = resultOf(concatenated(parts));
      assert.deepEqual([...whole], [...column, -1, ...column]);
    });

  it('E3b two are equal if all their numbers are', () => {
    for (const length of lengths) {
      const column = numbers(length);
      assert.equal(resultOf(areEqual(column, numbers(length))), true);
      assert.equal(resultOf(areEqual(column, numbers(length + 1))), false);
      for (const differing of [0, 4095, 4096, length - 1]) {
        if (differing < 0 || differing >= length) continue;
        const other = numbers(length);
        other[differing] = -1;
        assert.equal(resultOf(areEqual(column, other)), false, `${length}, ${differing}`);
      }
    }
  });

  it('E3b no step takes longer than some thousand values do', () => {
    const column = numbers(100_000);
    const all = [filled(100_000, 1), copied(column), concatenated([column, column])];
    for (const steps of [...all, areEqual(column, numbers(100_000))])
      assert.ok(longestStep(steps) <= 4 * 4096);
  });
});
