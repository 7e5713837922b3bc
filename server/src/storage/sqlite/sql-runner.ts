/** SqlRunner over the threads of the embedded store. */
import type { Searcher, SearchFound, SearchPlan } from '../meta/search.ts';
import type { SqlExecute, SqlRow, SqlRunner, SqlValue } from '../meta/sql-runner.ts';
import type { TransactionStatement, WriterCall } from './messages.ts';
import type { ReaderPool } from './reader-pool.ts';
import { rowsInTurns, type SqlTable } from './sql-table.ts';
import type { Thread } from './thread.ts';

/** The threads that a {@link ThreadSqlRunner} uses. */
export interface RunnerThreads {
  writer: Thread<WriterCall>;
  readers: ReaderPool;
  /** Used only for {@link SqlRunner.follow}. */
  follower: ReaderPool;
  /** For searches with patterns, so that no other read waits for a match. Started on first use. */
  matchers(): Promise<ReaderPool>;
}

/** Reads on the reader threads; transactions on the writer thread, one after another. */
export class ThreadSqlRunner implements SqlRunner, Searcher {
  readonly #threads: RunnerThreads;
  #last: Promise<unknown> = Promise.resolve();

  constructor(threads: RunnerThreads) {
    this.#threads = threads;
  }

  read(sql: string, params: readonly SqlValue[]): Promise<SqlRow[]> {
    return this.#threads.readers.read(sql, params);
  }

  follow(sql: string, params: readonly SqlValue[]): Promise<SqlRow[]> {
    return this.#threads.follower.read(sql, params);
  }

  async search(plan: SearchPlan, signal?: AbortSignal): Promise<SearchFound> {
    const readers = plan.rule !== null ? await this.#threads.matchers() : this.#threads.readers;
    return readers.call({ kind: 'search', plan }, signal);
  }

  async match(pattern: string, texts: readonly string[]): Promise<boolean[]> {
    return (await this.#threads.matchers()).call({ kind: 'match', pattern, texts });
  }

  transaction<T>(work: (execute: SqlExecute) => Promise<T>): Promise<T> {
    const mine = this.#last.then(() => this.#run(work));
    this.#last = mine.catch(() => {});
    return mine;
  }

  async #run<T>(work: (execute: SqlExecute) => Promise<T>): Promise<T> {
    const { writer } = this.#threads;
    let first: Promise<SqlTable> | null = null;
    let isCommitted = false;
    /** Statements that were sent without waiting for their end. */
    const sent: Promise<unknown>[] = [];
    // It begins with its first statement: each way to the writer and back may take an iteration of the event loop.
    const run = (statement: TransactionStatement): Promise<SqlTable> => {
      if (first !== null) return first.then(() => writer.call({ kind: 'execute', ...statement }));
      first = writer.call({ kind: 'begin', ...statement });
      return first;
    };
    try {
      const result = await work(async (sql, params, place = 'other') => {
        const isLast = place === 'last';
        const running = run({ sql, params, isLast });
        if (place === 'unread') {
          running.catch(() => {});
          sent.push(running);
          return { rows: [], changes: 0 };
        }
        const table = await running;
        isCommitted ||= isLast;
        return { rows: await rowsInTurns(table), changes: table.changes };
      });
      if (first !== null && !isCommitted) {
        await first;
        await writer.call({ kind: 'commit' });
      }
      return result;
    } catch (error) {
      if (first !== null) {
        // Until it has begun there is nothing to undo.
        await (first as Promise<SqlTable>).catch(() => {});
        await writer.call({ kind: 'rollback' });
      }
      // Why all that followed has failed.
      await Promise.all(sent);
      throw error;
    }
  }
}
