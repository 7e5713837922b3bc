/** The rows of a statement in the form that is passed between threads, with the names of the columns only once. */
import type { SqlRow, SqlValue } from '../meta/sql-runner.ts';

/** The result of one statement. Row objects with names would take five times as long to create and to pass on. */
export interface SqlTable {
  columns: readonly string[];
  /** Each as long as `columns`. */
  rows: readonly (readonly SqlValue[])[];
  /** Rows inserted, updated or deleted by it; 0 for a read. */
  changes: number;
}

/** The rows as objects by column name. */
export function rowsOf({ columns, rows }: SqlTable): SqlRow[] {
  return rows.map((values) => {
    const row: SqlRow = {};
    for (let i = 0; i < columns.length; i++) row[columns[i]] = values[i];
    return row;
  });
}
