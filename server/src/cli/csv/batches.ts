/** Groups rows into data frames of a size that a request can carry. */
import { Frame } from '#model/frame';
import type { SeriesColumn } from './layout.ts';
import type { Row } from './row.ts';

/** A frame and how many rows it came from. */
export interface RowBatch {
  frame: Frame;
  rows: number;
}

/** A number of Arrow takes 8 bytes, and a bit that says whether there is one. */
const bytesPerNumber = 8.2;

/** What a column takes besides, its key twice. */
const bytesPerColumn = 640;

/** How many rows of so many series surely fit into a request body, and how many are enough for one. */
export function rowsPerBatch(seriesCount: number, bodyBytesMax: number): number {
  const columns = seriesCount + 1;
  const fitting = Math.floor((bodyBytesMax * 0.9 - columns * bytesPerColumn) / (columns * bytesPerNumber));
  const plenty = Math.ceil(valuesPerBatch / columns);
  return Math.max(1, Math.min(fitting, plenty));
}

/** Large enough that the round trip does not count, small enough to be held twice and to show progress. */
const valuesPerBatch = 100_000;

/** Collects rows until a batch is full. */
export class Batcher {
  readonly #columns: readonly SeriesColumn[];
  readonly #rowsMax: number;
  #timesUs: Float64Array;
  #series: Float64Array[];
  #count = 0;

  constructor(columns: readonly SeriesColumn[], rowsMax: number) {
    this.#columns = columns;
    this.#rowsMax = rowsMax;
    this.#timesUs = new Float64Array(rowsMax);
    this.#series = columns.map(() => new Float64Array(rowsMax));
  }

  /** Adds a row; gives the batch when that fills it. */
  add({ timeUs, values }: Row): RowBatch | null {
    const row = this.#count++;
    this.#timesUs[row] = timeUs;
    for (let column = 0; column < values.length; column++)
      this.#series[column][row] = values[column] ?? Number.NaN;
    return this.#count >= this.#rowsMax ? this.take() : null;
  }

  /** Gives what has been collected, null when that is nothing. */
  take(): RowBatch | null {
    const rows = this.#count;
    if (rows === 0) return null;
    this.#count = 0;
    const series = this.#columns.map(
      ({ key }, column) => [key, this.#series[column].slice(0, rows)] as const,
    );
    return { frame: new Frame(this.#timesUs.slice(0, rows), new Map(series)), rows };
  }
}
