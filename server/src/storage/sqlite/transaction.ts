/** Transactions of metadata on the writer thread. */
import type { SqlExecute, SqlResult, StatementPlace } from '../meta/sql-runner.ts';
import type { SqlStatement, StepsEnd, TransactionStep, WriterCall } from './messages.ts';
import { rowsInTurns, type SqlTable } from './sql-table.ts';
import type { Thread } from './thread.ts';

type WriterThread = Thread<WriterCall>;

/** Others have changed what a transaction has read. */
class Disturbed extends Error {}

const nothing: SqlResult = { rows: [], changes: 0 };

/**
 * Runs a transaction without holding up other writes while its caller thinks: reads run ahead of it, and all statements are sent
 * together at the end; the writer compares what was read then. If that has changed, the work runs once more, in a transaction
 * that is open from its first statement on.
 */
export async function runTransaction<T>(
  writer: WriterThread,
  work: (execute: SqlExecute) => Promise<T>,
): Promise<T> {
  const ahead = await attempt(new TransactionAhead(writer), work);
  if (ahead !== null) return ahead.result;
  const open = await attempt(new OpenTransaction(writer, null), work);
  return open.result;
}

interface Transaction<Repeat extends null> {
  execute(statement: SqlStatement, place: StatementPlace): Promise<SqlResult>;
  /** After the work, whose last statement may have committed already. */
  commit(): Promise<void>;
  /** After the work has failed with `error`; throws the reason, or returns null if the work is to run once more. */
  undo(error: unknown): Promise<Repeat>;
}

async function attempt<T, Repeat extends null>(
  transaction: Transaction<Repeat>,
  work: (execute: SqlExecute) => Promise<T>,
): Promise<{ result: T } | Repeat> {
  try {
    const result = await work((sql, params, place = 'other') => transaction.execute({ sql, params }, place));
    await transaction.commit();
    return { result };
  } catch (error) {
    return transaction.undo(error);
  }
}

/** Its statements are recorded. One that changes something and whose result is needed before the end opens it. */
class TransactionAhead implements Transaction<null> {
  readonly #writer: WriterThread;
  readonly #steps: TransactionStep[] = [];
  /** Whether the steps were sent. */
  #isSent = false;
  #isDisturbed = false;
  #open: OpenTransaction | null = null;

  constructor(writer: WriterThread) {
    this.#writer = writer;
  }

  async execute(statement: SqlStatement, place: StatementPlace): Promise<SqlResult> {
    if (this.#open !== null) return this.#open.execute(statement, place);
    if (place === 'read') return this.#read(statement);
    this.#steps.push(statement);
    if (place === 'unread') return nothing;
    if (place === 'last') return resultOf(await this.#send('commit'));
    const first = this.#send('open');
    this.#open = new OpenTransaction(this.#writer, first);
    return resultOf(await first);
  }

  async commit(): Promise<void> {
    if (this.#isDisturbed) throw new Disturbed();
    if (this.#open !== null) await this.#open.commit();
    else if (!this.#isSent && this.#steps.length > 0) await this.#send('commit');
  }

  /** An error of the work counts if what it has read is true; else it runs once more. */
  async undo(error: unknown): Promise<null> {
    if (this.#open !== null && !this.#isDisturbed) return this.#open.undo(error);
    if (!this.#isSent && this.#steps.length > 0) await this.#verify();
    if (this.#isDisturbed) return null;
    throw error;
  }

  async #read(statement: SqlStatement): Promise<SqlResult> {
    this.#steps.push('read');
    try {
      return await resultOf(await this.#writer.call({ kind: 'read', ...statement }));
    } catch (error) {
      this.#isDisturbed = true;
      throw error;
    }
  }

  async #verify(): Promise<void> {
    try {
      await this.#send('rollback');
    } catch (error) {
      if (!this.#isDisturbed) throw error;
    }
  }

  async #send(end: StepsEnd): Promise<SqlTable> {
    this.#isSent = true;
    const table = await this.#writer.call({ kind: 'transact', steps: this.#steps, end });
    if (table !== null) return table;
    this.#isDisturbed = true;
    throw new Disturbed();
  }
}

/** No other write goes on from its first statement to its end. */
class OpenTransaction implements Transaction<never> {
  readonly #writer: WriterThread;
  /** The statement that opens it. */
  #first: Promise<SqlTable | null> | null;
  #isCommitted = false;
  /** Statements that were sent without waiting for their end. */
  readonly #sent: Promise<unknown>[] = [];

  constructor(writer: WriterThread, first: Promise<SqlTable> | null) {
    this.#writer = writer;
    this.#first = first;
  }

  async execute(statement: SqlStatement, place: StatementPlace): Promise<SqlResult> {
    const isLast = place === 'last';
    const running = this.#run(statement, isLast);
    if (place === 'unread') {
      running.catch(() => {});
      this.#sent.push(running);
      return nothing;
    }
    const table = await running;
    this.#isCommitted ||= isLast;
    return resultOf(table);
  }

  async commit(): Promise<void> {
    if (this.#first === null || this.#isCommitted) return;
    await this.#first;
    await this.#writer.call({ kind: 'commit' });
  }

  async undo(error: unknown): Promise<never> {
    if (this.#first !== null) {
      // Until it has begun there is nothing to undo.
      await this.#first.catch(() => {});
      await this.#writer.call({ kind: 'rollback' });
    }
    // Why all that followed has failed.
    await Promise.all(this.#sent);
    throw error;
  }

  async #run(statement: SqlStatement, isLast: boolean): Promise<SqlTable> {
    if (this.#first === null) {
      const first = this.#writer.call({
        kind: 'transact',
        steps: [statement],
        end: isLast ? 'commit' : 'open',
      });
      this.#first = first;
      return first as Promise<SqlTable>;
    }
    await this.#first;
    return this.#writer.call({ kind: 'execute', ...statement, isLast });
  }
}

async function resultOf(table: SqlTable): Promise<SqlResult> {
  return { rows: await rowsInTurns(table), changes: table.changes };
}
