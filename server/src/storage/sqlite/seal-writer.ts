/** The writer's part of sealing. The caller opens the transaction, unless stated otherwise. */
import { statSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { BlockTable, type StoredBytes } from './block-table.ts';
import { beginTransaction, pragma } from './connection.ts';
import { DirectoryWriter } from './directory-writer.ts';
import { forgetSealedRows, KeptRows } from './kept-rows.ts';
import { encodeLost, encodeRow } from './log-row.ts';
import { LogWriter } from './log-writer.ts';
import type { BlockChanges, EraseStep, SealStep, StrandedPoints, WriterCall } from './messages.ts';
import { readLost } from './set-aside.ts';
import { StateTable } from './state.ts';
import { withNewest } from './stranding.ts';

/** Maximum number of log rows that one call deletes, since freeing the pages of large rows delays appends. */
const trimRowsMax = 64;

/** A write-ahead log of up to this size is not truncated. */
const walBytesIdle = 4 * 1024 * 1024;

/** Maximum number of pages that one call returns to the file system. */
const vacuumPagesMax = 512;

/** Applies steps of sealing. */
export class SealWriter {
  readonly #db: DatabaseSync;
  readonly #log: LogWriter;
  readonly #state: StateTable;
  readonly #directory: DirectoryWriter;
  readonly #blocks: BlockTable;
  readonly #trim: StatementSync;
  readonly #forget: StatementSync;
  readonly #kept: KeptRows;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#log = new LogWriter(db);
    this.#state = new StateTable(db);
    this.#directory = new DirectoryWriter(db);
    this.#blocks = new BlockTable(db);
    this.#kept = new KeptRows(db);
    this.#forget = db.prepare(forgetSealedRows);
    this.#trim = db.prepare(
      `delete from series_log where seq in (select seq from series_log
         where seq <= (select sealed_seq from series_state) and seq < ? order by seq limit ${trimRowsMax})`,
    );
  }

  /** Applies a step. Returns false, and changes nothing, when the state is no longer the one that it was computed from. */
  apply(step: SealStep): boolean {
    const { cycleSeq, cycleSignal, nextBlock, isFinished } = step;
    const state = this.#state.read();
    if (state.step !== step.step) return false;
    this.#change(step);
    const cycle = { ...state, step: state.step + 1, cycleSeq, cycleSignal, nextBlock };
    if (isFinished) {
      for (const row of step.setAside) this.#setAside(row);
      this.#state.write(this.#state.forgetDeleted({ ...cycle, sealedSeq: cycleSeq, cycleSignal: 0 }));
    } else this.#state.write(cycle);
    return true;
  }

  /**
   * Applies a step of deletion. Returns false, and changes nothing, when the state is no longer the one that it was computed from.
   * Sealed rows that were kept, which may have the points too, go with the first step.
   */
  erase({ covered, nextBlock, ...step }: EraseStep, isDeletion: boolean): boolean {
    const state = this.#state.read();
    if (state.step !== step.step) return false;
    if (isDeletion) this.#forget.run();
    this.#change({ ...step, nextBlock });
    const deleted = covered.length > 0 ? this.#state.delete(state, covered) : state;
    this.#state.write({ ...deleted, step: state.step + 1, nextBlock });
    return true;
  }

  #keep(stranded: StrandedPoints): void {
    const { timesUs, values } = withNewest(this.#db, stranded);
    const row = encodeRow({ timesUs, signals: [stranded.signal], values });
    if (row !== null) this.#log.append([row.buffer], [row.headBytes]);
  }

  /** Appends a row that replaces one that cannot be read, since that one is about to be deleted. */
  #setAside({ seq, signals }: SealStep['setAside'][number]): void {
    const row = encodeLost({ ...readLost(this.#db, seq), signals });
    this.#log.append([row.buffer], [row.headBytes]);
  }

  #change({ removed, added, columns, stranded, data }: BlockChanges): void {
    this.#directory.change(removed, added);
    const ids = [...added.map(({ block, bytes }) => ({ id: block, bytes })), ...columns];
    const stored = cutUp(new Uint8Array(data), ids);
    this.#blocks.change(
      removed.map(({ block }) => block),
      stored.slice(0, added.length),
      stored.slice(added.length),
    );
    for (const points of stranded) this.#keep(points);
  }

  /** Deletes some of the sealed rows that are not kept, and of the time columns that are not used any more. Returns whether there may be more. */
  trim(): boolean {
    const hasMoreRows = this.#trim.run(this.#kept.firstSeq()).changes === trimRowsMax;
    return this.#blocks.removeUnused() || hasMoreRows;
  }

  /**
   * Returns some of the free pages above `keepBytes` to the file system. Returns whether there are more. When idle, truncates the
   * write-ahead log at the end. Must not be called inside a transaction.
   */
  vacuum({
    keepBytes,
    isIdle,
  }: Pick<Extract<WriterCall, { kind: 'vacuum' }>, 'keepBytes' | 'isIdle'>): boolean {
    const free = pragma(this.#db, 'freelist_count');
    const keepPages = keepBytes / pragma(this.#db, 'page_size');
    const pages = Math.min(vacuumPagesMax, Math.max(0, free - keepPages));
    if (pages > 0) this.#freePages(pages);
    if (free - pages > keepPages) return true;
    // The file becomes shorter only when the write-ahead log is copied into it.
    if (pages > 0) this.#db.exec('pragma wal_checkpoint(passive)');
    // It does not wait for readers that still use the log; it is tried again later.
    if (isIdle && this.#walBytes() > walBytesIdle) this.#db.exec('pragma wal_checkpoint(truncate)');
    return false;
  }

  #walBytes(): number {
    return statSync(`${this.#db.location()}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  }

  #freePages(pages: number): void {
    beginTransaction(this.#db);
    try {
      this.#db.exec(`pragma incremental_vacuum(${pages})`);
    } finally {
      this.#db.exec('commit');
    }
  }
}

/** Divides bytes that were concatenated. */
function cutUp(data: Uint8Array, parts: readonly { id: number; bytes: number }[]): StoredBytes[] {
  let at = 0;
  return parts.map(({ id, bytes }) => {
    at += bytes;
    return { id, data: data.subarray(at - bytes, at) };
  });
}
