/** SqlRunner over the threads of the embedded store. */
import type { SqlExecute, SqlRow, SqlRunner, SqlValue } from '../meta/sql-runner.ts';
import type { WriterCall } from './messages.ts';
import type { ReaderPool } from './reader-pool.ts';
import { rowsOf } from './sql-table.ts';
import type { Thread } from './thread.ts';

/** Reads on the reader threads; transactions on the writer thread, one after another. `follower` has a connection for `follow`. */
export class ThreadSqlRunner implements SqlRunner {
  readonly #writer: Thread<WriterCall>;
  readonly #readers: ReaderPool;
  readonly #follower: ReaderPool;
  #last: Promise<unknown> = Promise.resolve();

  constructor(writer: Thread<WriterCall>, readers: ReaderPool, follower = readers) {
    this.#writer = writer;
    this.#readers = readers;
    this.#follower = follower;
  }

  read(sql: string, params: readonly SqlValue[]): Promise<SqlRow[]> {
    return this.#readers.read(sql, params);
  }

  follow(sql: string, params: readonly SqlValue[]): Promise<SqlRow[]> {
    return this.#follower.read(sql, params);
  }

  transaction<T>(work: (execute: SqlExecute) => Promise<T>): Promise<T> {
    const mine = this.#last.then(() => this.#run(work));
    this.#last = mine.catch(() => {});
    return mine;
  }

  async #run<T>(work: (execute: SqlExecute) => Promise<T>): Promise<T> {
    await this.#writer.call({ kind: 'begin' });
    try {
      const result = await work(async (sql, params) => {
        const table = await this.#writer.call({ kind: 'execute', sql, params });
        return { rows: rowsOf(table), changes: table.changes };
      });
      await this.#writer.call({ kind: 'commit' });
      return result;
    } catch (error) {
      await this.#writer.call({ kind: 'rollback' });
      throw error;
    }
  }
}
