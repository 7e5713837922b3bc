/** The progress of sealing and deletions: one row of state, and the signals whose rows of the log no longer count. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { StoredDamage } from '../codec/damage.ts';
import { checkOfNumbers } from './row-check.ts';

/** The progress of sealing. Signals up to `cycleSignal` are sealed up to row `cycleSeq`, all others up to `sealedSeq`. */
export interface SealState {
  /** Counts changes of the directory and deletions. */
  step: number;
  sealedSeq: number;
  cycleSeq: number;
  cycleSignal: number;
  nextBlock: number;
  /** Rows of series_deleted. */
  deletedCount: number;
}

/** The state of a store without points. */
export const emptyState: SealState = {
  step: 0,
  sealedSeq: 0,
  cycleSeq: 0,
  cycleSignal: 0,
  nextBlock: 1,
  deletedCount: 0,
};

/** Reads and writes the state over one connection. */
export class StateTable {
  readonly #select: StatementSync;
  readonly #update: StatementSync;
  readonly #selectDeleted: StatementSync;
  readonly #saveDeleted: StatementSync;
  readonly #forgetRows: StatementSync;
  readonly #forgetDeleted: StatementSync;

  constructor(db: DatabaseSync) {
    const prepare = (sql: string) => {
      const statement = db.prepare(sql);
      statement.setReturnArrays(true);
      return statement;
    };
    this.#select = prepare(
      `select step, sealed_seq, cycle_seq, cycle_signal, next_block, deleted_count, row_check,
         (select seq from sqlite_sequence where name = 'series_log') from series_state`,
    );
    this.#update = prepare(
      `update series_state set step = ?, sealed_seq = ?, cycle_seq = ?, cycle_signal = ?, next_block = ?,
         deleted_count = ?, row_check = ?`,
    );
    this.#selectDeleted = prepare('select signal, through_seq, row_check from series_deleted');
    this.#saveDeleted = prepare(
      'insert or replace into series_deleted (signal, through_seq, row_check) values (?, ?, ?)',
    );
    this.#forgetRows = prepare(
      'delete from series_log where seq <= (select max(through_seq) from series_deleted where through_seq <= ?)',
    );
    this.#forgetDeleted = prepare('delete from series_deleted where through_seq <= ?');
  }

  /** The state, and the highest row number of the log so far. Fails with a {@link StoredDamage}. */
  read(): SealState & { lastSeq: number } {
    const row = this.#select.get() as unknown as (number | null)[] | undefined;
    if (row === undefined || row[6] !== checkOfNumbers(row, 6)) throw damagedState('series_state');
    const [step, sealedSeq, cycleSeq, cycleSignal, nextBlock, deletedCount] = row as number[];
    return { step, sealedSeq, cycleSeq, cycleSignal, nextBlock, deletedCount, lastSeq: row[7] ?? 0 };
  }

  /** Replaces the state. */
  write({ step, sealedSeq, cycleSeq, cycleSignal, nextBlock, deletedCount }: SealState): void {
    const row = [step, sealedSeq, cycleSeq, cycleSignal, nextBlock, deletedCount];
    this.#update.run(...row, checkOfNumbers(row));
  }

  /** Signal → row of the log up to which its points do not count. Fails with a {@link StoredDamage}. */
  readDeleted({ deletedCount }: Pick<SealState, 'deletedCount'>): Map<number, number> {
    const rows = this.#selectDeleted.all() as unknown as [number, number, number][];
    const isWhole = rows.every(([signal, seq, check]) => check === checkOfNumbers([signal, seq]));
    if (!isWhole || rows.length !== deletedCount) throw damagedState('series_deleted');
    return new Map(rows.map(([signal, seq]) => [signal, seq]));
  }

  /** Records that points of signals up to a row of the log do not count. Returns the state that has to be written afterwards. */
  delete<S extends SealState>(state: S, signals: readonly { signal: number; throughSeq: number }[]): S {
    const known = this.readDeleted(state);
    for (const { signal, throughSeq } of signals) {
      const seq = Math.max(throughSeq, known.get(signal) ?? 0);
      this.#saveDeleted.run(signal, seq, checkOfNumbers([signal, seq]));
      known.set(signal, seq);
    }
    return { ...state, deletedCount: known.size };
  }

  /** Deletes the records about sealed rows, and these rows, which have deleted points. Returns the state that has to be written afterwards. */
  forgetDeleted<S extends SealState>(state: S): S {
    this.#forgetRows.run(state.sealedSeq);
    const changes = Number(this.#forgetDeleted.run(state.sealedSeq).changes);
    return { ...state, deletedCount: state.deletedCount - changes };
  }
}

function damagedState(table: string): StoredDamage {
  return new StoredDamage(`${table} in tidemark.db is damaged: nothing can be read; restore a backup`);
}
