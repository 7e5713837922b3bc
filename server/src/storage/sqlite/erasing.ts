/** Keeps a deletion of points going: asks the sealer's thread for steps, and hands them to the writer. */
import { AppError } from '#model/error';
import type { Window } from '#model/window';
import type { EraseAnswer, EraseRequest, WriterCall } from './messages.ts';
import type { Sealing } from './sealing.ts';
import type { Thread } from './thread.ts';

/** Signals of one request: a step hardly ever gets further. */
const signalsMax = 1000;

/** Points that a step decodes and encodes, about; half as many each time that another process came first. */
const stepPoints = 400_000;

/** How much more often another process may come first than this one. */
const conflictsMax = 60;

/** How many cycles of the log are sealed before. */
const sealsMax = 8;

/** How far a deletion has come. */
interface Progress {
  counts: number[];
  /** Where the window begins for the next signal; null: at its own beginning. */
  startUs: number | null;
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
    const progress: Progress = { counts: [], startUs: null, conflictCount: 0, sealCount: 0 };
    const counts = new Array<number>(signals.length).fill(0);
    let done = 0;
    while (done < signals.length) {
      const request = {
        signals: signals.slice(done, done + signalsMax),
        window: { ...window, startUs: progress.startUs ?? window.startUs },
        pointsMax: stepPoints / 2 ** Math.min(progress.conflictCount, 10),
        mayDefer: progress.sealCount < sealsMax,
      };
      const answer = await this.#step(request, progress);
      if (answer === null) continue;
      answer.counts.forEach((count, i) => {
        counts[done + i] += count;
      });
      done += answer.doneCount;
      progress.startUs = answer.startUs;
      progress.conflictCount = Math.max(0, progress.conflictCount - 1);
    }
    return counts;
  }

  /** Plans a step and applies it, while no cycle of sealing is under way; null when nothing was done. */
  async #step(request: EraseRequest, progress: Progress): Promise<EraseAnswer | null> {
    const answer = await this.#sealing.inTurn(async (sealer) => {
      const planned = await sealer.call({ kind: 'plan-erase', request });
      if (planned?.step == null) return planned ?? 'log-is-long';
      const isApplied = await this.#writer.call({ kind: 'erase', step: planned.step }, [planned.step.data]);
      return isApplied ? planned : 'conflict';
    });
    if (typeof answer !== 'string') return answer;
    if (answer === 'log-is-long') {
      progress.sealCount++;
      await this.#sealing.sealOnce();
    } else if (++progress.conflictCount > conflictsMax) {
      throw new AppError('try-again', 'Another process keeps changing the store; try again later');
    }
    return null;
  }
}
