/** Keeps a deletion of points going: asks the sealer's thread for steps, and hands them to the writer. */
import { AppError } from '#model/error';
import type { Window } from '#model/window';
import { EraseProgress } from './erase-progress.ts';
import type { EraseAnswer, EraseRequest, WriterCall } from './messages.ts';
import type { Sealing } from './sealing.ts';
import type { Thread } from './thread.ts';

/** Points that a step decodes and encodes, about; half as many each time that another process came first. */
const stepPoints = 400_000;

/** How much more often another process may come first than this one. */
const conflictsMax = 60;

/** How many cycles of the log are sealed before. */
const sealsMax = 8;

/** What stood in the way of a deletion. */
interface Hindrance {
  conflictCount: number;
  sealCount: number;
}

/** Deletes points of an open store. */
export class Erasing {
  readonly #sealing: Sealing;
  readonly #writer: Thread<WriterCall>;

  constructor(sealing: Sealing, writer: Thread<WriterCall>) {
    this.#sealing = sealing;
    this.#writer = writer;
  }

  /**
   * Deletes the points of these signals in a window, in short transactions; how many of each. Other work goes on in between.
   * `try-again` when another process keeps changing the store; then a part may be gone.
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

  /** Plans a step and applies it, while no cycle of sealing is under way; null when nothing was done. */
  async #step(request: EraseRequest, hindrance: Hindrance): Promise<EraseAnswer | null> {
    const answer = await this.#sealing.inTurn(async (sealer) => {
      const planned = await sealer.call({ kind: 'plan-erase', request });
      if (planned?.step == null) return planned ?? 'log-is-long';
      this.#sealing.noteDamage(planned.step.damage);
      const isApplied = await this.#writer.call({ kind: 'erase', step: planned.step }, [planned.step.data]);
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
