/**
 * Ways to write a column of integers as small non-negative ones. Each is undone exactly: all arithmetic is of integers below
 * 2^53 in doubles.
 */
import type { ByteReader, ByteWriter } from './bytes.ts';
import { Scratch } from './scratch.ts';
import { bitLength, bitsOf, newLengths } from './small-integers.ts';

/** A column as small integers, and what is needed to undo it. */
export interface Transformed {
  kind: TransformKind;
  /** What undoes it: see each kind. */
  params: readonly number[];
  /** Valid until the next column is transformed. */
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

/**
 * Values looked at when transforms are compared. (Here and where other columns are written or read, loops keep the length of an array in a
 * variable: V8 calls a function for each `length` in code that is not compiled with all optimisations yet.)
 */
const sampleCount = 1024;

const deltaMemory = new Scratch();
const lineMemory = new Scratch();

/** Applies the transform that makes a column of at least one integer smallest; largest − smallest must be below 2^52. */
export function chooseTransform(column: Float64Array, isTime: boolean): Transformed {
  const { deltas, least, smallest } = distances(column);
  const { delta, zigzag } = bitsOfDeltas(deltas, least);
  if (isTime) {
    const linear = linearly(column);
    if (bitsAbove(linear.small, 0) < Math.min(delta, zigzag)) return linear;
  } else if (bitsAbove(column, smallest) <= Math.min(delta, zigzag)) {
    return plainly(column, smallest, deltas);
  }
  return delta <= zigzag ? byDelta(column[0], deltas, least) : byZigzag(column[0], deltas);
}

/** Every how many of so many values one is looked at. */
function strideOf(count: number): number {
  return Math.max(1, Math.floor(count / sampleCount));
}

/** The bits that distances from one value to the next take, above the smallest and with their signs. */
function bitsOfDeltas(deltas: Float64Array, least: number): { delta: number; zigzag: number } {
  const { length } = deltas;
  const stride = strideOf(length);
  const [delta, zigzag] = [newLengths(), newLengths()];
  delta[0] = zigzag[0] = 1;
  for (let i = stride; i < length; i += stride) {
    delta[bitLength(deltas[i] - least)]++;
    zigzag[bitLength(zigzagOf(deltas[i]))]++;
  }
  return { delta: bitsOf(delta) * stride, zigzag: bitsOf(zigzag) * stride };
}

/** The bits that the values above the smallest take. */
function bitsAbove(column: Float64Array, smallest: number): number {
  const { length } = column;
  const stride = strideOf(length);
  const lengths = newLengths();
  for (let i = 0; i < length; i += stride) lengths[bitLength(column[i] - smallest)]++;
  return bitsOf(lengths) * stride;
}

function plainly(column: Float64Array, smallest: number, small: Float64Array): Transformed {
  const { length } = column;
  for (let i = 0; i < length; i++) small[i] = column[i] - smallest;
  return { kind: 'plain', params: [smallest], small };
}

function byDelta(first: number, deltas: Float64Array, smallest: number): Transformed {
  const { length } = deltas;
  for (let i = 1; i < length; i++) deltas[i] -= smallest;
  return { kind: 'delta', params: [first, smallest], small: deltas };
}

function byZigzag(first: number, deltas: Float64Array): Transformed {
  const { length } = deltas;
  for (let i = 1; i < length; i++) deltas[i] = zigzagOf(deltas[i]);
  return { kind: 'zigzag', params: [first], small: deltas };
}

function linearly(column: Float64Array): Transformed {
  const { length, 0: first } = column;
  const slope = length > 1 ? (column[length - 1] - first) / (length - 1) : 0;
  const small = lineMemory.take(length);
  let smallest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < length; i++) {
    const distance = column[i] - (first + Math.floor(i * slope));
    small[i] = distance;
    if (distance < smallest) smallest = distance;
  }
  for (let i = 0; i < length; i++) small[i] -= smallest;
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

/** Distances from one value to the next, the first is 0; the smallest of the others (0 if there are none) and of the column. */
function distances(column: Float64Array): { deltas: Float64Array; least: number; smallest: number } {
  const { length } = column;
  const deltas = deltaMemory.take(length);
  let before = column[0];
  let smallest = before;
  let least = Number.POSITIVE_INFINITY;
  deltas[0] = 0;
  for (let i = 1; i < length; i++) {
    const value = column[i];
    const delta = value - before;
    deltas[i] = delta;
    if (delta < least) least = delta;
    if (value < smallest) smallest = value;
    before = value;
  }
  return { deltas, least: length > 1 ? least : 0, smallest };
}

function zigzagOf(delta: number): number {
  return delta < 0 ? -2 * delta - 1 : 2 * delta;
}

function addAll(small: Float64Array, smallest: number, divisor: number): void {
  const { length } = small;
  for (let i = 0; i < length; i++) small[i] = (small[i] + smallest) / divisor;
}

function addLine(small: Float64Array, base: number, slope: number, divisor: number): void {
  const { length } = small;
  for (let i = 0; i < length; i++) small[i] = (small[i] + base + Math.floor(i * slope)) / divisor;
}

function addUp(small: Float64Array, first: number, step: number, divisor: number): void {
  const { length } = small;
  let value = first;
  small[0] = first / divisor;
  for (let i = 1; i < length; i++) {
    value += small[i] + step;
    small[i] = value / divisor;
  }
}

function addUpZigzags(small: Float64Array, first: number, divisor: number): void {
  const { length } = small;
  let value = first;
  small[0] = first / divisor;
  for (let i = 1; i < length; i++) {
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
  const { length } = bytes;
  const whole = step | 0;
  let value = first | 0;
  out[0] = value / divisor;
  for (let i = 1; i < length; i++) {
    value = (value + bytes[i] + whole) | 0;
    out[i] = value / divisor;
  }
}

function addUpZigzagBytes(bytes: Uint8Array, first: number, divisor: number, out: Float64Array): void {
  const { length } = bytes;
  let value = first | 0;
  out[0] = value / divisor;
  for (let i = 1; i < length; i++) {
    value = (value + ((bytes[i] >>> 1) ^ -(bytes[i] & 1))) | 0;
    out[i] = value / divisor;
  }
}
