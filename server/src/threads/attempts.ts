/** Attempts by key, counted in all threads of the process. */
import type { Stopwatch } from '#model/environment';
import type { AttemptCount, Attempts } from '#storage/coordination';
import type { NumberTable, NumberTables } from './number-table.ts';

/** Keys are names and addresses sent by clients. */
const recordsMax = 32_768;

const none: AttemptCount = { count: 0, lastMs: 0 };

/** A count, and the time of the last attempt. */
export class SharedAttempts implements Attempts {
  readonly #table: NumberTable;
  readonly #stopwatch: Stopwatch;

  constructor(tables: NumberTables, stopwatch: Stopwatch, name: string) {
    this.#table = tables.table(`attempts by ${name}`, { records: recordsMax, fields: 2, evicts: true });
    this.#stopwatch = stopwatch;
  }

  of(key: string, withinMs: number): AttemptCount {
    return this.#table.peek(key, (numbers, at) => this.#read(numbers, at, withinMs)) ?? none;
  }

  note(key: string, withinMs: number): void {
    this.#table.update(key, (numbers, at) => {
      numbers[at] = this.#read(numbers, at, withinMs).count + 1;
      numbers[at + 1] = this.#stopwatch.elapsedMs();
    });
  }

  forget(key: string): void {
    this.#table.update(key, (numbers, at) => numbers.fill(0, at, at + 2));
  }

  #read(numbers: Float64Array, at: number, withinMs: number): AttemptCount {
    const [count, lastMs] = [numbers[at], numbers[at + 1]];
    return this.#stopwatch.elapsedMs() - lastMs > withinMs ? none : { count, lastMs };
  }
}
