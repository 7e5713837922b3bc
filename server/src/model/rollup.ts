/** What a rollup computes for each bucket of a source (Q6, Q10), and the one computation that every store shares. */
import { type Buckets, bucketRuns } from './bucket.ts';
import type { Points } from './frame.ts';
import { lowerBound } from './lower-bound.ts';
import { Percentiles } from './percentile.ts';
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

/** What is wanted of one source; a `RollupSource` of storage/store.ts is one. */
export interface RollupWant {
  /** Only points inside count, also where a bucket reaches beyond (Q4). */
  window: Window;
  statistics: readonly Statistic[];
  states: readonly number[] | 'seen';
  /** How long a state holds without a further point, µs; Infinity: until the next point. */
  gapUs: number;
}

/**
 * Rolls up points that arrive in ascending order of time, in pieces of any size: {@link add} all of them; then, while
 * {@link next} names a time range, {@link addAgain} the points of that range; then {@link finish}. Memory is that of the
 * columns, and a few MB for percentiles, however many points there are.
 */
export class RollupBuilder {
  readonly #want: RollupWant;
  readonly #buckets: Buckets;
  readonly #tally: Tally;
  readonly #percentiles: Percentiles;
  readonly #states: StateTimes | null;

  /** `statesMax` limits the values of the states that are seen. `keptMax`: see {@link Percentiles}. */
  constructor(want: RollupWant, buckets: Buckets, statesMax: number, keptMax?: number) {
    this.#want = want;
    this.#buckets = buckets;
    this.#tally = new Tally(buckets.edgesUs.length - 1, want.statistics.filter(isMergeable));
    this.#percentiles = new Percentiles(want.statistics, buckets, want.window, keptMax);
    this.#states = want.states.length === 0 ? null : new StateTimes(want, buckets, statesMax);
  }

  /**
   * Takes the next points; for states also the newest one before the window and the first one after it, where they exist.
   * Other points outside the window do no harm. Fails with `invalid-params` where the states seen make too many values.
   */
  add(points: Points): void {
    this.#states?.add(points);
    if (this.#want.statistics.length === 0) return;
    const runs = bucketRuns(points.timesUs, this.#want.window, this.#buckets);
    this.#tally.addPoints(points, runs);
    if (!this.#percentiles.isEmpty) this.#percentiles.add(points, runs);
  }

  /** A time range whose points are needed once more, for percentiles of very many values; null when there is none. */
  next(): Window | null {
    return this.#percentiles.next();
  }

  /** Takes points of that range. */
  addAgain(points: Points): void {
    this.#percentiles.addAgain(points);
  }

  /** The columns. The state of the newest point of all ends at `nowUs`, unless the point is later. */
  finish(nowUs: number): Rollup {
    const statistics = new Map<Statistic, Float64Array>();
    if (this.#want.statistics.length > 0) {
      for (const [statistic, column] of this.#tally.finish()) statistics.set(statistic, column);
      for (const [statistic, column] of this.#percentiles.finish()) statistics.set(statistic, column);
    }
    return { statistics, states: this.#states?.finish(nowUs) ?? new Map() };
  }
}

/**
 * Rolls up the points of one source that are all in memory: as {@link RollupBuilder.add} takes them. Fails with
 * `invalid-params` where the states seen would make more than `statesMax` values.
 */
export function rollUp(
  points: Points,
  want: RollupWant,
  buckets: Buckets,
  nowUs: number,
  statesMax = Number.POSITIVE_INFINITY,
): Rollup {
  const builder = new RollupBuilder(want, buckets, statesMax);
  builder.add(points);
  for (let range = builder.next(); range !== null; range = builder.next())
    builder.addAgain(within(points, range));
  return builder.finish(nowUs);
}

function within({ timesUs, values }: Points, { startUs, endUs }: Window): Points {
  const from = lowerBound(timesUs, startUs);
  const to = lowerBound(timesUs, endUs, from);
  return { timesUs: timesUs.subarray(from, to), values: values.subarray(from, to) };
}

/** Whether blocks of points can be answered from their summaries alone, for every statistic and state that is wanted. */
export function isTallied(
  want: RollupWant,
): want is RollupWant & { statistics: readonly MergeableStatistic[] } {
  return want.states.length === 0 && want.statistics.every(isMergeable);
}
