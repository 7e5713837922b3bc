/** The rows of a statement as they go from thread to thread: the names of the columns once, and not with each row. */
import type { SqlRow, SqlValue } from '../meta/sql-runner.ts';

/** What one statement did. Objects with the names in each row take five times as long to make and to pass on. */
export interface SqlTable {
  columns: readonly string[];
  /** Each as long as `columns`. */
  rows: readonly (readonly SqlValue[])[];
  /** Rows inserted, updated or deleted by it; 0 for a read. */
  changes: number;
}

/** The rows by the names of their columns. */
export function rowsOf({ columns, rows }: SqlTable): SqlRow[] {
  return rows.map((values) => {
    const row: SqlRow = {};
    for (let i = 0; i < columns.length; i++) row[columns[i]] = values[i];
    return row;
  });
}
