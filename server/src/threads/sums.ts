/** Sums of which a part is in the store, added up over all threads of the process. */
import type { Sums } from '#storage/coordination';
import type { NumberTables } from './number-table.ts';

/** Keys whose sums are exact; of others, what other threads have added and not stored is missing. */
const recordsMax = 65_536;

/** What is stored, as far as any thread knows, and what the threads have added since. */
export function sharedSums(tables: NumberTables, name: string): Sums {
  const table = tables.table(`sums of ${name}`, { records: recordsMax, fields: 2, evicts: true });
  return {
    of(key, stored) {
      const known = table.peek(key, (numbers, at) => Math.max(numbers[at], stored) + numbers[at + 1]);
      return known ?? stored;
    },
    add(key, stored, amount) {
      const before = table.update(key, (numbers, at) => {
        numbers[at] = Math.max(numbers[at], stored);
        const sum = numbers[at] + numbers[at + 1];
        numbers[at + 1] += amount;
        return sum;
      });
      return before as number; // A table that evicts has room for every key.
    },
    settle(key, stored, amount) {
      table.update(key, (numbers, at) => {
        numbers[at] = Math.max(numbers[at], stored);
        numbers[at + 1] -= amount;
      });
    },
  };
}
