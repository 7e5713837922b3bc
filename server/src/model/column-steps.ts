/**
 * Columns that are made in steps. Memory that is new to the process takes milliseconds for each MiB, so a long column is not even
 * copied at once.
 */
import { inPieces, type Steps } from './steps.ts';

/** Work for a value that is copied, compared or looked at. */
const valueWork = 2;

/** A column of one value. */
export function* filled(length: number, value: number): Steps<Float64Array> {
  const column = new Float64Array(length);
  yield* inPieces(length, valueWork, (from, to) => column.fill(value, from, to));
  return column;
}

/** Copies `source` into `target`, from `at` on. */
export function* copyInto(target: Float64Array, source: Float64Array, at: number): Steps<void> {
  yield* inPieces(source.length, valueWork, (from, to) => target.set(source.subarray(from, to), at + from));
}

/** A copy of its own. */
export function* copied(column: Float64Array): Steps<Float64Array> {
  const copy = new Float64Array(column.length);
  yield* copyInto(copy, column, 0);
  return copy;
}

/** The values of these columns, one after the other. */
export function* concatenated(parts: readonly Float64Array[]): Steps<Float64Array> {
  const whole = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    yield* copyInto(whole, part, at);
    at += part.length;
  }
  return whole;
}

/** A column with what `of` gives for each index. */
export function* computed(length: number, of: (index: number) => number): Steps<Float64Array> {
  const column = new Float64Array(length);
  yield* inPieces(length, 2 * valueWork, (from, to) => {
    for (let i = from; i < to; i++) column[i] = of(i);
  });
  return column;
}

/** Whether two columns have the same numbers. */
export function* areEqual(a: Float64Array, b: Float64Array): Steps<boolean> {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  let isEqual = true;
  const comparison = inPieces(a.length, valueWork, (from, to) => {
    isEqual = areEqualIn(a, b, from, to);
  });
  for (const work of comparison) {
    yield work;
    if (!isEqual) return false;
  }
  return true;
}

function areEqualIn(a: Float64Array, b: Float64Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (a[i] !== b[i]) return false;
  return true;
}
