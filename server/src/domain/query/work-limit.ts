/** The cap on the work of one answer (L3): refused before it is done, with a rollup that would fit. */
import { countBucketsMax } from '#model/bucket';
import { dayUs, parseDuration } from '#model/duration';
import { AppError, invalidParams } from '#model/error';
import type { Limits } from '#model/limits';
import type { Window } from '#model/window';
import type { Width } from './request.ts';
import { type Form, windowDaysMax } from './windows.ts';

/** What is about to be answered. */
export interface Work {
  window: Window;
  width: Width | null;
  form: Form;
  /** Series of the answer, or those that are to be computed for it, whichever are more. */
  seriesCount: number;
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

/** An estimate of buckets may be too high by as many; below that it is certain. */
const estimateSlack = 3;

/** Refuses a rollup whose number of buckets is certainly too high, before they are made (L3). `extra` are those around the window. */
export function checkEstimate(work: Work, timeZone: string, extra = 0): void {
  if (work.width === null) return;
  const rule = { width: work.width, timeZone, firstDayOfWeek: 1, originUs: null };
  const shortest = countBucketsMax(rule, work.window);
  const rows =
    work.width !== 'window' && work.width.kind === 'calendar' ? Math.floor(shortest * (28 / 31)) : shortest;
  checkRows(work, rows - estimateSlack + extra);
}

/** Refuses an answer of so many rows when it has too many values (L3). */
export function checkRows(work: Work, rowCount: number): void {
  const { seriesCount } = work;
  if (rowCount * seriesCount > work.limits.answerValuesMax) {
    throw refusal(work, `${rowCount} rows × ${seriesCount} series would be ${rowCount * seriesCount} values`);
  }
}

/** Turns a store's refusal (`valuesMax`) into that of this call; other errors stay as they are. */
export function explainRefusal(work: Work, error: unknown): unknown {
  if (!(error instanceof AppError) || error.kind !== 'invalid-params') return error;
  return refusal(work, 'this would be more values');
}

function refusal(work: Work, what: string): AppError {
  const max = work.limits.answerValuesMax;
  return invalidParams({
    [work.path]: [`${what}, at most ${max} are allowed in one answer; ${advice(work)}`],
  });
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
