/** A MetaStore on an SQL database: one implementation for every dialect. */

import type { Log } from '#model/environment';
import { type Limits, limitDefaults } from '#model/limits';
import { NextRun } from '#model/next-run';
import type { Signal } from '#model/signal';
import { NumberTables } from '#threads/number-table';
import { Revisions } from '#threads/revisions';
import type { Notices } from '../coordination.ts';
import { type MetaStore, type MetaTopic, type MetaWrites, metaTopics } from '../meta-store.ts';
import { AnswerCache } from './answer-cache.ts';
import { auditIn } from './audit.ts';
import { SqlBrokerSessions } from './broker-sessions.ts';
import { calculationVersionsIn } from './calculation-versions.ts';
import { credentialsIn, signingKeys } from './credentials.ts';
import type { Revision, SqlDialect } from './dialect.ts';
import { SqlIntegrations } from './integrations.ts';
import { SqlItems } from './items.ts';
import { migrate } from './migrations.ts';
import { SqlPeople, savedViews, sessions } from './people.ts';
import { plans } from './plans.ts';
import { preferencesIn } from './preferences.ts';
import { publishRules } from './publish-rules.ts';
import { RecordCache } from './record-cache.ts';
import { RecordTable } from './record-table.ts';
import { itemTables, signalTables } from './resource.ts';
import { retentionRules } from './retention-rules.ts';
import { type Searcher, searchAsync } from './search.ts';
import { SqlSignals } from './signals.ts';
import { SqlAccess, type SqlReader } from './sql-access.ts';
import type { SqlExecute, SqlRunner, StatementPlace } from './sql-runner.ts';
import { usageIn } from './usage.ts';

interface SqlMetaStoreOptions {
  /** Stays open when the store is closed. */
  runner: SqlRunner & Searcher;
  dialect: SqlDialect;
  log: Log;
  /** Default: the default limits. */
  limits?: Pick<Limits, 'patternWorkMax'>;
  /** The revisions that the threads of this process know; default: there is one thread. */
  notices?: Notices;
  /**
   * Whether answers about signals and items are kept until the revision changes. Changes of other processes are then seen when
   * they are known, within a second. Default false.
   */
  keepsAnswers?: boolean;
  /** Interval of checks for changes of other processes, ms. Default 200, since subscribers are notified within a second. */
  pollMs?: number;
  /** Called after a write with what it has changed, where other processes can be told of that. */
  onChanged?: (topic: MetaTopic, revision: number) => void;
}

/** Brings the tables up to date and follows them. Fails with `conflict` when a newer release has written them. */
export async function openSqlMetaStore(options: SqlMetaStoreOptions): Promise<MetaStore> {
  const { runner, dialect, limits = limitDefaults } = options;
  await migrate(runner, dialect);
  const context = { dialect, limits, records: new RecordCache() };
  const reader = new SqlAccess(context, runner);
  const read = async () => byTopic(await reader.followed(dialect.revisions.all));
  const changes = new Changes(options, read, await read());
  const answers = answersOf(options, reader, () => changes.revision('signals'));
  return {
    ...subjectsOf(new SqlAccess(context, runner, answers)),
    write: async (work) => {
      const { result, revisions, topics } = await runner.transaction(async (execute) => {
        const access = new SqlAccess(context, readerIn(execute, runner));
        const result = await work(subjectsOf(access));
        return { result, revisions: await raiseRevisions(access), topics: access.topics };
      });
      if (revisions === 'raised') await changes.readNow();
      else changes.notify(revisions);
      for (const topic of topics) options.onChanged?.(topic, changes.revision(topic));
      return result;
    },
    subscribe: (listener) => changes.subscribe(listener),
    revision: (topic) => changes.revision(topic),
    refresh: () => changes.refresh(),
    close: () => changes.close(),
  };
}

/** Where other processes may have changed something just now, what is kept is compared with the tables before it is used. */
function answersOf(
  { dialect, keepsAnswers }: SqlMetaStoreOptions,
  reader: SqlAccess,
  revision: () => number,
): AnswerCache | null {
  const { signalState } = dialect.revisions;
  if (signalState === null) return keepsAnswers ? new AnswerCache(revision) : null;
  let known = '';
  const looks = new NextRun(async () => {
    [{ state: known }] = await reader.followed(signalState);
  });
  return new AnswerCache(
    () => known,
    () => looks.run(),
  );
}

/** Outside of a transaction only the reads of a subject work. */
function subjectsOf(access: SqlAccess): MetaWrites {
  return {
    integrations: new SqlIntegrations(access),
    credentials: credentialsIn(access),
    signingKeys: new RecordTable(access, signingKeys),
    signals: new SqlSignals(access, signalTables),
    items: new SqlItems(access, itemTables),
    calculationVersions: calculationVersionsIn(access),
    plans: new RecordTable(access, plans),
    usage: usageIn(access),
    audit: auditIn(access),
    retentionRules: new RecordTable(access, retentionRules),
    people: new SqlPeople(access),
    sessions: new RecordTable(access, sessions),
    savedViews: new RecordTable(access, savedViews),
    preferences: preferencesIn(access),
    publishRules: new RecordTable(access, publishRules),
    brokerSessions: new SqlBrokerSessions(access),
  };
}

/** Reads of an open transaction, which see its changes; patterns are matched by the runner. */
function readerIn(execute: SqlExecute, runner: Searcher): SqlReader {
  const at =
    (place: StatementPlace): SqlRunner['read'] =>
    async (text, params) =>
      (await execute(text, params, place)).rows;
  const [read, change] = [at('read'), at('other')];
  // A search may have a temporary table.
  const search: SqlReader['search'] = (plan) =>
    searchAsync(plan, (step) =>
      step.kind === 'match' ? runner.match(step.pattern, step.texts) : change(step.sql, step.params),
    );
  return { read, follow: read, search, change, unread: at('unread'), last: at('last') };
}

/** Raises the revision of each topic that a transaction touched, with its last statement; topic → its revision now, if that is known. */
async function raiseRevisions(access: SqlAccess): Promise<Map<MetaTopic, number> | 'raised'> {
  if (access.topics.size === 0) return new Map();
  const { raise, givesRaised } = access.context.dialect.revisions;
  const raised = await access.lastRows(raise([...access.topics]));
  if (!givesRaised) return 'raised';
  number(access.created, raised[0].next);
  return byTopic(raised);
}

/** The last numbers before `next` are those of the signals that the transaction has created. */
function number(created: readonly Signal[], next: number): void {
  created.forEach((signal, i) => {
    signal.number = next - created.length + i;
  });
}

function byTopic(revisions: readonly Revision[]): Map<MetaTopic, number> {
  return new Map(revisions.map(({ topic, number }) => [topic, number]));
}

/** How often subscribers are told of what other threads of the process know, ms. */
const tickMs = 200;

const cannotFollow = 'changes of the metadata cannot be followed';

/** Notifies subscribers of changes, of this process and of others. */
class Changes {
  readonly #read: () => Promise<Map<MetaTopic, number>>;
  readonly #refreshes = new NextRun(async () => this.notify(await this.#read()));
  readonly #log: Log;
  readonly #listeners = new Set<(topic: MetaTopic) => void>();
  /** The revisions that subscribers have been notified of. */
  readonly #notified: Map<MetaTopic, number>;
  readonly #known: Notices;
  readonly #keepsAnswers: boolean;
  readonly #timer: NodeJS.Timeout;
  #poll: Promise<void> = Promise.resolve();
  #isPolling = false;

  constructor(
    options: Pick<SqlMetaStoreOptions, 'log' | 'notices' | 'pollMs' | 'keepsAnswers'>,
    read: () => Promise<Map<MetaTopic, number>>,
    revisions: Map<MetaTopic, number>,
  ) {
    const { log, notices = new Revisions(new NumberTables()) } = options;
    this.#keepsAnswers = options.keepsAnswers ?? false;
    this.#read = read;
    this.#log = log;
    this.#known = notices;
    this.#notified = new Map(revisions);
    for (const [topic, revision] of revisions) notices.raise(topic, revision);
    const { pollMs = tickMs } = options;
    const ticksOfPoll = Math.ceil(pollMs / tickMs);
    let ticks = 0;
    this.#timer = setInterval(() => this.#tick(++ticks % ticksOfPoll === 0), pollMs / ticksOfPoll);
    this.#timer.unref();
  }

  subscribe(listener: (topic: MetaTopic) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  revision(topic: MetaTopic): number {
    return this.#known.revision(topic);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#listeners.clear();
    await this.#poll;
  }

  /** Reports raised revisions. Revisions only grow, so a delayed older answer is ignored. */
  notify(revisions: ReadonlyMap<MetaTopic, number>): void {
    for (const [topic, revision] of revisions) {
      this.#known.raise(topic, revision);
      if (revision <= (this.#notified.get(topic) ?? 0)) continue;
      this.#notified.set(topic, revision);
      for (const listener of this.#listeners) listener(topic);
    }
  }

  /** A read that is under way may have missed what has just been committed: the next one is waited for. */
  refresh(): Promise<void> {
    return this.#refreshes.run();
  }

  /** Reads what has been committed, this process's latest change included. A failure is left to the next check. */
  async readNow(): Promise<void> {
    await this.#read().then(
      (revisions) => this.notify(revisions),
      (error: unknown) => this.#log.warn(cannotFollow, { error }),
    );
  }

  #tick(isPoll: boolean): void {
    this.notify(new Map(metaTopics.map((topic) => [topic, this.#known.revision(topic)])));
    if (isPoll) this.#check();
  }

  /** Checks for changes of other processes, one check at a time. A failed check is repeated at the next tick. */
  #check(): void {
    if (this.#isPolling || !(this.#keepsAnswers || this.#listeners.size > 0)) return;
    this.#isPolling = true;
    this.#poll = this.readNow().finally(() => {
      this.#isPolling = false;
    });
  }
}
