/** Attempts by key, counted in all threads of the process. */
import type { Stopwatch } from '#model/environment';
import type { AttemptCount, Attempts } from '#storage/coordination';
import type { NumberTables } from './number-table.ts';

/** Keys are names and addresses sent by clients. */
const recordsMax = 32_768;

const none: AttemptCount = { count: 0, lastMs: 0 };

/** A count, and the time of the last attempt. */
export function sharedAttempts(tables: NumberTables, stopwatch: Stopwatch, name: string): Attempts {
  const table = tables.table(`attempts by ${name}`, { records: recordsMax, fields: 2, evicts: true });
  const read = (numbers: Float64Array, at: number, withinMs: number): AttemptCount => {
    const [count, lastMs] = [numbers[at], numbers[at + 1]];
    return stopwatch.elapsedMs() - lastMs > withinMs ? none : { count, lastMs };
  };
  return {
    of: (key, withinMs) => table.peek(key, (numbers, at) => read(numbers, at, withinMs)) ?? none,
    note(key, withinMs) {
      table.update(key, (numbers, at) => {
        numbers[at] = read(numbers, at, withinMs).count + 1;
        numbers[at + 1] = stopwatch.elapsedMs();
      });
    },
    forget: (key) => void table.update(key, (numbers, at) => numbers.fill(0, at, at + 2)),
  };
}
