/** The progress of a deletion of points. */
import type { Window } from '#model/window';
import type { EraseAnswer, EraseRequest } from './messages.ts';

/** Maximum number of signals in one request; a step rarely processes more. */
const signalsMax = 1000;

/** A deletion that is carried out step by step. */
export class EraseProgress {
  /** Points deleted so far, in the order of the signals. */
  readonly counts: number[];
  readonly #signals: readonly number[];
  readonly #window: Window;
  #done = 0;
  /** Where the window of the next signal has to be continued; null: at its start. */
  #startUs: number | null = null;

  constructor(signals: readonly number[], window: Window) {
    this.#signals = signals;
    this.#window = window;
    this.counts = signals.map(() => 0);
  }

  /** Whether all points have been deleted. */
  get isDone(): boolean {
    return this.#done === this.#signals.length;
  }

  /** The next request. A partly processed signal has a request of its own, since its window differs from the others'. */
  next(): Pick<EraseRequest, 'signals' | 'window'> {
    const count = this.#startUs === null ? signalsMax : 1;
    return {
      signals: this.#signals.slice(this.#done, this.#done + count),
      window: { ...this.#window, startUs: this.#startUs ?? this.#window.startUs },
    };
  }

  /** Records a step that was applied. */
  note({ counts, doneCount, startUs }: EraseAnswer): void {
    for (const [i, count] of counts.entries()) this.counts[this.#done + i] += count;
    this.#done += doneCount;
    this.#startUs = startUs;
  }
}
