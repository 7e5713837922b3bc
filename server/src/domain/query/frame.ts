/** The rows of a frame (Q5, Q8): of columns over buckets, a piece of the window at a time, and of raw points. */
import { areEqual, concatenated, copied, copyInto } from '#model/column-steps';
import { Frame, type Points } from '#model/frame';
import { inPieces, pieces, type Steps } from '#model/steps';
import { type AnswerShape, checkValues } from './check.ts';
import { type Columns, inOrder, unseenState } from './compute.ts';
import type { Plan } from './plan.ts';
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
    const from = yield* startOfNewest(column, last);
    kept.set(key, from === 0 ? column : yield* withoutFirst(column, from));
  }
  return kept;
}

/** The index from which on a column has `count` values, or all that it has. */
function* startOfNewest(column: Float64Array, count: number): Steps<number> {
  const { length } = column;
  let left = count;
  let start = 0;
  for (const [from, to] of pieces(length)) {
    const end = length - to;
    let i = length - from;
    for (; i > end && left > 0; i--) if (!Number.isNaN(column[i - 1])) left--;
    start = i;
    yield 2 * (to - from);
    if (left === 0) break;
  }
  return start;
}

function* withoutFirst(column: Float64Array, from: number): Steps<Float64Array> {
  const kept = new Float64Array(column.length);
  yield* inPieces(from, 1, (start, end) => kept.fill(Number.NaN, start, end));
  yield* copyInto(kept, column.subarray(from), from);
  return kept;
}

function* dropEmptyRows(timesUs: Float64Array, columns: Columns): Steps<Frame> {
  const { length } = timesUs;
  const isFilled = new Uint8Array(length);
  for (const column of columns.values()) {
    yield* inPieces(length, 1, (from, to) => {
      for (let i = from; i < to; i++) if (!Number.isNaN(column[i])) isFilled[i] = 1;
    });
  }
  let count = 0;
  yield* inPieces(length, 1, (from, to) => {
    for (let i = from; i < to; i++) count += isFilled[i];
  });
  if (count === length) return new Frame(timesUs, columns);
  const kept = new Map<string, Float64Array>();
  for (const [key, column] of columns) kept.set(key, yield* pick(column, isFilled, count));
  return new Frame(yield* pick(timesUs, isFilled, count), kept);
}

function* pick(column: Float64Array, isFilled: Uint8Array, count: number): Steps<Float64Array> {
  const picked = new Float64Array(count);
  let at = 0;
  yield* inPieces(column.length, 2, (from, to) => {
    for (let i = from; i < to; i++) if (isFilled[i] === 1) picked[at++] = column[i];
  });
  return picked;
}

/** Puts the pieces of an answer together, in ascending order of time. */
export class FrameBuilder {
  readonly #rules: RowRules;
  readonly #shape: AnswerShape;
  readonly #columns: Plan['columns'];
  readonly #keys = new Set<string>();
  #pieces: Frame[] = [];

  constructor(rules: RowRules, { shape, columns }: Plan) {
    this.#rules = rules;
    this.#shape = shape;
    this.#columns = columns;
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
    const frames = this.#pieces;
    const joined = new Map<string, Float64Array>();
    for (const key of inOrder(this.#columns, [...this.#keys])) {
      const parts: Float64Array[] = [];
      for (const frame of frames) parts.push(frame.series.get(key) ?? (yield* unseenState(key, frame)));
      joined.set(key, yield* concatenated(parts));
    }
    const timesUs = yield* concatenated(frames.map((frame) => frame.timesUs));
    return yield* frameOf(timesUs, joined, this.#rules);
  }
}

/** Times that are merged between two places where the computation may pause. */
const stepTimes = 4096;

/** Whether all series have the same times, so that they need not be merged. */
export function* haveSameTimes(series: readonly Points[]): Steps<boolean> {
  for (const { timesUs } of series) if (!(yield* areEqual(series[0].timesUs, timesUs))) return false;
  return true;
}

/** The times that any of these series has, ascending, each once. Series that share their times cost one comparison of them. */
export function* unionTimes(series: readonly Points[]): Steps<Float64Array> {
  let lists = series.map((points) => points.timesUs).filter((timesUs) => timesUs.length > 0);
  if (lists.length === 0) return new Float64Array(0);
  while (lists.length > 1) {
    const merged: Float64Array[] = [];
    for (let i = 0; i < lists.length; i += 2)
      merged.push(i + 1 < lists.length ? yield* unionTwo(lists[i], lists[i + 1]) : lists[i]);
    lists = merged;
  }
  return lists[0];
}

function* unionTwo(a: Float64Array, b: Float64Array): Steps<Float64Array> {
  if (yield* areEqual(a, b)) return a;
  const timesUs = new Float64Array(a.length + b.length);
  let count = 0;
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const end = count + stepTimes;
    while (count < end && i < a.length && j < b.length) {
      const us = Math.min(a[i], b[j]);
      if (a[i] === us) i++;
      if (b[j] === us) j++;
      timesUs[count++] = us;
    }
    yield 4 * stepTimes;
  }
  const tail = i < a.length ? a.subarray(i) : b.subarray(j);
  yield* copyInto(timesUs, tail, count);
  return yield* copied(timesUs.subarray(0, count + tail.length));
}

/** The values of a series at `timesUs`, which has each of its times; NaN elsewhere. */
export function* alignTo(timesUs: Float64Array, points: Points): Steps<Float64Array> {
  if (points.timesUs.length === timesUs.length) return points.values;
  const column = new Float64Array(timesUs.length);
  let next = 0;
  yield* inPieces(timesUs.length, 4, (from, to) => {
    let at = next;
    for (let row = from; row < to; row++)
      column[row] = timesUs[row] === points.timesUs[at] ? points.values[at++] : Number.NaN;
    next = at;
  });
  return column;
}
