/** SqlRunner over the threads of the embedded store. */
import type { Searcher, SearchFound, SearchPlan } from '../meta/search.ts';
import type { SqlExecute, SqlRow, SqlRunner, SqlValue } from '../meta/sql-runner.ts';
import type { WriterCall } from './messages.ts';
import type { ReaderPool } from './reader-pool.ts';
import type { Thread } from './thread.ts';
import { runTransaction } from './transaction.ts';

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
    const mine = this.#last.then(() => runTransaction(this.#threads.writer, work));
    this.#last = mine.catch(() => {});
    return mine;
  }
}
