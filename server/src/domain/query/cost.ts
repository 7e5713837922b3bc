/** What one answer may cost (L3): it is refused before that is spent, with a rollup that would fit. */
import { type BucketRule, countBuckets, countBucketsMax } from '#model/bucket';
import { dayUs, parseDuration } from '#model/duration';
import { AppError, invalidParams } from '#model/error';
import type { Limits } from '#model/limits';
import type { Window } from '#model/window';
import type { Form, Width } from './request.ts';
import { isEmpty, windowDaysMax } from './window.ts';

/** What decides how much an answer costs. */
export interface AnswerShape {
  form: Form;
  window: Window;
  /** How the window is cut into buckets; null: raw points. */
  rule: BucketRule | null;
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

/**
 * Bytes for the columns of one piece and the rows that are kept of it; of a long window also for the rows of all pieces, which
 * are copied once more when they are joined.
 */
export function bytesToCompute(
  bucketCount: number,
  atOnce: number,
  columnCount: number,
  seriesCount: number,
  { answerValuesMax }: Limits,
): number {
  const pieceBytes = 8 * Math.min(bucketCount, atOnce) * (columnCount + seriesCount);
  if (bucketCount <= atOnce) return pieceBytes;
  return pieceBytes + 16 * Math.min(answerValuesMax, bucketCount * seriesCount);
}

/** How many buckets an answer has. Fails with `invalid-params` when there are too many to compute even one column of them. */
export function countRows(shape: AnswerShape): number {
  const { rule, window, limits } = shape;
  if (rule === null || isEmpty(window)) return 0;
  // Below this many, which costs nothing to know, they are counted.
  if (countBucketsMax(rule, window) > 4 * limits.bucketColumnsMax)
    throw refusal(shape, `more than ${limits.bucketColumnsMax} buckets would have to be computed`);
  const count = countBuckets(rule, window);
  checkColumns(shape, count, 1);
  return count;
}

/** Refuses to compute so many buckets in so many columns when that is too much (L3). */
export function checkColumns(shape: AnswerShape, bucketCount: number, columnCount: number): void {
  const { bucketColumnsMax: max } = shape.limits;
  const product = bucketCount * columnCount;
  if (product <= max) return;
  const columns = `${bucketCount} buckets × ${columnCount} columns`;
  throw refusal(shape, `${columns} would be ${product} values to compute, at most ${max} are allowed`);
}

/** Refuses an answer of so many rows when it has too many values (L3). */
export function checkValues(shape: AnswerShape, rowCount: number, seriesCount: number): void {
  const { answerValuesMax: max } = shape.limits;
  const product = rowCount * seriesCount;
  if (product <= max) return;
  const rows = `${rowCount} rows × ${seriesCount} series`;
  throw refusal(shape, `${rows} would be ${product} values, at most ${max} are allowed in one answer`);
}

/** Turns a store's refusal (`valuesMax`) into that of this call; other errors stay as they are. */
export function explainRefusal(shape: AnswerShape, error: unknown): unknown {
  if (!(error instanceof AppError) || error.kind !== 'invalid-params') return error;
  return refusal(shape, error.message);
}

function refusal(shape: AnswerShape, problem: string): AppError {
  return invalidParams({ [shape.path]: [`${problem}; ${advice(shape)}`] });
}

function advice({ window, rule, form, limits, rolledUpCount }: AnswerShape): string {
  const days = (window.endUs - window.startUs) / dayUs;
  const fitting = widths.find(([, width]) => {
    const wider = { width, timeZone: 'UTC', firstDayOfWeek: 1, originUs: null };
    const count = countBucketsMax(wider, window);
    const isCoarser = rule === null || count < countBucketsMax({ ...wider, width: rule.width }, window);
    const isFew = count * rolledUpCount <= limits.answerValuesMax;
    return isCoarser && isFew && days <= windowDaysMax(width, form, limits);
  });
  return fitting === undefined ? 'ask for fewer series' : `rollup ${fitting[0]} would fit`;
}
