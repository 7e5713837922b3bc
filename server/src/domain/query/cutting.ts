/** The rows of an answer with a rollup: checks of what asks for them, and the buckets, with some around the window where needed. */
import { type BucketRule, type Buckets, cutBuckets } from '#model/bucket';
import { AppError, bug, invalidParams } from '#model/error';
import type { Window } from '#model/window';
import { checkZone } from '#model/zone';
import type { DataPaths, DataQuery, Width } from './request.ts';

/** The buckets of a window and of the stretches around it. */
export interface Cutting {
  /** Bucket i of an answer's columns is `[edgesUs[i], edgesUs[i + 1])`. */
  edgesUs: Float64Array;
  /** The first bucket of the window. */
  first: number;
  /** How many buckets the window has. */
  count: number;
  /**
   * What the store is asked for. Where buckets around the window are wanted, a bucket that the window covers in part is
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

/** Cuts a window that is not empty, with `before` and `after` more buckets around it. Check the number of buckets first (L3). */
export function cutWindow(data: DataQuery, window: Window, before = 0, after = 0): Cutting {
  const { edgesUs, stepUs } = cutBuckets(ruleOf(data), window, before, after);
  const count = edgesUs.length - 1 - before - after;
  const last = before + count - 1;
  const cutsFirst = before > 0 && edgesUs[before] < window.startUs;
  const cutsLast = after > 0 && edgesUs[last + 1] > window.endUs;
  if (!cutsFirst && !cutsLast)
    return { edgesUs, first: before, count, buckets: { edgesUs, stepUs }, cutOff: [] };
  const cuts = [...(cutsFirst ? [window.startUs] : []), ...(cutsLast ? [window.endUs] : [])];
  const cutOff = [...(cutsFirst ? [before] : []), ...(cutsLast ? [last + (cutsFirst ? 2 : 1)] : [])];
  const all = Float64Array.from([...edgesUs, ...cuts]).sort();
  return { edgesUs, first: before, count, buckets: { edgesUs: all, stepUs: null }, cutOff };
}

function ruleOf(data: DataQuery): BucketRule {
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
