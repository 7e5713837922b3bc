/** The order of work on the write connection: groups of queued work, and between them transactions that callers ask for. */
import type { DatabaseSync } from 'node:sqlite';
import { AppError } from '#model/error';
import { portOf } from './call-ports.ts';
import { beginTransaction } from './connection.ts';
import { asUnavailable } from './errors.ts';
import type {
  Answers,
  CallResults,
  SqlStatement,
  StepsEnd,
  TransactionStep,
  WriterCall,
} from './messages.ts';
import { type ReadAhead, ReadsAhead } from './reads-ahead.ts';
import { isSameTable, type SqlTable } from './sql-table.ts';
import { Statements } from './statements.ts';
import { type QueuedWork, WriteQueue } from './write-queue.ts';

type Result = CallResults[WriterCall['kind']];

/** How work is run. */
interface JobOptions extends QueuedWork {
  /** Whether it runs in a transaction; else outside of any. */
  isTransaction: boolean;
  /** Called when it need not run again. */
  settled(): void;
}

interface Job extends JobOptions {
  id: number;
  run(): Result;
}

const usual: JobOptions = { bytes: 0, isAlone: false, isTransaction: true, settled: () => {} };

/** A transaction that a caller asks for, as in {@link WriterCall}. */
interface AskedTransaction {
  id: number;
  steps: readonly TransactionStep[];
  end: StepsEnd;
}

/** A transaction whose caller sends nothing for this long is rolled back, since all other writes wait for it. */
const transactionIdleMs = 10_000;

/** Runs jobs in groups of one transaction each; a group is stored whole or not at all, and then acknowledged. */
export class Writer {
  readonly #db: DatabaseSync;
  readonly #statements: Statements;
  readonly #answers: Answers;
  readonly #queue = new WriteQueue<Job>();
  /** Transactions that wait for their turn. */
  readonly #asked: AskedTransaction[] = [];
  readonly #readsAhead = new ReadsAhead();
  /** Whether such a transaction has begun since the last group. */
  #hasBegun = false;
  #scheduled = false;
  #idle: NodeJS.Timeout | null = null;
  /** The port whose caller has the open transaction. */
  #owner = -1;
  /** Why a statement of the open transaction has failed: the caller may have sent more without waiting for it. */
  #failure: unknown = null;

  constructor(db: DatabaseSync, textCharactersMax: number, answers: Answers) {
    this.#db = db;
    this.#answers = answers;
    this.#statements = new Statements(db, textCharactersMax);
  }

  /** Queues work; its call is answered after the commit. */
  submit(id: number, run: () => Result, options: Partial<JobOptions> = {}): void {
    this.#queue.add({ ...usual, ...options, id, run });
    this.#schedule();
  }

  /** Runs a transaction's steps, after those that wait and the open one; transactions take turns with groups of queued work. */
  transact(asked: AskedTransaction): void {
    this.#asked.push(asked);
    if (this.#idle === null && this.#asked.length === 1 && this.#queue.isEmpty) this.#runAsked();
    else this.#schedule();
  }

  /** Runs a read ahead of its caller's next transaction, which begins with the comparison of the result. */
  read(id: number, statement: SqlStatement): SqlTable {
    const table = this.#statements.run(statement.sql, statement.params);
    this.#readsAhead.add(portOf(id), { statement, table });
    return table;
  }

  /** Runs work at once, and answers its call. */
  answer(id: number, run: () => Result): void {
    try {
      this.#answers.reply(id, run());
    } catch (error) {
      this.#answers.replyError(id, error);
    }
  }

  /** Runs a statement of the open transaction for the call `id`, and commits it if it is the last one. */
  execute(id: number, { sql, params, isLast }: SqlStatement & { isLast: boolean }): SqlTable {
    this.#requireTransaction(id);
    this.#watch();
    const table = this.#noteFailure(() => this.#statements.run(sql, params));
    if (isLast) this.commit(id);
    return table;
  }

  #noteFailure<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      this.#failure = error;
      throw error;
    }
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
    while (!this.#queue.isEmpty) this.#runGroup(this.#queue.take());
    try {
      this.#db.exec('pragma wal_checkpoint(truncate)');
    } finally {
      this.#db.close();
    }
    return null;
  }

  #schedule(): void {
    if (this.#scheduled || this.#idle !== null || (this.#queue.isEmpty && this.#asked.length === 0)) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#idle !== null) return;
      if (this.#asked.length > 0 && (this.#queue.isEmpty || !this.#hasBegun)) this.#runAsked();
      else if (!this.#queue.isEmpty) this.#runGroup(this.#queue.take());
      this.#schedule();
    });
  }

  #runAsked(): void {
    const { id, steps, end } = this.#asked.shift()!;
    this.#hasBegun = true;
    const reads = this.#readsAhead.take(portOf(id));
    try {
      beginTransaction(this.#db);
      const table = this.#runSteps(steps, reads);
      if (table === null || end === 'rollback') this.#undo();
      else if (end === 'commit') this.#db.exec('commit');
      else {
        this.#owner = portOf(id);
        this.#watch();
      }
      this.#answers.reply(id, table);
    } catch (error) {
      this.#undo();
      this.#answers.replyError(id, asUnavailable(error));
    }
  }

  /** The result of the last step; null if a read has another result than before the transaction. */
  #runSteps(steps: readonly TransactionStep[], reads: readonly ReadAhead[]): SqlTable | null {
    let table: SqlTable = { columns: [], rows: [], changes: 0 };
    let readCount = 0;
    for (const step of steps) {
      const before = step === 'read' ? reads[readCount++] : null;
      if (before === undefined) return null;
      const { sql, params } = before?.statement ?? (step as SqlStatement);
      table = this.#statements.run(sql, params);
      if (before !== null && !isSameTable(table, before.table)) return null;
    }
    return table;
  }

  /** What fails a group for a reason of its own, and not the disk's, must not fail the others: each is tried alone then. */
  #runGroup(group: readonly Job[]): void {
    this.#hasBegun = false;
    const { isTransaction } = group[0];
    try {
      if (isTransaction) beginTransaction(this.#db);
      const results = group.map((job) => job.run());
      if (isTransaction) this.#db.exec('commit');
      group.forEach((job, index) => {
        this.#answers.reply(job.id, results[index]);
        job.settled();
      });
    } catch (error) {
      this.#undo();
      this.#refuse(group, error);
    }
  }

  #refuse(group: readonly Job[], error: unknown): void {
    const passing = asUnavailable(error);
    if (passing === error && group.length > 1) for (const job of group) this.#runGroup([job]);
    else {
      for (const job of group) {
        this.#answers.replyError(job.id, passing);
        job.settled();
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
    if (this.#owns(id) && this.#failure !== null) throw this.#failure;
    if (this.#owns(id) && this.#db.isTransaction) return;
    throw new AppError('try-again', 'Nothing was stored: the transaction took too long; try again later');
  }

  /** While the timer runs, a transaction is open. */
  #watch(): void {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#abandon(), transactionIdleMs);
  }

  #release(): void {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
    this.#failure = null;
    this.#schedule();
  }
}
