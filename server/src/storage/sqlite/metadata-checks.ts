/**
 * Checksums of the rows of metadata. Triggers maintain them, so that `../meta` need not know of them and every process that
 * writes keeps them up to date. Readers verify them (`statements.ts`), and so does a check of the file.
 */
import type { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { StoredDamage } from '../codec/damage.ts';
import { metaTables } from '../meta/rows.ts';
import type { SqlRunner, SqlValue } from '../meta/sql-runner.ts';

/** The column that has a row's checksum. */
export const checkColumn = 'row_check';

/** The audit has a chain of hashes; copies of labels are compared otherwise. */
const uncheckedTables = ['audit', 'signal_label', 'item_label'];

/** Tables whose rows have a checksum, and the columns by which a row is found. */
const checkedTables = new Map(
  metaTables
    .filter(({ name }) => !uncheckedTables.includes(name))
    .map(({ name, key }) => [name, name === 'signal' ? ['id'] : key]),
);

/** The checksum of a row's other values, in the order of its columns. */
export function checkOfValues(values: readonly SqlValue[]): number {
  let check = values.length;
  for (const value of values) {
    // Type and length separate adjacent values.
    const text = value === null ? 'n' : `${typeof value === 'string' ? 't' : 'v'}${value}`;
    check = crc32(`${text.length}:${text}`, check);
  }
  return check;
}

/** Brings the checksums up to date with the tables' columns, which a new release may have added to. */
export async function installChecks(runner: SqlRunner): Promise<void> {
  await runner.transaction(async (execute) => {
    for (const [table, key] of checkedTables) {
      const { rows } = await execute(`select name from pragma_table_info('${table}')`, []);
      const columns = rows.map(({ name }) => String(name));
      const others = columns.filter((name) => name !== checkColumn);
      const trigger = triggerOf({ table, key }, 'insert', others);
      const { rows: known } = await execute('select sql from sqlite_schema where name = ?', [
        `${table}_check_insert`,
      ]);
      if (known[0]?.sql === trigger) continue;
      if (others.length === columns.length)
        await execute(`alter table ${table} add column ${checkColumn} integer`, []);
      for (const event of ['insert', 'update'] as const) {
        await execute(`drop trigger if exists ${table}_check_${event}`, []);
      }
      await execute(`update ${table} set ${checkColumn} = row_check(${others.join(', ')})`, []);
      await execute(trigger, []);
      await execute(triggerOf({ table, key }, 'update', others), []);
    }
  });
}

/** Sets the checksum of each row that is inserted, or in which another column is changed. */
function triggerOf(
  { table, key }: { table: string; key: readonly string[] },
  event: 'insert' | 'update',
  columns: readonly string[],
): string {
  const values = columns.map((name) => `new.${name}`).join(', ');
  const isRow = key.map((name) => `${name} = new.${name}`).join(' and ');
  const of = event === 'update' ? ` of ${columns.join(', ')}` : '';
  return `CREATE TRIGGER ${table}_check_${event} after ${event}${of} on ${table} begin update ${table} set ${checkColumn} = row_check(${values}) where ${isRow}; end`;
}

/** Compares the rows of a statement's result with their checksums; null when the result has no whole checked row. */
export class RowVerifier {
  readonly #table: string;
  readonly #places: readonly number[];
  /** The index of the checksum's column. */
  readonly checkPlace: number;

  private constructor(table: string, places: readonly number[], checkPlace: number) {
    this.#table = table;
    this.#places = places;
    this.checkPlace = checkPlace;
  }

  /** Creates a verifier from the tables and names of the columns of a result. */
  static of(
    db: DatabaseSync,
    columns: readonly { table: string | null; column: string | null }[],
  ): RowVerifier | null {
    const checkPlace = columns.findIndex(({ column }) => column === checkColumn);
    const table = columns[checkPlace]?.table;
    if (table == null || !checkedTables.has(table)) return null;
    const names = db
      .prepare('select name from pragma_table_info(?)')
      .all(table)
      .map(({ name }) => String(name));
    const places = names
      .filter((name) => name !== checkColumn)
      .map((name) => columns.findIndex((each) => each.table === table && each.column === name));
    return places.includes(-1) ? null : new RowVerifier(table, places, checkPlace);
  }

  /** Fails with a {@link StoredDamage} when a row is damaged. A row of nulls, from an outer join, is ignored. */
  verify(row: readonly SqlValue[]): void {
    const values = this.#places.map((place) => row[place]);
    if (row[this.checkPlace] === checkOfValues(values) || values.every((value) => value === null)) return;
    const [name] = values;
    throw new StoredDamage(
      `tidemark.db is damaged: a row of ${this.#table} (${String(name).slice(0, 40)}) differs from its checksum; restore a backup`,
    );
  }
}

/** Describes damaged rows of metadata, one line each. */
export function* metadataProblems(db: DatabaseSync): Generator<string, void, undefined> {
  for (const table of checkedTables.keys()) {
    if (!hasTable(db, table)) continue; // Written by an older release.
    const statement = db.prepare(`select * from ${table}`);
    statement.setReturnArrays(true);
    const verifier = RowVerifier.of(db, statement.columns());
    if (verifier === null) continue; // Written by a release without checksums.
    for (const row of statement.iterate()) {
      try {
        verifier.verify(row as unknown as SqlValue[]);
      } catch (error) {
        yield error instanceof Error ? error.message : String(error);
      }
    }
  }
}

function hasTable(db: DatabaseSync, name: string): boolean {
  return db.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(name) !== undefined;
}
