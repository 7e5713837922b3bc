/** A SqlRunner over connections in this process: what a MetaStore in SQL is tried on without any thread. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { compilePattern } from '#model/pattern';
import {
  type Searcher,
  type SearchFound,
  type SearchPlan,
  type SearchStep,
  searchAsync,
} from '#storage/meta/search';
import type { SqlExecute, SqlResult, SqlRow, SqlRunner, SqlValue } from '#storage/meta/sql-runner';
import { registerFunctions, type WorkMeter, WorkSpent } from '#storage/sqlite/functions';

/** Opens the SQLite file at `path`: one connection that writes, one that reads. */
export class DatabaseSyncRunner implements SqlRunner, Searcher {
  readonly #writer: Connection;
  readonly #reader: Connection;
  readonly #change: (plan: SearchPlan) => SearchPlan;
  #last: Promise<unknown> = Promise.resolve();

  /** `change` is applied to the plan of each search. */
  constructor(path: string, change: (plan: SearchPlan) => SearchPlan = (plan) => plan) {
    this.#change = change;
    this.#writer = new Connection(path);
    this.#reader = new Connection(path);
  }

  async read(sql: string, params: readonly SqlValue[]): Promise<SqlRow[]> {
    return this.#reader.run(sql, params).rows;
  }

  follow(sql: string, params: readonly SqlValue[]): Promise<SqlRow[]> {
    return this.read(sql, params);
  }

  search(plan: SearchPlan): Promise<SearchFound> {
    return searchAsync(this.#change(plan), async (step) =>
      step.kind === 'match' ? this.match(step.pattern, step.texts) : this.#reader.runWithin(step),
    );
  }

  async match(pattern: string, texts: readonly string[]): Promise<boolean[]> {
    const compiled = compilePattern(pattern);
    return texts.map((text) => compiled.test(text));
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
  readonly #meter: WorkMeter;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path: string) {
    this.#db = new DatabaseSync(path, { timeout: 5000 });
    this.#db.exec('pragma journal_mode = wal');
    // Nothing here is to survive a loss of power.
    this.#db.exec('pragma synchronous = off');
    this.#meter = registerFunctions(this.#db);
  }

  /** Null where the rows take more work than allowed. */
  runWithin({ sql, params, workMax }: Extract<SearchStep, { kind: 'rows' }>): SqlRow[] | null {
    this.#meter.left = workMax;
    try {
      return this.run(sql, params).rows;
    } catch (error) {
      if (error instanceof WorkSpent) return null;
      throw error;
    }
  }

  run(sql: string, params: readonly SqlValue[]): SqlResult {
    const statement = this.#statement(sql);
    if (statement.columns().length === 0)
      return { rows: [], changes: Number(statement.run(...params).changes) };
    const rows = statement.all(...params).map((row) => ({ ...row }) as SqlRow);
    return { rows, changes: 0 };
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
