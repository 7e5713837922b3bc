/** Drives a deletion of points: requests steps from the sealer thread and passes them to the writer. */
import { AppError } from '#model/error';
import type { Window } from '#model/window';
import { EraseProgress } from './erase-progress.ts';
import type { EraseAnswer, EraseRequest, WriterCall } from './messages.ts';
import type { Sealing } from './sealing.ts';
import type { Thread } from './thread.ts';

/** Approximate number of points that a step decodes and encodes; halved after each conflict with another process. */
const stepPoints = 400_000;

/** Conflicts with other processes minus successful steps, above which the deletion fails. */
const conflictsMax = 60;

/** How many sealing cycles may precede the deletion. */
const sealsMax = 8;

/** What has delayed a deletion. */
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
