/** Lets a bounded number of users in; the others wait in order, not too many and not for too long. */
import { unavailable } from './errors.ts';

/** The users that may wait, and for how long, ms. */
const waitersMax = 1_000;
const waitMs = 30_000;

interface Waiter {
  enter(): void;
  timer: NodeJS.Timeout;
}

/** One kind of use. */
export class Gate {
  readonly #max: number;
  readonly #waiting = new Set<Waiter>();
  #inside = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Runs `work` when there is a place. Rejects with `unavailable` when there is none in time. */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inside >= this.#max) await this.#wait();
    else this.#inside++;
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  #wait(): Promise<void> {
    if (this.#waiting.size >= waitersMax) throw unavailable('too many calls wait for PostgreSQL');
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(waiter);
        reject(unavailable('PostgreSQL is too slow for the calls that wait for it'));
      }, waitMs);
      const waiter: Waiter = { enter: resolve, timer };
      this.#waiting.add(waiter);
    });
  }

  /** The place goes to the one that has waited longest. */
  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#inside--;
      return;
    }
    this.#waiting.delete(next);
    clearTimeout(next.timer);
    next.enter();
  }
}
