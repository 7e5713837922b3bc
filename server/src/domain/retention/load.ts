/** Waits for the store to be idle enough for background work. */
import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '#model/error';
import type { SeriesStore, StoreFigures } from '#storage/store';

/** Above these figures background work is paused. */
const queueBytesMax = 4 * 1024 * 1024;
const logBytesMax = 128 * 1024 * 1024;
const readsMax = 16;

const lookMs = 1000;

/** Attempts before giving up until the next run. */
const looksMax = 1800;

/** Watches one store. */
export class Load {
  readonly #store: SeriesStore | null;
  #isEnded = false;

  /** Null: never wait. */
  constructor(store: SeriesStore | null) {
    this.#store = store;
  }

  /** Resolves when the store is not busy. `try-again` after half an hour, and after {@link end}. */
  async whenLow(): Promise<void> {
    for (let look = 0; look < looksMax; look++) {
      if (this.#isEnded) throw new AppError('try-again', 'the service is shutting down');
      const figures = (await this.#store?.figures?.()) ?? null;
      if (figures === null || !isBusy(figures)) return;
      await wait(lookMs, undefined, { ref: false });
    }
    throw new AppError('try-again', 'the store is busy');
  }

  /** Rejects waiting and later calls. */
  end(): void {
    this.#isEnded = true;
  }
}

function isBusy({ queueBytes, logBytes, readerQueueLength }: StoreFigures): boolean {
  return queueBytes > queueBytesMax || logBytes > logBytesMax || readerQueueLength > readsMax;
}
