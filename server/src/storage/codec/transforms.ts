/**
 * Ways to write a column of integers as small non-negative ones. Each is undone exactly: all arithmetic is of integers below
 * 2^53 in doubles.
 */
import type { ByteReader, ByteWriter } from './bytes.ts';

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

/** Applies a transform to at least one integer; largest − smallest must be below 2^52. */
export function transform(kind: TransformKind, column: Float64Array): Transformed {
  switch (kind) {
    case 'plain': {
      const [small, smallest] = lessSmallest(column.slice(), 0);
      return { kind, params: [smallest], small };
    }
    case 'delta': {
      const [small, smallest] = lessSmallest(deltas(column), 1);
      return { kind, params: [column[0], smallest], small };
    }
    case 'zigzag':
      return { kind, params: [column[0]], small: zigzags(column) };
    case 'linear': {
      const slope = column.length > 1 ? (column[column.length - 1] - column[0]) / (column.length - 1) : 0;
      const [small, smallest] = lessSmallest(fromLine(column, slope), 0);
      return { kind, params: [column[0], slope, smallest], small };
    }
  }
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
      throw new Error(`there is no transform ${code}`);
  }
}

function deltas(column: Float64Array): Float64Array {
  const out = new Float64Array(column.length);
  for (let i = 1; i < column.length; i++) out[i] = column[i] - column[i - 1];
  return out;
}

function zigzags(column: Float64Array): Float64Array {
  const out = new Float64Array(column.length);
  for (let i = 1; i < column.length; i++) {
    const delta = column[i] - column[i - 1];
    out[i] = delta < 0 ? -2 * delta - 1 : 2 * delta;
  }
  return out;
}

function fromLine(column: Float64Array, slope: number): Float64Array {
  const out = new Float64Array(column.length);
  for (let i = 0; i < column.length; i++) out[i] = column[i] - (column[0] + Math.floor(i * slope));
  return out;
}

/** Takes the smallest off all from index `from` on, in place; what is before stays 0. */
function lessSmallest(column: Float64Array, from: number): [Float64Array, number] {
  let smallest = from < column.length ? column[from] : 0;
  for (let i = from; i < column.length; i++) if (column[i] < smallest) smallest = column[i];
  for (let i = from; i < column.length; i++) column[i] -= smallest;
  return [column, smallest];
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
