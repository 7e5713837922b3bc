/**
 * Tallies: statistics that can be built up from points and from summaries of points, in any order, and merged. Sums carry
 * what rounding took from them (compensated summation), so that the order does not show.
 */
import type { BucketRuns } from './bucket.ts';
import type { Points } from './frame.ts';
import type { Statistic } from './statistic.ts';
import {
  addCounts,
  addFirsts,
  addLasts,
  addMaxs,
  addMins,
  addSquares,
  addSums,
  addSumsAndExtremes,
  addTo,
  between,
  deviations,
  emptied,
  finite,
  type HugeSum,
  hugeUnit,
  isOverflow,
  keepHuge,
  toTotals,
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
  readonly #sums: Float64Array = none;
  readonly #sumLows: Float64Array = none;
  readonly #mins: Float64Array = none;
  readonly #maxs: Float64Array = none;
  readonly #firstsUs: Float64Array = none;
  readonly #firsts: Float64Array = none;
  readonly #lastsUs: Float64Array = none;
  readonly #lasts: Float64Array = none;
  readonly #m2s: Float64Array = none;
  /** The sums of buckets whose plain sum is infinite: their average is still a number. */
  readonly #huge = new Map<number, HugeSum>();

  constructor(bucketCount: number, statistics: readonly MergeableStatistic[]) {
    const wanted = new Set(statistics);
    const column = (fill: number) =>
      fill === 0 ? new Float64Array(bucketCount) : new Float64Array(bucketCount).fill(fill);
    this.#wanted = wanted;
    this.#counts = column(0);
    if (wanted.has('sum') || wanted.has('avg') || wanted.has('stddev')) {
      this.#sums = column(0);
      this.#sumLows = column(0);
    }
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
    if (this.#m2s !== none) addSquares(values, runs, this.#counts, this.#sums, this.#m2s);
    this.#addValues(values, runs);
    if (this.#firsts !== none) addFirsts(points, runs, this.#firstsUs, this.#firsts);
    if (this.#lasts !== none) addLasts(points, runs, this.#lastsUs, this.#lasts);
    addCounts(runs, this.#counts);
  }

  #addValues(values: Float64Array, runs: BucketRuns): void {
    const [sums, lows, mins, maxs] = [this.#sums, this.#sumLows, this.#mins, this.#maxs];
    if (sums !== none && mins !== none && maxs !== none) {
      addSumsAndExtremes(values, runs, sums, lows, mins, maxs, this.#huge);
      return;
    }
    if (sums !== none) addSums(values, runs, sums, lows, this.#huge);
    if (mins !== none) addMins(values, runs, mins);
    if (maxs !== none) addMaxs(values, runs, maxs);
  }

  /** Adds a run of points that lies in bucket `b` as a whole; its sum must be finite. */
  addSummary(b: number, summary: Summary): void {
    if (this.#m2s !== none) {
      const count = this.#counts[b];
      this.#m2s[b] += summary.m2 + between(count, this.#sums[b], summary.count, summary.sum);
    }
    if (this.#sums !== none) this.#addSum(b, summary);
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

  #addSum(b: number, { sum, sumLow }: Summary): void {
    const [oldSum, oldLow] = [this.#sums[b], this.#sumLows[b]];
    addTo(this.#sums, this.#sumLows, b, sum, sumLow);
    if (isOverflow(this.#sums[b], this.#sumLows[b])) {
      keepHuge(this.#huge, this.#sums, this.#sumLows, b, oldSum, oldLow, Float64Array.of(sum, sumLow), 0, 2);
    }
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
    toTotals(this.#sums, this.#sumLows, this.#counts);
    for (const [b, { sum, low }] of this.#huge) this.#sums[b] = finite((sum + low) * hugeUnit);
    if (wanted.has('sum')) columns.set('sum', this.#sums);
    if (wanted.has('avg')) columns.set('avg', this.#averages());
    if (wanted.has('count')) columns.set('count', emptied(this.#counts));
    return columns;
  }

  /** In the memory of the low parts: they are in the totals by now. */
  #averages(): Float64Array {
    const averages = this.#sumLows;
    for (let b = 0; b < averages.length; b++) averages[b] = this.#sums[b] / this.#counts[b];
    for (const [b, { sum, low }] of this.#huge) averages[b] = ((sum + low) / this.#counts[b]) * hugeUnit;
    return averages;
  }
}
