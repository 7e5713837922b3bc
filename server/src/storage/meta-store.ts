/**
 * INTERFACE: MetaStore, which keeps everything but points, by subject: integrations, credentials, signals, items, plans …
 * Long because it documents every record and call, and an interface is read as a whole.
 */

import type { BrokerSession, QueuedMessages, QueueSum } from '#model/broker-session';
import type { CalculationVersion } from '#model/calculation';
import type { Grant } from '#model/caller';
import type { Ending } from '#model/ending';
import type { ResourceQuery } from '#model/filter';
import type { Person, Session } from '#model/person';
import type { Plan, ResourceCounts } from '#model/plan';
import type { PublishRule } from '#model/publish-rule';
import type { RetentionRule, RetentionScope } from '#model/retention';
import type { SavedView } from '#model/saved-view';
import type { Item, Signal } from '#model/signal';
import type { UsageRow } from '#model/usage';

/** A client of the service. */
export interface Integration {
  id: string;
  name: string;
  /** What it may use in addition to its own `integration` namespace (A5). */
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
  /** When it expires; null: never. */
  expiresAtMs: number | null;
}

/** A key that signs access tokens. The newest signs; all stored ones verify. */
export interface SigningKey {
  id: string;
  /** 32 random bytes, lower-case hex. */
  secret: string;
  createdAtMs: number;
}

/** One administrative act in the audit. domain/audit defines its content and the chain of hashes; a store only keeps rows. */
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
  /** SHA-256 of the other fields, lower-case hex. */
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
  signals: readonly number[];
}

/** The integration of a signal. */
export interface SignalOwner {
  id: string;
  number: number;
  integration: string;
}

/** Reading records of which there are few. */
export interface RecordReads<T, Key = string> {
  all(): Promise<T[]>;
  /** The record with a key; undefined: there is none. */
  find(key: Key): Promise<T | undefined>;
}

/** Changing such records. */
export interface RecordWrites<T> extends RecordReads<T> {
  /** Fails when the key is taken. */
  insert(record: T): Promise<void>;
  /** Replaces what can change of the record with its key; does nothing if there is none. */
  update(record: T): Promise<void>;
  delete(key: string): Promise<void>;
}

/** Changing records that are replaced as a whole. */
export interface SavedWrites<T, Key = string> extends RecordReads<T, Key> {
  /** Adds a record, or replaces the one with its key. */
  save(record: T): Promise<void>;
  delete(key: Key): Promise<void>;
}

/** The last use of a credential. */
export type CredentialUse = Pick<Credential, 'id' | 'lastUsedAtMs' | 'lastUsedFrom'>;

/** Credentials. An update replaces label and expiresAtMs. */
export interface CredentialWrites extends RecordWrites<Credential> {
  /** Records the last uses of some; unknown IDs are ignored. Subscribers are not notified. */
  noteUses(uses: readonly CredentialUse[]): Promise<void>;
}

/** Integrations. */
export interface IntegrationWrites extends RecordReads<Integration> {
  /** When each integration was seen last, ms, also by deleted credentials; integrations that were never seen are left out. */
  lastSeen(): Promise<Map<string, number>>;
  insert(integration: Integration): Promise<void>;
  /** Replaces name, grants, plan and disabledAtMs. */
  update(integration: Integration): Promise<void>;
  /** Records when some were last seen, by ID, ms; an earlier time than the stored one is ignored, as are unknown IDs. Subscribers are not notified. */
  noteSeen(seenMs: ReadonlyMap<string, number>): Promise<void>;
  /**
   * Deletes it with its credentials, signals, retention rule and sessions of the message broker; items are kept. Returns the numbers of its signals, whose
   * points the caller has to delete.
   */
  deleteWithSignals(id: string): Promise<number[]>;
}

/** Signals. */
export interface SignalWrites {
  /** The signals of an integration under these input keys, in no order; unknown keys are left out. */
  byInput(integration: string, inputs: readonly string[]): Promise<Signal[]>;
  /** In no order; unknown IDs are left out. */
  byId(ids: readonly string[]): Promise<Signal[]>;
  /** The signals that feed these items, ascending by number. */
  ofItems(items: readonly string[]): Promise<Signal[]>;
  /**
   * Signals of one integration, or of all when it is null. `invalid-params` when the patterns of the filter would look at more
   * than the limit `patternWorkMax`. Aborted outside a write, it rejects with the signal's reason and ends soon.
   */
  select(query: ResourceQuery, integration: string | null, ending?: Ending): Promise<Selected<Signal>>;
  /** Scans the integration's signals in an index. */
  counts(integration: string): Promise<ResourceCounts>;
  /** The same of each integration that has signals. Scans all signals in an index. */
  countsByIntegration(): Promise<Map<string, ResourceCounts>>;
  /** All signals, ascending by number. Scans all of them. */
  owners(): Promise<SignalOwner[]>;
  /** Numbers ascend in the order given; they may be known only when the transaction has been committed. Fails when an input key is taken. */
  insert(signals: readonly NewSignal[]): Promise<Signal[]>;
  /** Replaces attributes, annotations, item and updatedAtMs, by ID. */
  update(signals: readonly Signal[]): Promise<void>;
}

/** Items. */
export interface ItemWrites {
  /** In no order; unknown IDs are left out. */
  byId(ids: readonly string[]): Promise<Item[]>;
  /** As {@link byId}, with what is needed to read their points. */
  fedById(ids: readonly string[]): Promise<FedItem[]>;
  /** As {@link SignalWrites.select}. */
  select(query: ResourceQuery, ending?: Ending): Promise<Selected<Item>>;
  /** As {@link select}, with what is needed to read their points. */
  selectFed(query: ResourceQuery, ending?: Ending): Promise<Selected<FedItem>>;
  /** All calculated items, by ID ascending. Scans them in an index. */
  calculated(): Promise<Item[]>;
  insert(items: readonly Item[]): Promise<void>;
  /** Replaces attributes, annotations, visible, calculation and updatedAtMs, by ID. */
  update(items: readonly Item[]): Promise<void>;
  /** Deletes a calculated item with the versions of its calculation; does nothing for any other. */
  deleteCalculated(id: string): Promise<void>;
}

/** The versions of calculations. */
export interface CalculationVersionWrites {
  /** Those of an item, newest first. */
  ofItem(item: string): Promise<CalculationVersion[]>;
  /** Fails when the version is taken. */
  insert(version: CalculationVersion): Promise<void>;
  /** Deletes the versions of an item up to and including this one. */
  deleteThrough(item: string, version: number): Promise<void>;
}

/** What a process adds to the usage in one transaction, which it tries until it knows that it was committed. */
export interface UsageFlush {
  /** Unique. */
  writer: string;
  /** Those of a writer ascend. */
  number: number;
  /** UTC, as in the rows. */
  day: number;
}

/** Usage. */
export interface UsageWrites {
  /** Usage of one integration, or of all when it is null, from a day on; ascending by day, then integration. */
  list(integration: string | null, fromDay: number): Promise<UsageRow[]>;
  /** Adds counts to those stored and returns the sums, in no order. Each pair of integration and day may occur once. */
  add(rows: readonly UsageRow[]): Promise<UsageRow[]>;
  /** Notes a flush. False: it was noted before, and what it adds has been added. */
  noteFlush(flush: UsageFlush): Promise<boolean>;
  /** Deletes the usage of all days before this one, and notes of flushes on them. */
  deleteBefore(day: number): Promise<void>;
}

/** The audit. */
export interface AuditWrites {
  list(query: AuditQuery): Promise<AuditRow[]>;
  /** Fails when its seq is taken. */
  insert(row: AuditRow): Promise<void>;
  /** Deletes rows up to and including this seq. */
  deleteThrough(seq: number): Promise<void>;
}

/** The preferences of this instance, such as its name. */
export interface PreferenceWrites {
  /** By key. */
  all(): Promise<Map<string, string>>;
  save(key: string, value: string): Promise<void>;
}

/** Persistent sessions of the message broker. */
export interface BrokerSessionWrites extends SavedWrites<BrokerSession> {
  /** What waits for each session for which something does, in no order. */
  queueSums(): Promise<QueueSum[]>;
  /** What waits for a session after a number, oldest first, at most so many rows. */
  queued(session: string, afterSeq: number, rowsMax: number): Promise<QueuedMessages[]>;
  /** Those of these sessions that a broker has. */
  ownedBy(owner: string, ids: readonly string[]): Promise<Set<string>>;
  /** Adds rows of messages. Fails when a session has a row with that number. */
  append(queued: readonly QueuedMessages[]): Promise<void>;
  /** Deletes rows up to a number. */
  forget(session: string, throughSeq: number): Promise<void>;
}

/** What can be read of a MetaStore. Every answer is a snapshot of one committed state (inside a write: of that write). */
export interface MetaReads {
  readonly integrations: RecordReads<Integration> & Pick<IntegrationWrites, 'lastSeen'>;
  readonly credentials: RecordReads<Credential>;
  readonly signingKeys: RecordReads<SigningKey>;
  readonly signals: Omit<SignalWrites, 'insert' | 'update'>;
  readonly items: Omit<ItemWrites, 'insert' | 'update' | 'deleteCalculated'>;
  readonly calculationVersions: Pick<CalculationVersionWrites, 'ofItem'>;
  /** By name; the default plan is always among them. */
  readonly plans: RecordReads<Plan>;
  readonly usage: Pick<UsageWrites, 'list'>;
  readonly audit: Pick<AuditWrites, 'list'>;
  /** By scope. */
  readonly retentionRules: RecordReads<RetentionRule, RetentionScope>;
  readonly people: RecordReads<Person>;
  readonly sessions: RecordReads<Session>;
  readonly savedViews: RecordReads<SavedView>;
  readonly preferences: Pick<PreferenceWrites, 'all'>;
  readonly publishRules: RecordReads<PublishRule>;
  readonly brokerSessions: RecordReads<BrokerSession> & Pick<BrokerSessionWrites, 'queueSums' | 'queued'>;
}

/**
 * What can be read and changed inside {@link MetaStore.write}. Subscribers are notified of changes, except of those to usage,
 * audit, retention rules, publishing rules, versions of calculations, saved views and sessions of the message broker.
 */
export interface MetaWrites {
  readonly integrations: IntegrationWrites;
  readonly credentials: CredentialWrites;
  readonly signingKeys: Omit<RecordWrites<SigningKey>, 'update'>;
  readonly signals: SignalWrites;
  readonly items: ItemWrites;
  readonly calculationVersions: CalculationVersionWrites;
  /** A plan must not be deleted while an integration is assigned to it. */
  readonly plans: RecordWrites<Plan>;
  readonly usage: UsageWrites;
  readonly audit: AuditWrites;
  readonly retentionRules: SavedWrites<RetentionRule, RetentionScope>;
  /** An update replaces all but ID and createdAtMs. A person's sessions are deleted too. */
  readonly people: RecordWrites<Person>;
  /** An update replaces usedAtMs; subscribers are not notified of it. */
  readonly sessions: RecordWrites<Session>;
  /** Replaces all but ID, owner and createdAtMs. */
  readonly savedViews: SavedWrites<SavedView>;
  readonly preferences: PreferenceWrites;
  /** Replaces all but ID and createdAtMs. */
  readonly publishRules: SavedWrites<PublishRule>;
  /** Replaces all but ID and integration. Deleting one deletes what waits for it. */
  readonly brokerSessions: BrokerSessionWrites;
}

/** What has changed: `identity` = integrations, credentials, keys; `signals` = signals and items; `plans` = plans; `people` = people, sessions, preferences. */
export type MetaTopic = (typeof metaTopics)[number];

/** All topics. */
export const metaTopics = ['identity', 'signals', 'plans', 'people'] as const;

/**
 * Keeps integrations, credentials, signals, items, plans, usage, the audit, people and what they save.
 *
 * Promises: {@link write} is all or nothing, serialised with every other write of any process, and on disk when its
 * promise resolves; a read of the same process that starts afterwards sees it, one of another process within a second.
 * Subscribers are notified of committed changes, including those of other processes, within a second.
 *
 * Does not promise: an order among concurrent writes; one notification for each change.
 */
export interface MetaStore extends MetaReads {
  /** Runs `work` in one exclusive transaction; a rejection rolls it back and is passed on. Must not be nested. */
  write<T>(work: (tx: MetaWrites) => Promise<T>): Promise<T>;
  /** Calls `listener` after changes. The returned function ends the subscription. */
  subscribe(listener: (topic: MetaTopic) => void): () => void;
  /**
   * The newest revision of a topic that is known; it grows with each change. A change that any thread of this process has made
   * is known before its {@link write} resolves, one of another process within a second. Costs no read.
   */
  revision(topic: MetaTopic): number;
  /**
   * Learns of all changes that any process has committed before the call, which {@link revision} then shows. One read, which
   * concurrent calls share. Rejects with `unavailable` where the store does not answer.
   */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

/** The part of a {@link MetaStore} that a service reads, follows and changes: the subjects that it names. */
export type MetaPart<Subject extends keyof MetaReads> = Pick<
  MetaReads & MetaStore,
  Subject | 'subscribe' | 'revision' | 'refresh'
> & {
  write<T>(work: (tx: Pick<MetaWrites, Subject>) => Promise<T>): Promise<T>;
};

/** A table of metadata, and the columns of its primary key. */
export interface MetaTable {
  name: string;
  key: readonly string[];
}

/** A row as it is stored: column → value. */
export type StoredRow = Readonly<Record<string, string | number | null>>;

/** A copy of another store, which this store receives or has received. */
export interface Transfer {
  /** The other store, in words. */
  source: string;
  startedAtMs: number;
  /** The points of signals up to this number have been copied. */
  doneSignal: number;
  /** When the copy was complete; null: it is not, and the store may not be used otherwise. */
  finishedAtMs: number | null;
}

/**
 * The rows of a MetaStore, for copying all of them into another store, which no other process may use at that time.
 *
 * Promises: the same tables, columns and values on every database, all that a MetaStore keeps; what a store has beside it, such
 * as revisions, is not among them. A change is on disk when it resolves.
 */
export interface MetaRows {
  readonly tables: readonly MetaTable[];
  /** At most `limit` rows in the order of the key, after that of a row; null: from the first one on. */
  page(table: MetaTable, after: StoredRow | null, limit: number): Promise<StoredRow[]>;
  /** All rows after the key of one row, up to and with that of another; null: without that bound. */
  between(table: MetaTable, after: StoredRow | null, through: StoredRow | null): Promise<StoredRow[]>;
  /** Replaces what {@link between} gives by these rows. Nobody is notified. */
  replace(
    table: MetaTable,
    after: StoredRow | null,
    through: StoredRow | null,
    rows: readonly StoredRow[],
  ): Promise<void>;
  /** How many rows a table has. */
  count(table: MetaTable): Promise<number>;
  /** Takes numbers of signals, which are not used then; the last one. */
  takeNumbers(count: number): Promise<number>;
  /** The copy that this store receives or has received; null: there was none. */
  transfer(): Promise<Transfer | null>;
  saveTransfer(transfer: Transfer): Promise<void>;
}
