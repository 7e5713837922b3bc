/** Buckets: the consecutive half-open time ranges that a rollup aggregates (Q2-Q4). */
import { addMonths, civilFromDays, daysFromCivil } from './civil.ts';
import { type Duration, dayUs, hourUs } from './duration.ts';
import { lowerBound } from './lower-bound.ts';
import { inPieces, resultOf, type Steps } from './steps.ts';
import type { Window } from './window.ts';
import { localsToInstants, localUs, type ZoneTable, zoneTable } from './zone.ts';

/** Bucket i is `[edgesUs[i], edgesUs[i + 1])`; edges ascend strictly; one more edge than buckets. */
export interface Buckets {
  edgesUs: Float64Array;
  /** The width of every bucket when all are equally wide (arithmetic instead of binary search), else null. */
  stepUs: number | null;
}

/** Buckets of one width, without their edges, which can be millions. */
export interface UniformBuckets {
  startUs: number;
  stepUs: number;
  count: number;
}

/** How time is cut. A width must be longer than zero. */
export interface BucketRule {
  /** `window`: the window is one bucket (Q4). */
  width: Duration | 'window';
  /** TZ database name (Q3). */
  timeZone: string;
  /** 1 Monday … 7 Sunday (Q2). */
  firstDayOfWeek: number;
  /** Overrides where counting begins (Q2), µs; null: the default. */
  originUs: number | null;
}

/** Fixed widths up to this one are elapsed time, wider ones follow the local clock (Q3). */
const elapsedUsMax = hourUs;
/** The shortest month, for estimates. */
const monthUsMin = 28 * dayUs;
/** More than the largest change of a zone's offset (a day, at the date line): no edge is displaced further. */
const shiftUsMax = 2 * dayUs;

/** An upper bound of the number of buckets that {@link cutBuckets} makes of a window, without the extra ones; costs nothing. */
export function countBucketsMax(rule: BucketRule, window: Window): number {
  if (rule.width === 'window') return 1;
  const widthUs = rule.width.kind === 'fixed' ? rule.width.us : rule.width.months * monthUsMin;
  return Math.ceil((window.endUs - window.startUs) / widthUs) + 2;
}

/**
 * The buckets that cover a window which is not empty, `before` more of them before it and `after` more after it. The first
 * may begin before the window and the last end after it (Q4). Whole-window buckets take no extra ones.
 * Fails with `invalid-params` (a message, no path) when the time zone is unknown. Check {@link countBucketsMax} first.
 */
export function cutBuckets(rule: BucketRule, window: Window, before = 0, after = 0): Buckets {
  return resultOf(cutInSteps(rule, window, before, after));
}

/** As {@link cutBuckets}; only widths of elapsed time, of which there can be millions, take more than one step. */
export function* cutInSteps(rule: BucketRule, window: Window, before = 0, after = 0): Steps<Buckets> {
  const { width } = rule;
  if (width === 'window') return yield* uniform(window.startUs, window.endUs - window.startUs, 1);
  if (width.kind === 'calendar') return cutMonths(rule, width.months, window, before, after);
  if (width.us > elapsedUsMax) return cutLocal(rule, width.us, window, before, after);
  return yield* cutElapsed(rule, width.us, window, before, after);
}

/** Without edges where these follow from the width. */
export function withoutEdges(buckets: Buckets): Buckets | UniformBuckets {
  const { edgesUs, stepUs } = buckets;
  return stepUs === null ? buckets : { startUs: edgesUs[0], stepUs, count: edgesUs.length - 1 };
}

/** The same with edges. */
export function withEdges(buckets: Buckets | UniformBuckets): Buckets {
  if ('edgesUs' in buckets) return buckets;
  return resultOf(uniform(buckets.startUs, buckets.stepUs, buckets.count));
}

/** How many buckets {@link cutBuckets} makes of a window that is not empty, without the extra ones. */
export function countBuckets(rule: BucketRule, window: Window): number {
  const { width } = rule;
  if (width === 'window') return 1;
  if (width.kind === 'calendar' || width.us > elapsedUsMax)
    return cutBuckets(rule, window).edgesUs.length - 1;
  const originUs = rule.originUs ?? defaultOriginUs(rule);
  return Math.ceil((window.endUs - originUs) / width.us) - Math.floor((window.startUs - originUs) / width.us);
}

/** The bucket that an instant falls into; -1 when it is before the first or after the last. */
export function bucketIndexAt(buckets: Buckets, us: number): number {
  const { edgesUs, stepUs } = buckets;
  const count = edgesUs.length - 1;
  if (!(us >= edgesUs[0] && us < edgesUs[count])) return -1;
  if (stepUs === null) return lowerBound(edgesUs, us + 1, 0, count) - 1;
  const guess = Math.floor((us - edgesUs[0]) / stepUs);
  // The division may have been rounded.
  if (us < edgesUs[guess]) return guess - 1;
  return us < edgesUs[guess + 1] ? guess : guess + 1;
}

/** Which points are in which buckets: those of bucket `first + i` are at `[starts[i], starts[i + 1])`. */
export interface BucketRuns {
  first: number;
  /** One more than the buckets between the first and the last that have points; one if there are no points. */
  starts: Uint32Array;
}

/** No points in any bucket. */
export const noRuns: BucketRuns = { first: 0, starts: new Uint32Array(1) };

/**
 * Distributes ascending `timesUs` over buckets. Only times inside the window count (Q4). One walk over the edges between the
 * first time and the last; the points between them are not looked at.
 */
export function bucketRuns(timesUs: Float64Array, window: Window, buckets: Buckets): BucketRuns {
  const { edgesUs } = buckets;
  const endUs = Math.min(window.endUs, edgesUs[edgesUs.length - 1]);
  const to = lowerBound(timesUs, endUs);
  let at = lowerBound(timesUs, Math.max(window.startUs, edgesUs[0]), 0, to);
  if (at === to) return noRuns;
  const first = bucketIndexAt(buckets, timesUs[at]);
  const starts = new Uint32Array(bucketIndexAt(buckets, timesUs[to - 1]) - first + 2);
  let run = 0;
  starts[0] = at;
  for (let i = 1; i < starts.length; i++) {
    const next = nextStart(timesUs, at, to, edgesUs[first + i], run);
    run = next - at;
    at = next;
    starts[i] = at;
  }
  return { first, starts };
}

/** As {@link lowerBound}, but tries first whether this bucket has as many points as the last one, then doubles its steps. */
function nextStart(timesUs: Float64Array, from: number, to: number, edgeUs: number, run: number): number {
  const guess = from + run;
  if (guess <= to && (guess === to || timesUs[guess] >= edgeUs) && (run === 0 || timesUs[guess - 1] < edgeUs))
    return guess;
  let step = 1;
  let low = from;
  while (low + step < to && timesUs[low + step] < edgeUs) {
    low += step;
    step *= 2;
  }
  return lowerBound(timesUs, edgeUs, low, Math.min(low + step, to));
}

function* uniform(startUs: number, stepUs: number, count: number): Steps<Buckets> {
  const edgesUs = new Float64Array(count + 1);
  yield* inPieces(count + 1, 1, (from, to) => {
    for (let i = from; i < to; i++) edgesUs[i] = startUs + i * stepUs;
  });
  return { edgesUs, stepUs };
}

function cutElapsed(
  rule: BucketRule,
  widthUs: number,
  window: Window,
  before: number,
  after: number,
): Steps<Buckets> {
  const originUs = rule.originUs ?? defaultOriginUs(rule);
  const first = Math.floor((window.startUs - originUs) / widthUs) - before;
  const end = Math.ceil((window.endUs - originUs) / widthUs) + after;
  return uniform(originUs + first * widthUs, widthUs, end - first);
}

/** 00:00 local time of the first day of week in 2000 (Q2), as an instant. */
function defaultOriginUs(rule: BucketRule): number {
  const local = defaultOriginLocalUs(rule.firstDayOfWeek);
  const originUs = Float64Array.of(local);
  localsToInstants(zoneTable(rule.timeZone, local, local), originUs);
  return originUs[0];
}

/** 2000-01-01 was a Saturday, day 6. */
function defaultOriginLocalUs(firstDayOfWeek: number): number {
  return daysFromCivil(2000, 1, 1 + ((firstDayOfWeek + 1) % 7)) * dayUs;
}

function cutLocal(rule: BucketRule, widthUs: number, window: Window, before: number, after: number): Buckets {
  const table = tableAround(rule, window, (Math.max(before, after) + 2) * widthUs);
  const originUs =
    rule.originUs === null ? defaultOriginLocalUs(rule.firstDayOfWeek) : originLocalUs(rule, rule.originUs);
  const margin = Math.ceil(shiftUsMax / widthUs) + 1;
  const first = Math.floor((localUs(table, window.startUs) - originUs) / widthUs) - before - margin;
  const last = Math.ceil((localUs(table, window.endUs) - originUs) / widthUs) + after + margin;
  const edgesUs = new Float64Array(last - first + 1);
  for (let i = 0; i < edgesUs.length; i++) edgesUs[i] = originUs + (first + i) * widthUs;
  return trim(table, edgesUs, window, before, after);
}

function cutMonths(rule: BucketRule, months: number, window: Window, before: number, after: number): Buckets {
  const table = tableAround(rule, window, (Math.max(before, after) + 2) * months * 31 * dayUs);
  const originUs =
    rule.originUs === null ? daysFromCivil(2000, 1, 1) * dayUs : originLocalUs(rule, rule.originUs);
  const originDay = Math.floor(originUs / dayUs);
  const first = Math.floor(monthsBetween(originDay, localUs(table, window.startUs)) / months) - before - 2;
  const last = Math.ceil(monthsBetween(originDay, localUs(table, window.endUs)) / months) + after + 2;
  const edgesUs = new Float64Array(last - first + 1);
  const inDayUs = originUs - originDay * dayUs;
  for (let i = 0; i < edgesUs.length; i++)
    edgesUs[i] = addMonths(originDay, (first + i) * months) * dayUs + inDayUs;
  return trim(table, edgesUs, window, before, after);
}

function tableAround(rule: BucketRule, window: Window, reachUs: number): ZoneTable {
  return zoneTable(rule.timeZone, window.startUs - reachUs - shiftUsMax, window.endUs + reachUs + shiftUsMax);
}

function originLocalUs(rule: BucketRule, originUs: number): number {
  return localUs(zoneTable(rule.timeZone, originUs, originUs), originUs);
}

/** From the month of one day to the month of a local time; days within the month do not matter. */
function monthsBetween(day: number, us: number): number {
  const from = civilFromDays(day);
  const to = civilFromDays(Math.floor(us / dayUs));
  return (to.year - from.year) * 12 + to.month - from.month;
}

/** Selects the edges around the window from local starts. Equal starts become one (a day that did not exist). */
function trim(
  table: ZoneTable,
  localStartsUs: Float64Array,
  window: Window,
  before: number,
  after: number,
): Buckets {
  localsToInstants(table, localStartsUs);
  const count = dropRepeated(localStartsUs);
  const first = lowerBound(localStartsUs, window.startUs + 1, 0, count) - 1 - before;
  const last = lowerBound(localStartsUs, window.endUs, 0, count) + after;
  const edgesUs = localStartsUs.slice(first, last + 1);
  return { edgesUs, stepUs: commonStep(edgesUs) };
}

/** Removes repeated values of an ascending array, in place. Returns the number of values that are left. */
function dropRepeated(ascending: Float64Array): number {
  let count = 1;
  for (let i = 1; i < ascending.length; i++) {
    if (ascending[i] > ascending[count - 1]) ascending[count++] = ascending[i];
  }
  return count;
}

function commonStep(edgesUs: Float64Array): number | null {
  const stepUs = edgesUs[1] - edgesUs[0];
  for (let i = 2; i < edgesUs.length; i++) {
    if (edgesUs[i] - edgesUs[i - 1] !== stepUs) return null;
  }
  return stepUs;
}
