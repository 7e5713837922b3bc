/** The rows of raw series: all times that any of them has, and the values of each at those times (Q5). */
import type { Points } from '#model/frame';
import type { Steps } from '#model/steps';

/** Points that are handled between two places where the computation may pause. */
const stepPoints = 2 ** 16;

/** Whether all series have the same times, so that they need not be merged. */
export function* haveSameTimes(series: readonly Points[]): Steps<boolean> {
  for (const { timesUs } of series) {
    if (!isSame(series[0].timesUs, timesUs)) return false;
    yield timesUs.length;
  }
  return true;
}

/** The times that any of these series has, ascending, each once. Series that share their times cost one comparison of them. */
export function* unionTimes(series: readonly Points[]): Steps<Float64Array> {
  let rest = series.map((points) => points.timesUs).filter((timesUs) => timesUs.length > 0);
  if (rest.length === 0) return new Float64Array(0);
  while (rest.length > 1) {
    const merged: Float64Array[] = [];
    for (let i = 0; i < rest.length; i += 2)
      merged.push(i + 1 < rest.length ? yield* unionTwo(rest[i], rest[i + 1]) : rest[i]);
    rest = merged;
  }
  return rest[0];
}

function* unionTwo(a: Float64Array, b: Float64Array): Steps<Float64Array> {
  if (isSame(a, b)) {
    yield a.length;
    return a;
  }
  const timesUs = new Float64Array(a.length + b.length);
  let count = 0;
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const end = count + stepPoints;
    while (count < end && i < a.length && j < b.length) {
      const us = Math.min(a[i], b[j]);
      if (a[i] === us) i++;
      if (b[j] === us) j++;
      timesUs[count++] = us;
    }
    yield 4 * stepPoints;
  }
  const tail = i < a.length ? a.subarray(i) : b.subarray(j);
  timesUs.set(tail, count);
  return timesUs.slice(0, count + tail.length);
}

function isSame(a: Float64Array, b: Float64Array): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** The values of a series at `timesUs`, which has each of its times; NaN elsewhere. */
export function* alignTo(timesUs: Float64Array, points: Points): Steps<Float64Array> {
  if (points.timesUs.length === timesUs.length) return points.values;
  const column = new Float64Array(timesUs.length).fill(Number.NaN);
  yield timesUs.length;
  let row = 0;
  for (let start = 0; start < points.timesUs.length; start += stepPoints) {
    const end = Math.min(start + stepPoints, points.timesUs.length);
    for (let i = start; i < end; i++) {
      while (timesUs[row] < points.timesUs[i]) row++;
      column[row] = points.values[i];
    }
    yield 4 * stepPoints;
  }
  return column;
}
