/** SqlRunner over connections to PostgreSQL. */
import {
  type Searcher,
  type SearchFound,
  type SearchPlan,
  type SearchStep,
  searchAsync,
  searchAtOnce,
} from '../meta/search.ts';
import type { SqlExecute, SqlRow, SqlRunner, SqlValue, TransactionOptions } from '../meta/sql-runner.ts';
import type { Connection, ConnectOptions } from './connection.ts';
import { Gate } from './gate.ts';
import { matchInTurns } from './matching.ts';
import { Pool } from './pool.ts';
import { runTransaction } from './transactions.ts';

/** How many connections a runner has, besides one for what it follows. */
export interface RunnerOptions extends ConnectOptions {
  /** At least 4. */
  connectionsMax: number;
  /** The number of the advisory lock under which disturbed transactions stand in a line. */
  line: number;
}

/**
 * Reads on any connection; transactions side by side. Of the connections at most half are in transactions and a quarter in searches,
 * so that a transaction that waits for a read does not wait for itself.
 */
export class PostgresRunner implements SqlRunner, Searcher {
  readonly #pool: Pool;
  readonly #follower: Pool;
  readonly #transactions: Gate;
  readonly #searches: Gate;
  readonly #line: number;

  constructor(options: RunnerOptions) {
    const { connectionsMax: max, line } = options;
    this.#pool = new Pool(options, max);
    this.#follower = new Pool(options, 1);
    this.#transactions = new Gate(Math.floor(max / 2));
    this.#searches = new Gate(Math.max(1, Math.floor(max / 4)));
    this.#line = line;
  }

  read(sql: string, params: readonly SqlValue[]): Promise<SqlRow[]> {
    return this.#pool.read(async (connection) => (await connection.run(sql, params)).rows);
  }

  follow(sql: string, params: readonly SqlValue[]): Promise<SqlRow[]> {
    return this.#follower.read(async (connection) => (await connection.run(sql, params)).rows);
  }

  /** One statement that takes something for good, such as a number of a sequence: it is not repeated after a failure. */
  take(sql: string, params: readonly SqlValue[]): Promise<SqlRow[]> {
    return this.#pool.use(async (connection) => (await connection.run(sql, params)).rows);
  }

  transaction<T>(work: (execute: SqlExecute) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const transaction = { work, options, line: this.#line };
    return this.#transactions.pass(() =>
      this.#pool.use((connection) => runTransaction(connection, transaction)),
    );
  }

  search(plan: SearchPlan, signal?: AbortSignal): Promise<SearchFound> {
    return this.#searches.pass(() =>
      this.#pool.read(async (connection) => {
        signal?.throwIfAborted();
        return this.#searchOn(connection, plan, signal);
      }),
    );
  }

  match(pattern: string, texts: readonly string[]): Promise<boolean[]> {
    return matchInTurns(pattern, texts);
  }

  close(): void {
    this.#pool.close();
    this.#follower.close();
  }

  /** As one statement, or in one transaction, so that all statements see one state; its temporary table goes with it. */
  async #searchOn(connection: Connection, plan: SearchPlan, signal?: AbortSignal): Promise<SearchFound> {
    const answer = (step: SearchStep) => {
      signal?.throwIfAborted();
      if (step.kind === 'match') return matchInTurns(step.pattern, step.texts, signal);
      return this.#cancellable(connection, step.sql, step.params, signal);
    };
    const found = await searchAtOnce(plan, answer);
    if (found !== null) return found;
    await connection.run('begin isolation level repeatable read');
    try {
      return await searchAsync(plan, answer);
    } finally {
      if (connection.isUsable) await connection.run('rollback').catch(() => connection.close());
    }
  }

  /** Asks the server to end the statement when the caller leaves. */
  async #cancellable(
    connection: Connection,
    sql: string,
    params: readonly SqlValue[],
    signal: AbortSignal | undefined,
  ): Promise<SqlRow[]> {
    let cancelling: Promise<unknown> | null = null;
    const cancel = () => {
      cancelling = this.#follower
        .use((other) => other.run('select pg_cancel_backend($1)', [connection.process]))
        .catch(() => undefined);
    };
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      return (await connection.run(sql, params)).rows;
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener('abort', cancel);
      await cancelling;
    }
  }
}
