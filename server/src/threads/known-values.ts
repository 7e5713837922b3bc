/** A number for each key, such as the time of a session's last use, shared by all threads of the process. */
import type { NumberTable, NumberTables } from './number-table.ts';

/** Numbers by key. Above the bound the key that was used longest ago is forgotten. */
export class KnownValues {
  readonly #table: NumberTable;

  /** `recordsMax` is a power of two. */
  constructor(tables: NumberTables, name: string, recordsMax: number) {
    this.#table = tables.table(name, { records: recordsMax, fields: 1, evicts: true });
  }

  /** The number of a key; 0 when it is unknown. */
  of(key: string): number {
    return this.#table.peek(key, (numbers, at) => numbers[at]) ?? 0;
  }

  /** Sets the number of a key; 0 forgets it. */
  set(key: string, value: number): void {
    this.#table.update(key, (numbers, at) => {
      numbers[at] = value;
    });
  }
}
