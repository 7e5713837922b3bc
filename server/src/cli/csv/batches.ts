/** Groups rows into data frames of a size that a request can carry. */
import { printInstant } from '#model/instant-printer';
import type { SeriesColumn } from './layout.ts';
import type { Row } from './row.ts';

/** A data frame as `integration.insert` takes it. */
export interface InsertFrame {
  times: string[];
  series: Record<string, (number | null)[]>;
}

/** A frame and how many rows it came from. */
export interface RowBatch {
  frame: InsertFrame;
  rows: number;
}

/** A number of JSON takes up to 24 characters, a time 30; both with a comma. */
const bytesPerValue = 25;
const bytesPerTime = 31;

/** How many rows of so many series surely fit into a request body, and how many are enough for one. */
export function rowsPerBatch(seriesCount: number, bodyBytesMax: number): number {
  const bytesPerRow = bytesPerTime + bytesPerValue * seriesCount;
  const fitting = Math.floor((bodyBytesMax * 0.9 - seriesCount * 140) / bytesPerRow);
  const plenty = Math.ceil(valuesPerBatch / (seriesCount + 1));
  return Math.max(1, Math.min(fitting, plenty));
}

/** Large enough that the round trip does not count, small enough to be held twice and to show progress. */
const valuesPerBatch = 100_000;

/** Collects rows until a batch is full. */
export class Batcher {
  readonly #columns: readonly SeriesColumn[];
  readonly #rowsMax: number;
  #times: string[] = [];
  #series: (number | null)[][];

  constructor(columns: readonly SeriesColumn[], rowsMax: number) {
    this.#columns = columns;
    this.#rowsMax = rowsMax;
    this.#series = columns.map(() => []);
  }

  /** Adds a row; gives the batch when that fills it. */
  add({ timeUs, values }: Row): RowBatch | null {
    this.#times.push(printInstant(timeUs));
    for (let column = 0; column < values.length; column++) this.#series[column].push(values[column]);
    return this.#times.length >= this.#rowsMax ? this.take() : null;
  }

  /** Gives what has been collected, null when that is nothing. */
  take(): RowBatch | null {
    const rows = this.#times.length;
    if (rows === 0) return null;
    const series = Object.fromEntries(this.#columns.map(({ key }, column) => [key, this.#series[column]]));
    const frame = { times: this.#times, series };
    this.#times = [];
    this.#series = this.#columns.map(() => []);
    return { frame, rows };
  }
}

/** Cuts a frame in two of half the rows each, for a service that takes smaller requests; null when there is one row only. */
export function halve({ frame, rows }: RowBatch): [RowBatch, RowBatch] | null {
  if (rows < 2) return null;
  const middle = rows >> 1;
  return [slice(frame, 0, middle), slice(frame, middle, rows)];
}

function slice(frame: InsertFrame, start: number, end: number): RowBatch {
  const series = Object.entries(frame.series).map(([key, values]) => [key, values.slice(start, end)]);
  return {
    frame: { times: frame.times.slice(start, end), series: Object.fromEntries(series) },
    rows: end - start,
  };
}
