/** Throttles guessing: after a few wrong attempts each further one has to wait twice as long, measured by a monotonic clock. */
import type { Stopwatch } from '#model/environment';
import type { Attempts } from '#storage/coordination';

/** What a {@link Throttle} works with. */
interface ThrottleOptions {
  stopwatch: Stopwatch;
  attempts: Attempts;
  /** Attempts that need not wait. */
  freeAttempts: number;
  /** The longest wait, seconds. */
  waitSMax: number;
  /** Attempts are forgotten after this time without a new one, seconds. */
  forgetS: number;
}

/** Counts attempts by key. */
export class Throttle {
  readonly #options: ThrottleOptions;

  constructor(options: ThrottleOptions) {
    this.#options = options;
  }

  /** How long a key has to wait before its next attempt, seconds; 0 when it need not. */
  waitS(key: string): number {
    const { freeAttempts, waitSMax, attempts, stopwatch } = this.#options;
    const { count, lastMs } = attempts.of(key, this.#withinMs);
    if (count < freeAttempts) return 0;
    const waitS = Math.min(2 ** (count - freeAttempts), waitSMax);
    return Math.max(0, Math.ceil(waitS - (stopwatch.elapsedMs() - lastMs) / 1000));
  }

  /** Counts an attempt. Must be called before the attempt is checked, so that concurrent attempts are counted. */
  note(key: string): void {
    this.#options.attempts.note(key, this.#withinMs);
  }

  /** Resets a key after a correct attempt. */
  forget(key: string): void {
    this.#options.attempts.forget(key);
  }

  get #withinMs(): number {
    return this.#options.forgetS * 1000;
  }
}
