/** Rows of series, before they are columns: for each its head, which its series have in common, its time, and its values. */
import type { RowSeries } from './series.ts';

/** Estimated memory of a row and of a value, bytes. */
const rowBytes = 40;
const valueBytes = 32;
const textBytes = 120;

let bodyCount = 0;

/** What the series of a row have in common, as measurement and tags. */
export interface RowHead {
  /** In which body it occurred last, and its place among the heads of that body. */
  body: number;
  slot: number;
}

/** Where the text of a string value is in the body, between its quotes. */
export interface TextValue {
  from: number;
  to: number;
  line: number;
}

/** A string value that waits for the number of the state that it names. */
export interface PendingText extends TextValue {
  series: RowSeries;
  /** Its place among the values. */
  at: number;
}

/** A value that was read, but cannot be stored. */
export interface Refusal {
  line: number;
  series: RowSeries;
  reason: string;
}

/** The rows of one body. */
export class SeriesRows {
  /** Tells the body from all others. */
  readonly body = ++bodyCount;
  /** The heads in the order of their first row; `slot` of each is its place. */
  readonly heads: RowHead[] = [];
  readonly texts: PendingText[] = [];
  readonly refusals: Refusal[] = [];
  /** The slot of each row's head, its time, and where its values begin. */
  slots = new Int32Array(256);
  timesUs = new Float64Array(256);
  starts = new Int32Array(257);
  rowCount = 0;
  /** NaN: not stored. */
  values = new Float64Array(1024);
  readonly series: RowSeries[] = [];
  valueCount = 0;
  #rowTexts = 0;
  #rowRefusals = 0;

  /** What the rows take in memory, estimated. */
  get bytes(): number {
    const rows = this.timesUs.length * rowBytes + this.values.length * valueBytes;
    return rows + (this.texts.length + this.refusals.length) * textBytes;
  }

  /** Begins a row. */
  begin(): void {
    if (this.rowCount + 1 >= this.timesUs.length) this.#growRows();
    this.starts[this.rowCount] = this.valueCount;
    this.#rowTexts = this.texts.length;
    this.#rowRefusals = this.refusals.length;
  }

  /** Adds a value to the row; a later value of a series in a row replaces an earlier one. */
  add(series: RowSeries, value: number, text: TextValue | null): void {
    if (this.valueCount === this.values.length) this.#growValues();
    if (text !== null) this.texts.push({ ...text, series, at: this.valueCount });
    this.values[this.valueCount] = value;
    this.series[this.valueCount++] = series;
  }

  /** Notes why the value that was added last is not stored. */
  refuse(line: number, series: RowSeries, reason: string): void {
    this.refusals.push({ line, series, reason });
  }

  /** Forgets the row that has begun. */
  drop(): void {
    this.valueCount = this.starts[this.rowCount];
    this.series.length = this.valueCount;
    this.texts.length = this.#rowTexts;
    this.refusals.length = this.#rowRefusals;
  }

  /** Ends the row. */
  end(head: RowHead, timeUs: number): void {
    if (head.body !== this.body) {
      head.body = this.body;
      head.slot = this.heads.length;
      this.heads.push(head);
    }
    this.slots[this.rowCount] = head.slot;
    this.timesUs[this.rowCount] = timeUs;
    this.starts[++this.rowCount] = this.valueCount;
  }

  #growRows(): void {
    const size = this.timesUs.length * 2;
    this.slots = longer(this.slots, new Int32Array(size));
    this.timesUs = longer(this.timesUs, new Float64Array(size));
    this.starts = longer(this.starts, new Int32Array(size + 1));
  }

  #growValues(): void {
    this.values = longer(this.values, new Float64Array(this.values.length * 2));
  }
}

function longer<T extends Int32Array | Float64Array>(from: T, into: T): T {
  into.set(from);
  return into;
}
