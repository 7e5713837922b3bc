/**
 * The loops of a tally: each adds the points of a run of buckets to one column, or to a few that cost less together. Columns have
 * a value for every bucket; runs say which points are in which.
 */
import type { BucketRuns } from './bucket.ts';
import type { Points } from './frame.ts';

/** Sums beyond the range of doubles are kept in this unit: a power of two, so that scaling rounds nothing. */
const hugeUnit = 2 ** 64;

/** The sum of a bucket, in {@link hugeUnit}, where it overflowed at some time. */
interface HugeSum {
  sum: number;
  low: number;
}

/** The sums of all buckets. */
export interface Sums {
  totals: Float64Array;
  /** What rounding took from each total (compensated summation). */
  lows: Float64Array;
  /** Bucket → its sum where the total is infinite: its average is still a number. */
  huge: Map<number, HugeSum>;
}

/** Adds how many points there are. */
export function addCounts({ first, starts }: BucketRuns, counts: Float64Array): void {
  for (let i = 0; i + 1 < starts.length; i++) counts[first + i] += starts[i + 1] - starts[i];
}

/** A number, or NaN where it is infinite. */
function finite(value: number): number {
  return value - value === 0 ? value : Number.NaN;
}

/** Adds values to sums. Each sum is taken with the low part that it lost (Knuth's exact two-sum). */
export function addSums(values: Float64Array, { first, starts }: BucketRuns, sums: Sums): void {
  for (let i = 0; i + 1 < starts.length; i++) {
    const b = first + i;
    const from = starts[i];
    const to = starts[i + 1];
    if (from === to) continue;
    const oldTotal = sums.totals[b];
    const oldLow = sums.lows[b];
    sumUp(values, from, to);
    addTo(sums, b, summed[0], summed[1]);
    if (isOverflow(sums, b)) keepHuge(sums, b, oldTotal, oldLow, values.subarray(from, to));
  }
}

/** The sum of the last run that {@link sumUp} added up, and its low part. */
const summed = new Float64Array(2);

/** Two sums with a low part each take turns, which shortens the chains of additions that wait for each other. */
function sumUp(values: Float64Array, from: number, to: number): void {
  let at = from;
  let one = 0;
  let other = 0;
  let oneLow = 0;
  let otherLow = 0;
  if (((to - at) & 1) === 1) one = values[at++];
  for (; at < to; at += 2) {
    const value = values[at];
    const oneNext = one + value;
    const onePart = oneNext - one;
    oneLow += one - (oneNext - onePart) + (value - onePart);
    one = oneNext;
    const next = values[at + 1];
    const otherNext = other + next;
    const otherPart = otherNext - other;
    otherLow += other - (otherNext - otherPart) + (next - otherPart);
    other = otherNext;
  }
  const sum = one + other;
  const part = sum - one;
  summed[0] = sum;
  summed[1] = oneLow + otherLow + (one - (sum - part) + (other - part));
}

/**
 * As {@link addSums}, and adds the values to extremes: those that are wanted, others are empty. Comparisons cost less between
 * additions, which wait for each other, than in loops of their own; but sums alone take a third of this.
 */
export function addSumsAndExtremes(
  values: Float64Array,
  { first, starts }: BucketRuns,
  sums: Sums,
  mins: Float64Array,
  maxs: Float64Array,
): void {
  const { totals, lows } = sums;
  for (let i = 0; i + 1 < starts.length; i++) {
    const b = first + i;
    const from = starts[i];
    const to = starts[i + 1];
    if (from === to) continue;
    const oldTotal = totals[b];
    const oldLow = lows[b];
    let at = from;
    let min = values[at];
    let max = min;
    if (((to - at) & 1) === 1) addTo(sums, b, values[at++], 0);
    let one = totals[b];
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
    totals[b] = one;
    lows[b] = low;
    addTo(sums, b, other, 0);
    if (isOverflow(sums, b)) keepHuge(sums, b, oldTotal, oldLow, values.subarray(from, to));
    if (mins.length > 0 && !(mins[b] <= min)) mins[b] = min;
    if (maxs.length > 0 && !(maxs[b] >= max)) maxs[b] = max;
  }
}

/** Adds the sum of several values, and its low part, to the sum of bucket `b`. */
export function addSum(sums: Sums, b: number, sum: number, low: number): void {
  const [oldTotal, oldLow] = [sums.totals[b], sums.lows[b]];
  addTo(sums, b, sum, low);
  if (isOverflow(sums, b)) keepHuge(sums, b, oldTotal, oldLow, Float64Array.of(sum, low));
}

function addTo({ totals, lows }: Sums, b: number, sum: number, low: number): void {
  const total = totals[b] + sum;
  const part = total - totals[b];
  lows[b] += low + (totals[b] - (total - part) + (sum - part));
  totals[b] = total;
}

/** Whether a sum has left the range of doubles. */
function isOverflow({ totals, lows }: Sums, b: number): boolean {
  return totals[b] - totals[b] !== 0 || lows[b] - lows[b] !== 0;
}

/** Adds values to the huge sum of a bucket, which begins with the sum before them; the total becomes infinite. */
function keepHuge(
  { totals, lows, huge }: Sums,
  b: number,
  oldTotal: number,
  oldLow: number,
  values: Float64Array,
): void {
  const kept = huge.get(b) ?? { sum: oldTotal / hugeUnit, low: oldLow / hugeUnit };
  for (const whole of values) {
    const value = whole / hugeUnit;
    const total = kept.sum + value;
    const part = total - kept.sum;
    kept.low += kept.sum - (total - part) + (value - part);
    kept.sum = total;
  }
  huge.set(b, kept);
  totals[b] = Number.POSITIVE_INFINITY;
  lows[b] = 0;
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

/** Completes totals by what rounding took from them; NaN where a bucket is empty or the sum is out of range. In place. */
export function completeTotals({ totals, lows, huge }: Sums, counts: Float64Array): void {
  for (let b = 0; b < totals.length; b++)
    totals[b] = counts[b] > 0 ? finite(totals[b] + lows[b]) : Number.NaN;
  for (const [b, { sum, low }] of huge) totals[b] = finite((sum + low) * hugeUnit);
}

/** The averages of completed totals, in the memory of the low parts. */
export function averages({ totals, lows, huge }: Sums, counts: Float64Array): Float64Array {
  for (let b = 0; b < lows.length; b++) lows[b] = totals[b] / counts[b];
  for (const [b, { sum, low }] of huge) lows[b] = ((sum + low) / counts[b]) * hugeUnit;
  return lows;
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
