/** Throttles guessing: after a few wrong attempts each further one has to wait twice as long, measured by a monotonic clock. */
import type { Stopwatch } from '#model/environment';
import type { NumberTable, NumberTables } from '#threads/number-table';

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

const noAttempts: Attempts = { count: 0, lastMs: 0 };

/** Maximum number of keys, which are names and addresses sent by clients. */
const keysMax = 32_768;

/** Counts attempts by key. */
export class Throttle {
  readonly #stopwatch: Stopwatch;
  readonly #options: ThrottleOptions;
  /** A count, and the time of the last attempt. */
  readonly #attempts: NumberTable;

  /** Attempts in all threads that share the tables count under `name`. */
  constructor(stopwatch: Stopwatch, options: ThrottleOptions, tables: NumberTables, name: string) {
    this.#stopwatch = stopwatch;
    this.#options = options;
    this.#attempts = tables.table(`attempts by ${name}`, { records: keysMax, fields: 2, evicts: true });
  }

  /** How long a key has to wait before its next attempt, seconds; 0 when it need not. */
  waitS(key: string): number {
    const { count, lastMs } =
      this.#attempts.peek(key, (numbers, at) => this.#read(numbers, at)) ?? noAttempts;
    const { freeAttempts, waitSMax } = this.#options;
    if (count < freeAttempts) return 0;
    const waitS = Math.min(2 ** (count - freeAttempts), waitSMax);
    return Math.max(0, Math.ceil(waitS - (this.#stopwatch.elapsedMs() - lastMs) / 1000));
  }

  /** Counts an attempt. Must be called before the attempt is checked, so that concurrent attempts are counted. */
  note(key: string): void {
    this.#update(key, ({ count }) => ({ count: count + 1, lastMs: this.#stopwatch.elapsedMs() }));
  }

  /** Resets a key after a correct attempt. */
  forget(key: string): void {
    this.#update(key, () => noAttempts);
  }

  #update(key: string, change: (attempts: Attempts) => Attempts): void {
    this.#attempts.update(key, (numbers, at) => {
      const { count, lastMs } = change(this.#read(numbers, at));
      numbers[at] = count;
      numbers[at + 1] = lastMs;
    });
  }

  #read(numbers: Float64Array, at: number): Attempts {
    const isOver = this.#stopwatch.elapsedMs() - numbers[at + 1] > this.#options.forgetS * 1000;
    return isOver ? noAttempts : { count: numbers[at], lastMs: numbers[at + 1] };
  }
}
