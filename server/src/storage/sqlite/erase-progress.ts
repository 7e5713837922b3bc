/** How far a deletion of points has come, and what is left of it. */
import type { Window } from '#model/window';
import type { EraseAnswer, EraseRequest } from './messages.ts';

/** Signals of one request: a step hardly ever gets further. */
const signalsMax = 1000;

/** A deletion that is carried out step by step. */
export class EraseProgress {
  /** Points deleted so far, in the order of the signals. */
  readonly counts: number[];
  readonly #signals: readonly number[];
  readonly #window: Window;
  #done = 0;
  /** From where the window of the next signal is left; null: all of it. */
  #startUs: number | null = null;

  constructor(signals: readonly number[], window: Window) {
    this.#signals = signals;
    this.#window = window;
    this.counts = signals.map(() => 0);
  }

  /** Whether nothing is left. */
  get isDone(): boolean {
    return this.#done === this.#signals.length;
  }

  /** What is to be deleted next. A signal that is done in part is alone: its window is not that of the others. */
  next(): Pick<EraseRequest, 'signals' | 'window'> {
    const count = this.#startUs === null ? signalsMax : 1;
    return {
      signals: this.#signals.slice(this.#done, this.#done + count),
      window: { ...this.#window, startUs: this.#startUs ?? this.#window.startUs },
    };
  }

  /** Takes note of a step that was carried out. */
  note({ counts, doneCount, startUs }: EraseAnswer): void {
    for (const [i, count] of counts.entries()) this.counts[this.#done + i] += count;
    this.#done += doneCount;
    this.#startUs = startUs;
  }
}
