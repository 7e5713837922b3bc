/** Merges runs of points of one signal; of equal times the point of the newest run wins. */
import type { Points } from '#model/frame';
import { freeMemory } from '#model/free-memory';
import { lowerBound } from '#model/lower-bound';

/** No points. */
export const noPoints: Points = { timesUs: new Float64Array(0), values: new Float64Array(0) };

/**
 * Merges runs, ordered from oldest to newest, into one strictly ascending run. Runs that follow one another in time are copied;
 * others take O(n log k). A single run is returned as it is.
 */
export function mergeRuns(runs: readonly Points[]): Points {
  let left = joinChains(runs.filter((run) => run.timesUs.length > 0));
  while (left.length > 1) {
    const merged: Points[] = [];
    for (let i = 0; i + 1 < left.length; i += 2) merged.push(mergeTwo(left[i], left[i + 1]));
    if (left.length % 2 === 1) merged.push(left[left.length - 1]);
    left = merged;
  }
  return left.length === 1 ? left[0] : noPoints;
}

/** The same points in arrays of their own. */
export function copyOf({ timesUs, values }: Points): Points {
  return { timesUs: timesUs.slice(), values: values.slice() };
}

/** Runs that follow one another, copied into one. */
export class JoinedPoints {
  readonly #points: { timesUs: Float64Array<ArrayBuffer>; values: Float64Array<ArrayBuffer> };
  #count = 0;

  constructor(countMax: number) {
    this.#points = { timesUs: new Float64Array(countMax), values: new Float64Array(countMax) };
  }

  add({ timesUs, values }: Points): void {
    this.#points.timesUs.set(timesUs, this.#count);
    this.#points.values.set(values, this.#count);
    this.#count += timesUs.length;
  }

  /** The points, in arrays of their own, without room for more. */
  finish(): Points {
    const { timesUs, values } = this.#points;
    if (this.#count === values.length) return this.#points;
    const points = { timesUs: timesUs.slice(0, this.#count), values: values.slice(0, this.#count) };
    freeMemory(timesUs);
    freeMemory(values);
    return points;
  }
}

/** The part of a run within `[startUs, endUs)`, without copying. */
export function clip(run: Points, startUs: number, endUs: number): Points {
  const start = lowerBound(run.timesUs, startUs);
  const end = lowerBound(run.timesUs, endUs);
  return start === 0 && end === run.timesUs.length ? run : slice(run, start, end);
}

/** Points of a run below which runs are sorted in place, if no point is moved far. */
const shortRun = 64;

/** How far points are moved at most when they are sorted in place, on average. */
const movesMax = 16;

/**
 * Merges runs that lie behind one another, ordered from oldest to newest; `breaks` are the indexes at which another one begins. The
 * points are sorted in place where that is cheaper: many clients that each send a row at a time make a run of almost every point.
 */
export function mergeGathered(points: Points, breaks: readonly number[]): Points {
  const { length } = points.timesUs;
  if (breaks.length === 0) return points;
  const sorted = length < breaks.length * shortRun ? insertSort(points) : 0;
  const bounds = [sorted, ...breaks.filter((at) => at > sorted), length];
  const runs = bounds.slice(1).map((end, i) => slice(points, bounds[i], end));
  return mergeRuns([withoutReplaced(slice(points, 0, sorted)), ...runs]);
}

function slice({ timesUs, values }: Points, from: number, to: number): Points {
  return { timesUs: timesUs.subarray(from, to), values: values.subarray(from, to) };
}

/**
 * Sorts points by time, those of equal times in their order. Gives up when points would be moved far. How many, from the first,
 * are sorted; the others are as they were.
 */
function insertSort({ timesUs, values }: Points): number {
  const { length } = timesUs;
  let left = length * movesMax;
  for (let i = 1; i < length; i++) {
    const timeUs = timesUs[i];
    if (timesUs[i - 1] <= timeUs) continue;
    if (left < 0) return i;
    const value = values[i];
    let at = i;
    for (; at > 0 && timesUs[at - 1] > timeUs; at--) {
      timesUs[at] = timesUs[at - 1];
      values[at] = values[at - 1];
    }
    timesUs[at] = timeUs;
    values[at] = value;
    left -= i - at;
  }
  return length;
}

/** Of ascending points the last one of each time, in the same memory. */
function withoutReplaced(points: Points): Points {
  const { timesUs, values } = points;
  const { length } = timesUs;
  let count = 0;
  for (let i = 0; i < length; i++) {
    if (count > 0 && timesUs[count - 1] === timesUs[i]) count--;
    timesUs[count] = timesUs[i];
    values[count++] = values[i];
  }
  return slice(points, 0, count);
}

/** Joins adjacent runs if the newer one begins after the older one ends. */
function joinChains(runs: readonly Points[]): Points[] {
  const joined: Points[] = [];
  for (let start = 0; start < runs.length; ) {
    let end = start + 1;
    while (end < runs.length && lastTime(runs[end - 1]) < runs[end].timesUs[0]) end++;
    joined.push(end === start + 1 ? runs[start] : concatenate(runs.slice(start, end)));
    start = end;
  }
  return joined;
}

function lastTime(run: Points): number {
  return run.timesUs[run.timesUs.length - 1];
}

function concatenate(runs: readonly Points[]): Points {
  const joined = new JoinedPoints(runs.reduce((sum, run) => sum + run.timesUs.length, 0));
  for (const run of runs) joined.add(run);
  return joined.finish();
}

function mergeTwo(older: Points, newer: Points): Points {
  if (lastTime(newer) < older.timesUs[0]) return concatenate([newer, older]);
  if (lastTime(older) < newer.timesUs[0]) return concatenate([older, newer]);
  const { timesUs: a, values: olderValues } = older;
  const { timesUs: b, values: newerValues } = newer;
  const [aLength, bLength] = [a.length, b.length];
  const timesUs = new Float64Array(aLength + bLength);
  const values = new Float64Array(aLength + bLength);
  let at = 0;
  let i = 0;
  let j = 0;
  while (i < aLength && j < bLength) {
    const fromOlder = a[i] < b[j];
    if (a[i] === b[j]) i++;
    timesUs[at] = fromOlder ? a[i] : b[j];
    values[at++] = fromOlder ? olderValues[i++] : newerValues[j++];
  }
  timesUs.set(a.subarray(i), at);
  values.set(olderValues.subarray(i), at);
  at += aLength - i;
  timesUs.set(b.subarray(j), at);
  values.set(newerValues.subarray(j), at);
  at += bLength - j;
  return { timesUs: timesUs.subarray(0, at), values: values.subarray(0, at) };
}
