/** Signing in: the first administrator by set-up code, others by name and password; both are throttled against guessing. */
import { timingSafeEqual } from 'node:crypto';
import type { Act } from '#model/act';
import { addressKey } from '#model/address';
import type { Clock, Log, Random, Stopwatch } from '#model/environment';
import { type AppError, conflict } from '#model/error';
import type { Limits } from '#model/limits';
import type { Person } from '#model/person';
import type { Instance, Presence, SessionClient, SetUpRequest, SignInResult } from '#model/sign-in';
import type { Coordination } from '#storage/coordination';
import type { MetaPart, MetaWrites } from '#storage/meta-store';
import { record } from '../audit/record.ts';
import { digestOf } from '../identity/secret.ts';
import type { Passwords } from './password.ts';
import type { People } from './people.ts';
import type { PeopleCache } from './people-cache.ts';
import { nameKey } from './rules.ts';
import type { NewSession, Sessions } from './sessions.ts';
import { instanceOf, preferencesOf } from './settings.ts';
import { Throttle } from './throttle.ts';

interface SignInsOptions {
  meta: MetaPart<'people' | 'sessions' | 'preferences' | 'audit'>;
  cache: PeopleCache;
  people: People;
  sessions: Sessions;
  passwords: Passwords;
  clock: Clock;
  stopwatch: Stopwatch;
  coordination: Coordination;
  random: Random;
  log: Log;
  /** What the first administrator has to enter; default: a new one. */
  setupCode?: string;
  /** Evaluated for each attempt. */
  limits: Pick<Limits, 'sessionTtlS'>;
}

/** Attempts for one name, which allows for typing errors. */
const byName = { freeAttempts: 5, waitSMax: 60, forgetS: 3600 } as const;
/** Attempts from one address, which several people may share. */
const byAddress = { freeAttempts: 20, waitSMax: 900, forgetS: 3600 } as const;

/** 80 bits, in letters and digits that cannot be confused with one another. */
const codeBytes = 16;
const codeAlphabet = 'abcdefghijkmnpqrstuvwxyz23456789';

/** Further changes in the transaction that begins a session. */
interface Entering {
  /** Before it. */
  first?: (tx: Pick<MetaWrites, 'people' | 'sessions' | 'preferences' | 'audit'>) => Promise<void>;
  /** Replaces the hash of the password. */
  renewedHash?: string | null;
}

/** Signs people in and out. */
export class SignIns {
  readonly #options: SignInsOptions;
  readonly #names: Throttle;
  readonly #addresses: Throttle;
  readonly #code: string;

  constructor(options: SignInsOptions) {
    this.#options = options;
    const { stopwatch, coordination } = options;
    this.#names = new Throttle({ ...byName, stopwatch, attempts: coordination.attempts('name') });
    this.#addresses = new Throttle({ ...byAddress, stopwatch, attempts: coordination.attempts('address') });
    this.#code = options.setupCode ?? newSetupCode(options.random);
  }

  /** The code that the first administrator has to enter; null once there are people. A new one is created at every start. */
  setupCode(): string | null {
    return this.#options.cache.people().length === 0 ? this.#code : null;
  }

  /** The settings of the instance. */
  instance(): Instance {
    return instanceOf(this.#options.cache.preferences());
  }

  /** The session of a token; null when it has ended. */
  authenticate(token: string): Promise<Presence | null> {
    return this.#options.sessions.authenticate(token);
  }

  /** Creates the first administrator and a session. `conflict` once there are people; `invalid-params`. */
  async setUp(
    { code, name, password, instance }: SetUpRequest,
    client: SessionClient,
  ): Promise<SignInResult> {
    await this.#options.cache.refresh(); // Another process may have been set up just now.
    if (this.setupCode() === null) throw alreadySetUp();
    const address = addressKey(client.address);
    const waitS = this.#addresses.waitS(address);
    if (waitS > 0) return { ok: false, reason: 'throttled', retryAfterS: waitS };
    this.#addresses.note(address);
    if (!timingSafeEqual(digestOf(code.trim().toLowerCase()), digestOf(this.#code)))
      return { ok: false, reason: 'wrong' };
    const preferences = preferencesOf(instance, 'instanceName');
    const person = await this.#options.people.prepare({ name, password, role: 'admin' });
    this.#addresses.forget(address);
    const first = async (tx: Pick<MetaWrites, 'people' | 'sessions' | 'preferences' | 'audit'>) => {
      if ((await tx.people.all()).length > 0) throw alreadySetUp();
      await this.#options.people.add(tx, { actor: 'setup', origin: client.address }, person);
      for (const [key, value] of preferences) await tx.preferences.save(key, value);
    };
    return this.#enter(person, client, { first });
  }

  /** Signs in a person by name and password. The result does not reveal which of the two is wrong. */
  async signIn(name: string, password: string, client: SessionClient): Promise<SignInResult> {
    const address = addressKey(client.address);
    await this.#options.cache.refresh(); // The person may have been added or changed by another process just now.
    const person = this.#options.cache.personByName(name);
    const key = this.#throttleKey(name, person, address);
    const waitS = Math.max(this.#names.waitS(key), this.#addresses.waitS(address));
    if (waitS > 0) return { ok: false, reason: 'throttled', retryAfterS: waitS };
    this.#names.note(key);
    this.#addresses.note(address);
    const isRight = await this.#options.passwords.verify(password, person?.passwordHash ?? null);
    if (person === undefined || !isRight) {
      this.#options.log.warn('sign-in failed', { address: client.address });
      return { ok: false, reason: 'wrong' };
    }
    this.#names.forget(key);
    this.#addresses.forget(address);
    return this.#enter(person, client, { renewedHash: await this.#renewedHash(person, password) });
  }

  /** Ends the session of a token; does nothing when it has ended already. */
  async signOut(token: string, address: string): Promise<void> {
    const person = (await this.authenticate(token))?.caller.person;
    if (person === undefined) return;
    const act = { actor: `person:${person.id}`, origin: address };
    await this.#options.sessions.end(act, person.session, person.id);
  }

  /** Attempts from other addresses must not lock a person out at an address where the person has a session. */
  #throttleKey(name: string, person: Person | undefined, address: string): string {
    const key = nameKey(name).slice(0, 64);
    const places = person === undefined ? [] : this.#options.sessions.list(person.id);
    return places.some((session) => addressKey(session.address) === address) ? `${key} ${address}` : key;
  }

  /** A hash with the current cost, if the stored one has another cost; else null. */
  async #renewedHash(person: Person, password: string): Promise<string | null> {
    const { passwords } = this.#options;
    return passwords.isOutdated(person.passwordHash) ? passwords.hash(password) : null;
  }

  /** Begins a session for an authenticated person, whose password must not have changed in the meantime. */
  async #enter(
    person: Person,
    client: SessionClient,
    { first, renewedHash }: Entering,
  ): Promise<SignInResult> {
    const { meta, cache, sessions, clock, limits } = this.#options;
    const created = await meta.write<NewSession>(async (tx) => {
      await first?.(tx);
      const stored = await tx.people.find(person.id);
      if (stored?.passwordHash !== person.passwordHash)
        throw conflict('This person has just been changed: try again');
      if (renewedHash) await tx.people.update({ ...stored, passwordHash: renewedHash });
      const begun = await sessions.begin(tx, stored, client);
      const act: Act = { actor: `person:${person.id}`, origin: client.address };
      await record(tx, act, clock, { action: 'session.begin', target: begun.session.id, change: {} });
      return begun;
    });
    await cache.reload();
    const presence = await sessions.authenticate(created.token);
    if (presence === null) throw conflict('this session has just been ended');
    return { ok: true, token: created.token, maxAgeS: limits.sessionTtlS, presence };
  }
}

function alreadySetUp(): AppError {
  return conflict('There is an administrator already: sign in');
}

/** A code for the set-up, for example `k3fd-9xyz-…`: four groups of four. */
export function newSetupCode(random: Random): string {
  const letters = Array.from(random.bytes(codeBytes), (byte) => codeAlphabet[byte & 31]);
  return letters.join('').replace(/(.{4})(?=.)/g, '$1-');
}
