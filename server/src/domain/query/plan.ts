/**
 * What is decided about an answer with a rollup before its points are read (Q4, Q7, Q9-Q12, F): which columns it has, of
 * which items they are computed, how the window is cut, and what that costs. Checked here, once.
 */
import {
  type CalculationPlan,
  type CheckedCalculation,
  planCalculations,
  type Reach,
  widestReach,
} from '#domain/formula/formula';
import { bug, invalidParams } from '#model/error';
import type { Limits } from '#model/limits';
import type { Statistic } from '#model/rollup';
import type { FedItem } from '#storage/meta-store';
import { type AnswerShape, checkColumns } from './check.ts';
import { type Aggregation, type Form, type GroupAggregation, isStatistic } from './request.ts';
import { bucketUsMin, type Cutting } from './window.ts';

/** An item or a group of items, aggregated in time: one column before formulas are computed, or one for each state. */
export interface Column {
  /** Series key; for the states that are seen what their keys begin with. */
  alias: string;
  aggregation: Aggregation;
  /** Of the state aggregations; `seen`: every state that holds in the window or has a name, one column each. */
  state: number | 'seen' | null;
  /** By how many buckets it is shifted: row b shows bucket b + offset (Q9). */
  offset: number;
  members: readonly FedItem[];
  /** Null: a single item, taken as it is. */
  groupAggregation: GroupAggregation | null;
}

/** What is read of one item. */
export interface ItemSource {
  item: FedItem;
  statistics: readonly Statistic[];
  states: readonly number[] | 'seen';
  /** Buckets around a piece that are read of this item. */
  reach: Reach;
}

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
  cutting: Cutting;
  /** Memory that computing takes. */
  bytes: number;
  /** The series that are known before reading: all of them, except for states that are only seen then. */
  keys: readonly string[];
}

const flatStatistics: readonly Statistic[] = ['sum', 'min', 'max', 'avg', 'count'];
const frameStatistics: readonly Statistic[] = ['count', 'min', 'max', 'sum', 'avg'];

/** The columns of an item in the flat form and in data frames (Q7, Q10a): `<item id>_<statistic>`, or `<item id>_state_<n>`. */
export function columnsOfItem(item: FedItem, form: Form): Column[] {
  const whole = { offset: 0, members: [item], groupAggregation: null };
  if (form === 'data-frame' && item.attributes.valueType === 'enum')
    return [{ ...whole, alias: `${item.id}_state_`, aggregation: 'state-seconds', state: 'seen' }];
  const statistics = form === 'flat' ? flatStatistics : frameStatistics;
  return statistics.map((aggregation) => {
    return { ...whole, alias: `${item.id}_${aggregation}`, aggregation, state: null };
  });
}

/**
 * Plans an answer that returns these series, or all of them: null. Fails with `invalid-params` by path when it is too much to
 * compute.
 */
export function planAnswer(
  asked: readonly Column[],
  checked: readonly CheckedCalculation[],
  keys: readonly string[] | null,
  shape: AnswerShape,
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
  const sources = sourcesOf(columns, reaches);
  const known = [...columns.flatMap(keysOf), ...checked.map(({ alias }) => alias)].filter(isReturned);
  const decided = { shape, columns, calculations, series, sources, keys: known };
  const { bucketsAtOnce, bytes } = costOf(decided);
  const reach = widestReach([...reaches, calculations.reach]);
  return { ...decided, cutting: { window, rule, reach, bucketsAtOnce }, bytes };
}

/** How much is computed at one time, and the memory that it takes. */
function costOf({
  shape,
  columns,
  calculations,
  sources,
  keys,
}: Omit<Plan, 'cutting' | 'bytes'>): Pick<Plan & Cutting, 'bucketsAtOnce' | 'bytes'> {
  const readCount = Math.max(keys.length, columns.length, countColumns(sources));
  checkColumns(shape, readCount);
  // Columns of items are used as they are read; those of evaluate calls are shifted, scaled or combined.
  const copiedCount = shape.form === 'evaluate' ? columns.length : 0;
  const columnCount = readCount + copiedCount + calculations.columnsMax;
  checkWhole(calculations, shape.bucketCount * columnCount, shape.limits);
  const hasSeen = columns.some(({ state }) => state === 'seen');
  // Which states there are is seen when they are read.
  const expectedCount = hasSeen ? Math.max(columnCount, 4 * sources.length, 16) : columnCount;
  const bucketsAtOnce = calculations.needsWhole ? Number.POSITIVE_INFINITY : bucketsOfPiece(expectedCount);
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

/** The states of an item that have a name, ascending. */
export function namedStates({ attributes }: FedItem): number[] {
  return [...attributes.enumValues.keys()].map(Number).sort((a, b) => a - b);
}

/** Functions that look at the whole window need all of it in memory. */
function checkWhole(
  { needsWhole }: CalculationPlan,
  values: number,
  { formulaValuesMax: max }: Limits,
): void {
  if (!needsWhole || values <= max) return;
  throw invalidParams({
    calculations: [
      `gapfill, interpolate and cumsum need the whole window at one time: at most ${max} values, these would be ${values}; use wider buckets or a shorter window`,
    ],
  });
}

/** How far gapfill carries a value (F4), µs; in a group as far as in the item where it is carried furthest. */
function gapOf({ members }: Column): number {
  return members.reduce((gapUs, item) => Math.max(gapUs, gapUsOf(item)), 0);
}

/** How long a state of this item lasts without a further point (Q10), µs. */
export function gapUsOf({ attributes }: FedItem): number {
  return attributes.gapDetectionUs ?? Number.POSITIVE_INFINITY;
}

/** The buckets around the window that are read for a column: those that formulas look at, seen through its own shift. */
function shiftedReach({ offset }: Column, needed: Reach | undefined): Reach {
  const { back, ahead } = needed ?? { back: 0, ahead: 0 };
  return { back: Math.max(0, back - offset), ahead: Math.max(0, ahead + offset) };
}

function sourcesOf(columns: readonly Column[], reaches: readonly Reach[]): ItemSource[] {
  const uses = columns.flatMap((column, i) =>
    column.members.map((item) => ({ ...column, item, reach: reaches[i] })),
  );
  return [...Map.groupBy(uses, ({ item }) => item.id).values()].map((own) => {
    const statistics = own.map(({ aggregation }) => aggregation).filter(isStatistic);
    const states = own.map(({ state }) => state).filter((state) => state !== null);
    return {
      item: own[0].item,
      statistics: [...new Set(statistics)],
      states: states.includes('seen') ? 'seen' : [...new Set(states as number[])],
      reach: widestReach(own.map(({ reach }) => reach)),
    };
  });
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

/** At least a few, as a piece costs a read. */
function bucketsOfPiece(columnCount: number): number {
  return Math.max(4096, Math.floor(pieceValuesMax / Math.max(1, columnCount)));
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
