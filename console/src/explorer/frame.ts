/** Data frames as the service answers them → rows that charts and tables draw. */

/** A data frame on the wire. */
export interface Frame {
  times: readonly (string | number)[];
  series: Readonly<Record<string, readonly (number | null)[]>>;
}

/** A column; undefined where its frame has no value in this row. */
export type Column = (number | undefined)[];

/** Frames put together, in the order of time. */
export interface Rows {
  /** As the service printed them, to the microsecond. */
  times: readonly string[];
  /** ms, with a fraction. */
  timesMs: readonly number[];
  columns: ReadonlyMap<string, Column>;
}

/** Rows without any. */
export const noRows: Rows = { times: [], timesMs: [], columns: new Map() };

/** An instant of the wire, RFC 3339 or UNIX seconds, as ms; microseconds stay, as a fraction. */
export function timeMs(time: string | number): number {
  if (typeof time === 'number') return time * 1000;
  const ms = Date.parse(time);
  const dot = time.indexOf('.', 18);
  // Date.parse reads thousandths; the rest is added.
  return dot < 0 ? ms : ms + Number(`0.${time.slice(dot + 4).match(/^\d+/)?.[0] ?? '0'}`);
}

/** Rows of frames: the union of their times; a key in two frames is that of the later one. */
export function mergeFrames(frames: readonly Frame[]): Rows {
  if (frames.length === 1) return oneFrame(frames[0]!);
  const byTime = new Map<number, string>();
  for (const frame of frames) {
    for (const time of frame.times) byTime.set(timeMs(time), String(time));
  }
  const timesMs = [...byTime.keys()].sort((a, b) => a - b);
  const rowOf = new Map(timesMs.map((ms, row) => [ms, row]));
  const columns = new Map<string, Column>();
  for (const frame of frames) {
    const rows = frame.times.map((time) => rowOf.get(timeMs(time))!);
    for (const [key, values] of Object.entries(frame.series)) {
      const column: Column = new Array(timesMs.length).fill(undefined);
      for (const [i, row] of rows.entries()) column[row] = values[i] ?? undefined;
      columns.set(key, column);
    }
  }
  return { times: timesMs.map((ms) => byTime.get(ms)!), timesMs, columns };
}

function oneFrame({ times, series }: Frame): Rows {
  const columns = Object.entries(series).map(
    ([key, values]) => [key, values.map((value) => value ?? undefined)] as const,
  );
  return { times: times.map(String), timesMs: times.map(timeMs), columns: new Map(columns) };
}

const hourMs = 3_600_000;

/** Pairs of rows with a value, between which a line would lie: no data for longer than `gapMs`. */
export type Gaps = readonly (readonly [number, number])[];

/**
 * Where a line is broken: between two values that are further apart than the gap detection. A bucket of `widthMs` has
 * data anywhere in it, so that the width does not count as silence. Without gap detection there is none.
 */
export function findGaps(
  timesMs: readonly number[],
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

/** Rows whose values stand alone, with a gap on either side: only a point can show them. */
export function findLonely(column: Column, gaps: Gaps): number[] {
  const starts = new Set(gaps.map(([, after]) => after));
  const ends = new Set(gaps.map(([before]) => before));
  const [first, last] = [column.findIndex(isValue), column.findLastIndex(isValue)];
  if (first >= 0) starts.add(first);
  if (last >= 0) ends.add(last);
  return [...starts].filter((row) => ends.has(row)).sort((a, b) => a - b);
}

/** How many values a column has. */
export function countValues(column: Column): number {
  let count = 0;
  for (const value of column) if (value !== undefined) count++;
  return count;
}

/** The row nearest to an instant; -1 when there are no rows. O(log rows). */
export function nearestRow(timesMs: readonly number[], atMs: number): number {
  if (timesMs.length === 0) return -1;
  let [low, high] = [0, timesMs.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (timesMs[middle]! < atMs) low = middle + 1;
    else high = middle;
  }
  return low > 0 && atMs - timesMs[low - 1]! <= timesMs[low]! - atMs ? low - 1 : low;
}

function isValue(value: number | undefined): boolean {
  return value !== undefined;
}
