/** Counts events by key in bounded memory, in all threads of the process. Each key's window begins with its first event. */
import type { Stopwatch } from '#model/environment';
import type { Windows } from '#storage/coordination';
import type { NumberTable, NumberTables } from './number-table.ts';

/** How long a key's events are counted together, ms. */
export const windowMs = 60_000;

/** Keys come from outside, so their number is bounded: about a hundred thousand, 4 MB. */
const recordsMaxDefault = 131_072;

/** Counts events of the last minute. Above the bound the key with the oldest event is forgotten. */
export class SharedWindows implements Windows {
  readonly #table: NumberTable;
  readonly #stopwatch: Stopwatch;

  /** The stopwatch must be the same in all threads. `recordsMax` is a power of two. */
  constructor(tables: NumberTables, stopwatch: Stopwatch, name: string, recordsMax = recordsMaxDefault) {
    this.#table = tables.table(name, { records: recordsMax, fields: 2, evicts: true });
    this.#stopwatch = stopwatch;
  }

  /** Number of keys. */
  get keyCount(): number {
    return this.#table.count;
  }

  add(key: string): number {
    const nowMs = this.#stopwatch.elapsedMs();
    const count = this.#table.update(key, (numbers, at) => {
      if (numbers[at + 1] <= nowMs) {
        numbers[at] = 0;
        numbers[at + 1] = nowMs + windowMs;
      }
      this.#table.addToSum(nowMs + 1 - this.#table.sum);
      return ++numbers[at];
    });
    return count as number;
  }

  lastMs(): number {
    return this.#table.sum;
  }

  look(key: string): { count: number; leftS: number } {
    const nowMs = this.#stopwatch.elapsedMs();
    const [count, endsMs] = this.#table.peek(key, (numbers, at) => [numbers[at], numbers[at + 1]]) ?? [0, 0];
    if (count === 0 || endsMs <= nowMs) return { count: 0, leftS: 0 };
    return { count, leftS: Math.max(1, Math.ceil((endsMs - nowMs) / 1000)) };
  }
}
