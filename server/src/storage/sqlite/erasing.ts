/** Drives a deletion of points: requests steps from the sealer thread and passes them to the writer. */
import { AppError } from '#model/error';
import type { Window } from '#model/window';
import type { EraseAnswer, EraseRequest, WriterCall } from './messages.ts';
import type { Sealing } from './sealing.ts';
import type { Thread } from './thread.ts';

/** What has delayed a deletion. */
interface Hindrance {
  conflictCount: number;
  sealCount: number;
}

/** Approximate number of points that a step decodes and encodes; halved after each conflict with another process. */
const stepPoints = 400_000;

/** Conflicts with other processes minus successful steps, above which the deletion fails. */
const conflictsMax = 60;

/** How many sealing cycles may precede the deletion. */
const sealsMax = 8;

/** Deletes points of an open store. */
export class Erasing {
  readonly #sealing: Sealing;
  readonly #writer: Thread<WriterCall>;

  constructor(sealing: Sealing, writer: Thread<WriterCall>) {
    this.#sealing = sealing;
    this.#writer = writer;
  }

  /**
   * Deletes the points of these signals in a window in short transactions, between which other work goes on, and returns how
   * many of each were deleted. Fails with `try-again` when another process keeps changing the store; some points may be
   * deleted then.
   */
  async erase(signals: readonly number[], window: Window): Promise<number[]> {
    const progress = new EraseProgress(signals, window);
    const hindrance: Hindrance = { conflictCount: 0, sealCount: 0 };
    while (!progress.isDone) {
      const { conflictCount, sealCount } = hindrance;
      const pointsMax = stepPoints / 2 ** Math.min(conflictCount, 10);
      const request = { ...progress.next(), pointsMax, mayDefer: sealCount < sealsMax };
      const answer = await this.#step(request, hindrance);
      if (answer === null) continue;
      progress.note(answer);
      hindrance.conflictCount = Math.max(0, conflictCount - 1);
    }
    return progress.counts;
  }

  /** Plans and applies a step while no sealing cycle is running; null when nothing was done. */
  async #step(request: EraseRequest, hindrance: Hindrance): Promise<EraseAnswer | null> {
    const answer = await this.#sealing.inTurn(async (sealer) => {
      const planned = await sealer.call({ kind: 'plan-erase', request });
      if (planned?.step == null) return planned ?? 'log-is-long';
      this.#sealing.noteDamage(planned.step.damage);
      const { step } = planned;
      const isApplied = await this.#writer.call({ kind: 'erase', step, isDeletion: true }, [step.data]);
      return isApplied ? planned : 'conflict';
    });
    if (typeof answer !== 'string') return answer;
    if (answer === 'log-is-long') {
      hindrance.sealCount++;
      await this.#sealing.sealOnce();
    } else if (++hindrance.conflictCount > conflictsMax) {
      throw new AppError('try-again', 'Another process keeps changing the store; try again later');
    }
    return null;
  }
}

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
