/**
 * Tallies: statistics that can be built up from points and from summaries of points, in any order, and merged. Sums carry
 * what rounding took from them (compensated summation), so that the order does not show.
 */
import type { Points } from './frame.ts';
import type { Statistic } from './statistic.ts';

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

  /** Adds points: those of bucket b are at `[starts[b], starts[b + 1])` (see `bucketStarts`). Their times are asked for only where they are needed. */
  addPoints(points: Points, starts: Uint32Array): void {
    const { values } = points;
    if (this.#m2s !== none) addSquares(values, starts, this.#counts, this.#sums, this.#m2s);
    this.#addValues(values, starts);
    if (this.#firsts !== none) addFirsts(points, starts, this.#firstsUs, this.#firsts);
    if (this.#lasts !== none) addLasts(points, starts, this.#lastsUs, this.#lasts);
    addCounts(starts, this.#counts);
  }

  #addValues(values: Float64Array, starts: Uint32Array): void {
    const [sums, lows, mins, maxs] = [this.#sums, this.#sumLows, this.#mins, this.#maxs];
    if (sums !== none && mins !== none && maxs !== none) {
      addSumsAndExtremes(values, starts, sums, lows, mins, maxs);
      return;
    }
    if (sums !== none) addSums(values, starts, sums, lows);
    if (mins !== none) addMins(values, starts, mins);
    if (maxs !== none) addMaxs(values, starts, maxs);
  }

  /** Adds a run of points that lies in bucket `b` as a whole. */
  addSummary(b: number, summary: Summary): void {
    if (this.#m2s !== none) {
      const count = this.#counts[b];
      this.#m2s[b] += summary.m2 + between(count, this.#sums[b], summary.count, summary.sum);
    }
    if (this.#sums !== none) addTo(this.#sums, this.#sumLows, b, summary.sum, summary.sumLow);
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

  /** Adds another tally of the same buckets and statistics, of other points. */
  merge(other: Tally): void {
    for (let b = 0; b < this.#counts.length; b++) {
      if (other.#counts[b] > 0) this.addSummary(b, other.#summary(b));
    }
  }

  /** What is known of bucket b; what was not wanted is NaN. */
  #summary(b: number): Summary {
    return {
      count: this.#counts[b],
      sum: this.#sums[b],
      sumLow: this.#sumLows[b],
      min: this.#mins[b],
      max: this.#maxs[b],
      firstUs: this.#firstsUs[b],
      first: this.#firsts[b],
      lastUs: this.#lastsUs[b],
      last: this.#lasts[b],
      m2: this.#m2s[b],
    };
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
    if (wanted.has('sum')) columns.set('sum', this.#sums);
    if (wanted.has('avg')) columns.set('avg', averages(this.#sums, this.#counts, this.#sumLows));
    if (wanted.has('count')) columns.set('count', emptied(this.#counts));
    return columns;
  }
}

function addCounts(starts: Uint32Array, counts: Float64Array): void {
  for (let b = 0; b < counts.length; b++) counts[b] += starts[b + 1] - starts[b];
}

/**
 * Each sum with the low part that it lost (Knuth's exact two-sum). Two sums take turns, which shortens the chain of
 * additions that wait for each other.
 */
function addSums(values: Float64Array, starts: Uint32Array, sums: Float64Array, lows: Float64Array): void {
  for (let b = 0; b < sums.length; b++) {
    const to = starts[b + 1];
    let at = starts[b];
    if (at === to) continue;
    if (((to - at) & 1) === 1) addTo(sums, lows, b, values[at++], 0);
    if (at === to) continue;
    let one = sums[b];
    let other = 0;
    let low = lows[b];
    for (; at < to; at += 2) {
      const oneNext = one + values[at];
      const onePart = oneNext - one;
      low += one - (oneNext - onePart) + (values[at] - onePart);
      one = oneNext;
      const otherNext = other + values[at + 1];
      const otherPart = otherNext - other;
      low += other - (otherNext - otherPart) + (values[at + 1] - otherPart);
      other = otherNext;
    }
    sums[b] = one;
    lows[b] = low;
    addTo(sums, lows, b, other, 0);
  }
}

/** {@link addSums}, {@link addMins} and {@link addMaxs} in one walk: comparisons cost next to nothing while additions wait for each other. */
function addSumsAndExtremes(
  values: Float64Array,
  starts: Uint32Array,
  sums: Float64Array,
  lows: Float64Array,
  mins: Float64Array,
  maxs: Float64Array,
): void {
  for (let b = 0; b < sums.length; b++) {
    const to = starts[b + 1];
    let at = starts[b];
    if (at === to) continue;
    let min = values[at];
    let max = min;
    if (((to - at) & 1) === 1) addTo(sums, lows, b, values[at++], 0);
    let one = sums[b];
    let other = 0;
    let low = lows[b];
    for (; at < to; at += 2) {
      const value = values[at];
      const oneNext = one + value;
      const onePart = oneNext - one;
      low += one - (oneNext - onePart) + (value - onePart);
      one = oneNext;
      if (value < min) min = value;
      if (value > max) max = value;
      const next = values[at + 1];
      const otherNext = other + next;
      const otherPart = otherNext - other;
      low += other - (otherNext - otherPart) + (next - otherPart);
      other = otherNext;
      if (next < min) min = next;
      if (next > max) max = next;
    }
    sums[b] = one;
    lows[b] = low;
    addTo(sums, lows, b, other, 0);
    if (!(mins[b] <= min)) mins[b] = min;
    if (!(maxs[b] >= max)) maxs[b] = max;
  }
}

/** Adds a sum and its low part to those at `b`. */
function addTo(sums: Float64Array, lows: Float64Array, b: number, sum: number, low: number): void {
  const total = sums[b] + sum;
  const part = total - sums[b];
  lows[b] += low + (sums[b] - (total - part) + (sum - part));
  sums[b] = total;
}

/** Comparisons that hardly ever hold cost less than `Math.min`. */
function addMins(values: Float64Array, starts: Uint32Array, mins: Float64Array): void {
  for (let b = 0; b < mins.length; b++) {
    const to = starts[b + 1];
    if (starts[b] === to) continue;
    let min = values[starts[b]];
    for (let at = starts[b] + 1; at < to; at++) if (values[at] < min) min = values[at];
    if (!(mins[b] <= min)) mins[b] = min;
  }
}

/** As {@link addMins}. */
function addMaxs(values: Float64Array, starts: Uint32Array, maxs: Float64Array): void {
  for (let b = 0; b < maxs.length; b++) {
    const to = starts[b + 1];
    if (starts[b] === to) continue;
    let max = values[starts[b]];
    for (let at = starts[b] + 1; at < to; at++) if (values[at] > max) max = values[at];
    if (!(maxs[b] >= max)) maxs[b] = max;
  }
}

function addFirsts(
  { timesUs, values }: Points,
  starts: Uint32Array,
  firstsUs: Float64Array,
  firsts: Float64Array,
): void {
  for (let b = 0; b < firsts.length; b++) {
    const at = starts[b];
    if (at === starts[b + 1] || timesUs[at] >= firstsUs[b]) continue;
    firstsUs[b] = timesUs[at];
    firsts[b] = values[at];
  }
}

function addLasts(
  { timesUs, values }: Points,
  starts: Uint32Array,
  lastsUs: Float64Array,
  lasts: Float64Array,
): void {
  for (let b = 0; b < lasts.length; b++) {
    const at = starts[b + 1] - 1;
    if (at < starts[b] || timesUs[at] <= lastsUs[b]) continue;
    lastsUs[b] = timesUs[at];
    lasts[b] = values[at];
  }
}

/** Squared distances from the mean in two passes, which is exact where one pass cancels; then as {@link between}. */
function addSquares(
  values: Float64Array,
  starts: Uint32Array,
  counts: Float64Array,
  sums: Float64Array,
  m2s: Float64Array,
): void {
  for (let b = 0; b < m2s.length; b++) {
    const from = starts[b];
    const to = starts[b + 1];
    if (from === to) continue;
    let sum = 0;
    for (let at = from; at < to; at++) sum += values[at];
    const mean = sum / (to - from);
    let squares = 0;
    let rest = 0;
    for (let at = from; at < to; at++) {
      const distance = values[at] - mean;
      squares += distance * distance;
      rest += distance;
    }
    m2s[b] += squares - (rest * rest) / (to - from) + between(counts[b], sums[b], to - from, sum);
  }
}

/** What two parts' distance from each other adds to the squares (Chan, Golub, LeVeque 1979). */
function between(countA: number, sumA: number, countB: number, sumB: number): number {
  if (countA === 0) return 0;
  const distance = sumB / countB - sumA / countA;
  return distance * distance * ((countA * countB) / (countA + countB));
}

function toTotals(sums: Float64Array, lows: Float64Array, counts: Float64Array): void {
  for (let b = 0; b < sums.length; b++) sums[b] = counts[b] > 0 ? sums[b] + lows[b] : Number.NaN;
}

/** Into `out`, which may be the memory of the low parts: they are in the totals by now. */
function averages(totals: Float64Array, counts: Float64Array, out: Float64Array): Float64Array {
  for (let b = 0; b < out.length; b++) out[b] = totals[b] / counts[b];
  return out;
}

function deviations(m2s: Float64Array, counts: Float64Array): Float64Array {
  for (let b = 0; b < m2s.length; b++) {
    const variance = m2s[b] / counts[b];
    m2s[b] = variance < Number.POSITIVE_INFINITY ? Math.sqrt(Math.max(0, variance)) : Number.NaN;
  }
  return m2s;
}

function emptied(counts: Float64Array): Float64Array {
  for (let b = 0; b < counts.length; b++) if (counts[b] === 0) counts[b] = Number.NaN;
  return counts;
}
