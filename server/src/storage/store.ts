/**
 * DOOR: the two places where things rest. MetaStore keeps who there is and what signals mean; SeriesStore keeps points.
 * Everything above this file works with any pair of them; callers branch on a store's facts, never on its name.
 */
import type { Buckets } from '#model/bucket';
import type { Grant } from '#model/caller';
import type { ResourceQuery } from '#model/filter';
import type { Points } from '#model/frame';
import type { Rollup, Statistic } from '#model/rollup';
import type { Item, Signal } from '#model/signal';
import type { Window } from '#model/window';

/** A client of the service. */
export interface Integration {
  id: string;
  name: string;
  /** What it may use beside its own `integration` namespace (A5). */
  grants: readonly Grant[];
  createdAtMs: number;
}

/** How a credential proves itself (A1). */
export type CredentialType = 'client-credentials' | 'basic-auth';

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

/** A signal to be created; the store gives it its number. */
export type NewSignal = Omit<Signal, 'number'>;

/** One page of a query, in the query's order. */
export interface Selected<T> {
  records: T[];
  /** The number of all matches, when the query asked for it or it is known for free; else null. */
  total: number | null;
}

/** Questions to a MetaStore. Every answer is a snapshot of one committed state (inside a write: of that write). */
export interface MetaReads {
  integrations(): Promise<Integration[]>;
  credentials(): Promise<Credential[]>;
  signingKeys(): Promise<SigningKey[]>;
  /** The signals of an integration under these input keys, in no order; unknown keys are left out. */
  signalsByInput(integration: string, inputs: readonly string[]): Promise<Signal[]>;
  /** In no order; unknown IDs are left out. */
  signalsById(ids: readonly string[]): Promise<Signal[]>;
  /** In no order; unknown IDs are left out. */
  itemsById(ids: readonly string[]): Promise<Item[]>;
  /** The signals that feed these items, ascending by number. */
  signalsOfItems(items: readonly string[]): Promise<Signal[]>;
  /** Signals of one integration, or of all when it is null. */
  selectSignals(query: ResourceQuery, integration: string | null): Promise<Selected<Signal>>;
  selectItems(query: ResourceQuery): Promise<Selected<Item>>;
}

/** Changes to a MetaStore, inside {@link MetaStore.write}. */
export interface MetaWrites extends MetaReads {
  insertIntegration(integration: Integration): Promise<void>;
  /** Replaces name and grants. */
  updateIntegration(integration: Integration): Promise<void>;
  /** Removes it with its credentials and signals; items stay. Its signals' numbers are given back: their points are to be deleted. */
  deleteIntegration(id: string): Promise<number[]>;
  insertCredential(credential: Credential): Promise<void>;
  /** Replaces label, lastUsedAtMs and expiresAtMs. A change of lastUsedAtMs alone is not told to subscribers. */
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
}

/** What a change was about: `identity` = integrations, credentials, keys; `signals` = signals and items. */
export type MetaTopic = 'identity' | 'signals';

/**
 * Keeps integrations, credentials, signals and items.
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
  /** The present: the last state holds until then at most (Q10). */
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
  /** Fails with `try-again` when it cannot be made durable now (queue full, disk full); nothing is stored then. */
  append(batch: Batch): Promise<void>;
  /** Raw points; every store has it. `signal` ends it early. */
  scan(request: ScanRequest, signal?: AbortSignal): Promise<Points[]>;
  /** Aggregates computed by the store, where it can; else domain/query computes the same from {@link scan}. */
  readonly rollup?: (request: RollupRequest, signal?: AbortSignal) => Promise<Rollup[]>;
  /** Forgets all points of these signals; durable when it resolves. */
  deleteSignals(signals: readonly number[]): Promise<void>;
  close(): Promise<void>;
}
