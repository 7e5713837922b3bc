/** The order of work on the write connection: groups of queued work, and between them interactive transactions. */
import type { DatabaseSync } from 'node:sqlite';
import { AppError } from '#model/error';
import type { SqlValue } from '../meta/sql-runner.ts';
import { portOf } from './call-ports.ts';
import { beginTransaction } from './connection.ts';
import { asUnavailable } from './errors.ts';
import type { Answers, CallResults, WriterCall } from './messages.ts';
import type { SqlTable } from './sql-table.ts';
import { Statements } from './statements.ts';

type Result = CallResults[WriterCall['kind']];

interface Job {
  id: number;
  /** Runs outside of any transaction. */
  isAlone: boolean;
  run(): Result;
  /** Called when it need not run again. */
  settled?(): void;
}

const most = {
  /** An interactive transaction that is idle for this long is rolled back, since all other writes wait for it. */
  transactionIdleMs: 10_000,
  /** Jobs that share one transaction, so that a long queue is acknowledged piece by piece. */
  groupJobs: 256,
} as const;

/** Runs jobs in groups of one transaction each; a group is stored whole or not at all, and then acknowledged. */
export class Writer {
  readonly #db: DatabaseSync;
  readonly #statements: Statements;
  readonly #answers: Answers;
  #jobs: Job[] = [];
  /** Calls that ask for an interactive transaction while another one is open. */
  readonly #begins: number[] = [];
  #scheduled = false;
  #idle: NodeJS.Timeout | null = null;
  /** The port whose caller has the open transaction. */
  #owner = -1;

  constructor(db: DatabaseSync, textCharactersMax: number, answers: Answers) {
    this.#db = db;
    this.#answers = answers;
    this.#statements = new Statements(db, textCharactersMax);
  }

  /** Queues work that belongs to a transaction; its call is answered after the commit. `settled` is called in the end. */
  submit(id: number, run: () => Result, settled?: () => void): void {
    this.#jobs.push({ id, isAlone: false, run, settled });
    this.#schedule();
  }

  /** Queues work that runs outside of any transaction. */
  submitAlone(id: number, run: () => Result): void {
    this.#jobs.push({ id, isAlone: true, run });
    this.#schedule();
  }

  /** Opens an interactive transaction, after everything that was queued before it, and after the open one. */
  begin(id: number): void {
    if (this.#idle !== null) {
      this.#begins.push(id);
      return;
    }
    this.#flushAll();
    try {
      beginTransaction(this.#db);
      this.#owner = portOf(id);
      this.#watch();
      this.#answers.reply(id, null);
    } catch (error) {
      this.#answers.replyError(id, asUnavailable(error));
    }
  }

  /** Runs work at once, and answers its call. */
  answer(id: number, run: () => Result): void {
    try {
      this.#answers.reply(id, run());
    } catch (error) {
      this.#answers.replyError(id, error);
    }
  }

  /** Runs a statement of the open transaction for the call `id`. */
  execute(id: number, sql: string, params: readonly SqlValue[]): SqlTable {
    this.#requireTransaction(id);
    this.#watch();
    return this.#statements.run(sql, params);
  }

  /** Ends the open transaction; everything of it is on disk then. */
  commit(id: number): null {
    this.#requireTransaction(id);
    try {
      this.#db.exec('commit');
    } catch (error) {
      this.#undo();
      throw asUnavailable(error);
    } finally {
      this.#release();
    }
    return null;
  }

  /** Ends the caller's open transaction, if it still has one, without a trace. */
  rollback(id: number): null {
    if (this.#owns(id)) this.#abandon();
    return null;
  }

  /** Finishes the queue, moves the write-ahead log into the file where that is possible, and closes it. */
  close(): null {
    this.#abandon();
    this.#flushAll();
    try {
      this.#db.exec('pragma wal_checkpoint(truncate)');
    } finally {
      this.#db.close();
    }
    return null;
  }

  #schedule(): void {
    if (this.#scheduled || this.#idle !== null || this.#jobs.length + this.#begins.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#idle !== null) return;
      const next = this.#begins.shift();
      if (next === undefined) this.#flush();
      else this.begin(next);
      this.#schedule();
    });
  }

  #flushAll(): void {
    while (this.#jobs.length > 0) this.#flush();
  }

  #flush(): void {
    const alone = this.#jobs.findIndex((job) => job.isAlone);
    const isAlone = alone === 0;
    const count = isAlone ? 1 : Math.min(most.groupJobs, alone === -1 ? Number.POSITIVE_INFINITY : alone);
    this.#runGroup(this.#jobs.splice(0, count), isAlone);
  }

  /** What fails a group for a reason of its own, and not the disk's, must not fail the others: each is tried alone then. */
  #runGroup(group: readonly Job[], isAlone: boolean): void {
    try {
      if (!isAlone) beginTransaction(this.#db);
      const results = group.map((job) => job.run());
      if (!isAlone) this.#db.exec('commit');
      group.forEach((job, index) => {
        this.#answers.reply(job.id, results[index]);
        job.settled?.();
      });
    } catch (error) {
      this.#undo();
      const passing = asUnavailable(error);
      if (passing === error && group.length > 1) for (const job of group) this.#runGroup([job], isAlone);
      else {
        for (const job of group) {
          this.#answers.replyError(job.id, passing);
          job.settled?.();
        }
      }
    }
  }

  #undo(): void {
    if (this.#db.isTransaction) this.#db.exec('rollback');
  }

  #owns(id: number): boolean {
    return this.#idle !== null && this.#owner === portOf(id);
  }

  #abandon(): void {
    this.#undo();
    this.#release();
  }

  #requireTransaction(id: number): void {
    if (this.#owns(id) && this.#db.isTransaction) return;
    throw new AppError('try-again', 'Nothing was stored: the transaction took too long; try again later');
  }

  /** While the timer runs, an interactive transaction is open. */
  #watch(): void {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#abandon(), most.transactionIdleMs);
  }

  #release(): void {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
    this.#schedule();
  }
}
