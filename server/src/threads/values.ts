/** A number for each key, such as the time of a session's last use, shared by all threads of the process. */
import type { Values } from '#storage/coordination';
import type { NumberTable, NumberTables } from './number-table.ts';

/** Values that are kept: less than 1 MB. */
const recordsMax = 32_768;

/** Numbers by key. Above the bound the key that was used longest ago is forgotten. */
export class SharedValues implements Values {
  readonly #table: NumberTable;

  constructor(tables: NumberTables, name: string) {
    this.#table = tables.table(`values of ${name}`, { records: recordsMax, fields: 1, evicts: true });
  }

  of(key: string): number {
    return this.#table.peek(key, (numbers, at) => numbers[at]) ?? 0;
  }

  set(key: string, value: number): void {
    this.#table.update(key, (numbers, at) => {
      numbers[at] = value;
    });
  }
}
