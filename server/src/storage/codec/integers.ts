/** A column of integers: the transform that makes them smallest, then their bits. */
import type { ByteReader, ByteWriter } from './bytes.ts';
import { readSmall, writeSmall } from './small-integers.ts';
import { chooseTransform, readTransform, undo, undoBytes, writeTransform } from './transforms.ts';

/** The largest distance between two integers of a column that can be coded. */
export const integerRangeMax = 2 ** 52 - 1;

/** Writes at least one integer, none further from another than {@link integerRangeMax}. `isTime`: they ascend, more or less evenly. */
export function writeIntegers(out: ByteWriter, column: Float64Array, isTime = false): void {
  const transformed = chooseTransform(column, isTime);
  writeTransform(out, transformed);
  writeSmall(out, transformed.small);
}

/** Fills `out` with the integers, each divided by `divisor` (which spares decimals another walk). */
export function readIntegers(from: ByteReader, out: Float64Array, divisor = 1): void {
  const { kind, params } = readTransform(from);
  const bytes = readSmall(from, out);
  if (bytes !== null && undoBytes(kind, params, bytes, out, divisor)) return;
  if (bytes !== null) out.set(bytes);
  undo(kind, params, out, divisor);
}
