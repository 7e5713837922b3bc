/** Plans of evaluate calls (Q4, Q9-Q12, F): items and groups become columns, and calculations are computed over those. */
import {
  type CalculationPlan,
  type CheckedCalculation,
  evaluateCalculations,
  planCalculations,
  type Reach,
} from '#domain/formula/formula';
import { bug, invalidParams } from '#model/error';
import type { Rollup } from '#model/rollup';
import type { Steps } from '#model/steps';
import { type Aggregation, isStatistic } from './aggregation.ts';
import { combine } from './combine.ts';
import { type AnswerShape, bucketsAtOnce, bytesToCompute, checkColumns } from './cost.ts';
import type { AliasColumn } from './lookup.ts';
import { bucketUsMin, type Piece, withoutCutOff } from './pieces.ts';
import { type Columns, type ItemSource, noReach, type Plan, ruleOf, widest } from './plan.ts';
import { gapUsOf } from './read.ts';

/** Which aliases an evaluate call returns (Q11), in order; null in `series`: all. */
export function returnedAliases(
  aliases: readonly { alias: string }[],
  series: readonly string[] | null,
): string[] {
  const returned = series && new Set(series);
  return aliases.map(({ alias }) => alias).filter((alias) => returned?.has(alias) ?? true);
}

/** Plans an evaluation. Fails with `invalid-params` by path when it is too much to compute. */
export function planEvaluation(
  asked: readonly AliasColumn[],
  checked: readonly CheckedCalculation[],
  returned: readonly string[],
  shape: AnswerShape,
  bucketCount: number,
): Plan {
  const rule = ruleOf(shape);
  const isReturned = new Set(returned);
  const calculations = planCalculations(checked, {
    gapsUs: new Map(asked.map((column) => [column.alias, gapOf(column)])),
    returned: isReturned,
    bucketCount,
    bucketUsMin: bucketUsMin(rule.width),
    limits: shape.limits,
  });
  const columns = asked.filter(({ alias }) => calculations.needs.has(alias) || isReturned.has(alias));
  const reaches = columns.map((column) => shiftedReach(column, calculations.needs.get(column.alias)));
  const sources = sourcesOf(columns, reaches);
  const readCount = Math.max(returned.length, columns.length, countColumns(sources));
  checkColumns(shape, bucketCount, readCount);
  const columnCount = readCount + columns.length + calculations.columnsMax;
  checkWhole(calculations, bucketCount * columnCount, shape);
  const atOnce = calculations.needsWhole ? Number.POSITIVE_INFINITY : bucketsAtOnce(columnCount);
  return {
    shape,
    rule,
    sources,
    reach: reaches.reduce(widest, calculations.reach),
    bucketsAtOnce: atOnce,
    bytes: bytesToCompute(bucketCount, atOnce, columnCount, returned.length, shape.limits),
    keys: returned,
    compute: (piece, rollups) => compute(piece, rollups, { sources, columns, calculations, returned }),
    inOrder: (keys) => keys,
  };
}

/** Functions that look at the whole window need all of it in memory. */
function checkWhole({ needsWhole }: CalculationPlan, values: number, { limits }: AnswerShape): void {
  const max = limits.formulaValuesMax;
  if (!needsWhole || values <= max) return;
  throw invalidParams({
    calculations: [
      `gapfill, interpolate and cumsum need the whole window at one time: at most ${max} values, these would be ${values}; use wider buckets or a shorter window`,
    ],
  });
}

/** How far gapfill carries a value (F4), µs; in a group as far as in the item where it is carried furthest. */
function gapOf({ members }: AliasColumn): number {
  return members.reduce((gapUs, item) => Math.max(gapUs, gapUsOf(item)), 0);
}

/** By how many buckets a column is shifted: row b shows bucket b + offset (Q9). */
function offsetOf({ lead, lag }: AliasColumn): number {
  return lead - lag;
}

/** The buckets around the window that are read for a column: those that formulas look at, seen through its own shift. */
function shiftedReach(column: AliasColumn, { back, ahead }: Reach = noReach): Reach {
  const offset = offsetOf(column);
  return { back: Math.max(0, back - offset), ahead: Math.max(0, ahead + offset) };
}

/** One source for each item, whatever many columns it is in. */
function sourcesOf(columns: readonly AliasColumn[], reaches: readonly Reach[]): ItemSource[] {
  const uses = columns.flatMap((column, i) =>
    column.members.map((item) => ({ item, column, reach: reaches[i] })),
  );
  return [...Map.groupBy(uses, ({ item }) => item.id).values()].map((own) => {
    const aggregations = own.map(({ column }) => column);
    const statistics = aggregations.map(({ aggregation }) => aggregation).filter(isStatistic);
    const states = aggregations.filter(({ aggregation }) => !isStatistic(aggregation));
    return {
      item: own[0].item,
      statistics: [...new Set(statistics)],
      states: [...new Set(states.map(({ state }) => state as number))],
      reach: own.map(({ reach }) => reach).reduce(widest),
    };
  });
}

/** How many columns the store computes for these. */
function countColumns(sources: readonly ItemSource[]): number {
  return sources.reduce((sum, { statistics, states }) => sum + statistics.length + states.length, 0);
}

/** What {@link compute} needs of the plan. */
interface Computation {
  sources: readonly ItemSource[];
  /** The items and groups that are returned or that calculations need. */
  columns: readonly AliasColumn[];
  calculations: CalculationPlan;
  returned: readonly string[];
}

/** The returned series over the buckets of a piece. */
function* compute(
  piece: Piece,
  rollups: readonly Rollup[],
  { sources, columns, calculations, returned }: Computation,
): Steps<Columns> {
  const { first, count, edgesUs } = piece;
  const byItem = new Map(sources.map(({ item }, i) => [item.id, rollups[i]]));
  const values = new Map<string, Float64Array>();
  for (const column of columns) {
    values.set(column.alias, valuesOf(column, byItem, piece));
    yield column.members.length * edgesUs.length * 3;
  }
  const calculated = yield* evaluateCalculations(calculations, values, piece);
  return new Map(
    returned.map((alias) => {
      const column = values.get(alias)?.subarray(first, first + count) ?? calculated.get(alias);
      return [alias, column ?? bug(`${alias} was not computed`)];
    }),
  );
}

/** The values of a column over all buckets of the piece and around it: in time, across the group's items, then shifted. */
function valuesOf(column: AliasColumn, rollups: ReadonlyMap<string, Rollup>, piece: Piece): Float64Array {
  const { members, groupAggregation } = column;
  const parts = members.map(({ id }) =>
    aggregated(column, rollups.get(id) ?? bug(`item ${id} was not read`), piece),
  );
  const values =
    groupAggregation === null ? parts[0] : combine(parts, groupAggregation, piece.edgesUs.length - 1);
  return shifted(values, offsetOf(column));
}

function aggregated({ aggregation, state }: AliasColumn, rollup: Rollup, piece: Piece): Float64Array {
  const column = isStatistic(aggregation)
    ? rollup.statistics.get(aggregation)
    : rollup.states.get(state as number);
  return scaled(
    withoutCutOff(column ?? bug(`${aggregation} was not read`), piece),
    aggregation,
    piece.edgesUs,
  );
}

/** Seconds in a state → percent or rate, of the bucket's true length (Q10). */
function scaled(values: Float64Array, aggregation: Aggregation, edgesUs: Float64Array): Float64Array {
  if (aggregation !== 'state-percent' && aggregation !== 'state-rate') return values;
  const factor = aggregation === 'state-percent' ? 100 : 1;
  return values.map((seconds, b) => (factor * seconds * 1e6) / (edgesUs[b + 1] - edgesUs[b]));
}

function shifted(values: Float64Array, offset: number): Float64Array {
  if (offset === 0) return values;
  const out = new Float64Array(values.length).fill(Number.NaN);
  if (offset > 0) out.set(values.subarray(Math.min(offset, values.length)));
  else out.set(values.subarray(0, Math.max(0, values.length + offset)), Math.min(-offset, values.length));
  return out;
}
