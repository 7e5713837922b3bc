/** A column of integers: the transform that makes them smallest, then their bits. */
import type { ByteReader, ByteWriter } from './bytes.ts';
import { estimateBits, readSmall, writeSmall } from './small-integers.ts';
import { readTransform, type TransformKind, transform, undo, writeTransform } from './transforms.ts';

/** The largest distance between two integers of a column that can be coded. */
export const integerRangeMax = 2 ** 52 - 1;

/** Values looked at when transforms are compared. */
const sampleCount = 1024;

/** Whether {@link writeIntegers} can take a column. */
export function fitsIntegers(column: Float64Array): boolean {
  let smallest = Number.POSITIVE_INFINITY;
  let largest = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < column.length; i++) {
    smallest = Math.min(smallest, column[i]);
    largest = Math.max(largest, column[i]);
  }
  return largest - smallest <= integerRangeMax;
}

/** Writes at least one integer, for which {@link fitsIntegers}, by the cheapest of these transforms. */
export function writeIntegers(
  out: ByteWriter,
  column: Float64Array,
  kinds: readonly TransformKind[] = ['plain', 'delta', 'zigzag'],
): void {
  const stride = Math.max(1, Math.floor(column.length / sampleCount));
  let best = transform(kinds[0], column);
  let bestBits = estimateBits(best.small, stride);
  for (const kind of kinds.slice(1)) {
    const other = transform(kind, column);
    const bits = estimateBits(other.small, stride);
    if (bits >= bestBits) continue;
    best = other;
    bestBits = bits;
  }
  writeTransform(out, best);
  writeSmall(out, best.small);
}

/** Fills `out` with the integers, each divided by `divisor` (which spares decimals another walk). */
export function readIntegers(from: ByteReader, out: Float64Array, divisor = 1): void {
  const { kind, params } = readTransform(from);
  readSmall(from, out);
  undo(kind, params, out, divisor);
}
