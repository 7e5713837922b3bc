/** Makes data frames of single values that arrived together, so that many messages are one insert (M2). */
import { Columns } from '#model/frame';
import type { TimedValue } from '#protocol/value-message';

/** The values of one message. */
export interface ValueMessage {
  input: string;
  values: readonly TimedValue[];
}

/** A frame and the number of messages in it. */
export interface ValueFrame {
  columns: Columns;
  count: number;
}

/** Cells of one frame, most of which are empty if each value has a time of its own. */
const cellsMax = 16_384;

/** Collects messages until the frame of them would be too large. */
class FrameRows {
  readonly #columns = new Map<string, number>();
  readonly #rows = new Map<number, number>();
  readonly #cells: { row: number; column: number; value: number }[] = [];

  /** Whether the frame would still be of reasonable size with this message. */
  fits({ input, values }: ValueMessage): boolean {
    const columns = this.#columns.size + (this.#columns.has(input) ? 0 : 1);
    return this.#cells.length === 0 || columns * (this.#rows.size + values.length) <= cellsMax;
  }

  add(input: string, timeUs: number, value: number): void {
    const column = this.#columns.getOrInsert(input, this.#columns.size);
    const row = this.#rows.getOrInsert(timeUs, this.#rows.size);
    this.#cells.push({ row, column, value });
  }

  /** The later of two values for the same time wins. */
  finish(): Columns {
    const rowCount = this.#rows.size;
    const values = new Float64Array(rowCount * this.#columns.size).fill(Number.NaN);
    let pointCount = 0;
    for (const { row, column, value } of this.#cells) {
      const at = column * rowCount + row;
      if (Number.isNaN(values[at])) pointCount++;
      values[at] = value;
    }
    return new Columns(Float64Array.from(this.#rows.keys()), [...this.#columns.keys()], values, pointCount);
  }
}

/** Gives values their times of arrival: each value of one input has another one. */
export class ArrivalTimes {
  #lastUs = 0;
  #batchUs = 0;
  readonly #counts = new Map<string, number>();

  /** The values that follow arrived now. */
  begin(nowUs: number): void {
    this.#batchUs = Math.max(nowUs, this.#lastUs + 1);
    this.#lastUs = this.#batchUs;
    this.#counts.clear();
  }

  /** The time of the next value of an input. */
  next(input: string): number {
    const count = this.#counts.get(input) ?? 0;
    this.#counts.set(input, count + 1);
    const timeUs = this.#batchUs + count;
    if (timeUs > this.#lastUs) this.#lastUs = timeUs;
    return timeUs;
  }
}

/** The frame of the first messages from `from` on, as many as make a frame of reasonable size; at least one. */
export function firstFrame(messages: readonly ValueMessage[], from: number, to: number): ValueFrame {
  const frame = new FrameRows();
  let at = from;
  for (; at < to && frame.fits(messages[at]); at++) {
    const { input, values } = messages[at];
    for (const { timeUs, value } of values) frame.add(input, timeUs, value);
  }
  return { columns: frame.finish(), count: at - from };
}
