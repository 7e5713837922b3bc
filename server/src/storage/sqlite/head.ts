/**
 * The head: which rows of the log hold points of a signal. An index in memory, built from the heads of the rows and moved
 * forward by their sequence. Rows with the same set of signals (a client sends the same columns again and again) share one
 * {@link ColumnSet}, so that a row costs the index the same whether it has one column or a thousand.
 */
import { lowerBound } from '#model/lower-bound';
import { StoredDamage } from '../codec/damage.ts';
import { decodeHead, decodeSignals, type RowHead } from './log-head.ts';
import type { RowData } from './log-row.ts';

/** A row of the log, as the head knows it. */
export interface LogRow extends RowHead {
  seq: number;
  /** Values in all columns, including missing ones. */
  valueCount: number;
  /** Its decoded contents, which the sealer keeps during a cycle; else null. */
  data: RowData | null;
}

/** A set of signals, and the rows that have exactly these columns, in the order of the log. */
export interface ColumnSet {
  /** Ascending; the index of a signal is its column. */
  signals: Uint32Array;
  rows: LogRow[];
}

/** Where points of a signal are: a column of a row. */
export interface LogPart {
  row: LogRow;
  column: number;
}

/** The amount of data that the head indexes. */
export interface HeadExtent {
  rowCount: number;
  /** Values in all columns, including missing ones. */
  valueCount: number;
  /** Times in all rows. */
  timeCount: number;
  signalCount: number;
}

/** The index over the unsealed log. */
export class Head {
  readonly #sets = new Map<string, ColumnSet>();
  readonly #setsBySignal = new Map<number, ColumnSet[]>();
  #unreadable: number[] = [];
  #lastSeq = 0;
  #trimmedSeq = 0;

  /** The number of the newest indexed row. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Rows whose signals are unknown because their heads cannot be read; they may have points of any signal. */
  get unreadable(): readonly number[] {
    return this.#unreadable;
  }

  /** Adds rows, in ascending order. Numbers have no gaps, so a number up to `lastSeq` that is not among them is missing. */
  follow(rows: Iterable<readonly [seq: number, headBytes: Uint8Array]>, lastSeq: number): void {
    for (const [seq, headBytes] of rows) {
      this.#miss(seq - 1);
      this.add(seq, headBytes);
    }
    this.#miss(lastSeq);
  }

  /** Adds a row; rows have to be added in ascending order. */
  add(seq: number, headBytes: Uint8Array): void {
    this.#lastSeq = seq;
    const head = readableHead(headBytes, seq);
    if (head === null || head.signalsKey === '') {
      this.#unreadable.push(seq);
      return;
    }
    const set = this.#sets.get(head.signalsKey) ?? this.#newSet(head.signalsKey);
    set.rows.push({ ...head, seq, valueCount: head.count * set.signals.length, data: null });
  }

  /** Removes rows up to and including `seq`, whose points are in blocks. Returns false when they were removed before. */
  trim(seq: number): boolean {
    if (seq <= this.#trimmedSeq) return false;
    this.#trimmedSeq = seq;
    this.#lastSeq = Math.max(this.#lastSeq, seq);
    this.#unreadable = this.#unreadable.filter((row) => row > seq);
    for (const [key, set] of this.#sets) {
      if (set.rows[0].seq > seq) continue;
      // The garbage collector would let the rows of several cycles gather.
      for (const row of set.rows) if (row.seq <= seq) row.data?.free();
      set.rows = set.rows.filter((row) => row.seq > seq);
      if (set.rows.length === 0) this.#sets.delete(key);
    }
    this.#setsBySignal.clear();
    for (const set of this.#sets.values()) this.#index(set);
    return true;
  }

  /** Where a signal has points that may lie in `[startUs, endUs)`, in rows after `afterSeq` up to `throughSeq`, in the order of the log. */
  parts(
    signal: number,
    startUs: number,
    endUs: number,
    afterSeq: number,
    throughSeq = Number.POSITIVE_INFINITY,
  ): LogPart[] {
    const sets = this.#setsBySignal.get(signal) ?? [];
    const parts: LogPart[] = [];
    for (const { signals, rows } of sets) {
      const column = lowerBound(signals, signal);
      for (const row of rows) {
        if (row.seq <= afterSeq || row.lastUs < startUs || row.firstUs >= endUs) continue;
        if (row.seq <= throughSeq) parts.push({ row, column });
      }
    }
    return sets.length > 1 ? parts.sort((a, b) => a.row.seq - b.row.seq) : parts;
  }

  /** An upper bound on the number of values of a signal in rows after `afterSeq`. */
  valuesAfter(signal: number, afterSeq: number): number {
    let count = 0;
    for (const { rows } of this.#setsBySignal.get(signal) ?? []) {
      for (let at = rows.length - 1; at >= 0 && rows[at].seq > afterSeq; at--) count += rows[at].count;
    }
    return count;
  }

  /** The last of the oldest rows that together have about `valuesMax` values; 0 when there are no rows. */
  oldestRows(valuesMax: number): number {
    const rows: { seq: number; valueCount: number }[] = [];
    for (const set of this.#sets.values()) {
      for (const { seq, valueCount, isDamaged } of set.rows) {
        rows.push({ seq, valueCount: isDamaged ? 0 : valueCount });
      }
    }
    rows.sort((a, b) => a.seq - b.seq);
    let values = 0;
    const end = rows.findIndex(({ valueCount }) => {
      values += valueCount;
      return values > valuesMax;
    });
    return rows.at(end === -1 ? -1 : Math.max(end - 1, 0))?.seq ?? 0;
  }

  /** The rows up to `seq`, in the order of the log. */
  rowsThrough(seq: number): LogRow[] {
    return [...this.setsThrough(seq)].flatMap(({ rows }) => rows).sort((a, b) => a.seq - b.seq);
  }

  /** The sets of columns that rows up to `seq` have, with these rows. */
  *setsThrough(seq: number): Generator<ColumnSet> {
    for (const { signals, rows } of this.#sets.values()) {
      const some = rows.filter((row) => row.seq <= seq);
      if (some.length > 0) yield { signals, rows: some };
    }
  }

  /** The signals of one row, ascending. */
  signalsOf(seq: number): Uint32Array {
    for (const { signals, rows } of this.#sets.values()) {
      if (rows.some((row) => row.seq === seq)) return signals;
    }
    return new Uint32Array();
  }

  /** The signals of rows up to `seq`, ascending. */
  signalsThrough(seq: number): Uint32Array {
    const found = new Set<number>();
    for (const { signals, rows } of this.#sets.values()) {
      if (rows[0].seq <= seq) for (const signal of signals) found.add(signal);
    }
    return Uint32Array.from(found).sort();
  }

  /** The amount of data that is indexed now. */
  extent(): HeadExtent {
    const extent = { rowCount: 0, valueCount: 0, timeCount: 0, signalCount: this.#setsBySignal.size };
    for (const { rows } of this.#sets.values()) {
      for (const row of rows) {
        if (row.isDamaged) continue; // It cannot be sealed.
        extent.rowCount++;
        extent.valueCount += row.valueCount;
        extent.timeCount += row.count;
      }
    }
    return extent;
  }

  /** Records rows up to `seq` that have not been added as missing. */
  #miss(seq: number): void {
    for (; this.#lastSeq < seq; this.#unreadable.push(++this.#lastSeq));
  }

  #newSet(key: string): ColumnSet {
    const set: ColumnSet = { signals: decodeSignals(key), rows: [] };
    this.#sets.set(key, set);
    this.#index(set);
    return set;
  }

  #index(set: ColumnSet): void {
    for (const signal of set.signals) {
      const sets = this.#setsBySignal.get(signal);
      if (sets === undefined) this.#setsBySignal.set(signal, [set]);
      else sets.push(set);
    }
  }
}

/** Decodes a head; null when it is damaged. */
function readableHead(headBytes: Uint8Array, seq: number): RowHead | null {
  try {
    return decodeHead(headBytes, seq);
  } catch (error) {
    if (error instanceof StoredDamage) return null;
    throw error;
  }
}
