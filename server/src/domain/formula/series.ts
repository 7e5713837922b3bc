/**
 * Functions that look at other buckets of their argument (F4). Each is O(buckets), whatever n is. What a bucket gets
 * depends only on the buckets within the function's reach, never on how many more were read for another formula; so
 * positions count from the window's first bucket, not from the column's first value.
 */
import { copyInto } from '#model/column-steps';
import { inPieces, isOnePiece, pieces, type Steps } from '#model/steps';
import { finite } from './kernel.ts';

/** Buckets between two places where a computation may pause that {@link inPieces} does not divide. */
const pieceBuckets = 4096;

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

/** Fills `out` from `x`, both one value a bucket and not the same array. `n` is the literal argument, `weight` the work for a bucket. */
export type SeriesKernel = (
  out: Float64Array,
  x: Float64Array,
  n: number,
  grid: Grid,
  weight: number,
) => Steps<void>;

/** The value n buckets before. */
export const lag: SeriesKernel = function* (out, x, n) {
  const edge = Math.min(n, x.length);
  out.fill(Number.NaN, 0, edge);
  yield* copyInto(out, x.subarray(0, x.length - edge), edge);
};

/** The value n buckets after. */
export const lead: SeriesKernel = function* (out, x, n) {
  const edge = Math.min(n, x.length);
  yield* copyInto(out, x.subarray(edge), 0);
  out.fill(Number.NaN, x.length - edge);
};

/** x less x of the bucket before; null when either is. */
export const delta: SeriesKernel = function* (out, x, _n, _grid, weight) {
  yield* inPieces(x.length, weight, (from, to) => {
    for (let i = Math.max(1, from); i < to; i++) out[i] = finite(x[i] - x[i - 1]);
  });
  out[0] = Number.NaN;
};

/** {@link delta} by the seconds between the two buckets' starts. */
export const rate: SeriesKernel = function* (out, x, _n, { edgesUs }, weight) {
  yield* inPieces(x.length, weight, (from, to) => {
    for (let i = Math.max(1, from); i < to; i++)
      out[i] = finite((x[i] - x[i - 1]) / ((edgesUs[i] - edgesUs[i - 1]) / 1e6));
  });
  out[0] = Number.NaN;
};

/** The sum since the window's first bucket; null where x is null (the sum goes on after it), and before the window. */
export const cumulate: SeriesKernel = function* (out, x, _n, { first }, weight) {
  out.fill(Number.NaN, 0, first);
  let before = 0;
  yield* inPieces(x.length, weight, (from, to) => {
    let sum = before;
    for (let i = Math.max(first, from); i < to; i++) {
      if (!Number.isNaN(x[i])) sum += x[i];
      out[i] = finite(sum + (x[i] - x[i]));
    }
    before = sum;
  });
};

/**
 * Empty buckets get the last value before them, if its bucket started at most `gapUs` (here `n`) earlier and is at most
 * offsetBucketsMax buckets before the window.
 */
export const fillGaps: SeriesKernel = function* (
  out,
  x,
  gapUs,
  { edgesUs, first, offsetBucketsMax },
  weight,
) {
  const floor = Math.max(0, first - offsetBucketsMax);
  out.fill(Number.NaN, 0, floor);
  let before = -1;
  yield* inPieces(x.length, weight, (from, to) => {
    let last = before;
    for (let i = Math.max(floor, from); i < to; i++) {
      if (!Number.isNaN(x[i])) last = i;
      out[i] = last >= 0 && edgesUs[i] - edgesUs[last] <= gapUs ? x[last] : Number.NaN;
    }
    before = last;
  });
};

/** Empty buckets of the window get what a straight line between the nearest values of the window gives at their start. */
export const interpolate: SeriesKernel = function* (out, x, _n, { edgesUs, first, count }, weight) {
  yield* copyInto(out, x, 0);
  let last = -1;
  for (const [from, to] of pieces(count)) {
    for (let i = first + from; i < first + to; i++) {
      if (Number.isNaN(x[i])) continue;
      if (last >= 0) yield* drawLine(out, { from: last, to: i }, edgesUs, weight);
      last = i;
    }
    yield (to - from) * weight;
  }
};

/** Empty buckets, and those with values on both sides. */
interface Gap {
  from: number;
  to: number;
}

const noSteps: readonly number[] = [];

/** Only a long gap takes steps. */
function drawLine(out: Float64Array, gap: Gap, edgesUs: Float64Array, weight: number): Iterable<number> {
  const { from, to } = gap;
  const draw = (start: number, end: number) => drawPart(out, gap, edgesUs, from + 1 + start, from + 1 + end);
  if (!isOnePiece(to - from)) return inPieces(to - from - 1, weight, draw);
  draw(0, to - from - 1);
  return noSteps;
}

function drawPart(
  out: Float64Array,
  { from, to }: Gap,
  edgesUs: Float64Array,
  start: number,
  end: number,
): void {
  const rise = out[to] - out[from];
  const run = edgesUs[to] - edgesUs[from];
  for (let i = start; i < end; i++) out[i] = finite(out[from] + rise * ((edgesUs[i] - edgesUs[from]) / run));
}

/** The sum of the last n buckets, nulls skipped; null when all are. */
export const moveSum: SeriesKernel = function* (out, x, n, { first }, weight) {
  yield* slide(out, x, n, first, 0, weight);
  yield* inPieces(out.length, 1, (from, to) => {
    for (let i = from; i < to; i++) out[i] = finite(out[i]);
  });
};

/** The smallest value of the last n buckets, nulls skipped; null when all are. */
export const moveMin: SeriesKernel = (out, x, n, { first }, weight) => slide(out, x, n, first, 1, weight);

/** The largest value of the last n buckets, nulls skipped; null when all are. */
export const moveMax: SeriesKernel = (out, x, n, { first }, weight) => slide(out, x, n, first, 2, weight);

/** The mean of the last n buckets, nulls skipped; null when all are. */
export const moveAverage: SeriesKernel = function* (out, x, n, grid, weight) {
  yield* slide(out, x, n, grid.first, 0, weight);
  let before = 0;
  yield* inPieces(x.length, 3, (from, to) => {
    let seen = before;
    for (let i = from; i < to; i++) {
      if (!Number.isNaN(x[i])) seen++;
      if (i >= n && !Number.isNaN(x[i - n])) seen--;
      out[i] = finite(out[i] / seen);
    }
    before = seen;
  });
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
function* slide(
  out: Float64Array,
  x: Float64Array,
  n: number,
  first: number,
  mode: Mode,
  weight: number,
): Steps<void> {
  const tails = new Float64Array(n + 1).fill(Number.NaN);
  // `n` is at most `offsetBucketsMax`: several blocks are a piece.
  const blocks = Math.max(1, Math.floor(pieceBuckets / n));
  for (let start = (first % n) - n; start < x.length; start += blocks * n) {
    const end = Math.min(x.length, start + blocks * n);
    for (let block = start; block < end; block += n) slideBlock(out, x, n, block, tails, mode);
    yield (end - start) * weight;
  }
}

function slideBlock(
  out: Float64Array,
  x: Float64Array,
  n: number,
  start: number,
  tails: Float64Array,
  mode: Mode,
): void {
  const end = Math.min(x.length, start + n);
  let head = Number.NaN;
  for (let i = Math.max(0, start); i < end; i++) {
    head = combine(head, x[i], mode);
    // The run of n that ends here begins at i - n + 1, which is place i - start + 1 of the block before.
    out[i] = combine(tails[i - start + 1], head, mode);
  }
  cutTails(tails, x, start, mode);
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
