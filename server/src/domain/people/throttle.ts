/** Throttles guessing: after a few wrong attempts each further one has to wait twice as long, measured by a monotonic clock. */
import type { Stopwatch } from '#model/environment';
import { LruCache } from '#model/lru-cache';

/** Options of a {@link Throttle}. */
interface ThrottleOptions {
  /** Attempts that need not wait. */
  freeAttempts: number;
  /** The longest wait, seconds. */
  waitSMax: number;
  /** Attempts are forgotten after this time without a new one, seconds. */
  forgetS: number;
}

interface Attempts {
  count: number;
  lastMs: number;
}

/** Maximum number of keys, which are names and addresses sent by clients. */
const keysMax = 20_000;

/** Counts attempts by key. */
export class Throttle {
  readonly #stopwatch: Stopwatch;
  readonly #options: ThrottleOptions;
  readonly #attempts = new LruCache<string, Attempts>(keysMax);

  constructor(stopwatch: Stopwatch, options: ThrottleOptions) {
    this.#stopwatch = stopwatch;
    this.#options = options;
  }

  /** How long a key has to wait before its next attempt, seconds; 0 when it need not. */
  waitS(key: string): number {
    const { count, lastMs } = this.#of(key);
    const { freeAttempts, waitSMax } = this.#options;
    if (count < freeAttempts) return 0;
    const waitS = Math.min(2 ** (count - freeAttempts), waitSMax);
    return Math.max(0, Math.ceil(waitS - (this.#stopwatch.elapsedMs() - lastMs) / 1000));
  }

  /** Counts an attempt. Must be called before the attempt is checked, so that concurrent attempts are counted. */
  note(key: string): void {
    const { count } = this.#of(key);
    this.#attempts.set(key, { count: count + 1, lastMs: this.#stopwatch.elapsedMs() });
  }

  /** Resets a key after a correct attempt. */
  forget(key: string): void {
    this.#attempts.set(key, { count: 0, lastMs: 0 });
  }

  #of(key: string): Attempts {
    const known = this.#attempts.get(key);
    const isOver =
      known === undefined || this.#stopwatch.elapsedMs() - known.lastMs > this.#options.forgetS * 1000;
    return isOver ? { count: 0, lastMs: 0 } : known;
  }
}
