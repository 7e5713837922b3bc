/** Reads points of single signals out of the unsealed log. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { bug } from '#model/error';
import type { Points } from '#model/frame';
import { type ColumnSet, columnOf, Head, type LogRow } from './head.ts';
import { decodeRow, type RowData } from './log-row.ts';
import { clip, lowerBound } from './runs.ts';

/** Bytes of decoded rows that a reader keeps. */
const cacheBytesMax = 32 * 1024 * 1024;

/** One point. */
export interface Point {
  timeUs: number;
  value: number;
}

/** Follows the log of one connection. Call {@link follow} at the start of each read transaction. */
export class LogReader {
  readonly #head = new Head();
  readonly #selectNew: StatementSync;
  readonly #selectRow: StatementSync;
  readonly #cache = new Map<number, RowData>();
  #cacheBytes = 0;

  constructor(db: DatabaseSync) {
    this.#selectNew = db.prepare('select seq, head from series_log where seq > ? order by seq');
    this.#selectNew.setReturnArrays(true);
    this.#selectRow = db.prepare('select head, data from series_log where seq = ?');
    this.#selectRow.setReturnArrays(true);
  }

  /** Takes up what was appended since the last call, and forgets what was sealed up to `sealedSeq`. */
  follow(sealedSeq: number): void {
    this.#head.trim(sealedSeq);
    for (const row of this.#selectNew.iterate(this.#head.lastSeq)) {
      const [seq, head] = row as unknown as [number, Uint8Array];
      this.#head.add(seq, head);
    }
  }

  /** The runs of a signal's points within a window, in the order of the log, from rows after `afterSeq`. */
  runs(signal: number, afterSeq: number, startUs: number, endUs: number): Points[] {
    const found: { seq: number; run: Points }[] = [];
    const sets = this.#head.setsOf(signal);
    for (const set of sets) {
      for (const row of set.rows) {
        if (row.seq <= afterSeq || row.lastUs < startUs || row.firstUs >= endUs) continue;
        found.push({ seq: row.seq, run: clip(this.#column(set, row, signal), startUs, endUs) });
      }
    }
    if (sets.length > 1) found.sort((a, b) => a.seq - b.seq);
    return found.map(({ run }) => run);
  }

  /** The newest point of a signal before a time, from rows after `afterSeq`; of equal times the last one stored. */
  before(signal: number, afterSeq: number, timeUs: number): Point | null {
    let best: (Point & { seq: number }) | null = null;
    for (const set of this.#head.setsOf(signal)) {
      for (const row of set.rows) {
        if (row.seq <= afterSeq || row.firstUs >= timeUs) continue;
        if (best !== null && row.lastUs < best.timeUs) continue;
        const run = this.#column(set, row, signal);
        const at = lowerBound(run.timesUs, timeUs) - 1;
        if (at < 0 || (best !== null && !isNewer(run.timesUs[at], row.seq, best))) continue;
        best = { timeUs: run.timesUs[at], value: run.values[at], seq: row.seq };
      }
    }
    return best;
  }

  /** The oldest point of a signal at or after a time, from rows after `afterSeq`; of equal times the last one stored. */
  after(signal: number, afterSeq: number, timeUs: number): Point | null {
    let best: (Point & { seq: number }) | null = null;
    for (const set of this.#head.setsOf(signal)) {
      for (const row of set.rows) {
        if (row.seq <= afterSeq || row.lastUs < timeUs) continue;
        if (best !== null && row.firstUs > best.timeUs) continue;
        const run = this.#column(set, row, signal);
        const at = lowerBound(run.timesUs, timeUs);
        if (at === run.timesUs.length) continue;
        const found = { timeUs: run.timesUs[at], value: run.values[at], seq: row.seq };
        if (
          best === null ||
          found.timeUs < best.timeUs ||
          (found.timeUs === best.timeUs && found.seq > best.seq)
        )
          best = found;
      }
    }
    return best;
  }

  /** The values of a signal in a row, without the absent ones. */
  #column(set: ColumnSet, row: LogRow, signal: number): Points {
    const { timesUs, values } = this.#load(row);
    const start = columnOf(set, signal) * timesUs.length;
    return withoutHoles({ timesUs, values: values.subarray(start, start + timesUs.length) });
  }

  #load(row: LogRow): RowData {
    const known = this.#cache.get(row.seq);
    if (known !== undefined) {
      this.#cache.delete(row.seq);
      this.#cache.set(row.seq, known);
      return known;
    }
    const [head, data] = (this.#selectRow.get(row.seq) ??
      bug(`row ${row.seq} of the log is gone`)) as unknown as [Uint8Array, Uint8Array];
    const decoded = decodeRow(head, data, row.seq);
    this.#cache.set(row.seq, decoded);
    this.#cacheBytes += bytesOf(decoded);
    this.#evict();
    return decoded;
  }

  #evict(): void {
    for (const [seq, data] of this.#cache) {
      if (this.#cacheBytes <= cacheBytesMax) return;
      this.#cache.delete(seq);
      this.#cacheBytes -= bytesOf(data);
    }
  }
}

function isNewer(timeUs: number, seq: number, best: Point & { seq: number }): boolean {
  return timeUs > best.timeUs || (timeUs === best.timeUs && seq > best.seq);
}

function bytesOf(data: RowData): number {
  return data.timesUs.byteLength + data.values.byteLength;
}

function withoutHoles(run: Points): Points {
  const { values } = run;
  let count = 0;
  for (let i = 0; i < values.length; i++) if (!Number.isNaN(values[i])) count++;
  if (count === values.length) return run;
  const dense = { timesUs: new Float64Array(count), values: new Float64Array(count) };
  let at = 0;
  for (let i = 0; i < values.length; i++) {
    if (Number.isNaN(values[i])) continue;
    dense.timesUs[at] = run.timesUs[i];
    dense.values[at++] = values[i];
  }
  return dense;
}
