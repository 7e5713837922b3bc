/** What the generator says an answer must be. */

/** Throws when a series is not one `value` for each group. */
export function expectSeries<T>(
  got: (number | null)[] | undefined,
  groups: ArrayLike<T>,
  value: (group: T) => number,
): void {
  if (got?.length !== groups.length) throw new Error(`expected ${groups.length} rows, got ${got?.length}`);
  for (let i = 0; i < groups.length; i++) {
    const expected = value(groups[i]);
    if (Math.abs((got[i] ?? Number.NaN) - expected) > 1e-9 * Math.abs(expected) + 1e-9) {
      throw new Error(`row ${i}: expected ${expected}, got ${got[i]}`);
    }
    if (got[i] === null) throw new Error(`row ${i}: expected ${expected}, got null`);
  }
}

/** Consecutive parts of these lengths. */
export function cut(values: Float64Array, lengths: readonly number[]): Float64Array[] {
  let from = 0;
  return lengths.map((length) => {
    from += length;
    return values.subarray(from - length, from);
  });
}

/** Consecutive parts of one length; the last one may be shorter. */
export function chunks(values: Float64Array, length: number): Float64Array[] {
  return cut(values, Array(Math.ceil(values.length / length)).fill(length));
}

/** The sum, one after the other. */
export function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The arithmetic mean. */
export function mean(values: Float64Array): number {
  return sum(values) / values.length;
}
