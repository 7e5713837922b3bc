/** Columns → the rows of a frame (Q5, Q8). */
import { Frame, type Points } from '#model/frame';
import type { DataQuery } from './request.ts';

/** Series key → values, all of one length. */
export type Columns = ReadonlyMap<string, Float64Array>;

/**
 * The frame of some columns: the newest `last` values of each when that is > 0 (Q8), rows without any value left out, except
 * the one row of rollup `window` (Q5).
 */
export function frameOf(
  timesUs: Float64Array,
  columns: Columns,
  { last, rollup }: Pick<DataQuery, 'last' | 'rollup'>,
): Frame {
  const kept = last > 0 ? keepLast(columns, last) : columns;
  return rollup === 'window' ? new Frame(timesUs, kept) : dropEmptyRows(timesUs, kept);
}

function keepLast(columns: Columns, last: number): Columns {
  return new Map([...columns].map(([key, column]) => [key, newest(column, last)]));
}

/** A column with only its newest values. */
function newest(column: Float64Array, last: number): Float64Array {
  let from = column.length;
  for (let left = last; from > 0 && left > 0; from--) if (!Number.isNaN(column[from - 1])) left--;
  return from === 0 ? column : column.slice().fill(Number.NaN, 0, from);
}

function dropEmptyRows(timesUs: Float64Array, columns: Columns): Frame {
  const isFilled = new Uint8Array(timesUs.length);
  for (const column of columns.values()) mark(column, isFilled);
  const count = isFilled.reduce((sum, filled) => sum + filled, 0);
  if (count === timesUs.length) return new Frame(timesUs, columns);
  const kept = [...columns].map(([key, column]): [string, Float64Array] => [
    key,
    pick(column, isFilled, count),
  ]);
  return new Frame(pick(timesUs, isFilled, count), new Map(kept));
}

function mark(column: Float64Array, isFilled: Uint8Array): void {
  for (let i = 0; i < column.length; i++) if (!Number.isNaN(column[i])) isFilled[i] = 1;
}

function pick(column: Float64Array, isFilled: Uint8Array, count: number): Float64Array {
  const picked = new Float64Array(count);
  let at = 0;
  for (let i = 0; i < column.length; i++) if (isFilled[i] === 1) picked[at++] = column[i];
  return picked;
}

/** The times that any of these series has, ascending, each once. Series that share their times cost one comparison of them. */
export function unionTimes(series: readonly Points[]): Float64Array {
  let rest = series.map((points) => points.timesUs).filter((timesUs) => timesUs.length > 0);
  if (rest.length === 0) return new Float64Array(0);
  while (rest.length > 1) {
    const merged: Float64Array[] = [];
    for (let i = 0; i < rest.length; i += 2)
      merged.push(i + 1 < rest.length ? unionTwo(rest[i], rest[i + 1]) : rest[i]);
    rest = merged;
  }
  return rest[0];
}

function unionTwo(a: Float64Array, b: Float64Array): Float64Array {
  if (isSame(a, b)) return a;
  const timesUs = new Float64Array(a.length + b.length);
  let count = 0;
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const us = Math.min(a[i], b[j]);
    if (a[i] === us) i++;
    if (b[j] === us) j++;
    timesUs[count++] = us;
  }
  const tail = i < a.length ? a.subarray(i) : b.subarray(j);
  timesUs.set(tail, count);
  return timesUs.subarray(0, count + tail.length);
}

function isSame(a: Float64Array, b: Float64Array): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** The values of a series at `timesUs`, which has each of its times; NaN elsewhere. */
export function alignTo(timesUs: Float64Array, points: Points): Float64Array {
  if (points.timesUs.length === timesUs.length) return points.values;
  const column = new Float64Array(timesUs.length).fill(Number.NaN);
  let row = 0;
  for (let i = 0; i < points.timesUs.length; i++) {
    while (timesUs[row] < points.timesUs[i]) row++;
    column[row] = points.values[i];
  }
  return column;
}
