/** How long each state held in each bucket (Q10). */
import type { Buckets } from './bucket.ts';
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
 * Measures how long each state holds in each bucket, from points that arrive in ascending order of time. A value holds until
 * the next point, wherever that lies, and at most `gapUs`; only the time inside the window and the buckets counts.
 *
 * Needs the newest point before the window and the first one at or after its end; further points outside do no harm.
 */
export class StateTimes {
  readonly #edgesUs: Float64Array;
  readonly #gapUs: number;
  readonly #startUs: number;
  readonly #endUs: number;
  readonly #isSeen: boolean;
  readonly #valuesMax: number;
  /** State → µs for each bucket. */
  readonly #columns = new Map<number, Float64Array>();
  /** µs for each bucket in which any state held. */
  readonly #heldUs: Float64Array;
  #bucket = 0;
  /** The newest point so far; how long its value holds is not known yet. */
  #lastUs = Number.NEGATIVE_INFINITY;
  #lastValue = Number.NaN;

  /** `valuesMax` limits the values of the states that are seen. */
  constructor({ window, states, gapUs }: StateWant, { edgesUs }: Buckets, valuesMax: number) {
    this.#edgesUs = edgesUs;
    this.#gapUs = gapUs;
    this.#startUs = Math.max(window.startUs, edgesUs[0]);
    this.#endUs = Math.min(window.endUs, edgesUs[edgesUs.length - 1]);
    this.#heldUs = new Float64Array(edgesUs.length - 1);
    this.#isSeen = states === 'seen';
    this.#valuesMax = valuesMax;
    if (states !== 'seen') for (const state of states.toSorted((a, b) => a - b)) this.#open(state);
  }

  /** Takes the next points. Fails with `invalid-params` where the states seen make more than `valuesMax` values. */
  add({ timesUs, values }: Points): void {
    for (let i = 0; i < timesUs.length; i++) {
      this.#holdUntil(timesUs[i]);
      this.#lastUs = timesUs[i];
      this.#lastValue = values[i];
    }
  }

  /**
   * State → seconds for each bucket: 0 where only other states held, NaN where none did; ascending by state. The newest point
   * of all holds until `nowUs`, or without end where it lies after that.
   */
  finish(nowUs: number): Map<number, Float64Array> {
    this.#holdUntil(this.#lastUs > nowUs ? Number.POSITIVE_INFINITY : nowUs);
    const ordered = [...this.#columns].sort(([a], [b]) => a - b);
    for (const [, column] of ordered) toSeconds(column, this.#heldUs);
    return new Map(ordered);
  }

  /** Adds the time from the newest point to the next one. */
  #holdUntil(nextUs: number): void {
    const fromUs = Math.max(this.#lastUs, this.#startUs);
    const untilUs = Math.min(nextUs, this.#lastUs + this.#gapUs, this.#endUs);
    if (!(fromUs < untilUs) || !isState(this.#lastValue)) return;
    const known = this.#columns.get(this.#lastValue);
    const column = known ?? (this.#isSeen ? this.#open(this.#lastValue) : null);
    const edgesUs = this.#edgesUs;
    while (edgesUs[this.#bucket + 1] <= fromUs) this.#bucket++;
    for (let b = this.#bucket; b < this.#heldUs.length && edgesUs[b] < untilUs; b++) {
      const us = Math.min(untilUs, edgesUs[b + 1]) - Math.max(fromUs, edgesUs[b]);
      this.#heldUs[b] += us;
      if (column !== null) column[b] += us;
    }
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
