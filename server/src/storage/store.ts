/**
 * INTERFACE: the two stores. MetaStore holds integrations, people, signals and items; SeriesStore holds points.
 * Everything above this file works with any pair of them; callers branch on a store's facts, never on its name.
 * Long because it documents every record and call, and an interface is read as a whole.
 */
import type { Buckets } from '#model/bucket';
import type { Grant } from '#model/caller';
import type { ResourceQuery } from '#model/filter';
import type { Points } from '#model/frame';
import type { Person, Session } from '#model/person';
import type { Plan } from '#model/plan';
import type { RetentionRule, RetentionScope } from '#model/retention';
import type { Rollup, Statistic } from '#model/rollup';
import type { SavedView } from '#model/saved-view';
import type { Item, Signal } from '#model/signal';
import type { UsageRow } from '#model/usage';
import type { Window } from '#model/window';

/** A client of the service. */
export interface Integration {
  id: string;
  name: string;
  /** What it may use beside its own `integration` namespace (A5). */
  grants: readonly Grant[];
  /** The name of its plan (L4). */
  plan: string;
  createdAtMs: number;
  /** Since when its credentials are refused (A1b); null: they are not. */
  disabledAtMs: number | null;
}

/** How a credential proves itself (A1). */
export type CredentialType = 'client-credentials' | 'basic-auth';

/** Where a credential was used. */
export interface UsePlace {
  /** An IP address. */
  address: string;
  /** What the client called itself; at most 256 characters. */
  userAgent: string;
}

/** A stored credential; the secret itself is never stored (A4). */
export interface Credential {
  /** The client ID; for `basic-auth` the user name is the integration's ID and this only names the credential. */
  id: string;
  integration: string;
  type: CredentialType;
  label: string;
  /** SHA-256 of the secret, lower-case hex. */
  secretSha256: string;
  createdAtMs: number;
  /** The latest use that was noted, at most a minute behind; null when never used. */
  lastUsedAtMs: number | null;
  /** Where that use came from; null where that is not known. */
  lastUsedFrom: UsePlace | null;
  /** When it stops to be accepted; null: never. */
  expiresAtMs: number | null;
}

/** A key that signs access tokens. The newest signs; every one stored verifies. */
export interface SigningKey {
  id: string;
  /** 32 random bytes, lower-case hex. */
  secret: string;
  createdAtMs: number;
}

/** One administrative act in the audit. domain/audit says what is in it and how rows are chained; a store only keeps them. */
export interface AuditRow {
  /** 1, 2, 3 …, without gaps. */
  seq: number;
  timeMs: number;
  actor: string;
  origin: string;
  /** For example `credential.revoke`. */
  action: string;
  /** What was acted on: an ID or a name. */
  target: string;
  /** What changed, as JSON text. */
  change: string;
  /** {@link hash} of the row before, lower-case hex. */
  previous: string;
  /** SHA-256 of the rest of the row, lower-case hex. */
  hash: string;
}

/** Which rows of the audit. */
export interface AuditQuery {
  /** Newest first; else oldest first. */
  isDescending: boolean;
  /** Only rows above this seq. */
  afterSeq: number;
  /** Only rows below this seq; default any. */
  beforeSeq?: number;
  limit: number;
  /** Only rows with exactly this; null: any. */
  actor: string | null;
  action: string | null;
  target: string | null;
}

/** How many resources an integration has. */
export interface ResourceCounts {
  signals: number;
  /** Items that its signals feed. */
  items: number;
}

/** A signal to be created; the store gives it its number. */
export type NewSignal = Omit<Signal, 'number'>;

/** One page of a query, in the query's order. */
export interface Selected<T> {
  records: T[];
  /** The number of all matches, when the query asked for it or it is known for free; else null. */
  total: number | null;
}

/** An item that is about to be read. */
export interface FedItem extends Item {
  /** The numbers of the signals that feed it, ascending; empty: none does. */
  signals: Source;
}

/** Whose a signal is. */
export interface SignalOwner {
  id: string;
  number: number;
  integration: string;
}

/** Questions to a MetaStore. Every answer is a snapshot of one committed state (inside a write: of that write). */
export interface MetaReads {
  integrations(): Promise<Integration[]>;
  credentials(): Promise<Credential[]>;
  /** When each integration was seen last, ms, also by credentials that are gone; one that never was is left out. */
  lastSeen(): Promise<Map<string, number>>;
  signingKeys(): Promise<SigningKey[]>;
  /** The signals of an integration under these input keys, in no order; unknown keys are left out. */
  signalsByInput(integration: string, inputs: readonly string[]): Promise<Signal[]>;
  /** In no order; unknown IDs are left out. */
  signalsById(ids: readonly string[]): Promise<Signal[]>;
  /** In no order; unknown IDs are left out. */
  itemsById(ids: readonly string[]): Promise<Item[]>;
  /** As {@link itemsById}, with what is needed to read their points. */
  fedItemsById(ids: readonly string[]): Promise<FedItem[]>;
  /** The signals that feed these items, ascending by number. */
  signalsOfItems(items: readonly string[]): Promise<Signal[]>;
  /**
   * Signals of one integration, or of all when it is null. `invalid-params` when the patterns of the filter would look at more
   * than the limit `patternWorkMax`. Aborted outside a write, it rejects with the signal's reason and ends soon.
   */
  selectSignals(
    query: ResourceQuery,
    integration: string | null,
    signal?: AbortSignal,
  ): Promise<Selected<Signal>>;
  /** As {@link selectSignals}. */
  selectItems(query: ResourceQuery, signal?: AbortSignal): Promise<Selected<Item>>;
  /** As {@link selectItems}, with what is needed to read their points. */
  selectFedItems(query: ResourceQuery, signal?: AbortSignal): Promise<Selected<FedItem>>;
  /** Scans the integration's signals in an index. */
  resourceCounts(integration: string): Promise<ResourceCounts>;
  /** All signals, ascending by number. Scans all of them. */
  signalOwners(): Promise<SignalOwner[]>;
  /** By name; the default plan is always among them. */
  plans(): Promise<Plan[]>;
  /** Usage of one integration, or of all when it is null, from a day on; ascending by day, then integration. */
  usage(integration: string | null, fromDay: number): Promise<UsageRow[]>;
  auditRows(query: AuditQuery): Promise<AuditRow[]>;
  /** By scope. */
  retentionRules(): Promise<RetentionRule[]>;
  people(): Promise<Person[]>;
  sessions(): Promise<Session[]>;
  savedViews(): Promise<SavedView[]>;
  /** The preferences of this instance, such as its name, by key. */
  preferences(): Promise<Map<string, string>>;
}

/** Changes to a MetaStore, inside {@link MetaStore.write}. */
export interface MetaWrites extends MetaReads {
  insertIntegration(integration: Integration): Promise<void>;
  /** Replaces name, grants, plan and disabledAtMs. */
  updateIntegration(integration: Integration): Promise<void>;
  /** Records when it was last seen; an earlier time than the stored one is ignored. Subscribers are not notified. */
  noteSeen(id: string, atMs: number): Promise<void>;
  /**
   * Removes it with its credentials, signals and retention rule; items are kept. Returns the numbers of its signals, whose
   * points the caller has to delete.
   */
  deleteIntegration(id: string): Promise<number[]>;
  insertCredential(credential: Credential): Promise<void>;
  /**
   * Replaces label, expiresAtMs and the details of the last use. Subscribers are not notified if only the last use has
   * changed.
   */
  updateCredential(credential: Credential): Promise<void>;
  deleteCredential(id: string): Promise<void>;
  insertSigningKey(key: SigningKey): Promise<void>;
  deleteSigningKey(id: string): Promise<void>;
  /** Numbers ascend in the order given. Fails when an input key is taken. */
  insertSignals(signals: readonly NewSignal[]): Promise<Signal[]>;
  /** Replaces attributes, annotations, item and updatedAtMs, by ID. */
  updateSignals(signals: readonly Signal[]): Promise<void>;
  insertItems(items: readonly Item[]): Promise<void>;
  /** Replaces attributes, annotations, visible and updatedAtMs, by ID. */
  updateItems(items: readonly Item[]): Promise<void>;
  insertPlan(plan: Plan): Promise<void>;
  /** Replaces all but the name. */
  updatePlan(plan: Plan): Promise<void>;
  /** Not to be called while an integration is assigned to it. */
  deletePlan(name: string): Promise<void>;
  /**
   * Adds counts to those stored and returns the sums, in no order. Each pair of integration and day may occur once.
   * Subscribers are not notified.
   */
  addUsage(rows: readonly UsageRow[]): Promise<UsageRow[]>;
  /** Deletes the usage of all days before this one. */
  deleteUsage(beforeDay: number): Promise<void>;
  /** Fails when its seq is taken. */
  insertAuditRow(row: AuditRow): Promise<void>;
  /** Deletes rows up to and including this seq. */
  deleteAuditRows(throughSeq: number): Promise<void>;
  /** Adds a rule, or replaces the one of its scope. Subscribers are not notified. */
  saveRetentionRule(rule: RetentionRule): Promise<void>;
  deleteRetentionRule(scope: RetentionScope): Promise<void>;
  insertPerson(person: Person): Promise<void>;
  /** Replaces all but ID and createdAtMs. */
  updatePerson(person: Person): Promise<void>;
  /** Deletes a person and that person's sessions. */
  deletePerson(id: string): Promise<void>;
  insertSession(session: Session): Promise<void>;
  /** Replaces usedAtMs. Subscribers are not notified. */
  updateSession(session: Session): Promise<void>;
  deleteSession(id: string): Promise<void>;
  /** Adds a view, or replaces all but ID, owner and createdAtMs of the one with its ID. Subscribers are not notified. */
  saveSavedView(view: SavedView): Promise<void>;
  deleteSavedView(id: string): Promise<void>;
  /** Sets one preference. */
  savePreference(key: string, value: string): Promise<void>;
}

/** What has changed: `identity` = integrations, credentials, keys; `signals` = signals and items; `plans` = plans; `people` = people, sessions, preferences. */
export type MetaTopic = 'identity' | 'signals' | 'plans' | 'people';

/**
 * Keeps integrations, credentials, signals, items, plans, usage and the audit.
 *
 * Promises: {@link write} is all or nothing, serialised with every other write of any process, and on disk when its
 * promise resolves; a read that starts afterwards sees it. Subscribers are notified of committed changes, including those of
 * other processes, within a second.
 *
 * Does not promise: an order among concurrent writes; one notification for each change.
 */
export interface MetaStore extends MetaReads {
  /** Runs `work` in one exclusive transaction; a rejection rolls it back and is passed on. Must not be nested. */
  write<T>(work: (tx: MetaWrites) => Promise<T>): Promise<T>;
  /** Calls `listener` after changes. The returned function ends the subscription. */
  subscribe(listener: (topic: MetaTopic) => void): () => void;
  close(): Promise<void>;
}

/** One accepted insert, checked and put in order by domain/ingest. */
export interface Batch {
  /** Strictly ascending, µs, within the range of R3. */
  timesUs: Float64Array;
  /** {@link Signal.number} of each column; a signal occurs once. */
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
  /** Number of calls queued for the writer thread, and for the reader threads, including those being processed. */
  writerQueueLength: number;
  readerQueueLength: number;
  /** How long there has been something to seal, s; 0 when there is nothing. */
  sealLagS: number;
  /** How often sealing has failed since the start. */
  sealFailureCount: number;
  /** Blocks found damaged while merging points into them, since the start; each is logged. */
  damagedBlockCount: number;
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
  /** Bytes on disk, including metadata and free pages; 0 for a store in memory. */
  fileBytes: number;
  /** Of these, bytes that are free and will be reused or returned to the file system. */
  freeBytes: number;
  /** Signals that have points, in blocks or in the log. */
  signals: number;
  /** Blocks, their points, and their bytes without the overhead of the file. */
  blocks: number;
  blockPoints: number;
  blockBytes: number;
  /** Batches that are not in blocks yet, and their size in bytes. */
  logRows: number;
  logBytes: number;
  /** Points in those batches, including points that overwrite others. */
  logPoints: number;
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
   * Fails with `unavailable` when the batch cannot be made durable now (queue full, disk full); nothing is stored then. The
   * store keeps no reference to the batch's arrays after the promise has settled.
   */
  append(batch: Batch): Promise<void>;
  /** Reads raw points. `signal` aborts the read; `onRead` is called with its cost, if the store measures it. */
  scan(request: ScanRequest, signal?: AbortSignal, onRead?: (cost: ReadCost) => void): Promise<Points[]>;
  /** Aggregates computed by the store. Without this method domain/query computes them from {@link scan}. */
  readonly rollup?: (
    request: RollupRequest,
    signal?: AbortSignal,
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
  /** How many points each of these signals has in a window: what {@link deletePoints} would delete. */
  countPoints(signals: readonly number[], window: Window): Promise<number[]>;
  /** The sizes of these signals, in their order; zeros for an unknown signal. Reads no points. */
  sizes(signals: readonly number[], signal?: AbortSignal): Promise<SignalSize[]>;
  /** What is stored, with the `largestMax` largest signals. Scans the directory of blocks, if there is one. */
  stats(largestMax: number): Promise<StoreStats>;
  /** The numbers of all signals with points, ascending; signals whose first points have just been appended may be missing. */
  storedSignals(): Promise<number[]>;
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
  pages: number;
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
  check(onPart?: (part: number) => void): Promise<CheckReport>;
  /** As {@link SeriesStore.stats}. */
  stats(largestMax: number): Promise<StoreStats>;
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
