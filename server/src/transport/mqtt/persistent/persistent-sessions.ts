/** The persistent sessions of the broker, by client ID and by integration. */
import type { StoredFilter } from '#model/broker-session';
import type { Limits } from '#model/limits';
import type { Sender } from '../message-calls.ts';
import type { WaitingMessage } from './message.ts';
import { PersistentSession, type PersistentSessionOptions } from './persistent-session.ts';
import { type SessionStore, SessionWriter } from './session-writer.ts';

/** Options of {@link PersistentSessions}. */
export interface PersistentSessionsOptions
  extends Omit<PersistentSessionOptions, 'writer' | 'store' | 'limits'> {
  store: SessionStore;
  /** Whether other brokers use the store: then a session is this one's when its client has come here. */
  isShared: boolean;
  /** Tells this broker from others. */
  owner: string;
  limits: PersistentSessionOptions['limits'] & Pick<Limits, 'mqttSessionsMax' | 'mqttSessionTtlS'>;
  /** A session has no room for a message, for the first time since it had. */
  onFull(session: PersistentSession, sender: Sender): void;
}

/** How often sessions are looked for that have ended, ms. */
const expiryMs = 60_000;

/** All of them. */
export class PersistentSessions {
  readonly #options: PersistentSessionsOptions;
  readonly #writer: SessionWriter;
  readonly #byId = new Map<string, PersistentSession>();
  readonly #byIntegration = new Map<string, Set<PersistentSession>>();
  readonly #timer: NodeJS.Timeout;
  #droppedCount = 0;

  private constructor(options: PersistentSessionsOptions) {
    this.#options = options;
    this.#writer = new SessionWriter(options.store, options.owner, (ids) => this.#lose(ids));
    this.#timer = setInterval(() => this.#expire(), expiryMs).unref();
  }

  /** Those that the store has. */
  static async open(options: PersistentSessionsOptions): Promise<PersistentSessions> {
    const all = new PersistentSessions(options);
    if (options.isShared) return all;
    const { sessions, sums } = await options.store.all();
    const sumOf = new Map(sums.map((sum) => [sum.session, sum]));
    for (const found of sessions) {
      all.#add(new PersistentSession(found, sumOf.get(found.id) ?? nothing, all.#shared));
      all.#writer.saveLater(found);
    }
    return all;
  }

  /** Sessions, messages that wait for them, and messages since the start for which there was no room. */
  get figures(): { sessionCount: number; queuedCount: number; droppedCount: number } {
    const queuedCount = [...this.#byId.values()].reduce((sum, session) => sum + session.queuedCount, 0);
    return { sessionCount: this.#byId.size, queuedCount, droppedCount: this.#droppedCount };
  }

  /** The session of a client that asks for one that stays: the one that it has, or a new one. */
  async prepare(id: string, integration: string): Promise<PersistentSession> {
    const known = this.#byId.get(id);
    if (known !== undefined) return known;
    const found = await this.#options.store.find(id);
    if (found === undefined) return new PersistentSession({ id, integration }, nothing, this.#shared);
    const { sums } = await this.#options.store.all();
    const sum = sums.find(({ session }) => session === id) ?? nothing;
    const session = new PersistentSession(found, sum, this.#shared);
    await this.#writer.save({ ...found, leftAtMs: null });
    this.#add(session);
    return session;
  }

  /** The subscriptions of a client's session; none: there is no session. */
  filtersOf(id: string): StoredFilter[] {
    return this.#byId.get(id)?.filters ?? [];
  }

  /** Whether an integration may have this session beside those that it has. */
  hasRoomFor(session: PersistentSession): boolean {
    const own = this.#byIntegration.get(session.integration);
    return own === undefined || own.has(session) || own.size < this.#options.limits.mqttSessionsMax;
  }

  /** Keeps subscriptions of a session. */
  async keep(session: PersistentSession, filters: readonly StoredFilter[]): Promise<void> {
    if (filters.length === 0) return;
    this.#add(session);
    await session.keep(filters);
  }

  /** Ends subscriptions. With the last one the session ends. */
  async drop(session: PersistentSession, topics: readonly string[]): Promise<void> {
    await session.drop(topics);
    if (session.filters.length === 0) await this.end(session.id);
  }

  /** Ends a session, if there is one. */
  async end(id: string): Promise<void> {
    const session = this.#byId.get(id);
    if (session === undefined) return;
    this.#remove(session);
    await this.#writer.delete(id);
  }

  /** Queues a message for all sessions of its integration that want it; resolves when it is durable. */
  async queue(sender: Sender, message: WaitingMessage): Promise<void> {
    const own = this.#byIntegration.get(sender.caller.integration);
    if (own === undefined) return;
    const queueing: Promise<void>[] = [];
    for (const session of own) {
      const offered = session.takes(message.topic) ? session.offer(message) : undefined;
      if (offered === null) this.#drop(session, sender);
      else if (offered !== undefined) queueing.push(offered);
    }
    await Promise.all(queueing);
  }

  /** Writes what is left. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#writer.close();
  }

  get #shared(): PersistentSessionOptions {
    return { ...this.#options, writer: this.#writer };
  }

  #drop(session: PersistentSession, sender: Sender): void {
    this.#droppedCount++;
    if (session.noteFull()) this.#options.onFull(session, sender);
  }

  #add(session: PersistentSession): void {
    this.#byId.set(session.id, session);
    this.#byIntegration.getOrInsertComputed(session.integration, () => new Set()).add(session);
  }

  #remove(session: PersistentSession): void {
    this.#byId.delete(session.id);
    const own = this.#byIntegration.get(session.integration);
    own?.delete(session);
    if (own?.size === 0) this.#byIntegration.delete(session.integration);
  }

  /** Another broker has them, or they were deleted. */
  #lose(ids: ReadonlySet<string>): void {
    for (const id of ids) {
      const session = this.#byId.get(id);
      if (session === undefined) continue;
      this.#remove(session);
      session.cut();
    }
  }

  #expire(): void {
    const nowMs = this.#options.clock.nowUs() / 1000;
    for (const session of this.#byId.values()) {
      const { leftAtMs } = session;
      if (leftAtMs === null || nowMs - leftAtMs < this.#options.limits.mqttSessionTtlS * 1000) continue;
      this.end(session.id).catch((error: unknown) =>
        this.#options.log.warn('a session of the broker cannot be deleted now', { error }),
      );
    }
  }
}

const nothing = { lastSeq: 0, count: 0, bytes: 0 };
