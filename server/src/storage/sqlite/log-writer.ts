/** Changes to the tables of points. The caller opens the transaction. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { BlockTable } from './block-table.ts';
import { forgetSealedRows } from './kept-rows.ts';
import { stampRow } from './log-head.ts';
import { StateTable } from './state.ts';

/** Appends to the log and deletes signals. */
export class LogWriter {
  readonly #insertRow: StatementSync;
  readonly #blocks: BlockTable;
  readonly #selectBlocks: StatementSync;
  readonly #deleteDirectory: StatementSync;
  readonly #deleteRecord: StatementSync;
  readonly #forget: StatementSync;
  readonly #state: StateTable;

  constructor(db: DatabaseSync) {
    this.#insertRow = db.prepare('insert into series_log (head, data) values (?, ?)');
    this.#blocks = new BlockTable(db);
    this.#selectBlocks = db.prepare('select block from series_directory where signal = ?');
    this.#deleteDirectory = db.prepare('delete from series_directory where signal = ?');
    this.#deleteRecord = db.prepare('delete from series_signal where signal = ?');
    this.#forget = db.prepare(forgetSealedRows);
    this.#state = new StateTable(db);
  }

  /** Appends encoded rows in the given order. */
  append(buffers: readonly ArrayBuffer[], headBytes: readonly number[]): null {
    buffers.forEach((buffer, index) => {
      stampRow({ buffer, headBytes: headBytes[index] });
      this.#insertRow.run(
        new Uint8Array(buffer, 0, headBytes[index]),
        new Uint8Array(buffer, headBytes[index]),
      );
    });
    return null;
  }

  /** Deletes all blocks of these signals, and marks their existing points in the log as deleted. */
  deleteSignals(signals: readonly number[]): null {
    const state = this.#state.read();
    this.#forget.run();
    for (const signal of signals) {
      const blocks = this.#selectBlocks.all(signal).map(({ block }) => Number(block));
      this.#blocks.change(blocks, [], []);
      this.#deleteDirectory.run(signal);
      this.#deleteRecord.run(signal);
    }
    const notes = signals.map((signal) => ({ signal, throughSeq: state.lastSeq }));
    this.#state.write({ ...this.#state.delete(state, notes), step: state.step + 1 });
    return null;
  }
}
