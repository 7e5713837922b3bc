/** The time range of a call (Q1), its maximum length (L2), and the pieces in which its buckets are read and computed. */
import type { Reach } from '#domain/formula/formula';
import { type BucketRule, type Buckets, bucketIndexAt, countBucketsMax, cutInSteps } from '#model/bucket';
import { concatenated } from '#model/column-steps';
import { dayUs, minuteUs, printDuration } from '#model/duration';
import { instantUsMax } from '#model/instant';
import type { Limits } from '#model/limits';
import { lowerBound } from '#model/lower-bound';
import { isOnePiece, type RunStep, resultOf, runSteps, type Steps } from '#model/steps';
import type { Window } from '#model/window';
import type { DataQuery, Form, Width } from './request.ts';

/** The window that a call means (Q1), within the range of timestamps (R3). Empty when its end is not after its start. */
export function resolveWindow(data: DataQuery, form: Form, nowUs: number): Window {
  const { fromUs, beforeUs } = data;
  const weekAgoUs = nowUs - 7 * dayUs;
  const defaultUs = form === 'flat' || beforeUs === null ? weekAgoUs : beforeUs - 14 * dayUs;
  const startUs = inRange(fromUs ?? defaultUs);
  return { startUs, endUs: inRange(beforeUs ?? startUs + 14 * dayUs) };
}

function inRange(us: number): number {
  return Math.min(instantUsMax, Math.max(-instantUsMax, us));
}

/** Whether a window is empty (Q1), or has a bound that is NaN. */
export function isEmpty({ startUs, endUs }: Window): boolean {
  return !(startUs < endUs);
}

/** The most days that a window may have with this width (L2); Infinity where there is no limit. */
export function windowDaysMax(width: Width | null, form: Form, limits: Limits): number {
  if (width === 'window') return form === 'flat' ? limits.windowMinuteDaysMax : Number.POSITIVE_INFINITY;
  if (width === null || isShorter(width, minuteUs)) return limits.windowDaysMax;
  if (form === 'flat' || isShorter(width, dayUs)) return limits.windowMinuteDaysMax;
  if (form === 'evaluate' || isShorter(width, 30 * dayUs)) return limits.windowDayDaysMax;
  return limits.windowMonthDaysMax;
}

/** Calendar widths are a month at least, longer than any fixed width that is compared. */
function isShorter(width: Exclude<Width, 'window'>, us: number): boolean {
  return width.kind === 'fixed' && width.us < us;
}

/** What is wrong with a window that is too long (L2); null when it is allowed, or has a bound that is NaN. */
export function windowProblem(
  window: Window,
  width: Width | null,
  form: Form,
  limits: Limits,
): string | null {
  const max = windowDaysMax(width, form, limits);
  const days = (window.endUs - window.startUs) / dayUs;
  if (!(days > max)) return null;
  const got = `got ${Math.ceil(days * 1000) / 1000}`;
  return `the window must be at most ${max} days long ${printWidth(width)}, ${got}${widerWidth(days, form, limits)}`;
}

function printWidth(width: Width | null): string {
  if (width === null) return 'without a rollup';
  return `with rollup ${width === 'window' ? width : printDuration(width)}`;
}

/** The first step of L2 that allows so many days. */
function widerWidth(days: number, form: Form, limits: Limits): string {
  const steps: [string, Width][] = [
    ['PT1M', { kind: 'fixed', us: minuteUs }],
    ['PT24H', { kind: 'fixed', us: dayUs }],
    ['P1M', { kind: 'calendar', months: 1 }],
    ['window', 'window'],
  ];
  const step = steps.find(([, width]) => days <= windowDaysMax(width, form, limits));
  return step === undefined ? '' : `; rollup ${step[0]} would allow it`;
}

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

/** How the window of an answer is cut. */
export interface Cutting {
  /** Not empty. */
  window: Window;
  rule: BucketRule;
  /** Buckets around a piece that are read with it. */
  reach: Reach;
  /** About how many buckets a piece has at most. */
  bucketsAtOnce: number;
}

/** Cuts a window into pieces, ascending. */
export async function* cutPieces(
  { window, rule, reach, bucketsAtOnce }: Cutting,
  runStep: RunStep,
): AsyncGenerator<Piece> {
  const pieceUs = bucketsAtOnce * nominalUs(rule.width);
  for (let { startUs } = window; startUs < window.endUs; ) {
    const part = { startUs, endUs: Math.min(window.endUs, startUs + pieceUs) };
    const steps = cutPiece(rule, window, part, reach);
    const isSmall = isOnePiece(countBucketsMax(rule, part) + reach.back + reach.ahead);
    const piece = isSmall ? resultOf(steps) : await runSteps(steps, runStep);
    yield piece;
    startUs = piece.window.endUs;
  }
}

function nominalUs(width: Width): number {
  if (width === 'window') return Number.POSITIVE_INFINITY;
  return width.kind === 'fixed' ? width.us : width.months * 28 * dayUs;
}

function* cutPiece(rule: BucketRule, window: Window, part: Window, { back, ahead }: Reach): Steps<Piece> {
  const buckets = yield* cutInSteps(rule, part, back, ahead);
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
  const divided = cuts.length === 0 ? buckets : { edgesUs: yield* withCuts(edgesUs, cuts), stepUs: null };
  return { window: covered, edgesUs, first: back, count, buckets: divided, cutOff };
}

/** These edges with cuts between them, all ascending. */
function* withCuts(edgesUs: Float64Array, cuts: readonly number[]): Steps<Float64Array> {
  const parts: Float64Array[] = [];
  let from = 0;
  for (const us of cuts) {
    const to = lowerBound(edgesUs, us);
    parts.push(edgesUs.subarray(from, to), Float64Array.of(us));
    from = to;
  }
  return yield* concatenated([...parts, edgesUs.subarray(from)]);
}

/** A store's column without the parts outside the window: one value for each bucket of the piece and around it. One that has none is returned as it is. */
export function* withoutCutOff(column: Float64Array, { cutOff, edgesUs }: Piece): Steps<Float64Array> {
  if (column.length === edgesUs.length - 1) return column;
  const parts = [...cutOff, column.length].map((index, i) =>
    column.subarray(i > 0 ? cutOff[i - 1] + 1 : 0, index),
  );
  return yield* concatenated(parts);
}

/** The narrowest bucket that a width can give, µs, for estimates: local clocks are set by two hours at most in our times. */
export function bucketUsMin(width: Width): number | null {
  if (width === 'window') return null;
  const twoHoursUs = 7_200_000_000;
  const us = width.kind === 'fixed' ? width.us : width.months * 28 * 12 * twoHoursUs;
  return us <= twoHoursUs / 2 ? us : Math.max(us - twoHoursUs, us / 4);
}
