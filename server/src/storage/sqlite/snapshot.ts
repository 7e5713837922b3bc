/** A committed state of the store, read in one transaction, from which a request is answered. */

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { LruCache } from '#model/lru-cache';
import type { ReadCost } from '../store.ts';
import { type BlockMemory, BlockReader, blockScratch, cachedBytes } from './block-reader.ts';
import { type Decode, decodeAll } from './decode-pace.ts';
import { Directory, EntryMemory } from './directory.ts';
import { Head } from './head.ts';
import { damaged } from './log-head.ts';
import { LogReader, rowBytes } from './log-reader.ts';
import type { RowData } from './log-row.ts';
import { type SealState, StateTable } from './state.ts';
import { defaultTimesBytesMax, newTimesCache } from './time-columns.ts';

/** The head and the caches, shared by the connections of one thread. */
export class SharedIndex {
  readonly head = new Head();
  readonly rows: LruCache<number, RowData>;
  readonly blocks: BlockMemory;
  readonly entries = new EntryMemory();
  /** Signal → the row up to which it was deleted, as of step {@link deletedStep}. */
  deleted: ReadonlyMap<number, number> = new Map();
  deletedStep = -1;

  /** `decode`: may refuse to decode rows and blocks that are not kept. */
  constructor(
    rowBytesMax: number,
    blockBytesMax: number,
    timesBytesMax = defaultTimesBytesMax,
    decode: Decode = decodeAll,
  ) {
    this.rows = new LruCache(rowBytesMax, rowBytes);
    this.blocks = {
      cache: new LruCache(blockBytesMax, cachedBytes),
      scratch: blockScratch(),
      times: newTimesCache(timesBytesMax),
      decode,
    };
  }

  /** Forgets rows of the log up to `sealedSeq`, whose points are in blocks. */
  trim(sealedSeq: number): void {
    if (!this.head.trim(sealedSeq)) return;
    for (const seq of [...this.rows.keys()]) if (seq <= sealedSeq) this.rows.delete(seq);
  }
}

/** A connection that reads snapshots, one at a time. */
export class SnapshotReader {
  readonly log: LogReader;
  readonly blocks: BlockReader;
  readonly directory: Directory;
  /** The cost of reads since the snapshot began. */
  cost: ReadCost = { blocks: 0, points: 0 };
  readonly #db: DatabaseSync;
  readonly #shared: SharedIndex;
  readonly #stateTable: StateTable;
  readonly #selectNewRows: StatementSync;
  #state: SealState = { step: -1, sealedSeq: 0, cycleSeq: 0, cycleSignal: 0, nextBlock: 0, deletedCount: 0 };
  #deleted: ReadonlyMap<number, number> = new Map();

  constructor(db: DatabaseSync, shared: SharedIndex) {
    this.#db = db;
    this.#shared = shared;
    this.log = new LogReader(db, shared.rows, shared.blocks.decode);
    this.blocks = new BlockReader(db, shared.blocks);
    this.directory = new Directory(db);
    this.#stateTable = new StateTable(db);
    this.#selectNewRows = db.prepare('select seq, head from series_log where seq > ? order by seq');
    this.#selectNewRows.setReturnArrays(true);
  }

  /** How far sealing had come in this snapshot. */
  get state(): SealState {
    return this.#state;
  }

  /**
   * Begins a snapshot and updates the head to it. Other snapshots may update the head further, so the caller has to take the
   * parts of the log that it needs before another snapshot can begin. Fails with a `StoredDamage` when the state, or a row of the
   * log that may concern any signal, cannot be read. Returns false, and begins nothing, when the log has more than `newRowsMax`
   * rows that are not in the head yet.
   */
  begin(newRowsMax = Number.POSITIVE_INFINITY): boolean {
    if (!this.follow(newRowsMax)) return false;
    const [seq] = this.#shared.head.unreadable;
    if (seq === undefined) return true;
    const damage = this.log.damageOf(seq) ?? damaged(seq, 'its head differs');
    this.end();
    throw damage;
  }

  /** As {@link begin}, but leaves the handling of unreadable rows to the caller. */
  follow(newRowsMax = Number.POSITIVE_INFINITY): boolean {
    this.#db.exec('begin');
    try {
      this.cost = { blocks: 0, points: 0 };
      this.blocks.begin();
      const isNear = this.#follow(newRowsMax);
      if (!isNear) this.end();
      return isNear;
    } catch (error) {
      this.end();
      throw error;
    }
  }

  /** Ends the snapshot. */
  end(): void {
    if (this.#db.isTransaction) this.#db.exec('commit');
  }

  /** Closes the connection. */
  close(): void {
    this.#db.close();
  }

  /** The row of the log up to which a signal's points are in blocks, or deleted. */
  coveredSeq(signal: number): number {
    const { sealedSeq, cycleSeq, cycleSignal } = this.#state;
    return Math.max(signal <= cycleSignal ? cycleSeq : sealedSeq, this.#deleted.get(signal) ?? 0);
  }

  /** The row of the log up to which a signal's points were deleted. */
  deletedSeq(signal: number): number {
    return this.#deleted.get(signal) ?? 0;
  }

  #follow(newRowsMax: number): boolean {
    const { lastSeq, ...state } = this.#stateTable.read();
    const { head } = this.#shared;
    if (lastSeq - Math.max(head.lastSeq, state.sealedSeq) > newRowsMax) return false;
    this.#state = state;
    this.directory.known = this.#shared.entries.asOf(state.step);
    this.#followDeleted();
    this.#shared.trim(state.sealedSeq);
    if (lastSeq !== head.lastSeq) this.#followLog(lastSeq);
    return true;
  }

  #followLog(lastSeq: number): void {
    const { head } = this.#shared;
    const rows = this.#selectNewRows.iterate(head.lastSeq) as unknown as Iterable<[number, Uint8Array]>;
    head.follow(rows, lastSeq);
  }

  #followDeleted(): void {
    const shared = this.#shared;
    if (shared.deletedStep !== this.#state.step) {
      shared.deleted = this.#stateTable.readDeleted(this.#state);
      shared.deletedStep = this.#state.step;
    }
    this.#deleted = shared.deleted;
  }
}
