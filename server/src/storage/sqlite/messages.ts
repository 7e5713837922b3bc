/** What the threads of the store say to one another. */
import type { Points } from '#model/frame';
import type { Rollup } from '#model/rollup';
import type { Window } from '#model/window';
import type { SearchFound, SearchPlan } from '../meta/search.ts';
import type { SqlValue } from '../meta/sql-runner.ts';
import type { ReadCost, RollupRequest, ScanRequest, SignalSize } from '../store.ts';
import type { PackedError } from './errors.ts';
import type { SqlTable } from './sql-table.ts';

/** What a thread is started with. */
export interface ThreadOptions {
  directory: string;
  /** Whether the process serves, and so takes the lock of the data directory. */
  serving: boolean;
  /** Bytes that the file may grow to; Infinity: as much as there is. */
  fileBytesMax: number;
  /** Characters of long texts that one statement may read: the limit `resourceCharactersMax`. */
  textCharactersMax: number;
}

/** A call to a thread, answered by a {@link Reply} with the same ID. */
export interface Call<Body> {
  id: number;
  body: Body;
}

/** The answer to a {@link Call}. */
export type Reply = { id: number; result: unknown } | { id: number; error: PackedError };

/** What the writer thread can be asked beside appends. Statements belong to the transaction that `begin` opened. */
export type WriterCall =
  | { kind: 'append'; buffers: ArrayBuffer[]; headBytes: number[] }
  | { kind: 'begin' }
  | { kind: 'execute'; sql: string; params: readonly SqlValue[] }
  | { kind: 'commit' }
  | { kind: 'rollback' }
  | { kind: 'delete'; signals: readonly number[] }
  | { kind: 'seal'; step: SealStep }
  | { kind: 'erase'; step: EraseStep }
  | { kind: 'trim' }
  | { kind: 'vacuum'; keepPages: number; isIdle: boolean }
  | { kind: 'close' };

/** What the sealer thread can be asked. */
export type SealerCall =
  | { kind: 'look'; isIdle: boolean }
  | { kind: 'step' }
  | { kind: 'plan-erase'; request: EraseRequest }
  | { kind: 'close' };

/** What a look at the log found. */
export interface SealLook {
  isDue: boolean;
  /** Bytes of the log that are not sealed, about. */
  backlogBytes: number;
}

/** An entry of the directory that goes, with its block. */
export interface RemovedEntry {
  signal: number;
  firstUs: number;
  block: number;
  count: number;
  bytes: number;
}

/** An entry of the directory that comes. */
export interface AddedEntry {
  signal: number;
  firstUs: number;
  block: number;
  count: number;
  bytes: number;
  /** The values of the directory's columns. */
  row: (number | null)[];
}

/** Blocks that one transaction removes and adds. */
export interface BlockChanges {
  nextBlock: number;
  removed: RemovedEntry[];
  added: AddedEntry[];
  /** The added blocks behind one another. */
  data: ArrayBuffer;
  /** Points that fall into blocks which cannot be read: they stay in the log. */
  stranded: StrandedPoints[];
  /** What is damaged, each by its name. */
  damage: string[];
}

/** One short transaction of sealing. */
export interface SealStep extends BlockChanges {
  /** The step of the state that it was made for; in any other it is void. */
  step: number;
  /** The cycle seals rows up to this one … */
  cycleSeq: number;
  /** … and is done with signals up to this one, … */
  cycleSignal: number;
  /** … or with all. */
  isFinished: boolean;
  /** With the last step: rows of the cycle that cannot be read. They are set aside as rows of their own at the log's end. */
  setAside: { seq: number /** Those that its points still count for. */; signals: number[] }[];
}

/** Points that become a row of the log of their own: of all rows up to `throughSeq` the newest values. */
export interface StrandedPoints {
  signal: number;
  points: Points;
  throughSeq: number;
}

/** One short transaction of a deletion of points. */
export interface EraseStep extends BlockChanges {
  /** As in {@link SealStep}. */
  step: number;
  /** Signals whose rows of the log up to `throughSeq` no longer count: what is left of them is in the added blocks. */
  covered: { signal: number; throughSeq: number }[];
}

/** Points to be deleted. */
export interface EraseRequest {
  signals: readonly number[];
  window: Window;
  /** Points after which a step ends: it is made again when another process has changed something. */
  pointsMax: number;
  /** Whether null may be answered: the log is so long that it should be sealed first. */
  mayDefer: boolean;
}

/** How far a step of deletion comes. */
export interface EraseAnswer {
  /** Null when there is nothing to change. */
  step: EraseStep | null;
  /** Points deleted of the first signals … */
  counts: number[];
  /** … of which so many are done; the next one is done up to `startUs`, if that is not null. */
  doneCount: number;
  startUs: number | null;
}

/** A request of points. */
export type SeriesBody =
  | { kind: 'scan'; request: ScanRequest }
  | { kind: 'rollup'; request: RollupRequest }
  | { kind: 'sizes'; signals: readonly number[] };

/**
 * The state that a request of several threads sees in one of them. Where `step` is the same, blocks and deletions are, and so
 * all see the same up to the smallest of their `lastSeq`.
 */
export interface PreparedState {
  step: number;
  lastSeq: number;
}

/** A request of several threads that has begun in one of them. */
export interface PreparedRequest {
  state: PreparedState;
  /** Null when the state is not the expected one: the request is held then. */
  answer: Found<Rollup[]> | null;
}

/** What a reader thread can be asked. */
export type ReaderCall =
  | { kind: 'sql'; sql: string; params: readonly SqlValue[] }
  | SeriesBody
  | { kind: 'prepare'; body: SeriesBody; expected: PreparedState | null }
  | { kind: 'run'; prepared: number; horizonSeq: number }
  | { kind: 'search'; plan: SearchPlan }
  | { kind: 'match'; pattern: string; texts: readonly string[] }
  | { kind: 'cancel'; call: number }
  | { kind: 'close' };

/** What a request has found, and what that took. */
export interface Found<T> {
  found: T;
  cost: ReadCost;
}

/** What each call gives. */
export interface CallResults {
  append: null;
  begin: null;
  execute: SqlTable;
  commit: null;
  rollback: null;
  delete: null;
  close: null;
  sql: SqlTable;
  search: SearchFound;
  match: boolean[];
  scan: Found<Points[]>;
  rollup: Found<Rollup[]>;
  sizes: SignalSize[];
  prepare: PreparedRequest;
  run: Found<Rollup[]>;
  cancel: null;
  seal: boolean;
  erase: boolean;
  'plan-erase': EraseAnswer | null;
  trim: boolean;
  vacuum: boolean;
  look: SealLook;
  step: SealStep | null;
}
