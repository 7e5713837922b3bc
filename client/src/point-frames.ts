/** Cuts points into data frames for inserts: a frame has a cell for each row and series, so points at other times need others. */
import type { Columns } from './frame.ts';
import type { Points } from './points.ts';

/** The most series of one insert; the service allows 10,000. */
const seriesMax = 5_000;

/** The default of the most cells (rows times series) of a frame: as JSON some megabytes, below the service's limit of 8 MiB. */
export const usualCellsMax = 250_000;

/** Frames with all of the points, oldest first; each has at most `cellsMax` cells, or one row. */
export function cutFrames(points: Points, cellsMax: number): Columns[] {
  const keys = [...points.keys()];
  const groups: string[][] = [];
  for (let i = 0; i < keys.length; i += seriesMax) groups.push(keys.slice(i, i + seriesMax));
  return groups.flatMap((group) => cutRows(new Map(group.map((key) => [key, points.get(key)!])), cellsMax));
}

/** Takes rows in the order of time while the cells of the rows and of all their series are few enough. */
function cutRows(points: Points, cellsMax: number): Columns[] {
  const keysAt = rowsOf(points);
  const timesUs = [...keysAt.keys()].sort((a, b) => a - b);
  const frames: Columns[] = [];
  let rows: number[] = [];
  let keys = new Set<string>();
  for (const us of timesUs) {
    const together = new Set([...keys, ...keysAt.get(us)!]);
    if (rows.length > 0 && (rows.length + 1) * together.size > cellsMax) {
      frames.push(frameOf(points, rows, keys));
      rows = [];
      keys = new Set(keysAt.get(us));
    } else keys = together;
    rows.push(us);
  }
  if (rows.length > 0) frames.push(frameOf(points, rows, keys));
  return frames;
}

/** Time → the keys that have a point there. */
function rowsOf(points: Points): Map<number, string[]> {
  const keysAt = new Map<number, string[]>();
  for (const [key, { timesUs }] of points) {
    for (const us of timesUs) {
      const keys = keysAt.get(us);
      if (keys === undefined) keysAt.set(us, [key]);
      else keys.push(key);
    }
  }
  return keysAt;
}

function frameOf(points: Points, rows: readonly number[], keys: ReadonlySet<string>): Columns {
  const [startUs, endUs] = [rows[0], rows[rows.length - 1]];
  const rowAt = new Map(rows.map((us, row) => [us, row]));
  const series = new Map<string, Float64Array>();
  for (const key of keys) {
    const values = new Float64Array(rows.length).fill(Number.NaN);
    const column = points.get(key)!;
    for (const [i, us] of column.timesUs.entries())
      if (us >= startUs && us <= endUs) values[rowAt.get(us)!] = column.values[i];
    series.set(key, values);
  }
  return { timesUs: Float64Array.from(rows), series };
}

/** Two halves of a frame, by rows, or by series where it has one row; null for a single cell. */
export function halveFrame({ timesUs, series }: Columns): [Columns, Columns] | null {
  const rows = timesUs.length;
  if (rows > 1) return [sliceRows(0, rows >> 1), sliceRows(rows >> 1, rows)];
  const entries = [...series];
  if (entries.length < 2) return null;
  const middle = entries.length >> 1;
  return [
    { timesUs, series: new Map(entries.slice(0, middle)) },
    { timesUs, series: new Map(entries.slice(middle)) },
  ];

  function sliceRows(from: number, to: number): Columns {
    const columns = [...series].map(([key, values]): [string, Float64Array] => [key, values.slice(from, to)]);
    return { timesUs: timesUs.slice(from, to), series: new Map(columns) };
  }
}

/** The number of points of a frame. */
export function countFrame({ series }: Columns): number {
  let count = 0;
  for (const values of series.values()) for (const value of values) if (!Number.isNaN(value)) count++;
  return count;
}
