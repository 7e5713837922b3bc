/**
 * The loops of a tally: each adds the points of a run of buckets to one column, or to a few that cost less together. Columns have
 * a value for every bucket; runs say which points are in which.
 */
import type { BucketRuns } from './bucket.ts';
import type { Points } from './frame.ts';

/** Sums beyond the range of doubles are kept in this unit: a power of two, so that scaling rounds nothing. */
export const hugeUnit = 2 ** 64;

/** The sum of a bucket, in {@link hugeUnit}, where it overflowed at some time. */
export interface HugeSum {
  sum: number;
  low: number;
}

/** Adds how many points there are. */
export function addCounts({ first, starts }: BucketRuns, counts: Float64Array): void {
  for (let i = 0; i + 1 < starts.length; i++) counts[first + i] += starts[i + 1] - starts[i];
}

/** Whether a compensated sum has left the range of doubles. */
export function isOverflow(sum: number, low: number): boolean {
  return sum - sum !== 0 || low - low !== 0;
}

/** A number, or NaN where it is infinite. */
export function finite(value: number): number {
  return value - value === 0 ? value : Number.NaN;
}

/** Adds values to the huge sum of a bucket, which begins with the sum before them; the plain sum becomes infinite. */
export function keepHuge(
  huge: Map<number, HugeSum>,
  sums: Float64Array,
  lows: Float64Array,
  b: number,
  oldSum: number,
  oldLow: number,
  values: Float64Array,
  from: number,
  to: number,
): void {
  const kept = huge.get(b) ?? { sum: oldSum / hugeUnit, low: oldLow / hugeUnit };
  for (let at = from; at < to; at++) {
    const value = values[at] / hugeUnit;
    const total = kept.sum + value;
    const part = total - kept.sum;
    kept.low += kept.sum - (total - part) + (value - part);
    kept.sum = total;
  }
  huge.set(b, kept);
  sums[b] = Number.POSITIVE_INFINITY;
  lows[b] = 0;
}

/**
 * Each sum with the low part that it lost (Knuth's exact two-sum). Two sums take turns, which shortens the chain of
 * additions that wait for each other.
 */
export function addSums(
  values: Float64Array,
  { first, starts }: BucketRuns,
  sums: Float64Array,
  lows: Float64Array,
  huge: Map<number, HugeSum>,
): void {
  for (let i = 0; i + 1 < starts.length; i++) {
    const b = first + i;
    const from = starts[i];
    const to = starts[i + 1];
    if (from === to) continue;
    const oldSum = sums[b];
    const oldLow = lows[b];
    let at = from;
    if (((to - at) & 1) === 1) addTo(sums, lows, b, values[at++], 0);
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
    if (isOverflow(sums[b], lows[b])) keepHuge(huge, sums, lows, b, oldSum, oldLow, values, from, to);
  }
}

/** {@link addSums}, {@link addMins} and {@link addMaxs} in one walk: comparisons cost next to nothing while additions wait for each other. */
export function addSumsAndExtremes(
  values: Float64Array,
  { first, starts }: BucketRuns,
  sums: Float64Array,
  lows: Float64Array,
  mins: Float64Array,
  maxs: Float64Array,
  huge: Map<number, HugeSum>,
): void {
  for (let i = 0; i + 1 < starts.length; i++) {
    const b = first + i;
    const from = starts[i];
    const to = starts[i + 1];
    if (from === to) continue;
    const oldSum = sums[b];
    const oldLow = lows[b];
    let at = from;
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
    if (isOverflow(sums[b], lows[b])) keepHuge(huge, sums, lows, b, oldSum, oldLow, values, from, to);
    if (!(mins[b] <= min)) mins[b] = min;
    if (!(maxs[b] >= max)) maxs[b] = max;
  }
}

/** Adds a sum and its low part to those at `b`. */
export function addTo(sums: Float64Array, lows: Float64Array, b: number, sum: number, low: number): void {
  const total = sums[b] + sum;
  const part = total - sums[b];
  lows[b] += low + (sums[b] - (total - part) + (sum - part));
  sums[b] = total;
}

/** Comparisons that hardly ever hold cost less than `Math.min`. */
export function addMins(values: Float64Array, { first, starts }: BucketRuns, mins: Float64Array): void {
  for (let i = 0; i + 1 < starts.length; i++) {
    const b = first + i;
    const to = starts[i + 1];
    if (starts[i] === to) continue;
    let min = values[starts[i]];
    for (let at = starts[i] + 1; at < to; at++) if (values[at] < min) min = values[at];
    if (!(mins[b] <= min)) mins[b] = min;
  }
}

/** As {@link addMins}. */
export function addMaxs(values: Float64Array, { first, starts }: BucketRuns, maxs: Float64Array): void {
  for (let i = 0; i + 1 < starts.length; i++) {
    const b = first + i;
    const to = starts[i + 1];
    if (starts[i] === to) continue;
    let max = values[starts[i]];
    for (let at = starts[i] + 1; at < to; at++) if (values[at] > max) max = values[at];
    if (!(maxs[b] >= max)) maxs[b] = max;
  }
}

/** Takes the earliest value of each bucket. */
export function addFirsts(
  { timesUs, values }: Points,
  { first, starts }: BucketRuns,
  firstsUs: Float64Array,
  firsts: Float64Array,
): void {
  for (let i = 0; i + 1 < starts.length; i++) {
    const b = first + i;
    const at = starts[i];
    if (at === starts[i + 1] || timesUs[at] >= firstsUs[b]) continue;
    firstsUs[b] = timesUs[at];
    firsts[b] = values[at];
  }
}

/** Takes the latest value of each bucket. */
export function addLasts(
  { timesUs, values }: Points,
  { first, starts }: BucketRuns,
  lastsUs: Float64Array,
  lasts: Float64Array,
): void {
  for (let i = 0; i + 1 < starts.length; i++) {
    const b = first + i;
    const at = starts[i + 1] - 1;
    if (at < starts[i] || timesUs[at] <= lastsUs[b]) continue;
    lastsUs[b] = timesUs[at];
    lasts[b] = values[at];
  }
}

/** Squared distances from the mean in two passes, which is exact where one pass cancels; then as {@link between}. */
export function addSquares(
  values: Float64Array,
  { first, starts }: BucketRuns,
  counts: Float64Array,
  sums: Float64Array,
  m2s: Float64Array,
): void {
  for (let i = 0; i + 1 < starts.length; i++) {
    const b = first + i;
    const from = starts[i];
    const to = starts[i + 1];
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
export function between(countA: number, sumA: number, countB: number, sumB: number): number {
  if (countA === 0) return 0;
  const distance = sumB / countB - sumA / countA;
  return distance * distance * ((countA * countB) / (countA + countB));
}

/** Sums with what rounding took from them, NaN where a bucket is empty or the sum is out of range. In place. */
export function toTotals(sums: Float64Array, lows: Float64Array, counts: Float64Array): void {
  for (let b = 0; b < sums.length; b++) sums[b] = counts[b] > 0 ? finite(sums[b] + lows[b]) : Number.NaN;
}

/** Squares of distances → standard deviations of the population. In place. */
export function deviations(m2s: Float64Array, counts: Float64Array): Float64Array {
  for (let b = 0; b < m2s.length; b++) {
    const variance = m2s[b] / counts[b];
    m2s[b] = variance < Number.POSITIVE_INFINITY ? Math.sqrt(Math.max(0, variance)) : Number.NaN;
  }
  return m2s;
}

/** Counts, NaN instead of 0. In place. */
export function emptied(counts: Float64Array): Float64Array {
  for (let b = 0; b < counts.length; b++) if (counts[b] === 0) counts[b] = Number.NaN;
  return counts;
}
