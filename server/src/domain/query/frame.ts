/** Columns → the rows of a frame (Q5, Q8), a piece of the window at a time. */
import { Frame } from '#model/frame';
import type { Steps } from '#model/steps';
import { type AnswerShape, checkValues } from './cost.ts';
import { unseenState } from './item-plan.ts';
import type { Columns, Plan } from './plan.ts';
import type { DataQuery } from './request.ts';

/** What decides which rows are kept. */
export type RowRules = Pick<DataQuery, 'last' | 'rollup'>;

/** No row, and these series. */
export function emptyFrame(keys: readonly string[]): Frame {
  return new Frame(new Float64Array(0), new Map(keys.map((key) => [key, new Float64Array(0)])));
}

/**
 * The frame of some columns: the newest `last` values of each when that is > 0 (Q8), rows without any value left out, except
 * the one row of rollup `window` (Q5).
 */
export function* frameOf(timesUs: Float64Array, columns: Columns, { last, rollup }: RowRules): Steps<Frame> {
  const kept = last > 0 ? yield* keepNewest(columns, last) : columns;
  return rollup === 'window' ? new Frame(timesUs, kept) : yield* dropEmptyRows(timesUs, kept);
}

function* keepNewest(columns: Columns, last: number): Steps<Columns> {
  const kept = new Map<string, Float64Array>();
  for (const [key, column] of columns) {
    let from = column.length;
    for (let left = last; from > 0 && left > 0; from--) if (!Number.isNaN(column[from - 1])) left--;
    kept.set(key, from === 0 ? column : column.slice().fill(Number.NaN, 0, from));
    yield 2 * column.length;
  }
  return kept;
}

function* dropEmptyRows(timesUs: Float64Array, columns: Columns): Steps<Frame> {
  const isFilled = new Uint8Array(timesUs.length);
  for (const column of columns.values()) {
    for (let i = 0; i < column.length; i++) if (!Number.isNaN(column[i])) isFilled[i] = 1;
    yield column.length;
  }
  const count = isFilled.reduce((sum, filled) => sum + filled, 0);
  if (count === timesUs.length) return new Frame(timesUs, columns);
  const kept = new Map<string, Float64Array>();
  for (const [key, column] of columns) {
    kept.set(key, pick(column, isFilled, count));
    yield 2 * column.length;
  }
  return new Frame(pick(timesUs, isFilled, count), kept);
}

function pick(column: Float64Array, isFilled: Uint8Array, count: number): Float64Array {
  const picked = new Float64Array(count);
  let at = 0;
  for (let i = 0; i < column.length; i++) if (isFilled[i] === 1) picked[at++] = column[i];
  return picked;
}

/** Puts the pieces of an answer together, in ascending order of time. */
export class FrameBuilder {
  readonly #rules: RowRules;
  readonly #shape: AnswerShape;
  readonly #inOrder: Plan['inOrder'];
  readonly #keys = new Set<string>();
  #pieces: Frame[] = [];

  constructor(rules: RowRules, { shape, inOrder }: Pick<Plan, 'shape' | 'inOrder'>) {
    this.#rules = rules;
    this.#shape = shape;
    this.#inOrder = inOrder;
  }

  /** Takes the buckets of a piece; those without a value are dropped at once. Fails with `invalid-params` when there are too many. */
  *add(timesUs: Float64Array, columns: Columns): Steps<void> {
    const piece = yield* frameOf(timesUs, columns, this.#rules);
    for (const key of columns.keys()) this.#keys.add(key);
    if (piece.timesUs.length > 0 || this.#pieces.length === 0) this.#pieces.push(piece);
    // The newest values of all pieces together are fewer than those of each.
    if (this.#isTooLarge() && this.#rules.last > 0) this.#pieces = [yield* this.#join()];
    checkValues(this.#shape, this.#rowCount, this.#keys.size);
  }

  /** The frame. Not without a piece. */
  *finish(): Steps<Frame> {
    return this.#pieces.length === 1 ? this.#pieces[0] : yield* this.#join();
  }

  get #rowCount(): number {
    return this.#pieces.reduce((sum, { timesUs }) => sum + timesUs.length, 0);
  }

  #isTooLarge(): boolean {
    return this.#rowCount * this.#keys.size > this.#shape.limits.answerValuesMax;
  }

  *#join(): Steps<Frame> {
    const pieces = this.#pieces;
    const joined = new Map<string, Float64Array>();
    for (const key of this.#inOrder([...this.#keys])) {
      const parts = pieces.map((piece) => piece.series.get(key) ?? unseenState(key, piece));
      joined.set(key, concatenated(parts));
      yield 2 * parts.reduce((sum, { length }) => sum + length, 0);
    }
    return yield* frameOf(concatenated(pieces.map(({ timesUs }) => timesUs)), joined, this.#rules);
  }
}

function concatenated(parts: readonly Float64Array[]): Float64Array {
  const whole = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
