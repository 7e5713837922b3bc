/**
 * Functions that look at other buckets of their argument (F4). Each is O(buckets), whatever n is. What a bucket gets
 * depends only on the buckets within the function's reach, never on how many more were read for another formula; so
 * positions count from the window's first bucket, not from the column's first value.
 */
import { finite } from './kernel.ts';

/** The buckets under the columns. */
export interface Grid {
  /** Bucket i is `[edgesUs[i], edgesUs[i + 1])`. */
  edgesUs: Float64Array;
  /** Index of the window's first bucket. */
  first: number;
  /** Number of buckets in the window. */
  count: number;
  /** The furthest that anything looks back, in buckets. */
  offsetBucketsMax: number;
}

/** Fills `out` from `x`, both one value a bucket and not the same array. `n` is the literal argument. */
export type SeriesKernel = (out: Float64Array, x: Float64Array, n: number, grid: Grid) => void;

/** The value n buckets before. */
export const lag: SeriesKernel = (out, x, n) => {
  const edge = Math.min(n, x.length);
  out.fill(Number.NaN, 0, edge);
  out.set(x.subarray(0, x.length - edge), edge);
};

/** The value n buckets after. */
export const lead: SeriesKernel = (out, x, n) => {
  const edge = Math.min(n, x.length);
  out.set(x.subarray(edge));
  out.fill(Number.NaN, x.length - edge);
};

/** x less x of the bucket before; null when either is. */
export const delta: SeriesKernel = (out, x) => {
  out[0] = Number.NaN;
  for (let i = 1; i < x.length; i++) out[i] = finite(x[i] - x[i - 1]);
};

/** {@link delta} by the seconds between the two buckets' starts. */
export const rate: SeriesKernel = (out, x, _n, { edgesUs }) => {
  out[0] = Number.NaN;
  for (let i = 1; i < x.length; i++) {
    out[i] = finite((x[i] - x[i - 1]) / ((edgesUs[i] - edgesUs[i - 1]) / 1e6));
  }
};

/** The sum since the window's first bucket; null where x is null (the sum goes on after it), and before the window. */
export const cumulate: SeriesKernel = (out, x, _n, { first }) => {
  out.fill(Number.NaN, 0, first);
  let sum = 0;
  for (let i = first; i < x.length; i++) {
    if (!Number.isNaN(x[i])) sum += x[i];
    out[i] = finite(sum + (x[i] - x[i]));
  }
};

/**
 * Empty buckets get the last value before them, if its bucket started at most `gapUs` (here `n`) earlier and is at most
 * offsetBucketsMax buckets before the window.
 */
export const fillGaps: SeriesKernel = (out, x, gapUs, { edgesUs, first, offsetBucketsMax }) => {
  const floor = Math.max(0, first - offsetBucketsMax);
  out.fill(Number.NaN, 0, floor);
  let last = -1;
  for (let i = floor; i < x.length; i++) {
    if (!Number.isNaN(x[i])) last = i;
    out[i] = last >= 0 && edgesUs[i] - edgesUs[last] <= gapUs ? x[last] : Number.NaN;
  }
};

/** Empty buckets of the window get what a straight line between the nearest values of the window gives at their start. */
export const interpolate: SeriesKernel = (out, x, _n, { edgesUs, first, count }) => {
  out.set(x);
  let last = -1;
  for (let i = first; i < first + count; i++) {
    if (Number.isNaN(x[i])) continue;
    if (last >= 0) drawLine(out, last, i, edgesUs);
    last = i;
  }
};

function drawLine(out: Float64Array, from: number, to: number, edgesUs: Float64Array): void {
  const rise = out[to] - out[from];
  const run = edgesUs[to] - edgesUs[from];
  for (let i = from + 1; i < to; i++) {
    out[i] = finite(out[from] + rise * ((edgesUs[i] - edgesUs[from]) / run));
  }
}

/** The sum of the last n buckets, nulls skipped; null when all are. */
export const moveSum: SeriesKernel = (out, x, n, { first }) => {
  slide(out, x, n, first, 0);
  nullifyInfinite(out);
};

/** The smallest value of the last n buckets, nulls skipped; null when all are. */
export const moveMin: SeriesKernel = (out, x, n, { first }) => slide(out, x, n, first, 1);

/** The largest value of the last n buckets, nulls skipped; null when all are. */
export const moveMax: SeriesKernel = (out, x, n, { first }) => slide(out, x, n, first, 2);

/** The mean of the last n buckets, nulls skipped; null when all are. */
export const moveAverage: SeriesKernel = (out, x, n, grid) => {
  slide(out, x, n, grid.first, 0);
  let seen = 0;
  for (let i = 0; i < x.length; i++) {
    if (!Number.isNaN(x[i])) seen++;
    if (i >= n && !Number.isNaN(x[i - n])) seen--;
    out[i] = finite(out[i] / seen);
  }
};

/** How two values become one: 0 adds, 1 takes the smaller, 2 the larger. A null changes nothing. */
type Mode = 0 | 1 | 2;

/** A number instead of a function says how, so that this is compiled into the loops. */
function combine(a: number, b: number, mode: Mode): number {
  if (Number.isNaN(a)) return b;
  if (Number.isNaN(b)) return a;
  return mode === 0 ? a + b : mode === 1 ? Math.min(a, b) : Math.max(a, b);
}

/**
 * Combines the last n values at each place in O(1) each (van Herk; Gil and Werman): blocks of n; a run of n is the end
 * of one block and the beginning of the next. Nothing is ever subtracted, so a sum forgets a huge value as soon as that
 * leaves. Blocks are cut from the window's first bucket on, so that the rounding is always the same.
 */
function slide(out: Float64Array, x: Float64Array, n: number, first: number, mode: Mode): void {
  const tails = new Float64Array(n + 1).fill(Number.NaN);
  for (let start = (first % n) - n; start < x.length; start += n) {
    const blockEnd = Math.min(x.length, start + n);
    let head = Number.NaN;
    for (let i = Math.max(0, start); i < blockEnd; i++) {
      head = combine(head, x[i], mode);
      // The run of n that ends here begins at i - n + 1, which is place i - start + 1 of the block before.
      out[i] = combine(tails[i - start + 1], head, mode);
    }
    cutTails(tails, x, start, mode);
  }
}

/** tails[k] combines the values of the block at `start` from its k-th on; the last combines none. */
function cutTails(tails: Float64Array, x: Float64Array, start: number, mode: Mode): void {
  let tail = Number.NaN;
  for (let k = tails.length - 2; k >= 0; k--) {
    const index = start + k;
    if (index >= 0 && index < x.length) tail = combine(x[index], tail, mode);
    tails[k] = tail;
  }
}

function nullifyInfinite(out: Float64Array): void {
  for (let i = 0; i < out.length; i++) out[i] = finite(out[i]);
}
