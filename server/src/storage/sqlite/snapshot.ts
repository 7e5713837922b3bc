/** One committed state of the store, read in one transaction: everything that a request is answered from. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ReadCost } from '../store.ts';
import { type BlockMemory, BlockReader, blockScratch, pointsBytes } from './block-reader.ts';
import { ByteCache } from './byte-cache.ts';
import { Directory } from './directory.ts';
import { Head } from './head.ts';
import { LogReader, rowBytes } from './log-reader.ts';
import type { RowData } from './log-row.ts';

/** How far sealing has come. Signals up to `cycleSignal` are sealed up to row `cycleSeq`, all others up to `sealedSeq`. */
export interface SealState {
  /** Counts changes of the directory. */
  step: number;
  sealedSeq: number;
  cycleSeq: number;
  cycleSignal: number;
  nextBlock: number;
}

/** What the connections of one thread share: the head and the caches. */
export class SharedIndex {
  readonly head = new Head();
  readonly rows: ByteCache<RowData>;
  readonly blocks: BlockMemory;
  /** Signal → row up to which it was deleted, at step {@link deletedStep}. */
  deleted: ReadonlyMap<number, number> = new Map();
  deletedStep = -1;

  constructor(rowBytesMax: number, blockBytesMax: number) {
    this.rows = new ByteCache(rowBytesMax, rowBytes);
    this.blocks = { cache: new ByteCache(blockBytesMax, pointsBytes), scratch: blockScratch() };
  }
}

/** A connection that reads snapshots, one at a time. */
export class SnapshotReader {
  readonly log: LogReader;
  readonly blocks: BlockReader;
  readonly directory: Directory;
  /** What was read since the snapshot began. */
  cost: ReadCost = { blocks: 0, points: 0 };
  readonly #db: DatabaseSync;
  readonly #shared: SharedIndex;
  readonly #selectState: StatementSync;
  readonly #selectDeleted: StatementSync;
  readonly #selectNewRows: StatementSync;
  #state: SealState = { step: -1, sealedSeq: 0, cycleSeq: 0, cycleSignal: 0, nextBlock: 0 };
  #deleted: ReadonlyMap<number, number> = new Map();

  constructor(db: DatabaseSync, shared: SharedIndex) {
    this.#db = db;
    this.#shared = shared;
    this.log = new LogReader(db, shared.rows);
    this.blocks = new BlockReader(db, shared.blocks);
    this.directory = new Directory(db);
    this.#selectState = db.prepare(
      `select step, sealed_seq as sealedSeq, cycle_seq as cycleSeq, cycle_signal as cycleSignal,
         next_block as nextBlock from series_state`,
    );
    this.#selectDeleted = db.prepare('select signal, through_seq from series_deleted');
    this.#selectDeleted.setReturnArrays(true);
    this.#selectNewRows = db.prepare('select seq, head from series_log where seq > ? order by seq');
    this.#selectNewRows.setReturnArrays(true);
  }

  /** How far sealing had come in this snapshot. */
  get state(): SealState {
    return this.#state;
  }

  /**
   * Begins a snapshot, and moves the head to it. The head may move on before the snapshot ends: take the parts of the log
   * that are needed before anything else can begin another one.
   */
  begin(): void {
    this.#db.exec('begin');
    this.cost = { blocks: 0, points: 0 };
    this.blocks.begin();
    this.#state = this.#selectState.get() as unknown as SealState;
    this.#followDeleted();
    const { head } = this.#shared;
    head.trim(this.#state.sealedSeq);
    for (const row of this.#selectNewRows.iterate(head.lastSeq)) {
      const [seq, headBytes] = row as unknown as [number, Uint8Array];
      head.add(seq, headBytes);
    }
  }

  /** Ends the snapshot. */
  end(): void {
    if (this.#db.isTransaction) this.#db.exec('commit');
  }

  /** Ends the connection. */
  close(): void {
    this.#db.close();
  }

  /** The row of the log up to which a signal's points are in blocks, or deleted. */
  coveredSeq(signal: number): number {
    const { sealedSeq, cycleSeq, cycleSignal } = this.#state;
    return Math.max(signal <= cycleSignal ? cycleSeq : sealedSeq, this.#deleted.get(signal) ?? 0);
  }

  #followDeleted(): void {
    const shared = this.#shared;
    if (shared.deletedStep !== this.#state.step) {
      shared.deleted = new Map(this.#selectDeleted.all() as unknown as [number, number][]);
      shared.deletedStep = this.#state.step;
    }
    this.#deleted = shared.deleted;
  }
}
