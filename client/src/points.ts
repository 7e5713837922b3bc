/** Points of several input keys: gathered in the order of writing, then sorted by time. */
import { type Columns, parseTimeUs, toColumns, type WireFrame } from './frame.ts';

/** A time of a point: RFC 3339, UNIX seconds, or a date. */
export type PointTime = string | number | Date;

/** The points of one key, ascending; each time occurs once. */
export interface PointColumn {
  timesUs: Float64Array;
  values: Float64Array;
}

/** Input key → its points. */
export type Points = ReadonlyMap<string, PointColumn>;

const keyForm = /^[a-zA-Z0-9\-_:.#+/]{1,128}$/;
const usMax = 2 ** 53;

/** The number of points of all keys. */
export function countPoints(points: Points): number {
  let count = 0;
  for (const { timesUs } of points.values()) count += timesUs.length;
  return count;
}

/** Gathers points. What the service would reject is rejected here, so that it does not stop the points behind it. */
export class PointGatherer {
  #columns = new Map<string, { timesUs: number[]; values: number[] }>();
  #count = 0;

  /** The number of points, including several of a key at the same time. */
  get count(): number {
    return this.#count;
  }

  /** Adds a point. Throws `RangeError` for a key, a time or a value that the service does not accept. */
  add(key: string, value: number, time: PointTime): void {
    this.#addUs(key, value, toUs(key, time));
  }

  /** Adds the numbers of a frame or of columns; null and NaN are no points. Throws `RangeError`; then nothing was added. */
  addFrame(frame: WireFrame | Columns): number {
    const { timesUs, series } = 'timesUs' in frame ? frame : toColumns(frame);
    for (const us of timesUs) checkTime('the frame', us);
    for (const key of series.keys()) checkKey(key);
    const before = this.#count;
    for (const [key, values] of series) {
      for (const [row, value] of values.entries())
        if (Number.isFinite(value)) this.#addUs(key, value, timesUs[row]);
    }
    return this.#count - before;
  }

  /** Adds points that have been gathered before. */
  addPoints(points: Points): void {
    for (const [key, { timesUs, values }] of points)
      for (const [i, us] of timesUs.entries()) this.#addUs(key, values[i], us);
  }

  /** The points so far, sorted; of several at one time the last one written. The gatherer is empty afterwards. */
  take(): Points {
    const sorted = new Map([...this.#columns].map(([key, column]) => [key, sortColumn(column)]));
    this.#columns = new Map();
    this.#count = 0;
    return sorted;
  }

  #addUs(key: string, value: number, timeUs: number): void {
    if (!Number.isFinite(value))
      throw new RangeError(`"${key}": a value must be a finite number, got ${value}`);
    let column = this.#columns.get(key);
    if (column === undefined) {
      checkKey(key);
      column = { timesUs: [], values: [] };
      this.#columns.set(key, column);
    }
    column.timesUs.push(timeUs);
    column.values.push(value);
    this.#count++;
  }
}

/** Joins points; where several have the same time of a key, those that come later in the list win. */
export function joinPoints(list: readonly Points[]): Points {
  if (list.length === 1) return list[0];
  const gatherer = new PointGatherer();
  for (const points of list) gatherer.addPoints(points);
  return gatherer.take();
}

function sortColumn({ timesUs, values }: { timesUs: number[]; values: number[] }): PointColumn {
  // Sorting is stable: of equal times the one that was written last is the last one here.
  const order = timesUs.map((_, i) => i);
  if (timesUs.some((us, i) => i > 0 && us <= timesUs[i - 1])) order.sort((a, b) => timesUs[a] - timesUs[b]);
  const kept = order.filter((at, i) => i + 1 === order.length || timesUs[order[i + 1]] !== timesUs[at]);
  return {
    timesUs: Float64Array.from(kept, (at) => timesUs[at]),
    values: Float64Array.from(kept, (at) => values[at]),
  };
}

function checkKey(key: string): void {
  if (keyForm.test(key)) return;
  const got = JSON.stringify(key.slice(0, 140));
  throw new RangeError(`an input key has 1 to 128 of the characters a-z A-Z 0-9 - _ : . # + /, got ${got}`);
}

function checkTime(subject: string, us: number): void {
  if (!(Math.abs(us) <= usMax))
    throw new RangeError(
      `${subject}: a time must be between 1684-07-28 and 2255-06-05 (numbers are UNIX seconds)`,
    );
}

function toUs(key: string, time: PointTime): number {
  const us = time instanceof Date ? time.getTime() * 1000 : Math.trunc(parseTimeUs(time));
  checkTime(`"${key}"`, us);
  return us;
}
