/** Whether the store is busy: work in the background waits until it is not. */
import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '#model/error';
import type { SeriesStore, StoreFigures } from '#storage/store';

/** What a store may have before it while work in the background goes on. */
const queueBytesMax = 4 * 1024 * 1024;
const logBytesMax = 128 * 1024 * 1024;
const readsMax = 16;

const lookMs = 1000;

/** After so many looks it is given up: at the next time there may be less to do. */
const looksMax = 1800;

/** Watches one store. */
export class Load {
  readonly #store: SeriesStore | null;
  #isEnded = false;

  /** Null: whoever works does not want to wait. */
  constructor(store: SeriesStore | null) {
    this.#store = store;
  }

  /** Resolves when the store has little to do. `try-again` when it is busy for half an hour, and after {@link end}. */
  async whenLow(): Promise<void> {
    for (let look = 0; look < looksMax; look++) {
      if (this.#isEnded) throw new AppError('try-again', 'the service stops');
      const figures = (await this.#store?.figures?.()) ?? null;
      if (figures === null || !isBusy(figures)) return;
      await wait(lookMs, undefined, { ref: false });
    }
    throw new AppError('try-again', 'the store is busy');
  }

  /** Ends waiting, and those who come later. */
  end(): void {
    this.#isEnded = true;
  }
}

function isBusy({ queueBytes, logBytes, readerQueueLength }: StoreFigures): boolean {
  return queueBytes > queueBytesMax || logBytes > logBytesMax || readerQueueLength > readsMax;
}
