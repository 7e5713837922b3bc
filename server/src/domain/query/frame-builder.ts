/** Pieces of an answer → one frame (Q5, Q8), within the limit of values (L3). */
import { type AppError, bug } from '#model/error';
import { Frame } from '#model/frame';
import type { DataQuery } from './request.ts';
import { type Columns, frameOf } from './rows.ts';

/** What a {@link FrameBuilder} needs to know. */
export interface FrameRules {
  data: Pick<DataQuery, 'last' | 'rollup'>;
  valuesMax: number;
  /** The error for an answer of more values than that. */
  refuse(rows: number, series: number): AppError;
  /** The values of a series that a piece does not have, one for each of its rows: a state that was seen in other pieces. */
  missing(key: string, piece: Frame): Float64Array;
}

/** Puts pieces together that arrive in ascending order of time. */
export class FrameBuilder {
  readonly #rules: FrameRules;
  readonly #keys = new Set<string>();
  #pieces: Frame[] = [];

  constructor(rules: FrameRules) {
    this.#rules = rules;
  }

  /** Takes the buckets of a piece; those without a value are dropped at once. Fails with `invalid-params` when there are too many. */
  add(timesUs: Float64Array, columns: Columns): void {
    const piece = frameOf(timesUs, columns, this.#rules.data);
    for (const key of columns.keys()) this.#keys.add(key);
    if (piece.timesUs.length > 0 || this.#pieces.length === 0) this.#pieces.push(piece);
    if (!this.#isTooLarge()) return;
    const whole = this.#join();
    this.#pieces = [frameOf(whole.timesUs, whole.series, this.#rules.data)];
    if (this.#isTooLarge()) throw this.#rules.refuse(this.#pieces[0].timesUs.length, this.#keys.size);
  }

  /** The frame. Not without a piece. */
  finish(): Frame {
    if (this.#pieces.length === 1) return this.#pieces[0];
    const { timesUs, series } = this.#join();
    return frameOf(timesUs, series, this.#rules.data);
  }

  #isTooLarge(): boolean {
    const rows = this.#pieces.reduce((sum, { timesUs }) => sum + timesUs.length, 0);
    return rows * this.#keys.size > this.#rules.valuesMax;
  }

  #join(): Frame {
    const pieces = this.#pieces;
    if (pieces.length === 0) bug('a frame of no pieces');
    const series = new Map(
      [...this.#keys].map((key) => [
        key,
        joined(pieces.map((piece) => piece.series.get(key) ?? this.#rules.missing(key, piece))),
      ]),
    );
    return new Frame(joined(pieces.map(({ timesUs }) => timesUs)), series);
  }
}

function joined(parts: readonly Float64Array[]): Float64Array {
  const whole = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
