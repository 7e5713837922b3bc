/** What a rollup computes for each bucket of a source (Q6, Q10), and the one computation that every store shares. */
import { type Buckets, bucketStarts } from './bucket.ts';
import type { Points } from './frame.ts';
import { addPercentiles } from './percentile.ts';
import { StateTimes } from './state-time.ts';
import type { Statistic } from './statistic.ts';
import { isMergeable, type MergeableStatistic, Tally } from './tally.ts';
import type { Window } from './window.ts';

export type { Statistic } from './statistic.ts';

/** The columns of one source: each value NaN where the bucket has no point (count included, Q5), one for each bucket. */
export interface Rollup {
  statistics: ReadonlyMap<Statistic, Float64Array>;
  /** State → seconds in it for each bucket, 0 where another state held, NaN where no state held (Q10). Ascending by state. */
  states: ReadonlyMap<number, Float64Array>;
}

/** What to compute for one source; structurally a `RollupSource` of storage/store.ts. */
export interface RollupWant {
  /** Only points inside count, also where a bucket reaches beyond (Q4). */
  window: Window;
  statistics: readonly Statistic[];
  states: readonly number[] | 'seen';
  /** How long a state holds without a further point, µs; Infinity: until the next point. */
  gapUs: number;
}

/**
 * Rolls the points of one source up: ascending times, and for states also the newest point before the window and the first
 * one after it, where they exist (points outside the window do no harm). One walk over the edges, then one loop for each
 * column. The state of the newest point of all ends at `nowUs`, unless the point is later. Fails with `invalid-params` where the states seen would make more than `valuesMax` values.
 */
export function rollUp(
  points: Points,
  want: RollupWant,
  buckets: Buckets,
  nowUs: number,
  valuesMax = Number.POSITIVE_INFINITY,
): Rollup {
  return {
    statistics: want.statistics.length === 0 ? new Map() : statisticsOf(points, want, buckets),
    states: want.states.length === 0 ? new Map() : statesOf(points, want, buckets, nowUs, valuesMax),
  };
}

function statesOf(
  points: Points,
  want: RollupWant,
  buckets: Buckets,
  nowUs: number,
  valuesMax: number,
): Map<number, Float64Array> {
  const times = new StateTimes(want, buckets, valuesMax);
  times.add(points);
  return times.finish(nowUs);
}

function statisticsOf(points: Points, want: RollupWant, buckets: Buckets): Map<Statistic, Float64Array> {
  const starts = bucketStarts(points.timesUs, want.window, buckets);
  const tally = new Tally(starts.length - 1, want.statistics.filter(isMergeable));
  tally.addPoints(points, starts);
  const columns: Map<Statistic, Float64Array> = tally.finish();
  addPercentiles(points.values, starts, want.statistics, columns);
  return columns;
}

/** Whether blocks of points can be answered from their summaries alone, for every statistic and state that is wanted. */
export function isTallied(
  want: RollupWant,
): want is RollupWant & { statistics: readonly MergeableStatistic[] } {
  return want.states.length === 0 && want.statistics.every(isMergeable);
}
