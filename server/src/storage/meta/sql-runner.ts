/** How SQL reaches a database: all that the metadata needs of a backend. */

/** A value that goes in as a bound parameter, or comes out as a column. */
export type SqlValue = string | number | bigint | null | Uint8Array;

/** One row: column name → value. Integers up to 2^53 come as numbers. */
export type SqlRow = Record<string, SqlValue>;

/** What one statement did. */
export interface SqlResult {
  rows: SqlRow[];
  /** Rows inserted, updated or deleted by it; 0 for a read. */
  changes: number;
}

/** Options of {@link SqlRunner.transaction}. */
export interface TransactionOptions {
  /** Whether it changes the tables themselves: of such transactions only one runs at a time. Default false. */
  isAlone?: boolean;
}

/**
 * Which statement of a transaction one is. `read`: it changes nothing, so a backend may run it before the transaction, and again in it,
 * to see whether the result is the same. `unread`: nobody looks at its result, so a backend may resolve with an empty one before the
 * statement has run; should it fail, so do all that follow, and the transaction. `last`: nothing follows, so a backend may commit
 * with it; then the result means that everything is on disk. `other`: any other.
 */
export type StatementPlace = 'read' | 'unread' | 'last' | 'other';

/** Runs one statement inside an open transaction; the default of `place` is `other`. */
export type SqlExecute = (
  sql: string,
  params: readonly SqlValue[],
  place?: StatementPlace,
) => Promise<SqlResult>;

/**
 * Runs SQL on one database.
 *
 * Promises: `read` sees one committed state, at least as new as the latest transaction that had resolved when it was called;
 * `transaction` has the effect of being exclusive, from its first statement on, among all writers of any process, and is on disk when
 * it resolves; a rejection of `work`, or of a statement, rolls all of it back and is passed on.
 *
 * Does not promise: that `work` runs once: one that others have disturbed is rolled back and runs again, so what it has done outside of
 * the database must be harmless when repeated. Nor anything about a `read` that runs while a transaction is open, except that it sees
 * nothing of it.
 */
export interface SqlRunner {
  /** One read-only statement on a committed snapshot. */
  read(sql: string, params: readonly SqlValue[]): Promise<SqlRow[]>;
  /**
   * As {@link read}, for the short statements by which processes follow credentials, sessions and plans: they never wait for
   * another kind of read.
   */
  follow(sql: string, params: readonly SqlValue[]): Promise<SqlRow[]>;
  /** One write transaction, serialised with all others; not to be nested. */
  transaction<T>(work: (execute: SqlExecute) => Promise<T>, options?: TransactionOptions): Promise<T>;
}
