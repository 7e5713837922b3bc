/** Columns of an evaluate call → one read, and back (Q4, Q9, Q10). */
import type { Reach } from '#domain/formula/formula';
import { bug } from '#model/error';
import { instantUsMax } from '#model/instant';
import type { Rollup, Statistic } from '#model/rollup';
import type { Item } from '#model/signal';
import type { RollupSource, Source } from '#storage/store';
import { isStateAggregation } from './aggregation.ts';
import { combine } from './combine.ts';
import { type Cutting, withoutCutOff } from './cutting.ts';
import type { Column } from './evaluate-items.ts';
import type { Aggregation } from './request.ts';
import { gapUsOf } from './sources.ts';

/** By how many buckets a column is shifted: row b shows bucket b + offset (Q9). */
function offsetOf({ lead, lag }: Column): number {
  return lead - lag;
}

/** The buckets outside the window that a column needs: what formulas look at, seen through its own shift. */
export function reachOf(column: Column, reach: Reach | undefined): Reach {
  const offset = offsetOf(column);
  return { back: Math.max(0, (reach?.back ?? 0) - offset), ahead: Math.max(0, (reach?.ahead ?? 0) + offset) };
}

/** What is read of one item. */
export interface ItemRead {
  item: Item;
  statistics: Set<Statistic>;
  states: Set<number>;
  reach: Reach;
}

/** One read for each item, whatever many columns it is in. */
export function itemReads(columns: readonly Column[], reaches: readonly Reach[]): ItemRead[] {
  const reads = new Map<string, ItemRead>();
  columns.forEach((column, i) => {
    for (const item of column.members) {
      const read = reads.get(item.id) ?? emptyRead(item);
      reads.set(item.id, read);
      if (isStateAggregation(column.aggregation)) read.states.add(column.state as number);
      else read.statistics.add(column.aggregation as Statistic);
      read.reach = widest(read.reach, reaches[i]);
    }
  });
  return [...reads.values()];
}

function emptyRead(item: Item): ItemRead {
  return { item, statistics: new Set(), states: new Set(), reach: { back: 0, ahead: 0 } };
}

/** What covers both. */
export function widest(one: Reach, other: Reach): Reach {
  return { back: Math.max(one.back, other.back), ahead: Math.max(one.ahead, other.ahead) };
}

/** How many columns the store computes for these. */
export function countColumns(reads: readonly ItemRead[]): number {
  return reads.reduce((sum, { statistics, states }) => sum + statistics.size + states.size, 0);
}

/** What the store is asked: of each item only the buckets that its columns need, as far as timestamps reach (R3). */
export function toSource(read: ItemRead, signals: Source, cutting: Cutting): RollupSource {
  const { window, edgesUs, first, count } = cutting;
  const { back, ahead } = read.reach;
  return {
    signals,
    window: {
      startUs: back > 0 ? Math.max(edgesUs[first - back], -instantUsMax) : window.startUs,
      endUs: ahead > 0 ? Math.min(edgesUs[first + count + ahead], instantUsMax) : window.endUs,
    },
    statistics: [...read.statistics],
    states: [...read.states],
    gapUs: gapUsOf(read.item),
  };
}

/** The values of a column over all buckets of the cutting: in time, across the group's items, then shifted. */
export function columnValues(
  column: Column,
  rollups: ReadonlyMap<string, Rollup>,
  cutting: Cutting,
): Float64Array {
  const parts = column.members.map(({ id }) =>
    aggregated(column, rollups.get(id) ?? bug(`item ${id} was not read`), cutting),
  );
  const values =
    column.groupAggregation === null
      ? parts[0]
      : combine(parts, column.groupAggregation, cutting.edgesUs.length - 1);
  return shifted(values, offsetOf(column));
}

function aggregated({ aggregation, state }: Column, rollup: Rollup, cutting: Cutting): Float64Array {
  const column = isStateAggregation(aggregation)
    ? rollup.states.get(state as number)
    : rollup.statistics.get(aggregation as Statistic);
  const values = withoutCutOff(column ?? bug(`${aggregation} was not read`), cutting);
  return scaled(values, aggregation, cutting.edgesUs);
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
