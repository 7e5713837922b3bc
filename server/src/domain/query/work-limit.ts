/** The caps on the work of one answer (L3): refused with a rollup that would fit. */
import { countBuckets, countBucketsMax } from '#model/bucket';
import { dayUs, parseDuration } from '#model/duration';
import { AppError, invalidParams } from '#model/error';
import type { Limits } from '#model/limits';
import type { Window } from '#model/window';
import { ruleOf } from './cutting.ts';
import type { DataQuery, Width } from './request.ts';
import { type Form, windowDaysMax } from './windows.ts';

/** What is about to be answered. */
export interface Work {
  window: Window;
  width: Width | null;
  form: Form;
  /** Series that the answer would have with a rollup. */
  rolledUpCount: number;
  limits: Limits;
  /** The path of the rollup parameter. */
  path: string;
}

const widths: readonly [string, Width][] = [
  ...['PT1S', 'PT5S', 'PT15S', 'PT1M', 'PT5M', 'PT15M', 'PT1H', 'PT6H', 'P1D', 'P1W', 'P1M', 'P1Y'].map(
    (text): [string, Width] => [text, parseDuration(text)],
  ),
  ['window', 'window'],
];

/** Values of columns that are computed at one time, 32 MB; a longer window is computed in pieces. */
const pieceValuesMax = 4_000_000;

/** Values that the states seen in one item may make in one piece, those of empty buckets included: 64 MB. */
export const pieceStatesMax = 2 * pieceValuesMax;

/** How many buckets of so many columns are computed at one time; at least a few, as a piece costs a read. */
export function bucketsAtOnce(columnCount: number): number {
  return Math.max(4096, Math.floor(pieceValuesMax / Math.max(1, columnCount)));
}

/** How many buckets a window has; refuses those that would be too much to compute, in `columnCount` columns (L3). */
export function checkBuckets(work: Work, data: DataQuery, columnCount: number): number {
  const { bucketColumnsMax: max } = work.limits;
  const least = Math.max(1, columnCount);
  const rule = ruleOf(data);
  // Below this many, which costs nothing to know, they are counted.
  if (countBucketsMax(rule, work.window) * least > 4 * max) throw tooManyBuckets(work, least, null);
  const count = countBuckets(rule, work.window);
  if (count * least > max) throw tooManyBuckets(work, least, count);
  return count;
}

function tooManyBuckets(work: Work, columnCount: number, count: number | null): AppError {
  const { bucketColumnsMax: max } = work.limits;
  const what = count === null ? 'buckets × ' : `${count} buckets × `;
  const product = count === null ? `more than ${max}` : `${count * columnCount}`;
  return refusal(
    work,
    `${what}${columnCount} columns would be ${product} values to compute, at most ${max} are allowed`,
  );
}

/** The error for an answer of too many values; `rowCount` rows of it are known (L3). */
export function tooManyValues(work: Work, rowCount: number, seriesCount: number): AppError {
  const { answerValuesMax: max } = work.limits;
  return refusal(
    work,
    `${rowCount} rows × ${seriesCount} series would be ${rowCount * seriesCount} values, at most ${max} are allowed in one answer`,
  );
}

/** Refuses an answer of so many rows when it has too many values (L3). */
export function checkRows(work: Work, rowCount: number, seriesCount: number): void {
  if (rowCount * seriesCount > work.limits.answerValuesMax) throw tooManyValues(work, rowCount, seriesCount);
}

/** Turns a store's refusal (`valuesMax`) into that of this call; other errors stay as they are. */
export function explainRefusal(work: Work, error: unknown): unknown {
  if (!(error instanceof AppError) || error.kind !== 'invalid-params') return error;
  return refusal(work, error.message);
}

function refusal(work: Work, problem: string): AppError {
  return invalidParams({ [work.path]: [`${problem}; ${advice(work)}`] });
}

function advice(work: Work): string {
  const { window, form, limits, rolledUpCount } = work;
  const days = (window.endUs - window.startUs) / dayUs;
  const fitting = widths.find(([, width]) => {
    const rule = { width, timeZone: 'UTC', firstDayOfWeek: 1, originUs: null };
    const isCoarser =
      work.width === null ||
      countBucketsMax(rule, window) < countBucketsMax({ ...rule, width: work.width }, window);
    const values = countBucketsMax(rule, window) * rolledUpCount;
    return isCoarser && values <= limits.answerValuesMax && days <= windowDaysMax(width, form, limits);
  });
  return fitting === undefined ? 'ask for fewer series' : `rollup ${fitting[0]} would fit`;
}
