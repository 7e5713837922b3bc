/** The buckets of a rollup, a piece of the window at a time. */
import type { Reach } from '#domain/formula/formula';
import { type BucketRule, type Buckets, bucketIndexAt, cutBuckets } from '#model/bucket';
import { dayUs } from '#model/duration';
import type { Window } from '#model/window';
import type { Width } from './request.ts';

/** Consecutive buckets of a window, and those around them that are read as well. */
export interface Piece {
  /** The part of the window that these buckets cover. */
  window: Window;
  /** Bucket i of a column is `[edgesUs[i], edgesUs[i + 1])`. */
  edgesUs: Float64Array;
  /** Index of the first bucket of the piece. */
  first: number;
  /** How many buckets the piece has. */
  count: number;
  /**
   * What the store is asked for. Where buckets around the piece are read, a bucket that the window covers in part is divided
   * in two at the window's bound, so that only points inside count in it (Q4).
   */
  buckets: Buckets;
  /** Indexes of the buckets of `buckets` that are such parts outside the window: no column has them. */
  cutOff: readonly number[];
}

/** Cuts a window that is not empty into pieces of at most about `bucketsMax` buckets, ascending. */
export function* cutPieces(
  rule: BucketRule,
  window: Window,
  bucketsMax: number,
  reach: Reach,
): Generator<Piece> {
  const pieceUs = bucketsMax * nominalUs(rule.width);
  for (let { startUs } = window; startUs < window.endUs; ) {
    const endUs = Math.min(window.endUs, startUs + pieceUs);
    const piece = cutPiece(rule, window, { startUs, endUs }, reach);
    yield piece;
    startUs = piece.window.endUs;
  }
}

function nominalUs(width: Width): number {
  if (width === 'window') return Number.POSITIVE_INFINITY;
  return width.kind === 'fixed' ? width.us : width.months * 28 * dayUs;
}

function cutPiece(rule: BucketRule, window: Window, part: Window, { back, ahead }: Reach): Piece {
  const buckets = cutBuckets(rule, part, back, ahead);
  const { edgesUs } = buckets;
  const count = edgesUs.length - 1 - back - ahead;
  const covered = { startUs: part.startUs, endUs: Math.min(window.endUs, edgesUs[back + count]) };
  const cuts: number[] = [];
  const cutOff: number[] = [];
  const start = back > 0 ? bucketIndexAt(buckets, window.startUs) : -1;
  if (start >= 0 && edgesUs[start] < window.startUs) {
    cuts.push(window.startUs);
    cutOff.push(start);
  }
  const end = ahead > 0 ? bucketIndexAt(buckets, window.endUs) : -1;
  if (end >= 0 && edgesUs[end] < window.endUs) {
    cuts.push(window.endUs);
    cutOff.push(end + cuts.length);
  }
  const divided =
    cuts.length === 0 ? buckets : { edgesUs: Float64Array.from([...edgesUs, ...cuts]).sort(), stepUs: null };
  return { window: covered, edgesUs, first: back, count, buckets: divided, cutOff };
}

/** A store's column without the parts outside the window: one value for each bucket of the piece and around it. */
export function withoutCutOff(column: Float64Array, { cutOff }: Piece): Float64Array {
  if (cutOff.length === 0) return column;
  const values = new Float64Array(column.length - cutOff.length);
  let from = 0;
  for (const [cuts, index] of [...cutOff, column.length].entries()) {
    values.set(column.subarray(from, index), from - cuts);
    from = index + 1;
  }
  return values;
}

/** The narrowest bucket that a width can give, µs, for estimates: local clocks are set by two hours at most in our times. */
export function bucketUsMin(width: Width): number | null {
  if (width === 'window') return null;
  const twoHoursUs = 7_200_000_000;
  const us = width.kind === 'fixed' ? width.us : width.months * 28 * 12 * twoHoursUs;
  return us <= twoHoursUs / 2 ? us : Math.max(us - twoHoursUs, us / 4);
}
