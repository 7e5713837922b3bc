/**
 * What is decided about an answer with a rollup before its points are read (Q4, Q7, Q9-Q12, F): which columns it has, of
 * which items they are computed, how the window is cut, and what that costs. Checked here, once.
 */
import {
  type CalculationPlan,
  type CheckedCalculation,
  planCalculations,
  tooMuchProblem,
  widestReach,
} from '#domain/formula/formula';
import { bug, invalidParams } from '#model/error';
import type { Statistic } from '#model/rollup';
import type { FedItem } from '#storage/meta-store';
import { type AnswerShape, checkColumns } from './check.ts';
import { type Column, gapOf, type ItemSource, namedStates, shiftedReach } from './column.ts';
import { type DerivedItem, type InputItems, noInputs, planSources } from './derived.ts';
import type { Form } from './request.ts';
import { bucketUsMin, type Cutting } from './window.ts';

/** The plan of an answer. */
export interface Plan {
  shape: AnswerShape;
  /** Those that are returned or that calculations need. */
  columns: readonly Column[];
  calculations: CalculationPlan;
  /** The series that are returned; null: all. */
  series: ReadonlySet<string> | null;
  /** What is read: each item once, whatever many columns it is in. */
  sources: readonly ItemSource[];
  /** What is computed of it before the columns: calculated items, inputs before those that use them. */
  derived: readonly DerivedItem[];
  cutting: Cutting;
  /** Memory that computing takes. */
  bytes: number;
  /** The series that are known before reading: all of them, except for states that are only seen then. */
  keys: readonly string[];
}

const flatStatistics: readonly Statistic[] = ['sum', 'min', 'max', 'avg', 'count'];
const frameStatistics: readonly Statistic[] = ['count', 'min', 'max', 'sum', 'avg'];

/**
 * The columns of an item in the flat form and in data frames (Q7, Q10a): `<item id>_<statistic>`, or `<item id>_state_<n>`; of
 * a calculated item for the states that have a name (C3).
 */
export function columnsOfItem(item: FedItem, form: Form): Column[] {
  const whole = { offset: 0, members: [item], groupAggregation: null };
  if (form === 'data-frame' && item.attributes.valueType === 'enum') {
    const alias = `${item.id}_state_`;
    const states = item.calculation === null ? (['seen'] as const) : namedStates(item);
    return states.map((state) => {
      return {
        ...whole,
        alias: state === 'seen' ? alias : alias + state,
        aggregation: 'state-seconds',
        state,
      };
    });
  }
  const statistics = form === 'flat' ? flatStatistics : frameStatistics;
  return statistics.map((aggregation) => {
    return { ...whole, alias: `${item.id}_${aggregation}`, aggregation, state: null };
  });
}

/**
 * Plans an answer that returns these series, or all of them: null. `inputs` has what calculated items are computed from, at all
 * levels. Fails with `invalid-params` by path when it is too much to compute.
 */
export function planAnswer(
  asked: readonly Column[],
  checked: readonly CheckedCalculation[],
  keys: readonly string[] | null,
  shape: AnswerShape,
  inputs: InputItems = noInputs,
): Plan {
  const { window, bucketCount, limits } = shape;
  const rule = shape.rule ?? bug('raw data has no buckets');
  const series = keys && new Set(keys);
  const isReturned = (key: string) => series?.has(key) ?? true;
  const calculations = planCalculations(checked, {
    gapsUs: new Map(asked.map((column) => [column.alias, gapOf(column)])),
    returned: new Set([...asked, ...checked].map(({ alias }) => alias).filter(isReturned)),
    bucketCount,
    bucketUsMin: bucketUsMin(rule.width),
    limits,
  });
  const columns = asked.filter(
    (column) => calculations.needs.has(column.alias) || isReturnedIn(series, column),
  );
  const reaches = columns.map((column) => shiftedReach(column, calculations.needs.get(column.alias)));
  const { sources, derived } = planSources(columns, reaches, { ...shape, rule, inputs });
  const known = [...columns.flatMap(keysOf), ...checked.map(({ alias }) => alias)].filter(isReturned);
  const decided = { shape, columns, calculations, series, sources, derived, keys: known };
  const { bucketsAtOnce, bytes } = costOf(decided);
  const reach = widestReach([
    ...reaches,
    calculations.reach,
    ...[...sources, ...derived].map((one) => one.reach),
  ]);
  return { ...decided, cutting: { window, rule, reach, bucketsAtOnce }, bytes };
}

/** How much is computed at one time, and the memory that it takes. */
function costOf(decided: Omit<Plan, 'cutting' | 'bytes'>): Pick<Plan & Cutting, 'bucketsAtOnce' | 'bytes'> {
  const { shape, columns, calculations, sources, derived, keys } = decided;
  const readCount = Math.max(keys.length, columns.length, countColumns(sources));
  checkColumns(shape, readCount + derived.reduce((sum, { columns: own }) => sum + own.length + 1, 0));
  checkWork(shape, calculations, derived);
  // Columns of items are used as they are read; those of evaluate calls are shifted, scaled or combined.
  const copiedCount = shape.form === 'evaluate' ? columns.length : 0;
  const derivedCount = derived.reduce((sum, { columnsMax }) => sum + columnsMax, 0);
  const columnCount = readCount + copiedCount + calculations.columnsMax + derivedCount;
  const needsWhole = [calculations, ...derived.map((one) => one.calculations)].some((one) => one.needsWhole);
  if (needsWhole) checkWhole(shape, shape.bucketCount * columnCount);
  const hasSeen = columns.some(({ state }) => state === 'seen');
  // Which states there are is seen when they are read.
  const expectedCount = hasSeen ? Math.max(columnCount, 4 * sources.length, 16) : columnCount;
  const bucketsAtOnce = needsWhole ? Number.POSITIVE_INFINITY : bucketsOfPiece(expectedCount);
  const seriesCount = hasSeen ? readCount : keys.length;
  return { bucketsAtOnce, bytes: bytesToCompute(shape, bucketsAtOnce, columnCount, seriesCount) };
}

/** Whether some series of a column are returned. */
function isReturnedIn(series: ReadonlySet<string> | null, { alias, state }: Column): boolean {
  if (series === null) return true;
  return state === 'seen' ? [...series].some((key) => key.startsWith(alias)) : series.has(alias);
}

/** The series of a column that are known before reading. */
function keysOf({ alias, state, members }: Column): string[] {
  return state === 'seen' ? namedStates(members[0]).map((named) => `${alias}${named}`) : [alias];
}

/** Functions that look at the whole window need all of it in memory. */
function checkWhole(shape: AnswerShape, values: number): void {
  const { formulaValuesMax: max } = shape.limits;
  if (values <= max) return;
  throw invalidParams({
    [formulaPath(shape)]: [
      `gapfill, interpolate and cumsum need the whole window at one time: at most ${max} values, these would be ${values}; use wider buckets or a shorter window`,
    ],
  });
}

/** The formulas of the call and those of the calculated items that it reads are limited together. */
function checkWork(shape: AnswerShape, { work }: CalculationPlan, derived: readonly DerivedItem[]): void {
  const rows = Math.max(0, ...derived.map(({ reach }) => reach.back + reach.ahead)) + shape.bucketCount;
  const sum = derived.reduce((total, { calculations }) => total + calculations.work, work);
  const problem = derived.length === 0 ? null : tooMuchProblem(sum, 0, rows, shape.limits);
  if (problem === null) return;
  throw invalidParams({ [formulaPath(shape)]: [`the formulas of calculated items: ${problem}`] });
}

/** Where formulas are, for errors: in the call, or in the items that it reads. */
function formulaPath({ form, path }: AnswerShape): string {
  return form === 'evaluate' ? 'calculations' : path;
}

/** How many columns the store computes for these, at least. */
function countColumns(sources: readonly ItemSource[]): number {
  return sources.reduce((sum, { item, statistics, states }) => {
    const stateCount = states === 'seen' ? Math.max(1, item.attributes.enumValues.size) : states.length;
    return sum + statistics.length + stateCount;
  }, 0);
}

/** Values of columns that are computed at one time, 32 MB; a longer window is computed in pieces. */
const pieceValuesMax = 4_000_000;

/** Values that the states seen in one item may make in one piece, those of empty buckets included: 64 MB. */
export const pieceStatesMax = 2 * pieceValuesMax;

/** Buckets of a piece: their edges and columns are made by one thread for another one, 1 MiB of each at one go. */
const pieceBucketsMax = 131_072;

/** At least a few, as a piece costs a read. */
function bucketsOfPiece(columnCount: number): number {
  return Math.max(4096, Math.min(pieceBucketsMax, Math.floor(pieceValuesMax / Math.max(1, columnCount))));
}

/**
 * Bytes for the columns of one piece and the rows that are kept of it; of a long window also for the rows of all pieces, which
 * are copied once more when they are joined.
 */
function bytesToCompute(
  { bucketCount, limits }: AnswerShape,
  bucketsAtOnce: number,
  columnCount: number,
  seriesCount: number,
): number {
  const pieceBytes = 8 * Math.min(bucketCount, bucketsAtOnce) * (columnCount + seriesCount);
  if (bucketCount <= bucketsAtOnce) return pieceBytes;
  return pieceBytes + 16 * Math.min(limits.answerValuesMax, bucketCount * seriesCount);
}
