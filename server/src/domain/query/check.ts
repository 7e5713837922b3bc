/** What can be wrong with a request before anything is read (Q1-Q4, Q9-Q12, L1, L2); noted by path, all of it (E2). */
import { aliasProblem } from '#domain/formula/formula';
import { AppError } from '#model/error';
import type { Limits } from '#model/limits';
import { ProblemList } from '#model/problem-list';
import { stateMax } from '#model/state-time';
import { checkZone } from '#model/zone';
import { isStatistic } from './aggregation.ts';
import { type AnswerShape, countRows } from './cost.ts';
import type { Aggregated, DataPaths, DataQuery, EvaluateRequest, Form } from './request.ts';
import { resolveWindow, windowProblem } from './window.ts';

/** What a data query is checked against. */
export interface DataCheck {
  form: Form;
  limits: Limits;
  nowUs: number;
  /** Series that the answer would have with a rollup; 0: not known yet. */
  rolledUpCount: number;
}

/** Resolves the window of a data query and checks everything about it; also counts its buckets, 0 where there is a problem. */
export function checkData(
  { data, paths }: { data: DataQuery; paths: DataPaths },
  { form, limits, nowUs, rolledUpCount }: DataCheck,
  problems: ProblemList,
): { shape: AnswerShape; bucketCount: number } {
  const window = resolveWindow(data, form, nowUs);
  const { rollup: width, timeZone, firstDayOfWeek, originUs } = data;
  const rule = width === null ? null : { width, timeZone, firstDayOfWeek, originUs };
  const shape = { form, window, rule, rolledUpCount, limits, path: paths.rollup };
  const bucketCount = problems.attempt(() => {
    const found = new ProblemList();
    checkRows(data, paths, found);
    const tooLong = problems.has(paths.rollup) ? null : windowProblem(window, width, form, limits);
    if (tooLong !== null) found.add([paths.window], tooLong);
    found.throwIfAny();
    return countRows(shape);
  });
  return { shape, bucketCount: bucketCount ?? 0 };
}

function checkRows({ rollup, firstDayOfWeek, timeZone }: DataQuery, paths: DataPaths, problems: ProblemList) {
  if (rollup !== null && rollup !== 'window' && rollup.kind === 'fixed' && rollup.us <= 0)
    problems.add([paths.rollup], 'must be longer than zero');
  if (!Number.isInteger(firstDayOfWeek) || firstDayOfWeek < 1 || firstDayOfWeek > 7)
    problems.add([paths.firstDayOfWeek], `must be from 1 (Monday) to 7 (Sunday), got ${firstDayOfWeek}`);
  const zone = zoneProblem(timeZone);
  if (zone !== null) problems.add([paths.timeZone], zone);
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

/** Checks all of an evaluate call but its data query and its formulas. */
export function checkEvaluate(request: EvaluateRequest, limits: Limits, problems: ProblemList): void {
  const { items, groups, calculations, data, paths } = request;
  // Groups have the limit of calculations: each is a query of its own.
  for (const [path, { length }] of Object.entries({ calculations, groups })) {
    if (length > limits.calculationsMax)
      problems.add([path], `must have at most ${limits.calculationsMax} entries, got ${length}`);
  }
  checkAliases(request, problems);
  const isWindow = data.rollup === 'window';
  for (const [list, entries] of Object.entries({ items, groups })) {
    for (const [i, entry] of entries.entries())
      checkAggregated(entry, `${list}.${i}`, isWindow, limits, problems);
  }
  if (data.rollup === null && !problems.has(paths.rollup)) problems.add([paths.rollup], 'required');
}

/** Every alias is valid and occurs once; those that are to be returned exist (Q11). */
function checkAliases(
  { items, groups, calculations, data, paths }: EvaluateRequest,
  problems: ProblemList,
): void {
  const pathByAlias = new Map<string, string>();
  for (const [list, entries] of Object.entries({ items, groups, calculations })) {
    entries.forEach(({ alias }: { alias: string }, i: number) => {
      const problem = aliasProblem(alias) ?? repeatProblem(alias, pathByAlias.get(alias));
      if (problem !== null) problems.add([list, i, 'alias'], problem);
      else pathByAlias.set(alias, `${list}.${i}`);
    });
  }
  data.series?.forEach((alias, i) => {
    const problem = `unknown alias ${JSON.stringify(alias.slice(0, 64))}; no item, group or calculation has it`;
    if (!pathByAlias.has(alias)) problems.add([paths.series, i], problem);
  });
}

function repeatProblem(alias: string, path: string | undefined): string | null {
  return path === undefined ? null : `must be unique, but ${path} has the alias "${alias}" too`;
}

function checkAggregated(
  { aggregation, state, lead, lag }: Aggregated,
  path: string,
  isWindow: boolean,
  limits: Limits,
  problems: ProblemList,
): void {
  checkOffset(lead, lag, path, isWindow, limits, problems);
  if (isStatistic(aggregation)) return;
  if (state === null) problems.add([path, 'state'], 'required');
  else if (!Number.isInteger(state) || state < 0 || state > stateMax)
    problems.add([path, 'state'], `must be a whole number from 0 to ${stateMax}, got ${state}`);
}

/** Lead and lag on their own, then their difference (Q9). */
function checkOffset(
  lead: number,
  lag: number,
  path: string,
  isWindow: boolean,
  { offsetBucketsMax: max }: Limits,
  problems: ProblemList,
): void {
  const isWrong = (value: number) => !Number.isInteger(value) || Math.abs(value) > max;
  for (const [name, value] of Object.entries({ lead, lag })) {
    if (isWrong(value))
      problems.add([path, name], `must be a whole number from ${-max} to ${max}, got ${value}`);
  }
  const offset = lead - lag;
  if (isWrong(lead) || isWrong(lag) || Math.abs(offset) <= (isWindow ? 0 : max)) return;
  const problem = isWindow
    ? `lead minus lag must be 0 with rollup "window": there is no other bucket to shift from; use a duration as rollup, got ${offset}`
    : `lead minus lag must be from ${-max} to ${max}, got ${offset}`;
  problems.add([path, lag === 0 ? 'lead' : 'lag'], problem);
}
