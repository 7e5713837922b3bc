/**
 * A MetaStore in memory: the simplest implementation, with which every other one is compared. Its data end with the process.
 * Long because it has every query and every change of the interface, each in a few lines.
 */

import type { BrokerSession, QueuedMessages, QueueSum } from '#model/broker-session';
import type { CalculationVersion } from '#model/calculation';
import { type Ending, signalOf } from '#model/ending';
import { AppError } from '#model/error';
import type { ResourceQuery } from '#model/filter';
import type { Person, Session } from '#model/person';
import { defaultPlanName, type Plan, type ResourceCounts, unlimitedPlan } from '#model/plan';
import type { PublishRule } from '#model/publish-rule';
import { printScope, type RetentionRule, type RetentionScope } from '#model/retention';
import type { SavedView } from '#model/saved-view';
import type { Item, Signal } from '#model/signal';
import { compareText } from '#model/text';
import { addTally, emptyTally, type UsageRow } from '#model/usage';
import type {
  AuditRow,
  AuditWrites,
  BrokerSessionWrites,
  CalculationVersionWrites,
  Credential,
  CredentialUse,
  FedItem,
  Integration,
  IntegrationWrites,
  ItemWrites,
  MetaReads,
  MetaStore,
  MetaTopic,
  MetaWrites,
  NewSignal,
  RecordWrites,
  SavedWrites,
  Selected,
  SignalWrites,
  SigningKey,
  UsageFlush,
  UsageWrites,
} from '#storage/meta-store';
import { comparatorOf, predicateOf, type Resource } from './filter.ts';

/** All records; they are never changed, only replaced. */
class State {
  readonly integrations: Map<string, Integration>;
  readonly lastSeen: Map<string, number>;
  readonly credentials: Map<string, Credential>;
  readonly signingKeys: Map<string, SigningKey>;
  readonly signals: Map<string, Signal>;
  readonly items: Map<string, Item>;
  /** Integration and input key → signal ID. */
  readonly signalIds: Map<string, string>;
  /** By name. */
  readonly plans: Map<string, Plan>;
  /** By day and integration. */
  readonly usage: Map<string, UsageRow>;
  /** By writer. */
  readonly usageFlushes: Map<string, UsageFlush>;
  /** Ascending by seq. */
  readonly audit: AuditRow[];
  readonly people: Map<string, Person>;
  readonly sessions: Map<string, Session>;
  /** By scope, as text. */
  readonly retentionRules: Map<string, RetentionRule>;
  readonly savedViews: Map<string, SavedView>;
  readonly preferences: Map<string, string>;
  readonly publishRules: Map<string, PublishRule>;
  /** In the order in which they were saved. */
  readonly calculationVersions: CalculationVersion[];
  readonly brokerSessions: Map<string, BrokerSession>;
  readonly brokerQueue: QueuedMessages[];
  numberNext: number;

  constructor(from?: State) {
    this.integrations = new Map(from?.integrations);
    this.lastSeen = new Map(from?.lastSeen);
    this.credentials = new Map(from?.credentials);
    this.signingKeys = new Map(from?.signingKeys);
    this.signals = new Map(from?.signals);
    this.items = new Map(from?.items);
    this.signalIds = new Map(from?.signalIds);
    this.plans = new Map(from?.plans ?? [[defaultPlanName, unlimitedPlan(defaultPlanName)]]);
    this.usage = new Map(from?.usage);
    this.usageFlushes = new Map(from?.usageFlushes);
    this.audit = [...(from?.audit ?? [])];
    this.people = new Map(from?.people);
    this.retentionRules = new Map(from?.retentionRules);
    this.sessions = new Map(from?.sessions);
    this.savedViews = new Map(from?.savedViews);
    this.preferences = new Map(from?.preferences);
    this.publishRules = new Map(from?.publishRules);
    this.calculationVersions = [...(from?.calculationVersions ?? [])];
    this.brokerSessions = new Map(from?.brokerSessions);
    this.brokerQueue = [...(from?.brokerQueue ?? [])];
    this.numberNext = from?.numberNext ?? 1;
  }
}

/** A state that is read and, inside a write, changed. */
interface Scope {
  readonly state: State;
  touch(topic: MetaTopic): void;
}

function subjectsOf(scope: Scope): MetaWrites {
  const { people, ...records } = recordsOf(scope);
  return {
    ...records,
    integrations: integrationsIn(scope),
    signals: signalsIn(scope),
    items: itemsIn(scope),
    calculationVersions: calculationVersionsIn(scope),
    usage: usageIn(scope),
    audit: auditIn(scope),
    retentionRules: retentionRulesIn(scope),
    people: {
      ...people,
      delete: async (id) => {
        await people.delete(id);
        const { sessions } = scope.state;
        for (const session of sessions.values()) if (session.person === id) sessions.delete(session.id);
      },
    },
    savedViews: savedViewsIn(scope),
    publishRules: publishRulesIn(scope),
    brokerSessions: brokerSessionsIn(scope),
    preferences: {
      all: async () => new Map(scope.state.preferences),
      save: async (key, value) => {
        scope.touch('people');
        scope.state.preferences.set(key, value);
      },
    },
  };
}

function recordsOf(scope: Scope) {
  const plans = recordsIn<Plan>(
    scope,
    ({ plans }) => plans,
    'plans',
    ({ name }) => name,
  );
  const sessions = recordsIn<Session>(scope, (state) => state.sessions, 'people');
  const credentials = recordsIn<Credential>(scope, (state) => state.credentials, 'identity');
  return {
    signingKeys: recordsIn<SigningKey>(scope, (state) => state.signingKeys, 'identity'),
    people: recordsIn<Person>(
      scope,
      (state) => state.people,
      'people',
      ({ id }) => id,
      ['createdAtMs'],
    ),
    credentials: {
      ...credentials,
      update: async ({ id, label, expiresAtMs }: Credential) => {
        scope.touch('identity');
        update(scope.state.credentials, id, { label, expiresAtMs });
      },
      noteUses: async (uses: readonly CredentialUse[]) => {
        for (const { id, lastUsedAtMs, lastUsedFrom } of uses)
          update(scope.state.credentials, id, { lastUsedAtMs, lastUsedFrom });
      },
    },
    plans: {
      ...plans,
      all: async () => (await plans.all()).sort((a, b) => compareText(a.name, b.name)),
    },
    sessions: {
      ...sessions,
      update: async ({ id, usedAtMs }: Session) => update(scope.state.sessions, id, { usedAtMs }),
    },
  };
}

/** Records of one kind; an update replaces all but the key and the `kept` fields. */
function recordsIn<T>(
  scope: Scope,
  recordsOf: (state: State) => Map<string, T>,
  topic: MetaTopic,
  keyOf: (record: T) => string = (record) => (record as { id: string }).id,
  kept: readonly (keyof T)[] = [],
): RecordWrites<T> {
  return {
    all: async () => [...recordsOf(scope.state).values()],
    find: async (key) => recordsOf(scope.state).get(key),
    insert: async (record) => {
      scope.touch(topic);
      insert(recordsOf(scope.state), keyOf(record), record);
    },
    update: async (record) => {
      scope.touch(topic);
      const changes = { ...record };
      for (const field of kept) delete changes[field];
      update(recordsOf(scope.state), keyOf(record), changes);
    },
    delete: async (key) => {
      scope.touch(topic);
      recordsOf(scope.state).delete(key);
    },
  };
}

function integrationsIn(scope: Scope): IntegrationWrites {
  const records = recordsIn<Integration>(
    scope,
    (state) => state.integrations,
    'identity',
    ({ id }) => id,
    ['createdAtMs'],
  );
  return {
    ...records,
    lastSeen: async () => new Map(scope.state.lastSeen),
    noteSeen: async (seenMs) => {
      const { integrations, lastSeen } = scope.state;
      for (const [id, atMs] of seenMs)
        if (integrations.has(id)) lastSeen.set(id, Math.max(atMs, lastSeen.get(id) ?? atMs));
    },
    deleteWithSignals: async (id) => {
      scope.touch('signals');
      const { credentials, lastSeen, retentionRules, signals, signalIds } = scope.state;
      await records.delete(id);
      lastSeen.delete(id);
      retentionRules.delete(printScope({ kind: 'integration', integration: id }));
      const { brokerSessions } = scope.state;
      for (const session of brokerSessions.values())
        if (session.integration === id) await brokerSessionsIn(scope).delete(session.id);
      for (const credential of credentials.values())
        if (credential.integration === id) credentials.delete(credential.id);
      const gone = [...signals.values()].filter(({ integration }) => integration === id);
      for (const signal of gone) {
        signals.delete(signal.id);
        signalIds.delete(inputKey(id, signal.input));
      }
      return gone.map(({ number }) => number).sort((a, b) => a - b);
    },
  };
}

function signalsIn(scope: Scope): SignalWrites {
  const all = () => [...scope.state.signals.values()].sort((a, b) => a.number - b.number);
  const ofItems = async (items: readonly string[]) => {
    const wanted = new Set(items);
    return all().filter(({ item }) => item !== null && wanted.has(item));
  };
  return {
    byInput: async (integration, inputs) => {
      const { signals, signalIds } = scope.state;
      return present(inputs, (input) => signals.get(signalIds.get(inputKey(integration, input)) ?? ''));
    },
    byId: async (ids) => present(ids, (id) => scope.state.signals.get(id)),
    ofItems,
    select: async (query, integration, ending) => {
      signalOf(ending)?.throwIfAborted();
      return select(
        all().filter((signal) => integration === null || signal.integration === integration),
        query,
      );
    },
    counts: async (integration) => countsOf(all().filter((signal) => signal.integration === integration)),
    countsByIntegration: async () =>
      new Map(
        [...Map.groupBy(all(), ({ integration }) => integration)].map(([id, own]) => [id, countsOf(own)]),
      ),
    owners: async () => all().map(({ id, number, integration }) => ({ id, number, integration })),
    insert: async (signals) => {
      if (signals.length > 0) scope.touch('signals');
      return signals.map((signal) => insertSignal(scope.state, signal));
    },
    update: async (signals) => {
      if (signals.length > 0) scope.touch('signals');
      for (const { id, attributes, annotations, item, updatedAtMs } of signals)
        update(scope.state.signals, id, { attributes, annotations, item, updatedAtMs });
    },
  };
}

function insertSignal(state: State, signal: NewSignal): Signal {
  const key = inputKey(signal.integration, signal.input);
  if (state.signalIds.has(key)) throw new AppError('conflict', `the input key ${signal.input} is taken`);
  const numbered = { ...signal, number: state.numberNext++ };
  insert(state.signals, signal.id, numbered);
  state.signalIds.set(key, signal.id);
  return numbered;
}

function itemsIn(scope: Scope): ItemWrites {
  const byId = async (ids: readonly string[]) => present(ids, (id) => scope.state.items.get(id));
  const selected = async (query: ResourceQuery, ending?: Ending) => {
    signalOf(ending)?.throwIfAborted();
    return select([...scope.state.items.values()], query);
  };
  return {
    byId,
    fedById: async (ids) => fed(scope.state, await byId(ids)),
    select: selected,
    selectFed: async (query, ending) => {
      const { records, total } = await selected(query, ending);
      return { records: fed(scope.state, records), total };
    },
    insert: async (items) => {
      if (items.length > 0) scope.touch('signals');
      for (const item of items) insert(scope.state.items, item.id, item);
    },
    update: async (items) => {
      if (items.length > 0) scope.touch('signals');
      for (const { id, attributes, annotations, visible, calculation, updatedAtMs } of items)
        update(scope.state.items, id, { attributes, annotations, visible, calculation, updatedAtMs });
    },
    calculated: async () =>
      [...scope.state.items.values()]
        .filter(({ calculation }) => calculation !== null)
        .sort((a, b) => compareText(a.id, b.id)),
    deleteCalculated: async (id) => {
      scope.touch('signals');
      const { items, calculationVersions } = scope.state;
      if ((items.get(id)?.calculation ?? null) === null) return;
      items.delete(id);
      keepOnly(calculationVersions, ({ item }) => item !== id);
    },
  };
}

function fed({ signals }: State, items: readonly Item[]): FedItem[] {
  return items.map((item) => {
    const own = [...signals.values()].filter((signal) => signal.item === item.id);
    return { ...item, signals: own.map(({ number }) => number).sort((a, b) => a - b) };
  });
}

function calculationVersionsIn(scope: Scope): CalculationVersionWrites {
  return {
    ofItem: async (id) => scope.state.calculationVersions.filter(({ item }) => item === id).reverse(),
    insert: async (version) => {
      const isSame = ({ item, calculation }: CalculationVersion) =>
        item === version.item && calculation.version === version.calculation.version;
      if (scope.state.calculationVersions.some(isSame))
        throw new AppError('conflict', 'the version is taken');
      scope.state.calculationVersions.push(version);
    },
    deleteThrough: async (id, last) =>
      keepOnly(
        scope.state.calculationVersions,
        ({ item, calculation }) => item !== id || calculation.version > last,
      ),
  };
}

function keepOnly<T>(list: T[], isKept: (element: T) => boolean): void {
  list.splice(0, list.length, ...list.filter(isKept));
}

function usageIn(scope: Scope): UsageWrites {
  return {
    list: async (integration, fromDay) =>
      [...scope.state.usage.values()]
        .filter((row) => row.day >= fromDay && (integration === null || row.integration === integration))
        .sort((a, b) => a.day - b.day || compareText(a.integration, b.integration)),
    add: async (rows) =>
      rows.map(({ integration, day, tally }) => {
        const key = `${day} ${integration}`;
        const sum = { ...(scope.state.usage.get(key)?.tally ?? emptyTally()) };
        addTally(sum, tally);
        scope.state.usage.set(key, { integration, day, tally: sum });
        return { integration, day, tally: sum };
      }),
    noteFlush: async (flush) => {
      const { usageFlushes } = scope.state;
      const isNew = (usageFlushes.get(flush.writer)?.number ?? -Infinity) < flush.number;
      if (isNew) usageFlushes.set(flush.writer, flush);
      return isNew;
    },
    deleteBefore: async (before) => {
      const { usage, usageFlushes } = scope.state;
      for (const table of [usage, usageFlushes])
        for (const [key, { day }] of table) if (day < before) table.delete(key);
    },
  };
}

function auditIn(scope: Scope): AuditWrites {
  return {
    list: async ({ isDescending, afterSeq, beforeSeq = Infinity, limit, actor, action, target }) => {
      const rows = scope.state.audit.filter(
        (row) =>
          row.seq > afterSeq &&
          row.seq < beforeSeq &&
          (actor === null || row.actor === actor) &&
          (action === null || row.action === action) &&
          (target === null || row.target === target),
      );
      return (isDescending ? rows.reverse() : rows).slice(0, limit);
    },
    insert: async (row) => {
      const { audit } = scope.state;
      if (row.seq <= (audit.at(-1)?.seq ?? 0)) throw new AppError('conflict', `the seq ${row.seq} is taken`);
      audit.push(row);
    },
    deleteThrough: async (through) => {
      const { audit } = scope.state;
      audit.splice(0, audit.filter(({ seq }) => seq <= through).length);
    },
  };
}

function retentionRulesIn(scope: Scope): SavedWrites<RetentionRule, RetentionScope> {
  return {
    all: async () => {
      const rules = [...scope.state.retentionRules];
      return rules.sort(([a], [b]) => compareText(a, b)).map(([, rule]) => rule);
    },
    find: async (rule) => scope.state.retentionRules.get(printScope(rule)),
    save: async (rule) => void scope.state.retentionRules.set(printScope(rule.scope), rule),
    delete: async (rule) => void scope.state.retentionRules.delete(printScope(rule)),
  };
}

function savedViewsIn(scope: Scope): SavedWrites<SavedView> {
  return {
    all: async () => [...scope.state.savedViews.values()],
    find: async (id) => scope.state.savedViews.get(id),
    save: async (view) => {
      const { savedViews } = scope.state;
      const { owner, createdAtMs } = savedViews.get(view.id) ?? view;
      savedViews.set(view.id, { ...view, owner, createdAtMs });
    },
    delete: async (id) => void scope.state.savedViews.delete(id),
  };
}

function publishRulesIn(scope: Scope): SavedWrites<PublishRule> {
  return {
    all: async () => [...scope.state.publishRules.values()].sort((a, b) => compareText(a.id, b.id)),
    find: async (id) => scope.state.publishRules.get(id),
    save: async (rule) => {
      const { createdAtMs } = scope.state.publishRules.get(rule.id) ?? rule;
      scope.state.publishRules.set(rule.id, { ...rule, createdAtMs });
    },
    delete: async (id) => void scope.state.publishRules.delete(id),
  };
}

function brokerSessionsIn(scope: Scope): BrokerSessionWrites {
  const drop = (isGone: (row: QueuedMessages) => boolean) => {
    const left = scope.state.brokerQueue.filter((row) => !isGone(row));
    scope.state.brokerQueue.splice(0, scope.state.brokerQueue.length, ...left);
  };
  return {
    all: async () => [...scope.state.brokerSessions.values()].sort((a, b) => compareText(a.id, b.id)),
    find: async (id) => scope.state.brokerSessions.get(id),
    save: async (session) => {
      const { integration } = scope.state.brokerSessions.get(session.id) ?? session;
      scope.state.brokerSessions.set(session.id, { ...session, integration });
    },
    delete: async (id) => {
      scope.state.brokerSessions.delete(id);
      drop(({ session }) => session === id);
    },
    queueSums: async () =>
      [...Map.groupBy(scope.state.brokerQueue, ({ session }) => session)].map(([session, rows]): QueueSum => {
        return {
          session,
          lastSeq: Math.max(...rows.map(({ lastSeq }) => lastSeq)),
          count: rows.reduce((sum, { count }) => sum + count, 0),
          bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0),
        };
      }),
    queued: async (id, afterSeq, rowsMax) =>
      scope.state.brokerQueue
        .filter(({ session, lastSeq }) => session === id && lastSeq > afterSeq)
        .sort((a, b) => a.lastSeq - b.lastSeq)
        .slice(0, rowsMax),
    ownedBy: async (owner, ids) =>
      new Set(ids.filter((id) => scope.state.brokerSessions.get(id)?.owner === owner)),
    append: async (rows) => void scope.state.brokerQueue.push(...rows),
    forget: async (id, throughSeq) => drop(({ session, lastSeq }) => session === id && lastSeq <= throughSeq),
  };
}

/** A {@link MetaStore} that holds everything in this process. */
export class MemoryMetaStore implements MetaStore {
  readonly #listeners = new Set<(topic: MetaTopic) => void>();
  readonly #revisions = new Map<MetaTopic, number>();
  #lastWrite: Promise<unknown> = Promise.resolve();
  #state = new State();
  readonly #reads: MetaReads = subjectsOf(this.#scope());
  readonly integrations = this.#reads.integrations;
  readonly credentials = this.#reads.credentials;
  readonly signingKeys = this.#reads.signingKeys;
  readonly signals = this.#reads.signals;
  readonly items = this.#reads.items;
  readonly calculationVersions = this.#reads.calculationVersions;
  readonly plans = this.#reads.plans;
  readonly usage = this.#reads.usage;
  readonly audit = this.#reads.audit;
  readonly retentionRules = this.#reads.retentionRules;
  readonly people = this.#reads.people;
  readonly sessions = this.#reads.sessions;
  readonly savedViews = this.#reads.savedViews;
  readonly preferences = this.#reads.preferences;
  readonly publishRules = this.#reads.publishRules;
  readonly brokerSessions = this.#reads.brokerSessions;

  /** Works on a copy, which takes the place of the original when all has gone well. */
  write<T>(work: (tx: MetaWrites) => Promise<T>): Promise<T> {
    const done = this.#lastWrite.then(async () => {
      const state = new State(this.#state);
      const topics = new Set<MetaTopic>();
      const result = await work(subjectsOf({ state, touch: (topic) => topics.add(topic) }));
      this.#state = state;
      for (const topic of topics) {
        this.#revisions.set(topic, this.revision(topic) + 1);
        for (const listener of this.#listeners) listener(topic);
      }
      return result;
    });
    this.#lastWrite = done.catch(() => undefined);
    return done;
  }

  revision(topic: MetaTopic): number {
    return this.#revisions.get(topic) ?? 0;
  }

  async refresh(): Promise<void> {}

  subscribe(listener: (topic: MetaTopic) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    await this.#lastWrite;
  }

  /** The present state. */
  #scope(): Scope {
    const present = () => this.#state;
    return {
      get state() {
        return present();
      },
      touch: () => undefined,
    };
  }
}

/** No ID holds a space, so the two parts cannot run into each other. */
function inputKey(integration: string, input: string): string {
  return `${integration} ${input}`;
}

function present<T>(keys: readonly string[], find: (key: string) => T | undefined): T[] {
  return [...new Set(keys)].map(find).filter((record) => record !== undefined);
}

function insert<T>(records: Map<string, T>, key: string, record: T): void {
  if (records.has(key)) throw new AppError('conflict', `${key} is taken`);
  records.set(key, record);
}

function update<T>(records: Map<string, T>, id: string, changes: Partial<T>): void {
  const record = records.get(id);
  if (record !== undefined) records.set(id, { ...record, ...changes });
}

function select<T extends Resource>(records: readonly T[], query: ResourceQuery): Selected<T> {
  const matches = records.filter(predicateOf<T>(query.filter)).sort(comparatorOf(query.sort));
  const page = matches.slice(query.skip, query.skip + query.limit);
  const endSeen = page.length < query.limit && (page.length > 0 || query.skip === 0);
  return { records: page, total: query.total || endSeen ? matches.length : null };
}

function countsOf(signals: readonly Signal[]): ResourceCounts {
  const items = new Set(signals.map(({ item }) => item).filter((item) => item !== null));
  return { signals: signals.length, items: items.size };
}
