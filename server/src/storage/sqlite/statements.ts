/** Prepared statements of one connection, kept by their text. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { SqlResult, SqlValue } from '../meta/sql-runner.ts';

/** Statements kept at most: the shapes of meta-data queries are many, but few are in use at a time. */
const statementsMax = 256;

/** Runs statements by their text; the least recently used are forgotten. */
export class Statements {
  readonly #db: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Runs one statement to its end. */
  run(sql: string, params: readonly SqlValue[]): SqlResult {
    const statement = this.#prepare(sql);
    if (statement.columns().length === 0) {
      return { rows: [], changes: Number(statement.run(...params).changes) };
    }
    const rows = statement.all(...params) as SqlResult['rows'];
    return { rows, changes: /^\s*(select|pragma|explain)\b/i.test(sql) ? 0 : rows.length };
  }

  #prepare(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    const statement = known ?? this.#db.prepare(sql);
    if (known !== undefined) this.#prepared.delete(sql);
    this.#prepared.set(sql, statement);
    if (this.#prepared.size > statementsMax) this.#prepared.delete(this.#prepared.keys().next().value!);
    return statement;
  }
}
