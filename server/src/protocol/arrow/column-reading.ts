/** Reads the columns of batches into those of one data frame. */
import { Columns } from '#model/frame';
import { ProblemList } from '#model/problem-list';
import { type Batch, partRows } from './batch.ts';
import { type ColumnType, countNumbers, isNumber, quoteValue } from './column-type.ts';

/** Work between two pauses, of a part, and of a value in it, ns; parts take 30 times as long in code that is not compiled yet. */
const workNs = { step: 50_000, part: 100, value: 4 } as const;

/** Rows of one column of one batch. */
interface Part {
  column: number;
  type: ColumnType;
  valuesAt: number;
  bitsAt: number;
  /** The first row in the batch; a multiple of 8. */
  start: number;
  rowCount: number;
  /** Where they go: `into[base]` and following. */
  into: Float64Array;
  base: number;
}

/** Columns that are being read, batch by batch. */
export class ColumnReading {
  readonly #keys: readonly string[];
  readonly #timesUs: Float64Array;
  readonly #values: Float64Array;
  readonly #problems = new ProblemList();
  #pointCount = 0;
  /** The rows of the batches before. */
  #row = 0;

  /** Allocates the columns of so many rows. */
  constructor(keys: readonly string[], rowCount: number) {
    this.#keys = keys;
    this.#timesUs = new Float64Array(rowCount);
    this.#values = new Float64Array(rowCount * keys.length);
  }

  /** Reads the next parts, for a step at most; returns the work. The runtime does not optimise loops of generators. */
  readSome(batch: Batch): number {
    let work = 0;
    for (; work < workNs.step && batch.next < batch.partCount; batch.next++) {
      const part = this.#part(batch);
      this.#read(batch.view, part);
      work += workNs.part + workNs.value * part.rowCount;
    }
    return work;
  }

  /** The next batch has the rows after those of this one. */
  endBatch({ rowCount }: Batch): void {
    this.#row += rowCount;
  }

  /** The columns; `invalid-params` when a value was wrong. */
  finish(): Columns {
    this.#problems.throwIfAny();
    return new Columns(this.#timesUs, this.#keys, this.#values, this.#pointCount);
  }

  #part(batch: Batch): Part {
    const column = Math.floor(batch.next / batch.partsPerColumn);
    const start = (batch.next % batch.partsPerColumn) * partRows;
    const row = this.#row + start;
    return {
      column,
      type: batch.types[column],
      valuesAt: batch.valuesAt(column),
      bitsAt: batch.bitsAt(column),
      start,
      rowCount: Math.min(partRows, batch.rowCount - start),
      into: column === 0 ? this.#timesUs : this.#values,
      base: column === 0 ? row : (column - 1) * this.#timesUs.length + row,
    };
  }

  #read(view: DataView, part: Part): void {
    const { type, column, valuesAt, bitsAt, start, rowCount, into, base } = part;
    let numbers = type.read(view, valuesAt + start * type.bytes, into, base, base + rowCount);
    if (bitsAt >= 0) {
      clearNulls(view, bitsAt + start / 8, into, base, base + rowCount);
      numbers = countNumbers(into, base, base + rowCount);
    }
    if (numbers < rowCount) this.#noteProblems(view, part);
    if (column > 0) this.#pointCount += numbers;
  }

  /** Notes each value that is not a number, unless it is a null that is allowed. */
  #noteProblems(view: DataView, { column, type, valuesAt, bitsAt, start, rowCount, into, base }: Part): void {
    const path = column === 0 ? ['data', 'times'] : ['data', 'series', this.#keys[column - 1]];
    for (let i = 0; i < rowCount; i++) {
      if (isNumber(into[base + i])) continue;
      const row = start + i;
      const isNull = bitsAt >= 0 && ((view.getUint8(bitsAt + (row >> 3)) >> (row & 7)) & 1) === 0;
      if (isNull && column > 0) continue;
      const quoted = () => (isNull ? 'null' : quoteValue(type, view, valuesAt + row * type.bytes));
      this.#problems.add([...path, this.#row + row], () => `must be ${type.rule}, got ${quoted()}`);
    }
  }
}

/** Replaces the values of rows that are null by NaN. */
function clearNulls(view: DataView, bitsAt: number, into: Float64Array, start: number, end: number): void {
  for (let row = start; row < end; row += 8, bitsAt++) {
    const bits = view.getUint8(bitsAt);
    if (bits === 0xff) continue;
    for (let i = 0; i < 8 && row + i < end; i++) if (((bits >> i) & 1) === 0) into[row + i] = Number.NaN;
  }
}
