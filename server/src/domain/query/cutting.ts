/** The rows of an answer with a rollup: checks of what asks for them, and the buckets, a piece of the window at a time. */
import { type BucketRule, type Buckets, bucketIndexAt, cutBuckets } from '#model/bucket';
import { dayUs } from '#model/duration';
import { AppError, bug, invalidParams } from '#model/error';
import type { Window } from '#model/window';
import { checkZone } from '#model/zone';
import type { DataPaths, DataQuery, Width } from './request.ts';

/** The buckets of one piece of a window, and those around it that its columns look at. */
export interface Cutting {
  /** The part of the window that these buckets cover. */
  window: Window;
  /** Bucket i of an answer's columns is `[edgesUs[i], edgesUs[i + 1])`. */
  edgesUs: Float64Array;
  /** The first bucket of the piece. */
  first: number;
  /** How many buckets the piece has. */
  count: number;
  /**
   * What the store is asked for. Where buckets around the piece are wanted, a bucket that the window covers in part is
   * cut in two at the window's bound, so that only points inside count in it (Q4).
   */
  buckets: Buckets;
  /** The parts outside the window: buckets of `buckets` that no column of the answer has. */
  cutOff: readonly number[];
}

/** Checks everything about rows that does not depend on the window. Fails with `invalid-params`, all problems at once. */
export function checkCutting(data: DataQuery, paths: DataPaths): void {
  const problems: Record<string, string[]> = {};
  const { rollup, firstDayOfWeek } = data;
  if (rollup !== null && rollup !== 'window' && rollup.kind === 'fixed' && rollup.us <= 0) {
    problems[paths.rollup] = ['must be longer than zero'];
  }
  if (!Number.isInteger(firstDayOfWeek) || firstDayOfWeek < 1 || firstDayOfWeek > 7) {
    problems[paths.firstDayOfWeek] = [`must be from 1 (Monday) to 7 (Sunday), got ${firstDayOfWeek}`];
  }
  const zone = zoneProblem(data.timeZone);
  if (zone !== null) problems[paths.timeZone] = [zone];
  if (Object.keys(problems).length > 0) throw invalidParams(problems);
}

function zoneProblem(timeZone: string): string | null {
  try {
    checkZone(timeZone);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

/**
 * Cuts a window that is not empty into pieces of at most about `bucketsMax` buckets, ascending, each with `before` and `after`
 * more buckets around it.
 */
export function* cutPieces(
  data: DataQuery,
  window: Window,
  bucketsMax: number,
  before = 0,
  after = 0,
): Generator<Cutting> {
  const pieceUs = bucketsMax * nominalUs(data.rollup);
  for (let { startUs } = window; startUs < window.endUs; ) {
    const endUs = Math.min(window.endUs, startUs + pieceUs);
    const cutting = cutPiece(data, window, { startUs, endUs }, before, after);
    yield cutting;
    startUs = cutting.window.endUs;
  }
}

function nominalUs(width: Width | null): number {
  if (width === null || width === 'window') return Number.POSITIVE_INFINITY;
  return width.kind === 'fixed' ? width.us : width.months * 28 * dayUs;
}

function cutPiece(data: DataQuery, window: Window, piece: Window, before: number, after: number): Cutting {
  const buckets = cutBuckets(ruleOf(data), piece, before, after);
  const { edgesUs } = buckets;
  const count = edgesUs.length - 1 - before - after;
  const covered = { startUs: piece.startUs, endUs: Math.min(window.endUs, edgesUs[before + count]) };
  const cuts: number[] = [];
  const cutOff: number[] = [];
  const start = before > 0 ? bucketIndexAt(buckets, window.startUs) : -1;
  if (start >= 0 && edgesUs[start] < window.startUs) {
    cuts.push(window.startUs);
    cutOff.push(start);
  }
  const end = after > 0 ? bucketIndexAt(buckets, window.endUs) : -1;
  if (end >= 0 && edgesUs[end] < window.endUs) {
    cuts.push(window.endUs);
    cutOff.push(end + cuts.length);
  }
  const cut = cuts.length === 0 ? buckets : { edgesUs: withEdges(edgesUs, cuts), stepUs: null };
  return { window: covered, edgesUs, first: before, count, buckets: cut, cutOff };
}

function withEdges(edgesUs: Float64Array, more: readonly number[]): Float64Array {
  return Float64Array.from([...edgesUs, ...more]).sort();
}

/** How the window of a query with a rollup is cut (Q2, Q3). */
export function ruleOf(data: DataQuery): BucketRule {
  if (data.rollup === null) bug('raw data has no buckets');
  const { rollup: width, timeZone, firstDayOfWeek, originUs } = data;
  return { width, timeZone, firstDayOfWeek, originUs };
}

/** A store's column without the parts outside the window: one value for each bucket of the answer. */
export function withoutCutOff(column: Float64Array, { cutOff }: Cutting): Float64Array {
  if (cutOff.length === 0) return column;
  const values = new Float64Array(column.length - cutOff.length);
  let from = 0;
  cutOff.forEach((index, cuts) => {
    values.set(column.subarray(from, index), from - cuts);
    from = index + 1;
  });
  values.set(column.subarray(from), from - cutOff.length);
  return values;
}

/** The narrowest bucket that a width can give, µs, for estimates: local clocks are set by two hours at most in our times. */
export function bucketUsMin(width: Width): number | null {
  if (width === 'window') return null;
  const twoHoursUs = 7_200_000_000;
  const us = width.kind === 'fixed' ? width.us : width.months * 28 * 12 * twoHoursUs;
  return us <= twoHoursUs / 2 ? us : Math.max(us - twoHoursUs, us / 4);
}
