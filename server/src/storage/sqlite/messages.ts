/** The messages between the threads of the store. */
import type { MessagePort } from 'node:worker_threads';
import type { Buckets, UniformBuckets } from '#model/bucket';
import type { Points } from '#model/frame';
import type { Rollup } from '#model/rollup';
import type { Window } from '#model/window';
import type { SearchFound, SearchPlan } from '../meta/search.ts';
import type { SqlValue } from '../meta/sql-runner.ts';
import type { ReadCost, RollupRequest, ScanRequest, SignalSize, StoreFigures } from '../store.ts';
import type { PackedError } from './errors.ts';
import type { SqlTable } from './sql-table.ts';

/** The calls of each thread, by its role. */
export interface ThreadCalls {
  writer: WriterCall;
  reader: ReaderCall;
  sealer: SealerCall;
}

/** What a thread does. */
export type ThreadRole = keyof ThreadCalls;

/** What a thread is started with. */
export interface ThreadData {
  role: ThreadRole;
  options: ThreadOptions;
}

/** Options of a thread. */
export interface ThreadOptions {
  directory: string;
  /** Whether the process is a service, which takes the lock of the data directory. */
  serving: boolean;
  /** Maximum size of the file in bytes; Infinity: no limit. */
  fileBytesMax: number;
  /** Maximum number of characters of long texts that one statement may read: the limit `resourceCharactersMax`. */
  textCharactersMax: number;
}

/** A call to a thread, answered by a {@link Reply} with the same ID. */
export interface Call<Body> {
  id: number;
  body: Body;
}

/** The answer to a {@link Call}. */
export type Reply = { id: number; result: unknown } | { id: number; error: PackedError };

/** Where a thread sends its replies. */
export interface Answers {
  /** Buffers in `transfer` are transferred, not copied. */
  reply<Kind extends keyof CallResults>(
    id: number,
    result: CallResults[Kind],
    transfer?: ArrayBuffer[],
  ): void;
  replyError(id: number, error: unknown): void;
  /** Stops receiving calls, so that the thread can end. */
  end(): void;
}

/** Prepares a thread, and returns the function that serves its calls. */
export type Serve<Body> = (options: ThreadOptions, answers: Answers) => (call: Call<Body>) => void;

/** A statement and what is bound to it. */
export interface SqlStatement {
  sql: string;
  params: readonly SqlValue[];
}

/** A step of a transaction: a statement, or the caller's next read ahead of it, which must have the same result still. */
export type TransactionStep = SqlStatement | 'read';

/** What a transaction does after its steps. `open`: it waits for more statements. */
export type StepsEnd = 'commit' | 'rollback' | 'open';

/**
 * Calls to the writer thread. `read`: a read ahead of the caller's next transaction. `transact`: a transaction, with the steps that
 * the caller knows; null if a read has another result by now, and then nothing is left of it. `execute`: a statement of the
 * transaction that is open; the last one is committed with it.
 */
export type WriterCall =
  | { kind: 'append'; buffers: ArrayBuffer[]; headBytes: number[] }
  | ({ kind: 'read' } & SqlStatement)
  | { kind: 'transact'; steps: readonly TransactionStep[]; end: StepsEnd }
  | ({ kind: 'execute'; isLast: boolean } & SqlStatement)
  | { kind: 'commit' }
  | { kind: 'rollback' }
  | { kind: 'delete'; signals: readonly number[] }
  | { kind: 'seal'; step: SealStep }
  | {
      kind: 'erase';
      step: EraseStep /** Whether points are deleted, not only stored in another way. */;
      isDeletion: boolean;
    }
  | { kind: 'trim' }
  | { kind: 'vacuum'; keepBytes: number; isIdle: boolean }
  | { kind: 'close' };

/** Calls to the sealer thread. */
export type SealerCall =
  | { kind: 'look'; isIdle: boolean; mayWait: boolean }
  | { kind: 'step' }
  | { kind: 'plan-erase'; request: EraseRequest }
  | { kind: 'share-times' /** Whether the step before it was applied. */; isApplied: boolean }
  | { kind: 'close' };

/** Calls of other service threads to the thread that has opened the store. */
export type OwnerCall =
  | { kind: 'space'; bytes: number }
  | { kind: 'appended'; bytes: number; batches: number }
  | { kind: 'damage'; damage: readonly string[] }
  | { kind: 'erase-all'; signals: readonly number[]; window: Window }
  | { kind: 'give-back' }
  | { kind: 'seal-figures' }
  | { kind: 'matcher'; port: MessagePort };

/** The result of checking whether sealing is due. */
export interface SealLook {
  isDue: boolean;
  /** Whether it is due, and no cycle was begun because it may wait. */
  isWaiting: boolean;
  /** Approximate number of unsealed bytes of the log. */
  backlogBytes: number;
}

/** An entry of the directory, to be removed with its block. */
export interface RemovedEntry {
  signal: number;
  firstUs: number;
  block: number;
  count: number;
  bytes: number;
}

/** An entry to be added to the directory. */
export interface AddedEntry extends RemovedEntry {
  /** The values of the directory's columns. */
  row: (number | null)[];
}

/** Blocks that one transaction removes and adds. */
export interface BlockChanges {
  nextBlock: number;
  removed: RemovedEntry[];
  added: AddedEntry[];
  /** Time columns to which added blocks are the first to refer. */
  columns: { id: number; bytes: number }[];
  /** The added blocks and then the columns, concatenated. */
  data: ArrayBuffer;
  /** Points within the time ranges of damaged blocks: they stay in the log. */
  stranded: StrandedPoints[];
  /** Descriptions of damaged blocks and rows. */
  damage: string[];
}

/** One short transaction of sealing. */
export interface SealStep extends BlockChanges {
  /** The `step` of the state that it was computed from; the writer rejects it in any other state. */
  step: number;
  /** The cycle seals rows up to this one. */
  cycleSeq: number;
  /** After this step, signals up to this number are sealed. */
  cycleSignal: number;
  /** Whether this is the last step of the cycle. */
  isFinished: boolean;
  /** In the last step: the cycle's unreadable rows, which are replaced by rows at the end of the log. */
  setAside: { seq: number /** The signals for which its points still count. */; signals: number[] }[];
}

/** Points to be stored in a new row of the log, with the newest values of all rows up to `throughSeq`. */
export interface StrandedPoints {
  signal: number;
  points: Points;
  throughSeq: number;
}

/** One short transaction of a deletion of points. */
export interface EraseStep extends BlockChanges {
  /** As in {@link SealStep}. */
  step: number;
  /** Signals whose points in rows up to `throughSeq` no longer count; the remaining points are in the added blocks. */
  covered: { signal: number; throughSeq: number }[];
}

/** Points to be deleted. */
export interface EraseRequest {
  signals: readonly number[];
  window: Window;
  /** Approximate maximum number of points of a step, which is computed again when another process has changed the state. */
  pointsMax: number;
  /** Whether the answer may be null, which means that the log is so long that it should be sealed first. */
  mayDefer: boolean;
}

/** A step of a deletion, and its progress. */
export interface EraseAnswer {
  /** Null when there is nothing to change. */
  step: EraseStep | null;
  /** Points deleted of each of the first signals. */
  counts: number[];
  /** How many signals are done; the next one is done up to `startUs`, if that is not null. */
  doneCount: number;
  startUs: number | null;
}

/** The part of {@link StoreFigures} that sealing provides. */
export type SealFigures = Pick<
  StoreFigures,
  'logBytes' | 'sealLagS' | 'sealFailureCount' | 'damagedBlockCount'
>;

/** A rollup on its way to another thread, for which millions of edges would be copied. */
export type SentRollup = Omit<RollupRequest, 'buckets'> & { buckets: Buckets | UniformBuckets };

/** A request for points. */
export type SeriesBody =
  | { kind: 'scan'; request: ScanRequest }
  | { kind: 'rollup'; request: SentRollup }
  | { kind: 'sizes'; signals: readonly number[] };

/**
 * The state that a request shared by several threads sees in one of them. If `step` is equal in all of them, blocks and
 * deletions are equal too, and all see the same data up to the smallest `lastSeq`.
 */
export interface PreparedState {
  step: number;
  lastSeq: number;
}

/** One thread's part of a request that is shared by several threads, after it has begun. */
export interface PreparedRequest {
  state: PreparedState;
  /** Null when the state is not the expected one; then the request is on hold. */
  answer: Found<Rollup[]> | null;
}

/** Calls to a reader thread. */
export type ReaderCall =
  | { kind: 'sql'; sql: string; params: readonly SqlValue[] }
  | SeriesBody
  | { kind: 'prepare'; body: SeriesBody; expected: PreparedState | null }
  | { kind: 'run'; prepared: number; horizonSeq: number }
  | { kind: 'search'; plan: SearchPlan }
  | { kind: 'match'; pattern: string; texts: readonly string[] }
  | { kind: 'cancel'; call: number }
  | { kind: 'close' };

/** The result of a request, and its cost. */
export interface Found<T> {
  found: T;
  cost: ReadCost;
}

/** The results of calls; null where there is none. */
export type CallResults = Results & { [Kind in Exclude<AnyCall['kind'], keyof Results>]: null };

type AnyCall = WriterCall | ReaderCall | SealerCall | OwnerCall;

interface Results {
  read: SqlTable;
  transact: SqlTable | null;
  execute: SqlTable;
  sql: SqlTable;
  search: SearchFound;
  match: boolean[];
  scan: Found<Points[]>;
  rollup: Found<Rollup[]>;
  sizes: SignalSize[];
  prepare: PreparedRequest;
  run: Found<Rollup[]>;
  seal: boolean;
  erase: boolean;
  'plan-erase': EraseAnswer | null;
  'share-times': EraseStep | null;
  trim: boolean;
  vacuum: boolean;
  look: SealLook;
  step: SealStep | null;
  'erase-all': number[];
  'seal-figures': SealFigures;
}
