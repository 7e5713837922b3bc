/**
 * A MetaStore in memory: the obvious implementation, with which every other one is compared. Nothing outlives the process.
 * Long because it has every query and every change of the interface, each in a few lines.
 */
import { AppError } from '#model/error';
import type { ResourceQuery } from '#model/filter';
import type { Person, Session } from '#model/person';
import { defaultPlanName, type Plan, unlimitedPlan } from '#model/plan';
import { printScope, type RetentionRule, type RetentionScope } from '#model/retention';
import type { SavedView } from '#model/saved-view';
import type { Item, Signal } from '#model/signal';
import { compareText } from '#model/text';
import { addTally, emptyTally, type UsageRow } from '#model/usage';
import type {
  AuditQuery,
  AuditRow,
  Credential,
  FedItem,
  Integration,
  MetaReads,
  MetaStore,
  MetaTopic,
  MetaWrites,
  NewSignal,
  ResourceCounts,
  Selected,
  SignalOwner,
  SigningKey,
} from '#storage/store';
import { comparatorOf, predicateOf, type Resource } from './filter.ts';

/** All that is known; the records in it are never changed, only replaced. */
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
  /** Ascending by seq. */
  readonly audit: AuditRow[];
  readonly people: Map<string, Person>;
  readonly sessions: Map<string, Session>;
  /** By scope, as text. */
  readonly retentionRules: Map<string, RetentionRule>;
  readonly savedViews: Map<string, SavedView>;
  readonly preferences: Map<string, string>;
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
    this.audit = [...(from?.audit ?? [])];
    this.people = new Map(from?.people);
    this.retentionRules = new Map(from?.retentionRules);
    this.sessions = new Map(from?.sessions);
    this.savedViews = new Map(from?.savedViews);
    this.preferences = new Map(from?.preferences);
    this.numberNext = from?.numberNext ?? 1;
  }
}

class MemoryReads implements MetaReads {
  protected state: State;

  constructor(state: State) {
    this.state = state;
  }

  async integrations(): Promise<Integration[]> {
    return [...this.state.integrations.values()];
  }

  async lastSeen(): Promise<Map<string, number>> {
    return new Map(this.state.lastSeen);
  }

  async credentials(): Promise<Credential[]> {
    return [...this.state.credentials.values()];
  }

  async signingKeys(): Promise<SigningKey[]> {
    return [...this.state.signingKeys.values()];
  }

  async signalsByInput(integration: string, inputs: readonly string[]): Promise<Signal[]> {
    const { signals, signalIds } = this.state;
    return present(inputs, (input) => signals.get(signalIds.get(inputKey(integration, input)) ?? ''));
  }

  async signalsById(ids: readonly string[]): Promise<Signal[]> {
    return present(ids, (id) => this.state.signals.get(id));
  }

  async itemsById(ids: readonly string[]): Promise<Item[]> {
    return present(ids, (id) => this.state.items.get(id));
  }

  async signalsOfItems(items: readonly string[]): Promise<Signal[]> {
    const wanted = new Set(items);
    return [...this.state.signals.values()]
      .filter(({ item }) => item !== null && wanted.has(item))
      .sort((a, b) => a.number - b.number);
  }

  async fedItemsById(ids: readonly string[]): Promise<FedItem[]> {
    return this.#fed(await this.itemsById(ids));
  }

  async selectSignals(
    query: ResourceQuery,
    integration: string | null,
    signal?: AbortSignal,
  ): Promise<Selected<Signal>> {
    signal?.throwIfAborted();
    const signals = [...this.state.signals.values()];
    return select(
      signals.filter((signal) => integration === null || signal.integration === integration),
      query,
    );
  }

  async selectItems(query: ResourceQuery, signal?: AbortSignal): Promise<Selected<Item>> {
    signal?.throwIfAborted();
    return select([...this.state.items.values()], query);
  }

  async selectFedItems(query: ResourceQuery, signal?: AbortSignal): Promise<Selected<FedItem>> {
    const { records, total } = await this.selectItems(query, signal);
    return { records: await this.#fed(records), total };
  }

  async #fed(items: readonly Item[]): Promise<FedItem[]> {
    const feeding = await this.signalsOfItems(items.map(({ id }) => id));
    return items.map((item) => {
      const own = feeding.filter((signal) => signal.item === item.id);
      return { ...item, signals: own.map(({ number }) => number) };
    });
  }

  async resourceCounts(integration: string): Promise<ResourceCounts> {
    const mine = [...this.state.signals.values()].filter((signal) => signal.integration === integration);
    const items = new Set(mine.map(({ item }) => item).filter((item) => item !== null));
    return { signals: mine.length, items: items.size };
  }

  async signalOwners(): Promise<SignalOwner[]> {
    const signals = [...this.state.signals.values()].sort((a, b) => a.number - b.number);
    return signals.map(({ id, number, integration }) => ({ id, number, integration }));
  }

  async plans(): Promise<Plan[]> {
    return [...this.state.plans.values()].sort((a, b) => compareText(a.name, b.name));
  }

  async usage(integration: string | null, fromDay: number): Promise<UsageRow[]> {
    return [...this.state.usage.values()]
      .filter((row) => row.day >= fromDay && (integration === null || row.integration === integration))
      .sort((a, b) => a.day - b.day || compareText(a.integration, b.integration));
  }

  async auditRows(query: AuditQuery): Promise<AuditRow[]> {
    const { isDescending, afterSeq, beforeSeq = Infinity, limit, actor, action, target } = query;
    const rows = this.state.audit.filter(
      (row) =>
        row.seq > afterSeq &&
        row.seq < beforeSeq &&
        (actor === null || row.actor === actor) &&
        (action === null || row.action === action) &&
        (target === null || row.target === target),
    );
    return (isDescending ? rows.reverse() : rows).slice(0, limit);
  }

  async retentionRules(): Promise<RetentionRule[]> {
    const rules = [...this.state.retentionRules];
    return rules.sort(([a], [b]) => compareText(a, b)).map(([, rule]) => rule);
  }

  async people(): Promise<Person[]> {
    return [...this.state.people.values()];
  }

  async sessions(): Promise<Session[]> {
    return [...this.state.sessions.values()];
  }

  async savedViews(): Promise<SavedView[]> {
    return [...this.state.savedViews.values()];
  }

  async preferences(): Promise<Map<string, string>> {
    return new Map(this.state.preferences);
  }
}

class MemoryWrites extends MemoryReads implements MetaWrites {
  readonly topics = new Set<MetaTopic>();

  async insertIntegration(integration: Integration): Promise<void> {
    this.topics.add('identity');
    insert(this.state.integrations, integration);
  }

  async updateIntegration({ id, name, grants, plan, disabledAtMs }: Integration): Promise<void> {
    this.topics.add('identity');
    update(this.state.integrations, id, { name, grants, plan, disabledAtMs });
  }

  async noteSeen(id: string, atMs: number): Promise<void> {
    const { integrations, lastSeen } = this.state;
    if (integrations.has(id)) lastSeen.set(id, Math.max(atMs, lastSeen.get(id) ?? atMs));
  }

  async deleteIntegration(id: string): Promise<number[]> {
    this.topics.add('identity').add('signals');
    const { credentials, integrations, signals, signalIds } = this.state;
    integrations.delete(id);
    this.state.lastSeen.delete(id);
    await this.deleteRetentionRule({ kind: 'integration', integration: id });
    for (const credential of credentials.values())
      if (credential.integration === id) credentials.delete(credential.id);
    const gone = [...signals.values()].filter(({ integration }) => integration === id);
    for (const signal of gone) {
      signals.delete(signal.id);
      signalIds.delete(inputKey(id, signal.input));
    }
    return gone.map(({ number }) => number).sort((a, b) => a - b);
  }

  async insertCredential(credential: Credential): Promise<void> {
    this.topics.add('identity');
    insert(this.state.credentials, credential);
  }

  async updateCredential(credential: Credential): Promise<void> {
    const { id, label, lastUsedAtMs, lastUsedFrom, expiresAtMs } = credential;
    const before = this.state.credentials.get(id);
    if (before?.label !== label || before.expiresAtMs !== expiresAtMs) this.topics.add('identity');
    update(this.state.credentials, id, { label, lastUsedAtMs, lastUsedFrom, expiresAtMs });
  }

  async deleteCredential(id: string): Promise<void> {
    this.topics.add('identity');
    this.state.credentials.delete(id);
  }

  async insertSigningKey(key: SigningKey): Promise<void> {
    this.topics.add('identity');
    insert(this.state.signingKeys, key);
  }

  async deleteSigningKey(id: string): Promise<void> {
    this.topics.add('identity');
    this.state.signingKeys.delete(id);
  }

  async insertSignals(signals: readonly NewSignal[]): Promise<Signal[]> {
    if (signals.length > 0) this.topics.add('signals');
    return signals.map((signal) => this.#insertSignal(signal));
  }

  async updateSignals(signals: readonly Signal[]): Promise<void> {
    if (signals.length > 0) this.topics.add('signals');
    for (const { id, attributes, annotations, item, updatedAtMs } of signals)
      update(this.state.signals, id, { attributes, annotations, item, updatedAtMs });
  }

  async insertItems(items: readonly Item[]): Promise<void> {
    if (items.length > 0) this.topics.add('signals');
    for (const item of items) insert(this.state.items, item);
  }

  async updateItems(items: readonly Item[]): Promise<void> {
    if (items.length > 0) this.topics.add('signals');
    for (const { id, attributes, annotations, visible, updatedAtMs } of items)
      update(this.state.items, id, { attributes, annotations, visible, updatedAtMs });
  }

  async insertPlan(plan: Plan): Promise<void> {
    this.topics.add('plans');
    const { plans } = this.state;
    if (plans.has(plan.name)) throw new AppError('conflict', `the name ${plan.name} is taken`);
    plans.set(plan.name, plan);
  }

  async updatePlan(plan: Plan): Promise<void> {
    this.topics.add('plans');
    if (this.state.plans.has(plan.name)) this.state.plans.set(plan.name, plan);
  }

  async deletePlan(name: string): Promise<void> {
    this.topics.add('plans');
    this.state.plans.delete(name);
  }

  async addUsage(rows: readonly UsageRow[]): Promise<UsageRow[]> {
    return rows.map(({ integration, day, tally }) => {
      const key = `${day} ${integration}`;
      const sum = { ...(this.state.usage.get(key)?.tally ?? emptyTally()) };
      addTally(sum, tally);
      this.state.usage.set(key, { integration, day, tally: sum });
      return { integration, day, tally: sum };
    });
  }

  async deleteUsage(beforeDay: number): Promise<void> {
    for (const [key, { day }] of this.state.usage) if (day < beforeDay) this.state.usage.delete(key);
  }

  async insertAuditRow(row: AuditRow): Promise<void> {
    const { audit } = this.state;
    if (row.seq <= (audit.at(-1)?.seq ?? 0)) throw new AppError('conflict', `the seq ${row.seq} is taken`);
    audit.push(row);
  }

  async deleteAuditRows(throughSeq: number): Promise<void> {
    const { audit } = this.state;
    audit.splice(0, audit.filter(({ seq }) => seq <= throughSeq).length);
  }

  async saveRetentionRule(rule: RetentionRule): Promise<void> {
    this.state.retentionRules.set(printScope(rule.scope), rule);
  }

  async deleteRetentionRule(scope: RetentionScope): Promise<void> {
    this.state.retentionRules.delete(printScope(scope));
  }

  async insertPerson(person: Person): Promise<void> {
    this.topics.add('people');
    insert(this.state.people, person);
  }

  async updatePerson({ id, name, role, passwordHash, updatedAtMs }: Person): Promise<void> {
    this.topics.add('people');
    update(this.state.people, id, { name, role, passwordHash, updatedAtMs });
  }

  async deletePerson(id: string): Promise<void> {
    this.topics.add('people');
    this.state.people.delete(id);
    for (const session of this.state.sessions.values())
      if (session.person === id) this.state.sessions.delete(session.id);
  }

  async insertSession(session: Session): Promise<void> {
    this.topics.add('people');
    insert(this.state.sessions, session);
  }

  async updateSession({ id, usedAtMs }: Session): Promise<void> {
    update(this.state.sessions, id, { usedAtMs });
  }

  async deleteSession(id: string): Promise<void> {
    this.topics.add('people');
    this.state.sessions.delete(id);
  }

  async saveSavedView(view: SavedView): Promise<void> {
    const { savedViews } = this.state;
    const { owner, createdAtMs } = savedViews.get(view.id) ?? view;
    savedViews.set(view.id, { ...view, owner, createdAtMs });
  }

  async deleteSavedView(id: string): Promise<void> {
    this.state.savedViews.delete(id);
  }

  async savePreference(key: string, value: string): Promise<void> {
    this.topics.add('people');
    this.state.preferences.set(key, value);
  }

  #insertSignal(signal: NewSignal): Signal {
    const { signals, signalIds } = this.state;
    const key = inputKey(signal.integration, signal.input);
    if (signalIds.has(key)) throw new AppError('conflict', `the input key ${signal.input} is taken`);
    const numbered = { ...signal, number: this.state.numberNext++ };
    insert(signals, numbered);
    signalIds.set(key, signal.id);
    return numbered;
  }
}

/** A {@link MetaStore} that holds everything in this process. */
export class MemoryMetaStore extends MemoryReads implements MetaStore {
  readonly #listeners = new Set<(topic: MetaTopic) => void>();
  #lastWrite: Promise<unknown> = Promise.resolve();

  constructor() {
    super(new State());
  }

  /** Works on a copy, which takes the place of the original when all has gone well. */
  write<T>(work: (tx: MetaWrites) => Promise<T>): Promise<T> {
    const done = this.#lastWrite.then(async () => {
      const copy = new State(this.state);
      const tx = new MemoryWrites(copy);
      const result = await work(tx);
      this.state = copy;
      for (const topic of tx.topics) for (const listener of this.#listeners) listener(topic);
      return result;
    });
    this.#lastWrite = done.catch(() => undefined);
    return done;
  }

  subscribe(listener: (topic: MetaTopic) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    await this.#lastWrite;
  }
}

/** No ID holds a space, so the two parts cannot run into each other. */
function inputKey(integration: string, input: string): string {
  return `${integration} ${input}`;
}

function present<T>(keys: readonly string[], find: (key: string) => T | undefined): T[] {
  return [...new Set(keys)].map(find).filter((record) => record !== undefined);
}

function insert<T extends { id: string }>(records: Map<string, T>, record: T): void {
  if (records.has(record.id)) throw new AppError('conflict', `the ID ${record.id} is taken`);
  records.set(record.id, record);
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
