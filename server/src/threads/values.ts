/** A number for each key, such as the time of a session's last use, shared by all threads of the process. */
import type { Values } from '#storage/coordination';
import type { NumberTables } from './number-table.ts';

/** Values that are kept: less than 1 MB. */
const recordsMax = 32_768;

/** Numbers by key. Above the bound the key that was used longest ago is forgotten. */
export function sharedValues(tables: NumberTables, name: string): Values {
  const table = tables.table(`values of ${name}`, { records: recordsMax, fields: 1, evicts: true });
  return {
    of: (key) => table.peek(key, (numbers, at) => numbers[at]) ?? 0,
    set(key, value) {
      table.update(key, (numbers, at) => {
        numbers[at] = value;
      });
    },
  };
}
