/** Reads points of single signals out of rows of the log. */

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { bug } from '#model/error';
import type { Points } from '#model/frame';
import { lowerBound } from '#model/lower-bound';
import type { LruCache } from '#model/lru-cache';
import { StoredDamage } from '../codec/damage.ts';
import { Scratch } from '../codec/scratch.ts';
import type { Decode } from './decode-pace.ts';
import { isDamage } from './errors.ts';
import type { LogPart, LogRow } from './head.ts';
import { damaged } from './log-head.ts';
import { decodeRow, type RowData, type RowValues } from './log-row.ts';
import { mergeGathered } from './runs.ts';

/** One point. */
export interface Point {
  timeUs: number;
  value: number;
}

/** Memory for the points of one signal after the other. */
export class PointsMemory {
  readonly #timesUs = new Scratch();
  readonly #values = new Scratch();

  /** Room for so many points, in place of what was taken before. */
  take(count: number): Points {
    return { timesUs: this.#timesUs.take(count), values: this.#values.take(count) };
  }
}

function newPoints(count: number): Points {
  return { timesUs: new Float64Array(count), values: new Float64Array(count) };
}

/** Bytes that a decoded row takes. */
export function rowBytes({ bytes }: RowData): number {
  return bytes;
}

/** Reads rows through one connection; decoded ones are shared by all connections of a thread. */
export class LogReader {
  readonly #selectRow: StatementSync;
  readonly #cache: LruCache<number, RowData>;
  readonly #decode: Decode;

  constructor(db: DatabaseSync, cache: LruCache<number, RowData>, decode: Decode) {
    this.#selectRow = db.prepare('select head, data from series_log where seq = ?');
    this.#selectRow.setReturnArrays(true);
    this.#cache = cache;
    this.#decode = decode;
  }

  /**
   * A signal's points in `[startUs, endUs)` of all its parts; of equal times the last one stored. With `memory` they may be
   * in it: then they are valid until it is used again.
   */
  read(
    parts: readonly LogPart[],
    startUs: number,
    endUs: number,
    memory: PointsMemory | null = null,
  ): Points {
    const countMax = parts.reduce((sum, { row }) => sum + row.count, 0);
    const gathered = new Gathering(memory?.take(countMax) ?? newPoints(countMax));
    for (const { row, column } of byTime(parts)) {
      if (row.lastUs < startUs || row.firstUs >= endUs) continue;
      const { timesUs, values } = this.load(row);
      gathered.add(timesUs, values, column * timesUs.length, startUs, endUs);
    }
    return gathered.finish();
  }

  /** The newest point before a time; of equal times the last one stored. */
  before(parts: readonly LogPart[], timeUs: number): Point | null {
    let best: Point | null = null;
    // The last stored first: most often it is the newest, and no other row has to be loaded.
    for (const { row, column } of parts.toReversed()) {
      if (row.firstUs >= timeUs || (best !== null && row.lastUs <= best.timeUs)) continue;
      const point = lastBefore(this.load(row), column, timeUs);
      if (point !== null && (best === null || point.timeUs > best.timeUs)) best = point;
    }
    return best;
  }

  /** The oldest point at or after a time; of equal times the last one stored. */
  after(parts: readonly LogPart[], timeUs: number): Point | null {
    let best: Point | null = null;
    for (const { row, column } of parts.toReversed()) {
      if (row.lastUs < timeUs || (best !== null && row.firstUs >= best.timeUs)) continue;
      const point = firstFrom(this.load(row), column, timeUs);
      if (point !== null && (best === null || point.timeUs < best.timeUs)) best = point;
    }
    return best;
  }

  /** Loads a row in the connection's current snapshot. */
  load({ seq, data, valueCount }: LogRow): RowData {
    const decode = () => this.#decode('row', valueCount, () => this.#read(seq));
    const loaded = data ?? this.#cache.getOrMake(seq, decode);
    if (loaded.isFree) bug(`row ${seq} of the log was read after its memory was freed`);
    return loaded;
  }

  /** The damage of a row; null when it can be read. */
  damageOf(seq: number): StoredDamage | null {
    try {
      this.#read(seq);
      return null;
    } catch (error) {
      if (error instanceof StoredDamage) return error;
      throw error;
    }
  }

  /** The parts whose rows can be read. */
  readable(parts: readonly LogPart[]): LogPart[] {
    return parts.filter(({ row }) => this.loadReadable(row) !== null);
  }

  /** As {@link load}; null when the row cannot be read: it is marked as damaged then. */
  loadReadable(row: LogRow): RowData | null {
    if (row.isDamaged) return null;
    try {
      return this.load(row);
    } catch (error) {
      if (!(error instanceof StoredDamage)) throw error;
      row.isDamaged = true;
      return null;
    }
  }

  #read(seq: number): RowData {
    const [head, data] = this.#select(seq);
    return decodeRow(head, data, seq);
  }

  #select(seq: number): [Uint8Array, Uint8Array] {
    try {
      const found = this.#selectRow.get(seq) as unknown as [Uint8Array, Uint8Array] | undefined;
      if (found !== undefined) return found;
    } catch (error) {
      if (!isDamage(error)) throw error;
      throw damaged(seq, String(error));
    }
    throw damaged(seq, 'it is missing');
  }
}

/**
 * The parts by time, where no two overlap: rows that several clients send at once come in some order, and need not be merged then.
 * Else as they are, in the order of the log, in which the last one wins.
 */
function byTime(parts: readonly LogPart[]): readonly LogPart[] {
  const isAfter = ({ row }: LogPart, at: number, all: readonly LogPart[]) =>
    at === 0 || row.firstUs > all[at - 1].row.lastUs;
  if (parts.every(isAfter)) return parts;
  const sorted = parts.toSorted((a, b) => a.row.firstUs - b.row.firstUs);
  return sorted.every(isAfter) ? sorted : parts;
}

/** The last point of a row's column before a time. */
function lastBefore({ timesUs, values }: RowData, column: number, timeUs: number): Point | null {
  const offset = column * timesUs.length;
  let at = lowerBound(timesUs, timeUs) - 1;
  while (at >= 0 && Number.isNaN(valueAt(values, offset + at))) at--;
  return at < 0 ? null : { timeUs: timesUs[at], value: valueAt(values, offset + at) };
}

/** The first point of a row's column at or after a time. */
function firstFrom({ timesUs, values }: RowData, column: number, timeUs: number): Point | null {
  const offset = column * timesUs.length;
  let at = lowerBound(timesUs, timeUs);
  while (at < timesUs.length && Number.isNaN(valueAt(values, offset + at))) at++;
  return at === timesUs.length ? null : { timeUs: timesUs[at], value: valueAt(values, offset + at) };
}

const oneValue = new Float64Array(1);

function valueAt(values: RowValues, index: number): number {
  values.read(index, index + 1, oneValue, 0);
  return oneValue[0];
}

/** Concatenates columns of rows without missing values, and sorts them by time if necessary. */
class Gathering {
  readonly #points: Points;
  /** The indexes at which a run ends because the next time is not later. */
  readonly #breaks: number[] = [];
  #count = 0;
  #lastUs = Number.NEGATIVE_INFINITY;

  /** `points`: memory for all points that are added. */
  constructor(points: Points) {
    this.#points = points;
  }

  /** Adds the times of a row in a range, with the values of a column, which begins at `offset`. */
  add(timesUs: Float64Array, values: RowValues, offset: number, startUs: number, endUs: number): void {
    const from = timesUs[0] >= startUs ? 0 : lowerBound(timesUs, startUs);
    const to = timesUs[timesUs.length - 1] < endUs ? timesUs.length : lowerBound(timesUs, endUs);
    if (from >= to) return;
    if (timesUs[from] <= this.#lastUs) this.#breaks.push(this.#count);
    this.#lastUs = timesUs[to - 1];
    const { timesUs: outTimes, values: outValues } = this.#points;
    let at = this.#count;
    const shift = at - from;
    values.read(offset + from, offset + to, outValues, at);
    for (let i = from; i < to; i++) {
      const value = outValues[shift + i];
      outTimes[at] = timesUs[i];
      outValues[at] = value;
      if (!Number.isNaN(value)) at++;
    }
    this.#count = at;
  }

  finish(): Points {
    const timesUs = this.#points.timesUs.subarray(0, this.#count);
    const values = this.#points.values.subarray(0, this.#count);
    return mergeGathered({ timesUs, values }, this.#breaks);
  }
}
