/** Transactions on PostgreSQL that have the effect of running one after another, and are repeated when others disturb them. */
import { setTimeout as delay } from 'node:timers/promises';
import type { SqlExecute, TransactionOptions } from '../meta/sql-runner.ts';
import type { Connection } from './connection.ts';
import { isBroken, isDisturbed, isTaken, uncertain } from './errors.ts';

/** How often a disturbed transaction is tried. */
const triesMax = 10;

/** Tries side by side with others; later ones stand in a line, so that they disturb one another no more. */
const freeTries = 1;

/**
 * Tries of a transaction that found a key taken: others may have overtaken it, also in the line, since they do not stand in it at
 * first; or the key is really taken.
 */
const takenTriesMax = 5;

/** Mean wait before the next try, ms. */
const waitMs = 5;

/** What a {@link runTransaction} is made of. */
interface Transaction<T> {
  work(execute: SqlExecute): Promise<T>;
  options: TransactionOptions;
  /** The number of the lock that stands for the line. */
  line: number;
}

/** Runs a transaction, at most {@link triesMax} times. */
export async function runTransaction<T>(connection: Connection, transaction: Transaction<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    const isInLine = transaction.options.isAlone === true || tries > freeTries;
    try {
      return await (isInLine ? inLine(connection, transaction) : once(connection, transaction));
    } catch (error) {
      if (!connection.isUsable || !isWorthAnother(error, tries)) throw error;
    }
    await delay(Math.min(tries, 4) * waitMs);
  }
}

function isWorthAnother(error: unknown, tries: number): boolean {
  return (isDisturbed(error) && tries < triesMax) || (isTaken(error) && tries < takenTriesMax);
}

/** The lock is taken before the transaction begins: what a transaction sees is fixed by its first statement. */
async function inLine<T>(connection: Connection, transaction: Transaction<T>): Promise<T> {
  await connection.run('select pg_advisory_lock($1)', [transaction.line]);
  try {
    return await once(connection, transaction);
  } finally {
    if (connection.isUsable)
      await connection
        .run('select pg_advisory_unlock($1)', [transaction.line])
        .catch(() => connection.close());
  }
}

async function once<T>(connection: Connection, { work }: Transaction<T>): Promise<T> {
  await connection.run('begin isolation level serializable');
  try {
    const result = await work((sql, params) => connection.run(sql, params));
    await commit(connection);
    return result;
  } catch (error) {
    if (connection.isUsable) await connection.run('rollback').catch(() => connection.close());
    throw error;
  }
}

/** Rejects with what says so when the answer is lost, and the transaction may be committed. */
async function commit(connection: Connection): Promise<void> {
  try {
    await connection.run('commit');
  } catch (error) {
    throw isBroken(error) ? uncertain(error) : error;
  }
}
