/** Several signals as one series (Q14). */
import type { Points } from './frame.ts';

/** The union of points: at a time that several have, the part listed last wins. A single part is returned as it is. */
export function mergePoints(parts: readonly Points[]): Points {
  let rest = parts.filter((part) => part.timesUs.length > 0);
  if (rest.length === 0) return { timesUs: new Float64Array(0), values: new Float64Array(0) };
  while (rest.length > 1) rest = mergePairs(rest);
  return rest[0];
}

function mergePairs(parts: readonly Points[]): Points[] {
  const merged: Points[] = [];
  for (let i = 0; i < parts.length; i += 2) {
    merged.push(i + 1 < parts.length ? mergeTwo(parts[i], parts[i + 1]) : parts[i]);
  }
  return merged;
}

function mergeTwo(older: Points, newer: Points): Points {
  if (older.timesUs[older.timesUs.length - 1] < newer.timesUs[0]) return joinTwo(older, newer);
  if (newer.timesUs[newer.timesUs.length - 1] < older.timesUs[0]) return joinTwo(newer, older);
  const length = older.timesUs.length + newer.timesUs.length;
  const timesUs = new Float64Array(length);
  const values = new Float64Array(length);
  let count = 0;
  let a = 0;
  let b = 0;
  while (a < older.timesUs.length && b < newer.timesUs.length) {
    const isOlder = older.timesUs[a] < newer.timesUs[b];
    if (older.timesUs[a] === newer.timesUs[b]) a++;
    timesUs[count] = isOlder ? older.timesUs[a] : newer.timesUs[b];
    values[count++] = isOlder ? older.values[a++] : newer.values[b++];
  }
  const rest = a < older.timesUs.length ? older : newer;
  const restFrom = a < older.timesUs.length ? a : b;
  timesUs.set(rest.timesUs.subarray(restFrom), count);
  values.set(rest.values.subarray(restFrom), count);
  count += rest.timesUs.length - restFrom;
  return { timesUs: timesUs.subarray(0, count), values: values.subarray(0, count) };
}

function joinTwo(first: Points, second: Points): Points {
  const timesUs = new Float64Array(first.timesUs.length + second.timesUs.length);
  const values = new Float64Array(timesUs.length);
  timesUs.set(first.timesUs);
  timesUs.set(second.timesUs, first.timesUs.length);
  values.set(first.values);
  values.set(second.values, first.values.length);
  return { timesUs, values };
}
