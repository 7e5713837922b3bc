/** Data frames as the service answers them → columns of numbers → rows that charts and tables draw. */
import { parseTimeUs, printTimeUs } from '@tidemark/client/frame';
import type { DataFrame } from '@tidemark/client/wire';

/** A frame as numbers alone, which move between threads without being copied. */
export interface Columns {
  /** ms, with a fraction. */
  timesMs: Float64Array<ArrayBuffer>;
  series: readonly Series[];
}

/** A series of {@link Columns}. */
export interface Series {
  key: string;
  /** NaN where it has no value. */
  values: Float64Array<ArrayBuffer>;
  /** Whether every row has a value. */
  isFull: boolean;
}

/** A point of an item. */
export interface Point {
  ms: number;
  value: number;
}

/** A column; undefined where its frame has no value in this row. */
export type Column = ArrayLike<number | undefined>;

/** Frames put together, in the order of time. */
export interface Rows {
  /** ms, with a fraction. */
  timesMs: ArrayLike<number>;
  columns: ReadonlyMap<string, Column>;
}

/** A timestamp of the wire as ms; microseconds stay, as a fraction. */
export function timeMs(time: string): number {
  return parseTimeUs(time) / 1000;
}

/** An instant as the service writes it: UTC, to the microsecond, a fraction only where there is one. */
export function printTime(ms: number): string {
  return printTimeUs(Math.round(ms * 1000));
}

/** Reads a frame of the wire. O(rows × series). */
export function readColumns({ times, series }: DataFrame): Columns {
  const timesMs = Float64Array.from(times, timeMs);
  return { timesMs, series: Object.entries(series).map(([key, values]) => readSeries(key, values)) };
}

function readSeries(key: string, numbers: readonly (number | null)[]): Series {
  const values = new Float64Array(numbers.length);
  let isFull = true;
  for (let row = 0; row < numbers.length; row++) {
    const value = numbers[row];
    if (value == null) isFull = false;
    values[row] = value ?? Number.NaN;
  }
  return { key, values, isFull };
}

/** Rows of frames: the union of their times; a key in two frames is that of the later one. */
export function mergeColumns(frames: readonly Columns[]): Rows {
  if (frames.length === 1) {
    const { timesMs, series } = frames[0]!;
    return { timesMs, columns: new Map(series.map((each) => [each.key, columnOf(each)])) };
  }
  const timesMs = unionOf(frames);
  const columns = new Map<string, Column>();
  for (const frame of frames) {
    const places = placesIn(timesMs, frame.timesMs);
    for (const { key, values } of frame.series) {
      const column = new Array<number | undefined>(timesMs.length).fill(undefined);
      for (let row = 0; row < values.length; row++) column[places[row]!] = orUndefined(values[row]!);
      columns.set(key, column);
    }
  }
  return { timesMs, columns };
}

/**
 * Frames of windows that follow each other as one; a series that a frame does not have is without values there.
 * O(rows × series).
 */
export function concatColumns(frames: readonly Columns[]): Columns {
  if (frames.length === 1) return frames[0]!;
  const timesMs = new Float64Array(frames.reduce((sum, frame) => sum + frame.timesMs.length, 0));
  const series = new Map<string, Float64Array<ArrayBuffer>>();
  let start = 0;
  for (const frame of frames) {
    timesMs.set(frame.timesMs, start);
    for (const { key, values } of frame.series) {
      if (!series.has(key)) series.set(key, new Float64Array(timesMs.length).fill(Number.NaN));
      series.get(key)!.set(values, start);
    }
    start += frame.timesMs.length;
  }
  return {
    timesMs,
    series: [...series].map(([key, values]) => ({ key, values, isFull: !values.some(Number.isNaN) })),
  };
}

function columnOf({ values, isFull }: Series): Column {
  return isFull ? values : Array.from(values, orUndefined);
}

function orUndefined(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value;
}

function unionOf(frames: readonly Columns[]): Float64Array {
  const all = new Float64Array(frames.reduce((sum, { timesMs }) => sum + timesMs.length, 0));
  let end = 0;
  for (const { timesMs } of frames) {
    all.set(timesMs, end);
    end += timesMs.length;
  }
  all.sort();
  return all.filter((ms, row) => row === 0 || ms !== all[row - 1]);
}

/** Where each of some ascending times is among all. */
function placesIn(all: ArrayLike<number>, times: ArrayLike<number>): Uint32Array {
  const places = new Uint32Array(times.length);
  let at = 0;
  for (let row = 0; row < times.length; row++) {
    while (all[at]! < times[row]!) at++;
    places[row] = at;
  }
  return places;
}

const hourMs = 3_600_000;

/** Pairs of rows with a value, between which a line would lie: no data for longer than `gapMs`. */
export type Gaps = readonly (readonly [number, number])[];

/**
 * Where a line is broken: between two values that are further apart than the gap detection. A bucket of `widthMs` has
 * data anywhere in it, so that the width does not count as silence. Without gap detection there is none.
 */
export function findGaps(
  timesMs: ArrayLike<number>,
  column: Column,
  gapMs: number | null,
  widthMs = 0,
): Gaps {
  if (gapMs === null) return [];
  // The clocks may make a bucket of hours or days an hour longer, the calendar one of a month a day.
  const reachMs = widthMs > hourMs ? widthMs * 1.04 + hourMs : widthMs;
  const gaps: [number, number][] = [];
  let before = -1;
  for (let row = 0; row < column.length; row++) {
    if (column[row] === undefined) continue;
    if (before >= 0 && timesMs[row]! - timesMs[before]! - reachMs > gapMs) gaps.push([before, row]);
    before = row;
  }
  return gaps;
}

/** Rows whose values are isolated, with a gap on both sides: only a point can show them. */
export function findLonely(column: Column, gaps: Gaps): number[] {
  const starts = new Set(gaps.map(([, after]) => after));
  const ends = new Set(gaps.map(([before]) => before));
  const [first, last] = [firstValue(column), lastValue(column)];
  if (first >= 0) starts.add(first);
  if (last >= 0) ends.add(last);
  return [...starts].filter((row) => ends.has(row)).sort((a, b) => a - b);
}

/** The newest point of each series within a span. */
export function lastPoints(
  { timesMs, series }: Columns,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Map<string, Point> {
  const points = new Map<string, Point>();
  for (const { key, values } of series) {
    for (let row = timesMs.length - 1; row >= 0 && timesMs[row]! >= fromMs; row--) {
      if (timesMs[row]! >= toMs || Number.isNaN(values[row]!)) continue;
      points.set(key, { ms: timesMs[row]!, value: values[row]! });
      break;
    }
  }
  return points;
}

/** How many values a column has. */
export function countValues(column: Column): number {
  let count = 0;
  for (let row = 0; row < column.length; row++) if (column[row] !== undefined) count++;
  return count;
}

/** The row nearest to an instant; -1 when there are no rows. O(log rows). */
export function nearestRow(timesMs: ArrayLike<number>, atMs: number): number {
  if (timesMs.length === 0) return -1;
  let [low, high] = [0, timesMs.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (timesMs[middle]! < atMs) low = middle + 1;
    else high = middle;
  }
  return low > 0 && atMs - timesMs[low - 1]! <= timesMs[low]! - atMs ? low - 1 : low;
}

/** The first row with a value; -1 when there is none. */
function firstValue(column: Column): number {
  for (let row = 0; row < column.length; row++) if (column[row] !== undefined) return row;
  return -1;
}

function lastValue(column: Column): number {
  for (let row = column.length - 1; row >= 0; row--) if (column[row] !== undefined) return row;
  return -1;
}
