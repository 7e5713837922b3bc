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

/** One signal that feeds an item. */
export interface ItemFeed {
  item: string;
  /** {@link Signal.number}. */
  number: number;
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
  /** The signals that feed these items, ascending by number. */
  signalsOfItems(items: readonly string[]): Promise<Signal[]>;
  /** Of the same signals, in the same order, what is needed to read their points. Costs less. */
  feedsOfItems(items: readonly string[]): Promise<ItemFeed[]>;
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
  /** Costs a walk over the integration's signals in an index. */
  resourceCounts(integration: string): Promise<ResourceCounts>;
  /** All signals, ascending by number. Costs a walk over them. */
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
  /** What has been chosen for this instance, such as its name, by key. */
  preferences(): Promise<Map<string, string>>;
}

/** Changes to a MetaStore, inside {@link MetaStore.write}. */
export interface MetaWrites extends MetaReads {
  insertIntegration(integration: Integration): Promise<void>;
  /** Replaces name, grants, plan and disabledAtMs. */
  updateIntegration(integration: Integration): Promise<void>;
  /** Notes when it was seen; an earlier time than the known one changes nothing. Subscribers are not notified. */
  noteSeen(id: string, atMs: number): Promise<void>;
  /** Removes it with its credentials, signals and rule of retention; items stay. Its signals' numbers are given back: their points are to be deleted. */
  deleteIntegration(id: string): Promise<number[]>;
  insertCredential(credential: Credential): Promise<void>;
  /** Replaces label, expiresAtMs and what is known of the last use. A change of the last use alone is not told to subscribers. */
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
  /** Adds counts to those stored; the sums, in no order. An integration and day occurs once. Subscribers are not told. */
  addUsage(rows: readonly UsageRow[]): Promise<UsageRow[]>;
  /** Forgets the usage of all days before this one. */
  deleteUsage(beforeDay: number): Promise<void>;
  /** Fails when its seq is taken. */
  insertAuditRow(row: AuditRow): Promise<void>;
  /** Forgets rows up to this seq. */
  deleteAuditRows(throughSeq: number): Promise<void>;
  /** Adds a rule, or replaces the one of its scope. Subscribers are not told. */
  saveRetentionRule(rule: RetentionRule): Promise<void>;
  deleteRetentionRule(scope: RetentionScope): Promise<void>;
  insertPerson(person: Person): Promise<void>;
  /** Replaces all but ID and createdAtMs. */
  updatePerson(person: Person): Promise<void>;
  /** Removes it with its sessions. */
  deletePerson(id: string): Promise<void>;
  insertSession(session: Session): Promise<void>;
  /** Replaces usedAtMs; subscribers are not told. */
  updateSession(session: Session): Promise<void>;
  deleteSession(id: string): Promise<void>;
  /** Adds a view, or replaces all but ID, owner and createdAtMs of the one with its ID. Subscribers are not told. */
  saveSavedView(view: SavedView): Promise<void>;
  deleteSavedView(id: string): Promise<void>;
  /** Sets one preference. */
  savePreference(key: string, value: string): Promise<void>;
}

/** What a change was about: `identity` = integrations, credentials, keys; `signals` = signals and items; `plans` = plans; `people` = people, sessions, preferences. */
export type MetaTopic = 'identity' | 'signals' | 'plans' | 'people';

/**
 * Keeps integrations, credentials, signals, items, plans, usage and the audit.
 *
 * Promises: {@link write} is all or nothing, serialised with every other write of any process, and on disk when its
 * promise resolves; a read that starts afterwards sees it. A subscriber hears of a committed change, also one of another
 * process, within a second.
 *
 * Does not promise: an order among concurrent writes; that a listener hears each change singly.
 */
export interface MetaStore extends MetaReads {
  /** Runs `work` in one exclusive transaction; a rejection rolls it back and is passed on. Not to be nested. */
  write<T>(work: (tx: MetaWrites) => Promise<T>): Promise<T>;
  /** Calls `listener` after changes; the function it returns ends that. */
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
   * The columns behind one another: row r of column c at `c * timesUs.length + r`; NaN leaves what is stored untouched.
   * One array for all, since a moment of a large plant has a thousand columns of one value.
   */
  values: Float64Array;
}

/** One series to read: the union of these signals' points; at the same time the last signal listed wins (Q14: ascending by number). */
export type Source = readonly number[];

/** Raw points wanted. */
export interface ScanRequest {
  sources: readonly ScanSource[];
  /** A store may give up with `invalid-params` once it knows that there are more points than this in all (L3). */
  valuesMax?: number;
}

/** Raw points of one source. */
export interface ScanSource {
  signals: Source;
  window: Window;
  /** Also the newest point before the window, if there is one. It comes first; its time tells it apart. */
  before: boolean;
  /** Also the oldest point at or after the window's end. It comes last; its time tells it apart. */
  after: boolean;
}

/** Aggregates wanted, all over the same buckets. */
export interface RollupRequest {
  sources: readonly RollupSource[];
  buckets: Buckets;
  /** The present: the state of a signal's newest point ends then, unless the point is later (Q10). */
  nowUs: number;
  /** A store gives up with `invalid-params` when the states seen in one source make more values than this (L3). */
  valuesMax?: number;
}

/** Aggregates of one source. */
export interface RollupSource {
  signals: Source;
  /** Only points inside count, also where a bucket reaches beyond (Q4). */
  window: Window;
  statistics: readonly Statistic[];
  /** State durations wanted: none, these, or each one that holds at some time in the window. */
  states: readonly number[] | 'seen';
  /** How long a state holds without a further point, µs; Infinity: until the next point (Q10). */
  gapUs: number;
}

/** How a store is getting on, for those who watch it. */
export interface StoreFigures {
  /** Bytes of everything that has been written. */
  fileBytes: number;
  /** Bytes of what the last commits wrote and is not in its place in the file yet; they are read from there. */
  walBytes: number;
  /** Bytes of batches that were accepted and are not in blocks yet. */
  logBytes: number;
  /** Bytes of batches that wait for the disk. */
  queueBytes: number;
  /** Work that waits for whoever writes, and for those who read, what they are at included. */
  writerQueueLength: number;
  readerQueueLength: number;
  /** For how long there has been something to seal, s; 0 when there is nothing. */
  sealLagS: number;
  /** How often sealing was given up with an error, since the start. */
  sealFailureCount: number;
  /** Blocks that were found damaged when points had to be merged into them, since the start; the log names each. */
  damagedBlockCount: number;
}

/** How much there is of one signal. */
export interface SignalSize {
  /** Points. Where a store rewrites what came lately, one that has overwritten another may still count beside it. */
  points: number;
  /** Bytes that they take, as they are stored; 16 for a point that still waits for its final form. */
  bytes: number;
}

/** What a store has of one signal, in blocks. */
export interface SignalStats {
  signal: number;
  points: number;
  blocks: number;
  bytes: number;
}

/** What a store holds. */
export interface StoreStats {
  /** Bytes of everything that is kept, meta-data and free room included; 0 where nothing is kept. */
  fileBytes: number;
  /** Of these, bytes that are free and will be used again or given back. */
  freeBytes: number;
  /** Signals that have points, in blocks or waiting for them. */
  signals: number;
  /** Blocks, their points, and their bytes without what surrounds them. */
  blocks: number;
  blockPoints: number;
  blockBytes: number;
  /** Batches that are not in blocks yet, and their bytes. */
  logRows: number;
  logBytes: number;
  /** Points in those batches; one that overwrites another counts too. */
  logPoints: number;
  /** Those with most bytes in blocks, the largest first. */
  largest: SignalStats[];
}

/** What a read took, for those who ask why it was slow. */
export interface ReadCost {
  /** Compressed blocks that were opened; those whose figures alone were enough do not count. */
  blocks: number;
  /** Points in them, and those that were not in blocks yet. */
  points: number;
}

/**
 * Keeps points: for each signal number a map from time (µs) to a finite number.
 *
 * Promises: a resolved {@link append} survives the loss of power, and every read that starts afterwards, from any thread
 * or process, sees it; the last append to resolve wins at a time; a batch is stored whole or not at all. Reads answer in
 * the order of `sources`, times strictly ascending. A read sees each batch whole or not at all.
 *
 * Does not promise: an order between appends that were under way together.
 */
export interface SeriesStore {
  /**
   * Fails with `unavailable` when it cannot be made durable now (queue full, disk full); nothing is stored then. Once it has
   * settled, the store holds on to none of the batch's arrays.
   */
  append(batch: Batch): Promise<void>;
  /** Raw points; every store has it. `signal` ends it early; `onRead` is told what it took, where the store knows. */
  scan(request: ScanRequest, signal?: AbortSignal, onRead?: (cost: ReadCost) => void): Promise<Points[]>;
  /** Aggregates computed by the store, where it can; else domain/query computes the same from {@link scan}. */
  readonly rollup?: (
    request: RollupRequest,
    signal?: AbortSignal,
    onRead?: (cost: ReadCost) => void,
  ) => Promise<Rollup[]>;
  /** Forgets all points of these signals; durable when it resolves. */
  deleteSignals(signals: readonly number[]): Promise<void>;
  /**
   * Forgets the points of these signals in a window; how many of each there were. Reads that start afterwards see none of them;
   * while it runs they may see a part, and after a failure a part may be gone: it can be repeated. Points that are appended
   * meanwhile may stay.
   */
  deletePoints(signals: readonly number[], window: Window): Promise<number[]>;
  /** How many points each of these signals has in a window: what {@link deletePoints} would delete. */
  countPoints(signals: readonly number[], window: Window): Promise<number[]>;
  /** How much there is of each of these signals, in their order; nothing of one that is not known. Reads no points. */
  sizes(signals: readonly number[], signal?: AbortSignal): Promise<SignalSize[]>;
  /** What is stored, and who has most of it: up to `largestMax` signals. Costs a walk over the directory, where there is one. */
  stats(largestMax: number): Promise<StoreStats>;
  /** The numbers of all signals with points, ascending; points that were appended a moment ago may be left out. */
  storedSignals(): Promise<number[]>;
  /** How it is getting on, where there is something to tell. Cheap: no read of what is stored. */
  readonly figures?: () => Promise<StoreFigures>;
  close(): Promise<void>;
}

/** What a check of a store's file found. */
export interface CheckReport {
  /** What is wrong, a line each; empty: nothing. */
  problems: string[];
  /** What is not as it should be and does no harm. */
  notes: string[];
  pages: number;
  /** Signals with points, in blocks or in the log. */
  signals: number;
  blocks: number;
  /** Points in blocks, and those that wait in the log. */
  points: number;
  logPoints: number;
  logRows: number;
}

/** A signal as its integration and the interface call it. */
export interface SignalName {
  id: string;
  integration: string;
  input: string;
}

/** One committed state of a store's file. Its calls block the thread while they work. */
export interface StoreInspection {
  /** Looks for damage; `onPart` is called with how much has been looked at, 0..1. */
  check(onPart?: (part: number) => void): Promise<CheckReport>;
  /** As {@link SeriesStore.stats}. */
  stats(largestMax: number): Promise<StoreStats>;
  /** Who the signal with a number is; null when there is none. */
  signalName(signal: number): SignalName | null;
  /** The rows of the audit, oldest first. */
  auditRows(): Generator<AuditRow, void, undefined>;
  close(): void;
}

/** How to make a backup. */
export interface BackupOptions {
  /** Bytes a second at most; Infinity: as fast as the disk. */
  bytesPerSMax: number;
  /** Called after each step. */
  onProgress(copiedBytes: number, totalBytes: number): void;
}

/**
 * The files of stores, looked at and copied without writing to them: a service may go on meanwhile. Calls fail with `conflict`
 * when a file is missing, is not a store of this program, or is of a newer release.
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
  /** Gives a file that is on disk its name, replacing what had it. */
  rename(from: string, to: string): void;
  /** Fails as {@link restore} does, before anything is done. */
  requireRestorable(file: string, directory: string): void;
  /**
   * Makes a data directory out of a backup. `complete` gets a directory with the store in it, to finish it before it takes its
   * place; it must have closed it when it resolves. `conflict` when the directory is served or not empty. When it fails there
   * is no store in the directory; what an interrupted call has left there is removed by the next one.
   */
  restore(file: string, directory: string, complete: (staging: string) => Promise<void>): Promise<void>;
}
