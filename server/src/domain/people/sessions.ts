/** Sessions: a random token in a cookie identifies a person until it is idle for too long, expires, or is revoked. */
import { createHmac } from 'node:crypto';
import type { Act } from '#model/act';
import type { Caller, Grant } from '#model/caller';
import { type Clock, clockMs, type Log, type Random } from '#model/environment';
import { AppError } from '#model/error';
import type { Limits } from '#model/limits';
import type { Person, Session } from '#model/person';
import type { Presence, SessionClient } from '#model/sign-in';
import type { XidSource } from '#model/xid';
import type { Coordination, Values } from '#storage/coordination';
import type { MetaPart, MetaWrites } from '#storage/meta-store';
import { record } from '../audit/record.ts';
import { newSecret, printDigest } from '../identity/secret.ts';
import type { PeopleCache } from './people-cache.ts';

interface SessionsOptions {
  meta: MetaPart<'sessions' | 'audit'>;
  cache: PeopleCache;
  clock: Clock;
  random: Random;
  ids: XidSource;
  coordination: Coordination;
  log: Log;
  /** Looked at each time. */
  limits: Pick<Limits, 'sessionIdleS' | 'sessionTtlS' | 'sessionsPerPersonMax'>;
}

/** A new session with its token, which is not stored and cannot be shown again. */
export interface NewSession {
  token: string;
  session: Session;
}

/** The grants of people: every namespace except that of integrations. Methods define the role that they require. */
const personGrants: ReadonlySet<Grant> = new Set(['admin', 'service', 'console']);

/** Interval at which the last use is stored. */
const noteMs = 60_000;

const userAgentMax = 256;

/** The sessions of all people. */
export class Sessions {
  readonly #options: SessionsOptions;
  /** When a session was last used, by its ID, ms. */
  readonly #usedMs: Values;
  #noting: Promise<void> = Promise.resolve();

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#usedMs = options.coordination.values('last use of sessions');
  }

  /** Begins a session inside a write, and deletes expired ones. */
  async begin(tx: Pick<MetaWrites, 'sessions'>, person: Person, client: SessionClient): Promise<NewSession> {
    const { random, ids, limits } = this.#options;
    const token = newSecret(random);
    const nowMs = clockMs(this.#options.clock);
    const session: Session = {
      id: ids.next(),
      person: person.id,
      tokenSha256: printDigest(token),
      createdAtMs: nowMs,
      usedAtMs: nowMs,
      expiresAtMs: nowMs + limits.sessionTtlS * 1000,
      address: client.address,
      userAgent: client.userAgent.toWellFormed().slice(0, userAgentMax),
    };
    await this.#makeRoom(tx, person.id);
    await tx.sessions.insert(session);
    return { token, session };
  }

  /** The session of a token; null when it has ended or never existed, which the store has been asked for. */
  async authenticate(token: string): Promise<Presence | null> {
    const known = this.#presenceOf(token);
    if (known !== null) return known;
    await this.#options.cache.refresh();
    return this.#presenceOf(token);
  }

  #presenceOf(token: string): Presence | null {
    const { cache } = this.#options;
    const session = cache.sessionByDigest(printDigest(token));
    const person = session && cache.person(session.person);
    if (session === undefined || person === undefined || !this.#isLive(session)) return null;
    this.#noteUse(session);
    return { caller: callerOf(person, session), csrfToken: csrfTokenOf(token) };
  }

  /** The active sessions of one person or of all, oldest first, with their last use. */
  list(person: string | null): Session[] {
    const live = this.#options.cache.sessions().filter((session) => this.#isLive(session));
    const wanted = live.filter((session) => person === null || session.person === person);
    return wanted.map((session) => ({ ...session, usedAtMs: this.#usedAtMs(session) }));
  }

  /** Ends a session; if `person` is not null, only one of that person. `not-found`. */
  async end(act: Act, id: string, person: string | null): Promise<void> {
    const { meta, cache } = this.#options;
    await meta.write(async (tx) => {
      const session = await tx.sessions.find(id);
      if (session === undefined || (person !== null && session.person !== person))
        throw new AppError('not-found', `no session has the ID ${id}`);
      await this.#forget(tx, session);
      const change = { person: [session.person, null] };
      await record(tx, act, this.#options.clock, { action: 'session.end', target: id, change });
    });
    await cache.reload();
  }

  /** Ends all sessions of a person except one, inside a write. */
  async endOthers(tx: Pick<MetaWrites, 'sessions'>, person: string, kept: string | null): Promise<void> {
    for (const session of await tx.sessions.all())
      if (session.person === person && session.id !== kept) await this.#forget(tx, session);
  }

  /** Resolves when all recorded uses are written. */
  async settle(): Promise<void> {
    await this.#noting;
  }

  /** Deletes expired sessions, and the person's oldest ones above the limit. */
  async #makeRoom(tx: Pick<MetaWrites, 'sessions'>, person: string): Promise<void> {
    const sessions = await tx.sessions.all();
    const mine = sessions.filter((session) => session.person === person && this.#isLive(session));
    const tooMany = Math.max(0, mine.length + 1 - this.#options.limits.sessionsPerPersonMax);
    const oldest = mine.sort((a, b) => a.createdAtMs - b.createdAtMs).slice(0, tooMany);
    const over = sessions.filter((session) => !this.#isLive(session));
    for (const session of [...over, ...oldest]) await this.#forget(tx, session);
  }

  async #forget(tx: Pick<MetaWrites, 'sessions'>, session: Session): Promise<void> {
    await tx.sessions.delete(session.id);
    this.#usedMs.set(session.id, 0);
  }

  #isLive(session: Session): boolean {
    const { sessionIdleS } = this.#options.limits;
    const nowMs = clockMs(this.#options.clock);
    return nowMs < session.expiresAtMs && nowMs - this.#usedAtMs(session) < sessionIdleS * 1000;
  }

  #usedAtMs({ id, usedAtMs }: Session): number {
    return Math.max(usedAtMs, this.#usedMs.of(id));
  }

  /** Stores the last use in the background; failures do not affect the request. */
  #noteUse(session: Session): void {
    const nowMs = clockMs(this.#options.clock);
    if (nowMs - this.#usedAtMs(session) < noteMs) return;
    this.#usedMs.set(session.id, nowMs);
    const used = { ...session, usedAtMs: nowMs };
    const { meta, log } = this.#options;
    this.#noting = this.#noting
      .then(() => meta.write((tx) => tx.sessions.update(used)))
      .catch((error: unknown) => log.warn('the use of a session cannot be noted', { error }));
  }
}

function callerOf({ id, name, role }: Person, session: Session): Caller {
  const person = { id, name, role, session: session.id };
  return { integration: '', credential: session.id, grants: personGrants, person };
}

/** Derived from the token, which scripts cannot read and which cannot be derived from it. */
function csrfTokenOf(token: string): string {
  return createHmac('sha256', token).update('tidemark csrf').digest('base64url');
}
