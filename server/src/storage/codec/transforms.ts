/**
 * Ways to write a column of integers as small non-negative ones. Each is undone exactly: all arithmetic is of integers below
 * 2^53 in doubles.
 */
import type { ByteReader, ByteWriter } from './bytes.ts';
import { estimateBits } from './small-integers.ts';

/** A column as small integers, and what is needed to undo it. */
export interface Transformed {
  kind: TransformKind;
  /** What undoes it: see each kind. */
  params: readonly number[];
  small: Float64Array;
}

/**
 * - `plain`: distance from the smallest. Params: smallest.
 * - `delta`: distance from the one before, less the smallest such distance. Params: first, smallest distance.
 * - `zigzag`: distance from the one before, its sign in the lowest bit. Params: first.
 * - `linear`: distance from the line between first and last, less the smallest such distance. Params: first, slope, smallest.
 */
export type TransformKind = 'plain' | 'delta' | 'zigzag' | 'linear';

const kinds: readonly TransformKind[] = ['plain', 'delta', 'zigzag', 'linear'];

/** Values looked at when transforms are compared. */
const sampleCount = 1024;

/** Applies the transform that makes a column of at least one integer smallest; largest − smallest must be below 2^52. */
export function chooseTransform(column: Float64Array, isTime: boolean): Transformed {
  const stride = Math.max(1, Math.floor(column.length / sampleCount));
  const bitsOf = (at: (i: number) => number) => estimateBits(column.length, stride, at);
  const deltas = deltasOf(column);
  const least = smallestOf(deltas, 1);
  const delta = bitsOf((i) => (i === 0 ? 0 : deltas[i] - least));
  const zigzag = bitsOf((i) => zigzagOf(deltas[i]));
  if (isTime) {
    const linear = linearly(column);
    if (bitsOf((i) => linear.small[i]) < Math.min(delta, zigzag)) return linear;
  } else {
    const smallest = smallestOf(column, 0);
    const plain = bitsOf((i) => column[i] - smallest);
    if (plain <= Math.min(delta, zigzag)) return plainly(column, smallest);
  }
  return delta <= zigzag ? byDelta(column[0], deltas, least) : byZigzag(column[0], deltas);
}

function plainly(column: Float64Array, smallest: number): Transformed {
  const small = new Float64Array(column.length);
  for (let i = 0; i < small.length; i++) small[i] = column[i] - smallest;
  return { kind: 'plain', params: [smallest], small };
}

function byDelta(first: number, deltas: Float64Array, smallest: number): Transformed {
  for (let i = 1; i < deltas.length; i++) deltas[i] -= smallest;
  return { kind: 'delta', params: [first, smallest], small: deltas };
}

function byZigzag(first: number, deltas: Float64Array): Transformed {
  for (let i = 1; i < deltas.length; i++) deltas[i] = zigzagOf(deltas[i]);
  return { kind: 'zigzag', params: [first], small: deltas };
}

function linearly(column: Float64Array): Transformed {
  const [first] = column;
  const slope = column.length > 1 ? (column[column.length - 1] - first) / (column.length - 1) : 0;
  const small = new Float64Array(column.length);
  for (let i = 0; i < small.length; i++) small[i] = column[i] - (first + Math.floor(i * slope));
  const smallest = smallestOf(small, 0);
  for (let i = 0; i < small.length; i++) small[i] -= smallest;
  return { kind: 'linear', params: [first, slope, smallest], small };
}

/** Undoes a transform in place, and divides by `divisor`. */
export function undo(
  kind: TransformKind,
  [first, second, third]: readonly number[],
  small: Float64Array,
  divisor: number,
): void {
  if (kind === 'plain') addAll(small, first, divisor);
  else if (kind === 'delta') addUp(small, first, second, divisor);
  else if (kind === 'zigzag') addUpZigzags(small, first, divisor);
  else addLine(small, first + third, second, divisor);
}

/** What 32-bit integers hold. */
const wordMax = 2 ** 31 - 1;

/** The largest byte. */
const byteMax = 255;

/**
 * As {@link undo}, of bytes, where all that comes out is small: then sums of integers take half the time. False, and nothing
 * done, where it may not be.
 */
export function undoBytes(
  kind: TransformKind,
  [first, step]: readonly number[],
  bytes: Uint8Array,
  out: Float64Array,
  divisor: number,
): boolean {
  const stepMax = byteMax + (kind === 'delta' ? Math.abs(step) : 0);
  if (Math.abs(first) + bytes.length * stepMax > wordMax) return false;
  if (kind === 'delta') addUpBytes(bytes, first, step, divisor, out);
  else if (kind === 'zigzag') addUpZigzagBytes(bytes, first, divisor, out);
  else return false;
  return true;
}

/** Writes kind and params. */
export function writeTransform(out: ByteWriter, { kind, params }: Transformed): void {
  out.u8(kinds.indexOf(kind));
  params.forEach((param, index) => {
    if (kind === 'linear' && index === 1) out.f64(param);
    else out.integer(param);
  });
}

/** Reads kind and params. */
export function readTransform(from: ByteReader): Pick<Transformed, 'kind' | 'params'> {
  const code = from.u8();
  const kind = kinds[code];
  switch (kind) {
    case 'plain':
    case 'zigzag':
      return { kind, params: [from.integer()] };
    case 'delta':
      return { kind, params: [from.integer(), from.integer()] };
    case 'linear':
      return { kind, params: [from.integer(), from.f64(), from.integer()] };
    default:
      throw new Error(`unknown transform ${code}`);
  }
}

function deltasOf(column: Float64Array): Float64Array {
  const out = new Float64Array(column.length);
  for (let i = 1; i < column.length; i++) out[i] = column[i] - column[i - 1];
  return out;
}

function zigzagOf(delta: number): number {
  return delta < 0 ? -2 * delta - 1 : 2 * delta;
}

/** The smallest from index `from` on; 0 when there is none. */
function smallestOf(column: Float64Array, from: number): number {
  let smallest = from < column.length ? column[from] : 0;
  for (let i = from; i < column.length; i++) smallest = Math.min(smallest, column[i]);
  return smallest;
}

function addAll(small: Float64Array, smallest: number, divisor: number): void {
  for (let i = 0; i < small.length; i++) small[i] = (small[i] + smallest) / divisor;
}

function addLine(small: Float64Array, base: number, slope: number, divisor: number): void {
  for (let i = 0; i < small.length; i++) small[i] = (small[i] + base + Math.floor(i * slope)) / divisor;
}

function addUp(small: Float64Array, first: number, step: number, divisor: number): void {
  let value = first;
  small[0] = first / divisor;
  for (let i = 1; i < small.length; i++) {
    value += small[i] + step;
    small[i] = value / divisor;
  }
}

function addUpZigzags(small: Float64Array, first: number, divisor: number): void {
  let value = first;
  small[0] = first / divisor;
  for (let i = 1; i < small.length; i++) {
    const half = Math.floor(small[i] / 2);
    value += half * 2 === small[i] ? half : -half - 1;
    small[i] = value / divisor;
  }
}

function addUpBytes(
  bytes: Uint8Array,
  first: number,
  step: number,
  divisor: number,
  out: Float64Array,
): void {
  const whole = step | 0;
  let value = first | 0;
  out[0] = value / divisor;
  for (let i = 1; i < bytes.length; i++) {
    value = (value + bytes[i] + whole) | 0;
    out[i] = value / divisor;
  }
}

function addUpZigzagBytes(bytes: Uint8Array, first: number, divisor: number, out: Float64Array): void {
  let value = first | 0;
  out[0] = value / divisor;
  for (let i = 1; i < bytes.length; i++) {
    value = (value + ((bytes[i] >>> 1) ^ -(bytes[i] & 1))) | 0;
    out[i] = value / divisor;
  }
}
