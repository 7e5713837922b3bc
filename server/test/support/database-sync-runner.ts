/** A SqlRunner over connections in this process: what a MetaStore in SQL is tried on without any thread. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { SqlExecute, SqlResult, SqlRow, SqlRunner, SqlValue } from '#storage/meta/sql-runner';
import { registerFunctions } from '#storage/sqlite/functions';

/** Opens the SQLite file at `path`: one connection that writes, one that reads. */
export class DatabaseSyncRunner implements SqlRunner {
  readonly #writer: Connection;
  readonly #reader: Connection;
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string) {
    this.#writer = new Connection(path);
    this.#reader = new Connection(path);
  }

  async read(sql: string, params: readonly SqlValue[]): Promise<SqlRow[]> {
    return this.#reader.run(sql, params).rows;
  }

  follow(sql: string, params: readonly SqlValue[]): Promise<SqlRow[]> {
    return this.read(sql, params);
  }

  transaction<T>(work: (execute: SqlExecute) => Promise<T>): Promise<T> {
    const mine = this.#last.then(() => this.#run(work));
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  async #run<T>(work: (execute: SqlExecute) => Promise<T>): Promise<T> {
    this.#writer.run('begin immediate', []);
    try {
      const result = await work(async (sql, params) => this.#writer.run(sql, params));
      this.#writer.run('commit', []);
      return result;
    } catch (error) {
      this.#writer.run('rollback', []);
      throw error;
    }
  }

  close(): void {
    this.#writer.close();
    this.#reader.close();
  }
}

class Connection {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path: string) {
    this.#db = new DatabaseSync(path, { timeout: 5000 });
    this.#db.exec('pragma journal_mode = wal');
    // Nothing here is to survive a loss of power.
    this.#db.exec('pragma synchronous = off');
    registerFunctions(this.#db);
  }

  run(sql: string, params: readonly SqlValue[]): SqlResult {
    const statement = this.#statement(sql);
    if (statement.columns().length > 0) return { rows: statement.all(...params) as SqlRow[], changes: 0 };
    return { rows: [], changes: Number(statement.run(...params).changes) };
  }

  close(): void {
    this.#db.close();
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#db.prepare(sql);
    if (this.#statements.size < 100) this.#statements.set(sql, statement);
    return statement;
  }
}
