/** Records of rows that were read before: parsing a row takes ten times as long as comparing it with the last one of its ID. */
import { LruCache } from '#model/lru-cache';
import type { SqlValue } from './sql-runner.ts';

/** Bytes of rows and of what is made of them, approximately. */
const bytesMax = 16 * 1024 * 1024;

/** A row, what was made of it, and their {@link bytesOf}. */
type Known = Readonly<{ row: object; record: object; bytes: number }>;

/** The records that were read last. A record is the same object as long as its row has not changed; so it must not be changed. */
export class RecordCache {
  readonly #known = new LruCache<string, Known>(bytesMax, ({ bytes }) => bytes);

  /** The record of a row of a table. */
  recordOf<Row extends { id: string }, T extends object>(table: string, row: Row, parse: (row: Row) => T): T {
    const key = `${table} ${row.id}`;
    const known = this.#known.get(key);
    if (known !== undefined && isSame(known.row, row)) return known.record as T;
    const record = parse(row);
    this.#known.set(key, { row, record, bytes: bytesOf(row) });
    return record;
  }
}

function isSame(a: object, b: object): boolean {
  for (const column in b) if (a[column as keyof typeof a] !== b[column as keyof typeof b]) return false;
  return true;
}

/** Bytes of a row and its record. Others may keep the JSON of a record with it, and that of its page: a text is in all four, mostly with one byte a character. */
export function bytesOf(row: object): number {
  const texts = (Object.values(row) as SqlValue[]).filter((value) => typeof value === 'string');
  return 1000 + 4 * texts.reduce((sum, text) => sum + text.length, 0);
}
