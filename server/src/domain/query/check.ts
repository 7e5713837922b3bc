/** What can be wrong with a request before anything is read (Q1-Q4, Q9-Q12, L1, L2), and with an answer (L3); all of it, by path (E2). */
import { aliasProblem, type CheckedCalculation, checkCalculations } from '#domain/formula/formula';
import { isStatistic } from '#model/aggregation';
import { type BucketRule, countBuckets, countBucketsMax } from '#model/bucket';
import { dayUs, parseDuration } from '#model/duration';
import { AppError, invalidParams } from '#model/error';
import type { Limits } from '#model/limits';
import { ProblemList } from '#model/problem-list';
import { stateMax } from '#model/state-time';
import type { Window } from '#model/window';
import { zoneProblem } from '#model/zone';
import type { Aggregated, DataPaths, DataQuery, EvaluateRequest, Form, Width } from './request.ts';
import { bucketUsMin, isEmpty, resolveWindow, windowDaysMax, windowProblem } from './window.ts';

/** The rows of an answer, and what decides how much it costs. */
export interface AnswerShape {
  form: Form;
  window: Window;
  /** How the window is cut into buckets; null: raw points. */
  rule: BucketRule | null;
  /** Buckets of the window; 0 for raw points. */
  bucketCount: number;
  /** Series that the answer would have with a rollup; 0: not known yet. */
  rolledUpCount: number;
  limits: Limits;
  /** The path of the rollup parameter. */
  path: string;
}

/** What a request is checked against. */
export type CheckScope = Pick<AnswerShape, 'limits'> & {
  /** The time of the call, µs. */
  nowUs: number;
};

/** Resolves the window of a data query and checks everything about it; also counts its buckets, 0 where there is a problem. */
export function checkData(
  { data, paths }: { data: DataQuery; paths: DataPaths },
  { form, limits, nowUs, rolledUpCount }: CheckScope & Pick<AnswerShape, 'form' | 'rolledUpCount'>,
  problems: ProblemList,
): AnswerShape {
  const window = resolveWindow(data, form, nowUs);
  const { rollup: width, timeZone, firstDayOfWeek, originUs } = data;
  const rule = width === null ? null : { width, timeZone, firstDayOfWeek, originUs };
  const shape = { form, window, rule, bucketCount: 0, rolledUpCount, limits, path: paths.rollup };
  const bucketCount = problems.attempt(() => {
    const found = new ProblemList();
    checkRows(data, paths, found);
    const tooLong = problems.has(paths.rollup) ? null : windowProblem(window, width, form, limits);
    if (tooLong !== null) found.add([paths.window], tooLong);
    found.throwIfAny();
    return countRows(shape);
  });
  return { ...shape, bucketCount: bucketCount ?? 0 };
}

function checkRows({ rollup, firstDayOfWeek, timeZone }: DataQuery, paths: DataPaths, problems: ProblemList) {
  if (rollup !== null && rollup !== 'window' && rollup.kind === 'fixed' && rollup.us <= 0)
    problems.add([paths.rollup], 'must be longer than zero');
  if (!Number.isInteger(firstDayOfWeek) || firstDayOfWeek < 1 || firstDayOfWeek > 7)
    problems.add([paths.firstDayOfWeek], `must be from 1 (Monday) to 7 (Sunday), got ${firstDayOfWeek}`);
  const zone = zoneProblem(timeZone);
  if (zone !== null) problems.add([paths.timeZone], zone);
}

/** Checks all of an evaluate call, and reads its formulas. */
export function checkEvaluate(
  request: EvaluateRequest,
  scope: CheckScope,
  problems: ProblemList,
): { shape: AnswerShape; calculations: CheckedCalculation[] } {
  const { items, groups, calculations, data, paths } = request;
  const { limits } = scope;
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
  const returned = data.series && new Set(data.series);
  const isReturned = ({ alias }: { alias: string }) => returned?.has(alias) ?? true;
  const rolledUpCount = [...items, ...groups, ...calculations].filter(isReturned).length;
  const shape = checkData(request, { ...scope, form: 'evaluate', rolledUpCount }, problems);
  const calculationsChecked = hasAllAliases(request, problems)
    ? checkFormulas(request, limits, problems)
    : [];
  return { shape, calculations: calculationsChecked };
}

/** Every alias is valid and occurs once; those that are to be returned exist (Q11). */
function checkAliases(
  { items, groups, calculations, data, paths }: EvaluateRequest,
  problems: ProblemList,
): void {
  const pathByAlias = checkDistinct({ items, groups, calculations }, problems);
  if (!hasAllAliases({ items, groups, calculations }, problems)) return;
  data.series?.forEach((alias, i) => {
    const problem = `unknown alias ${JSON.stringify(alias.slice(0, 64))}; no item, group or calculation has it`;
    if (!pathByAlias.has(alias)) problems.add([paths.series, i], problem);
  });
}

/** Whether no alias was left out before: else nothing can be said about names. */
function hasAllAliases(
  lists: Pick<EvaluateRequest, 'items' | 'groups' | 'calculations'>,
  problems: ProblemList,
): boolean {
  if (!problems.lacksAny) return true;
  const { items, groups, calculations } = lists;
  return Object.entries({ items, groups, calculations }).every(
    ([list, entries]) =>
      !problems.lacks(list) && entries.every((_, i) => !problems.lacks(`${list}.${i}.alias`)),
  );
}

/** Notes aliases of these lists that are invalid or occur twice; alias → where it is. */
export function checkDistinct(
  lists: Readonly<Record<string, readonly { alias: string }[]>>,
  problems: ProblemList,
): ReadonlyMap<string, string> {
  const pathByAlias = new Map<string, string>();
  for (const [list, entries] of Object.entries(lists)) {
    for (const [i, { alias }] of entries.entries()) {
      const problem = aliasProblem(alias) ?? repeatProblem(alias, pathByAlias.get(alias));
      if (problem !== null) problems.add([list, i, 'alias'], problem);
      else pathByAlias.set(alias, `${list}.${i}`);
    }
  }
  return pathByAlias;
}

function repeatProblem(alias: string, path: string | undefined): string | null {
  return path === undefined ? null : `must be unique, but ${path} has the alias "${alias}" too`;
}

/** Checks how an item or a group is aggregated in time (Q9, Q10), by path. */
export function checkAggregated(
  { aggregation, state, lead, lag }: Omit<Aggregated, 'alias'>,
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
  if (lead === 0 && lag === 0) return;
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

function checkFormulas(
  { items, groups, calculations, data }: EvaluateRequest,
  limits: Limits,
  problems: ProblemList,
): CheckedCalculation[] {
  if (calculations.length > limits.calculationsMax) return [];
  const signals = new Set([...items, ...groups].map(({ alias }) => alias));
  const usMin = data.rollup === null ? null : bucketUsMin(data.rollup);
  return checkCalculations(calculations, { signals, bucketUsMin: usMin, limits }, problems);
}

/** The same answer with its window cut by a rule. Fails with `invalid-params` when that makes too many buckets. */
export function withRule(shape: AnswerShape, rule: BucketRule): AnswerShape {
  const cut = { ...shape, rule };
  return { ...cut, bucketCount: countRows(cut) };
}

/** How many buckets an answer has. Fails with `invalid-params` when there are too many to compute even one column of them. */
function countRows(shape: AnswerShape): number {
  const { rule, window, limits } = shape;
  if (rule === null || isEmpty(window)) return 0;
  // Below this many, which costs nothing to know, they are counted.
  if (countBucketsMax(rule, window) > 4 * limits.bucketColumnsMax)
    throw refusal(shape, `more than ${limits.bucketColumnsMax} buckets would have to be computed`);
  const bucketCount = countBuckets(rule, window);
  checkColumns({ ...shape, bucketCount }, 1);
  return bucketCount;
}

/** Refuses to compute so many columns over the buckets when that is too much (L3). */
export function checkColumns(shape: AnswerShape, columnCount: number): void {
  const { bucketCount, limits } = shape;
  const { bucketColumnsMax: max } = limits;
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

const widths: readonly [string, Width][] = [
  ...['PT1S', 'PT5S', 'PT15S', 'PT1M', 'PT5M', 'PT15M', 'PT1H', 'PT6H', 'P1D', 'P1W', 'P1M', 'P1Y'].map(
    (text): [string, Width] => [text, parseDuration(text)],
  ),
  ['window', 'window'],
];

/** The first wider rollup with which the answer would be small enough. */
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
