/** How long each state held in each bucket (Q10). */
import { type Buckets, lowerBound } from './bucket.ts';
import { AppError } from './error.ts';
import type { Points } from './frame.ts';
import type { Window } from './window.ts';

/** The largest state. */
export const stateMax = 9999;

/** What is wanted; a `RollupWant` is one. */
export interface StateWant {
  window: Window;
  states: readonly number[] | 'seen';
  gapUs: number;
}

/** Whether a value is a state. */
export function isState(value: number): boolean {
  return value >= 0 && value <= stateMax && Number.isInteger(value);
}

/**
 * State → seconds for each bucket: 0 where only other states held, NaN where none did; ascending by state. A value holds
 * until the next point, at most `gapUs`, and never beyond the window's end; the last one in the window not beyond `nowUs`.
 * The newest point before the window gives what holds at its start. Fails with `invalid-params` where the states that are
 * seen make more than `valuesMax` values.
 */
export function stateTimes(
  points: Points,
  want: StateWant,
  buckets: Buckets,
  nowUs: number,
  valuesMax: number,
): Map<number, Float64Array> {
  const clock = new StateClock(want.states, buckets, valuesMax);
  const { edgesUs } = buckets;
  const startUs = Math.max(want.window.startUs, edgesUs[0]);
  const endUs = Math.min(want.window.endUs, edgesUs[edgesUs.length - 1]);
  const { timesUs, values } = points;
  const from = Math.max(0, lowerBound(timesUs, 0, timesUs.length, startUs + 1) - 1);
  const to = lowerBound(timesUs, from, timesUs.length, endUs);
  for (let i = from; i < to; i++) {
    if (!isState(values[i])) continue;
    const nextUs = i + 1 < to ? timesUs[i + 1] : Math.min(endUs, nowUs);
    clock.hold(values[i], Math.max(timesUs[i], startUs), Math.min(nextUs, timesUs[i] + want.gapUs));
  }
  return clock.finish();
}

/** Adds up stretches that come in ascending order. */
class StateClock {
  readonly #edgesUs: Float64Array;
  readonly #isSeen: boolean;
  readonly #valuesMax: number;
  /** State → µs for each bucket. */
  readonly #columns = new Map<number, Float64Array>();
  /** µs for each bucket in which any state held. */
  readonly #heldUs: Float64Array;
  #bucket = 0;

  constructor(states: readonly number[] | 'seen', buckets: Buckets, valuesMax: number) {
    this.#edgesUs = buckets.edgesUs;
    this.#heldUs = new Float64Array(buckets.edgesUs.length - 1);
    this.#isSeen = states === 'seen';
    this.#valuesMax = valuesMax;
    if (states !== 'seen') for (const state of states.toSorted((a, b) => a - b)) this.#open(state);
  }

  hold(state: number, fromUs: number, untilUs: number): void {
    if (!(fromUs < untilUs)) return;
    const column = this.#columns.get(state) ?? (this.#isSeen ? this.#open(state) : null);
    const edgesUs = this.#edgesUs;
    while (edgesUs[this.#bucket + 1] <= fromUs) this.#bucket++;
    for (let b = this.#bucket; b < this.#heldUs.length && edgesUs[b] < untilUs; b++) {
      const us = Math.min(untilUs, edgesUs[b + 1]) - Math.max(fromUs, edgesUs[b]);
      this.#heldUs[b] += us;
      if (column !== null) column[b] += us;
    }
  }

  finish(): Map<number, Float64Array> {
    const ordered = [...this.#columns].sort(([a], [b]) => a - b);
    for (const [, column] of ordered) toSeconds(column, this.#heldUs);
    return new Map(ordered);
  }

  #open(state: number): Float64Array {
    const count = this.#heldUs.length;
    if (this.#isSeen && (this.#columns.size + 1) * count > this.#valuesMax) {
      throw new AppError(
        'invalid-params',
        `more than ${this.#valuesMax} values: too many states in too many buckets`,
      );
    }
    const column = new Float64Array(count);
    this.#columns.set(state, column);
    return column;
  }
}

function toSeconds(columnUs: Float64Array, heldUs: Float64Array): void {
  for (let b = 0; b < columnUs.length; b++) columnUs[b] = heldUs[b] > 0 ? columnUs[b] / 1e6 : Number.NaN;
}
