/**
 * Tallies: statistics that can be built up from points and from summaries of points, in any order, and merged. Sums carry
 * what rounding took from them (compensated summation), so that the order does not show.
 */
import type { BucketRuns } from './bucket.ts';
import type { Points } from './frame.ts';
import { newColumn } from './small-columns.ts';
import type { Statistic } from './statistic.ts';
import {
  addCounts,
  addFirsts,
  addLasts,
  addMaxs,
  addMins,
  addSquares,
  addSum,
  addSums,
  addSumsAndExtremes,
  averages,
  between,
  completeTotals,
  deviations,
  emptied,
  type Sums,
} from './tally-loops.ts';

/** A statistic that a {@link Tally} can keep. */
export type MergeableStatistic = Exclude<Statistic, 'median' | 'p05' | 'p95'>;

/** What is known of a run of points without looking at them, such as a sealed block. */
export interface Summary {
  /** At least 1. */
  count: number;
  sum: number;
  /** What rounding took from `sum`; 0 where it is not known. */
  sumLow: number;
  min: number;
  max: number;
  firstUs: number;
  /** The value at `firstUs`. */
  first: number;
  lastUs: number;
  /** The value at `lastUs`. */
  last: number;
  /** Sum of the squared distances from the mean. Only `stddev` needs it; NaN where it is not known. */
  m2: number;
}

/** Whether a statistic can be merged from parts; percentiles cannot. */
export function isMergeable(statistic: Statistic): statistic is MergeableStatistic {
  return statistic !== 'median' && statistic !== 'p05' && statistic !== 'p95';
}

const none = new Float64Array(0);

/** The tally of each bucket of one source. Only the columns that the wanted statistics need are kept. */
export class Tally {
  readonly #wanted: ReadonlySet<MergeableStatistic>;
  readonly #counts: Float64Array;
  readonly #sums: Sums | null = null;
  readonly #mins: Float64Array = none;
  readonly #maxs: Float64Array = none;
  readonly #firstsUs: Float64Array = none;
  readonly #firsts: Float64Array = none;
  readonly #lastsUs: Float64Array = none;
  readonly #lasts: Float64Array = none;
  readonly #m2s: Float64Array = none;

  constructor(bucketCount: number, statistics: readonly MergeableStatistic[]) {
    const wanted = new Set(statistics);
    const column = (fill: number) =>
      fill === 0 ? newColumn(bucketCount) : newColumn(bucketCount).fill(fill);
    this.#wanted = wanted;
    this.#counts = column(0);
    if (wanted.has('sum') || wanted.has('avg') || wanted.has('stddev'))
      this.#sums = { totals: column(0), lows: column(0), huge: new Map() };
    if (wanted.has('min')) this.#mins = column(Number.NaN);
    if (wanted.has('max')) this.#maxs = column(Number.NaN);
    if (wanted.has('first')) {
      this.#firstsUs = column(Number.POSITIVE_INFINITY);
      this.#firsts = column(Number.NaN);
    }
    if (wanted.has('last')) {
      this.#lastsUs = column(Number.NEGATIVE_INFINITY);
      this.#lasts = column(Number.NaN);
    }
    if (wanted.has('stddev')) this.#m2s = column(0);
  }

  /** Adds points, in the buckets where `runs` says they are. Their times are only looked at for `first` and `last`. */
  addPoints(points: Points, runs: BucketRuns): void {
    const { values } = points;
    const [sums, mins, maxs] = [this.#sums, this.#mins, this.#maxs];
    if (this.#m2s !== none && sums !== null) addSquares(values, runs, this.#counts, sums.totals, this.#m2s);
    if (sums !== null && mins === none && maxs === none) addSums(values, runs, sums);
    else if (sums !== null) addSumsAndExtremes(values, runs, sums, mins, maxs);
    if (sums === null && mins !== none) addMins(values, runs, mins);
    if (sums === null && maxs !== none) addMaxs(values, runs, maxs);
    if (this.#firsts !== none) addFirsts(points, runs, this.#firstsUs, this.#firsts);
    if (this.#lasts !== none) addLasts(points, runs, this.#lastsUs, this.#lasts);
    addCounts(runs, this.#counts);
  }

  /** Adds a run of points that lies in bucket `b` as a whole; its sum must be finite. */
  addSummary(b: number, summary: Summary): void {
    const sums = this.#sums;
    if (this.#m2s !== none && sums !== null)
      this.#m2s[b] += summary.m2 + between(this.#counts[b], sums.totals[b], summary.count, summary.sum);
    if (sums !== null) addSum(sums, b, summary.sum, summary.sumLow);
    if (this.#mins !== none && !(this.#mins[b] <= summary.min)) this.#mins[b] = summary.min;
    if (this.#maxs !== none && !(this.#maxs[b] >= summary.max)) this.#maxs[b] = summary.max;
    if (this.#firsts !== none && summary.firstUs < this.#firstsUs[b]) {
      this.#firstsUs[b] = summary.firstUs;
      this.#firsts[b] = summary.first;
    }
    if (this.#lasts !== none && summary.lastUs > this.#lastsUs[b]) {
      this.#lastsUs[b] = summary.lastUs;
      this.#lasts[b] = summary.last;
    }
    this.#counts[b] += summary.count;
  }

  /** The wanted columns, NaN where a bucket is empty. Ends the tally: they are made of its own memory. */
  finish(): Map<MergeableStatistic, Float64Array> {
    const wanted = this.#wanted;
    const columns = new Map<MergeableStatistic, Float64Array>();
    if (wanted.has('stddev')) columns.set('stddev', deviations(this.#m2s, this.#counts));
    if (wanted.has('min')) columns.set('min', this.#mins);
    if (wanted.has('max')) columns.set('max', this.#maxs);
    if (wanted.has('first')) columns.set('first', this.#firsts);
    if (wanted.has('last')) columns.set('last', this.#lasts);
    if (this.#sums !== null) completeTotals(this.#sums, this.#counts);
    if (this.#sums !== null && wanted.has('sum')) columns.set('sum', this.#sums.totals);
    if (this.#sums !== null && wanted.has('avg')) columns.set('avg', averages(this.#sums, this.#counts));
    if (wanted.has('count')) columns.set('count', emptied(this.#counts));
    return columns;
  }
}
