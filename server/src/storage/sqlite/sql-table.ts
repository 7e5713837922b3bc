/** The rows of a statement in the form that is passed between threads, with the names of the columns only once. */
import { setImmediate as nextIteration } from 'node:timers/promises';
import type { SqlRow, SqlValue } from '../meta/sql-runner.ts';

/** The result of one statement. Row objects with names would take five times as long to create and to pass on. */
export interface SqlTable {
  columns: readonly string[];
  /** Each as long as `columns`. */
  rows: readonly (readonly SqlValue[])[];
  /** Rows inserted, updated or deleted by it; 0 for a read. */
  changes: number;
}

/** Whether two results of a read are the same. */
export function isSameTable(one: SqlTable, other: SqlTable): boolean {
  return (
    one.rows.length === other.rows.length &&
    one.columns.length === other.columns.length &&
    one.rows.every((row, i) => row.every((value, k) => isSameValue(value, other.rows[i][k])))
  );
}

function isSameValue(one: SqlValue, other: SqlValue): boolean {
  if (one instanceof Uint8Array) return other instanceof Uint8Array && Buffer.compare(one, other) === 0;
  return one === other;
}

/** Rows that become objects in one iteration of the event loop: about half a millisecond for those of signals. */
const rowsAtOnce = 250;

/** The rows as objects by column name. */
export function rowsOf({ columns, rows }: SqlTable): SqlRow[] {
  return rows.map((values) => rowOf(columns, values));
}

/** As {@link rowsOf}, many rows in several iterations of the event loop. */
export function rowsInTurns(table: SqlTable): SqlRow[] | Promise<SqlRow[]> {
  return table.rows.length > rowsAtOnce ? manyRows(table) : rowsOf(table);
}

async function manyRows({ columns, rows }: SqlTable): Promise<SqlRow[]> {
  const made: SqlRow[] = [];
  for (const values of rows) {
    if (made.length % rowsAtOnce === 0 && made.length > 0) await nextIteration();
    made.push(rowOf(columns, values));
  }
  return made;
}

function rowOf(columns: readonly string[], values: readonly SqlValue[]): SqlRow {
  const row: SqlRow = {};
  for (let i = 0; i < columns.length; i++) row[columns[i]] = values[i];
  return row;
}
