/**
 * The head: which rows of the log hold points of a signal. An index in memory, built from the heads of the rows and moved
 * forward by their sequence. Rows with the same set of signals (a client sends the same columns again and again) share one
 * {@link ColumnSet}, so that a row costs the index the same whether it has one column or a thousand.
 */
import { decodeHead, decodeSignals, type RowHead } from './log-row.ts';

/** A row of the log, as the head knows it. */
export interface LogRow extends RowHead {
  seq: number;
}

/** A set of signals that came together, and the rows that have exactly these columns, in the order of the log. */
export interface ColumnSet {
  /** Ascending; a signal's place here is its column. */
  signals: Uint32Array;
  rows: LogRow[];
}

/** The index over the unsealed log. */
export class Head {
  readonly #sets = new Map<string, ColumnSet>();
  readonly #setsBySignal = new Map<number, ColumnSet[]>();
  #lastSeq = 0;
  #trimmedSeq = 0;

  /** The newest row that it knows. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Takes up a row; rows come in ascending order. */
  add(seq: number, headBytes: Uint8Array): void {
    const head = decodeHead(headBytes, seq);
    const set = this.#sets.get(head.signalsKey) ?? this.#newSet(head.signalsKey);
    set.rows.push({ ...head, seq });
    this.#lastSeq = seq;
  }

  /** Forgets rows up to and with `seq`: their points are in blocks. */
  trim(seq: number): void {
    if (seq <= this.#trimmedSeq) return;
    this.#trimmedSeq = seq;
    this.#lastSeq = Math.max(this.#lastSeq, seq);
    for (const [key, set] of this.#sets) {
      if (set.rows[0].seq > seq) continue;
      set.rows = set.rows.filter((row) => row.seq > seq);
      if (set.rows.length === 0) this.#sets.delete(key);
    }
    this.#setsBySignal.clear();
    for (const set of this.#sets.values()) this.#index(set);
  }

  /** The sets of columns that a signal occurs in. */
  setsOf(signal: number): readonly ColumnSet[] {
    return this.#setsBySignal.get(signal) ?? [];
  }

  /** Every set of columns with its rows. */
  sets(): Iterable<ColumnSet> {
    return this.#sets.values();
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

/** The column of a signal in a set; the signal must be in it. */
export function columnOf(set: ColumnSet, signal: number): number {
  let low = 0;
  let high = set.signals.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (set.signals[middle] < signal) low = middle + 1;
    else high = middle;
  }
  return low;
}
