/** What the writer does to the tables of points, each inside a transaction of its caller. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { stampRow } from './log-row.ts';

/** Appends to the log and deletes signals. */
export class LogWriter {
  readonly #insertRow: StatementSync;
  readonly #deleteBlocks: StatementSync;
  readonly #deleteDirectory: StatementSync;
  readonly #insertDeleted: StatementSync;
  readonly #countStep: StatementSync;

  constructor(db: DatabaseSync) {
    this.#insertRow = db.prepare('insert into series_log (head, data) values (?, ?)');
    this.#deleteBlocks = db.prepare(
      'delete from series_block where id in (select block from series_directory where signal = ?)',
    );
    this.#deleteDirectory = db.prepare('delete from series_directory where signal = ?');
    this.#insertDeleted = db.prepare(
      `insert into series_deleted (signal, through_seq)
       values (?, (select coalesce(max(sqlite_sequence.seq), 0) from sqlite_sequence where name = 'series_log'))
       on conflict (signal) do update set through_seq = excluded.through_seq`,
    );
    this.#countStep = db.prepare('update series_state set step = step + 1');
  }

  /** Appends coded rows in their order. */
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

  /** Removes all blocks of these signals, and voids what the log has of them so far. */
  deleteSignals(signals: readonly number[]): null {
    for (const signal of signals) {
      this.#deleteBlocks.run(signal);
      this.#deleteDirectory.run(signal);
      this.#insertDeleted.run(signal);
    }
    this.#countStep.run();
    return null;
  }
}
