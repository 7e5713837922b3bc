/**
 * INTERFACE: SeriesStore, which holds points, and StoreFiles, which inspects and copies the files of a store. Callers branch
 * on a store's facts, never on its name. Long because it documents every record and call, and an interface is read as a whole.
 */
import type { Buckets } from '#model/bucket';
import type { Ending } from '#model/ending';
import type { Points } from '#model/frame';
import type { Rollup, Statistic } from '#model/rollup';
import type { Window } from '#model/window';
import type { AuditRow } from './meta-store.ts';

/** One accepted insert, checked and put in order by domain/ingest. */
export interface Batch {
  /** Strictly ascending, µs, within the range of R3. */
  timesUs: Float64Array;
  /** {@link Signal.number} of each column; a signal occurs once. The array must not be changed later. */
  signals: readonly number[];
  /**
   * The columns, concatenated: row r of column c is at `c * timesUs.length + r`; NaN leaves the stored value unchanged.
   * One array for all columns, since a batch of a large plant may have a thousand columns of one value each.
   */
  values: Float64Array;
}

/** One series to read: the union of these signals' points; at the same time the last signal listed wins (Q14: ascending by number). */
export type Source = readonly number[];

/** A request for raw points. */
export interface ScanRequest {
  sources: readonly ScanSource[];
  /** A store may fail with `invalid-params` as soon as it knows that there are more points than this in total (L3). */
  valuesMax?: number;
}

/** One source of a {@link ScanRequest}. */
export interface ScanSource {
  signals: Source;
  window: Window;
  /** Whether to include the newest point before the window, if there is one. It comes first. */
  before: boolean;
  /** Whether to include the oldest point at or after the window's end, if there is one. It comes last. */
  after: boolean;
}

/** A request for aggregates, all over the same buckets. */
export interface RollupRequest {
  sources: readonly RollupSource[];
  buckets: Buckets;
  /** The current time: the state of a signal's newest point ends then, unless the point is later (Q10). */
  nowUs: number;
  /** A store fails with `invalid-params` when the states seen in one source produce more values than this (L3). */
  valuesMax?: number;
}

/** One source of a {@link RollupRequest}. */
export interface RollupSource {
  signals: Source;
  /** Only points inside the window count, even where a bucket extends beyond it (Q4). */
  window: Window;
  statistics: readonly Statistic[];
  /** The states whose durations are requested: these (possibly none), or each state that holds at some time in the window. */
  states: readonly number[] | 'seen';
  /** How long a state lasts without a further point, µs; Infinity: until the next point (Q10). */
  gapUs: number;
}

/** Operational figures of a store, for monitoring. */
export interface StoreFigures {
  /** Size of the store's file in bytes. */
  fileBytes: number;
  /** Size of the write-ahead log in bytes: recent commits that have not been copied into the file yet. */
  walBytes: number;
  /** Bytes of accepted batches that are not in blocks yet. */
  logBytes: number;
  /** Bytes of batches that are waiting to be written to disk. */
  queueBytes: number;
  /** Number of calls of this thread queued for the writer thread, and for the reader threads, including those being processed. */
  writerQueueLength: number;
  readerQueueLength: number;
  /** How long there has been something to seal, s; 0 when there is nothing. */
  sealLagS: number;
  /** How often sealing has failed since the start. */
  sealFailureCount: number;
  /** Blocks found damaged while merging points into them, since the start; each is logged. */
  damagedBlockCount: number;
  /** Free space on the disks of the servers that keep the points; without it this machine keeps them, or they do not say. */
  freeBytes?: number;
}

/** How much is stored of one signal. */
export interface SignalSize {
  /** Points. A recent point that overwrites another may be counted in addition to it until both are merged. */
  points: number;
  /** Bytes that they take on disk; 16 for each point that is not in a block yet. */
  bytes: number;
}

/** What a store holds of one signal in blocks. */
export interface SignalStats {
  signal: number;
  points: number;
  blocks: number;
  bytes: number;
}

/** What a store holds. */
export interface StoreStats {
  /** Bytes on disk, including metadata and free pages. */
  fileBytes: number;
  /** Of these, bytes that are free and will be reused or returned to the file system. */
  freeBytes: number;
  /** Signals that have points, in blocks or in the log. */
  signals: number;
  /** Blocks, their points, and their bytes without the overhead of the file. */
  blocks: number;
  blockPoints: number;
  blockBytes: number;
  /** Columns of times that several blocks share, and their bytes, which are not in `blockBytes`. */
  timeColumns: number;
  timeColumnBytes: number;
  /** Batches that are not in blocks yet, and their size in bytes. */
  logRows: number;
  logBytes: number;
  /** Points in those batches, including points that overwrite others. */
  logPoints: number;
  /** Bytes of batches that are in blocks already, and are kept for those who follow the inserts. */
  keptBytes: number;
  /** The signals with the most bytes in blocks, largest first. */
  largest: SignalStats[];
}

/** The cost of a read, for finding out why it was slow. */
export interface ReadCost {
  /** Blocks that were decompressed; blocks answered from their statistics alone do not count. */
  blocks: number;
  /** Points read, from those blocks and from the log. */
  points: number;
}

/** A place in the sequence of batches that a store has made durable. It means nothing to another store, or to one that was restored. */
export interface ChangePosition {
  /**
   * Of the last batch that lies before the place, wholly or in part. Later batches have greater numbers, whichever thread or node
   * stored them.
   */
  seq: number;
  /** Tells this batch from one that another store has under the same number; 0 where nothing is known of it. */
  mark: number;
  /** 0: the whole batch lies before the place; else a number that tells how much of it does, and grows with that. */
  row: number;
}

/** Points of one signal out of one batch, as they were inserted: times strictly ascending, each with a finite value. */
export interface ChangedPoints extends Points {
  signal: number;
}

/** What a batch, or some rows of it, brought of the signals that were asked for. */
export interface ChangedBatch {
  /** The place after it. */
  position: ChangePosition;
  points: readonly ChangedPoints[];
}

/** A part of the sequence. */
export interface Changes {
  /** In the order of the sequence, only those with points of the signals. */
  batches: readonly ChangedBatch[];
  /** Everything before this place has been looked at. */
  position: ChangePosition;
  /** Whether there is more. */
  hasMore: boolean;
}

/**
 * The sequence of batches, for those who follow it.
 *
 * Promises: every batch is in it once, those of other threads and processes too, soon after its {@link SeriesStore.append} resolves;
 * a place stays valid over restarts for as long as the batches after it are kept, on every node. Each call is bounded in time and
 * size.
 *
 * Does not promise: how long batches are kept. Deletions are not in the sequence: a store may forget its batches when points are
 * deleted, or leave these points out. A store with {@link SeriesStore.mayStoreInPart} may leave out a point that a later batch has
 * overwritten, and have a batch in part that was refused.
 */
export interface SeriesChanges {
  /** The place after the newest batch. */
  now(): Promise<ChangePosition>;
  /** What came after a place; null when the store has no longer all of it, or when the place is not one of this store. */
  since(after: ChangePosition, signals: ReadonlySet<number>): Promise<Changes | null>;
  /** Calls `listener` soon after this service stored batches; what other programs stored is found by asking. The returned function ends it. */
  subscribe(listener: () => void): () => void;
}

/**
 * Keeps points: for each signal number a map from time (µs) to a finite number.
 *
 * Promises: a resolved {@link append} survives the loss of power, and every read that starts afterwards, from any thread
 * or process, sees it; the last append to resolve wins at a time; a batch is stored whole or not at all. Reads answer in
 * the order of `sources`, times strictly ascending. A read sees each batch whole or not at all.
 *
 * Does not promise: an order between concurrent appends.
 */
export interface SeriesStore {
  /**
   * Whether an append that failed with `unavailable` may have stored some of its points, which reads may see then. Only a
   * store on several servers has this; sending the batch again makes it whole. Such a store does not promise either that a
   * read sees a batch whole that another process is writing at that time.
   */
  readonly mayStoreInPart?: boolean;
  /**
   * Fails with `unavailable` when the batch cannot be made durable now (queue full, disk full); nothing is stored then, except as
   * {@link mayStoreInPart} says. The
   * store keeps no reference to the batch's arrays after the promise has settled.
   */
  append(batch: Batch): Promise<void>;
  /** Whether nothing else uses the arrays that {@link scan} gives, so that they may be freed. */
  readonly givesArraysAlone?: boolean;
  /** Reads raw points. `ending` aborts the read; `onRead` is called with its cost, if the store measures it. */
  scan(request: ScanRequest, ending?: Ending, onRead?: (cost: ReadCost) => void): Promise<Points[]>;
  /** Aggregates computed by the store. Without this method domain/query computes them from {@link scan}. */
  readonly rollup?: (
    request: RollupRequest,
    ending?: Ending,
    onRead?: (cost: ReadCost) => void,
  ) => Promise<Rollup[]>;
  /** Deletes all points of these signals; durable when it resolves. */
  deleteSignals(signals: readonly number[]): Promise<void>;
  /**
   * Deletes the points of these signals in a window, and returns how many of each it has deleted. Reads that start afterwards
   * see none of them. While it runs, reads may see some of the points; after a failure some may be gone, and the call can be
   * repeated. Points that are appended while it runs may be kept.
   */
  deletePoints(signals: readonly number[], window: Window): Promise<number[]>;
  /**
   * Deletes the points of all signals before a time, where a store can do that for less than {@link deletePoints} of each. Durable
   * when it resolves. Of points before that time that are appended while it runs some may be deleted.
   */
  readonly deleteBefore?: (beforeUs: number) => Promise<void>;
  /** How many points each of these signals has in a window: what {@link deletePoints} would delete. */
  countPoints(signals: readonly number[], window: Window): Promise<number[]>;
  /** The sizes of these signals, in their order; zeros for an unknown signal. Reads no points. */
  sizes(signals: readonly number[], signal?: AbortSignal): Promise<SignalSize[]>;
  /** The numbers of all signals with points, ascending; signals whose first points have just been appended may be missing. */
  storedSignals(): Promise<number[]>;
  /** The sequence of batches, if the store has one; without it nothing can be followed. */
  readonly changes?: SeriesChanges;
  /**
   * What is wrong with each part of the store, null where nothing is: parts keep different signals and fail by themselves. A store
   * that answers as a whole or not at all has none. Takes less than two seconds.
   */
  readonly partProblems?: () => Promise<(string | null)[]>;
  /** Operational figures, if the store has any. Cheap: reads no stored data. */
  readonly figures?: () => Promise<StoreFigures>;
  close(): Promise<void>;
}

/** What a check of a store's file found. */
export interface CheckReport {
  /** What is wrong, a line each; empty: nothing. */
  problems: string[];
  /** Irregularities that do no harm. */
  notes: string[];
  /** Size of the file. */
  fileBytes: number;
  /** Signals with points, in blocks or in the log. */
  signals: number;
  blocks: number;
  /** Points in blocks, and points that are only in the log. */
  points: number;
  logPoints: number;
  logRows: number;
}

/** A signal by its integration and its ID. */
export interface SignalName {
  id: string;
  integration: string;
  input: string;
}

/** One committed state of a store's file. Its calls block the thread while they work. */
export interface StoreInspection {
  /** Checks for damage; `onPart` is called with the part that has been checked, 0..1. */
  check(onPart?: (part: number) => void): CheckReport;
  /** What is stored, with the `largestMax` largest signals. Reads the directory of blocks and the log. */
  stats(largestMax: number): StoreStats;
  /** The name of the signal with a number; null when there is none. */
  signalName(signal: number): SignalName | null;
  /** The rows of the audit, oldest first. */
  auditRows(): Generator<AuditRow, void, undefined>;
  close(): void;
}

/** Options of a backup. */
export interface BackupOptions {
  /** Bytes a second at most; Infinity: as fast as the disk. */
  bytesPerSMax: number;
  /** Called after each step. */
  onProgress(copiedBytes: number, totalBytes: number): void;
}

/**
 * Inspects and copies the files of stores without writing to them, so that a service can run at the same time. Calls fail
 * with `conflict` when a file is missing, is not a store of this program, or was written by a newer release.
 */
export interface StoreFiles {
  /** The file of the store in a data directory. */
  fileIn(directory: string): string;
  inspect(file: string): StoreInspection;
  /**
   * Writes the present state of a data directory to `file`, replacing what is there; resolves with the number of bytes when it
   * is on disk. Blocks the thread.
   */
  backUp(directory: string, file: string, options: BackupOptions): Promise<number>;
  /** Renames a file that has been synced to disk, replacing an existing file of that name. */
  rename(from: string, to: string): void;
  /** Makes the checks of {@link restore} without changing anything, and fails in the same way. */
  requireRestorable(file: string, directory: string): void;
  /**
   * Creates a data directory from a backup. `complete` gets a staging directory with the store, which it may change and must
   * close before it resolves; then the store is moved to its place. Fails with `conflict` when the directory is in use or not
   * empty. After a failure there is no store in the directory; the next call removes what an interrupted one has left.
   */
  restore(file: string, directory: string, complete: (staging: string) => Promise<void>): Promise<void>;
}
