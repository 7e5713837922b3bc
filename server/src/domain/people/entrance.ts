/** The way in: the first administrator by set-up code, everybody by name and password; both slow for those who guess. */
import { timingSafeEqual } from 'node:crypto';
import type { Act } from '#model/act';
import { addressKey } from '#model/address';
import type { Clock, Log, Random, Stopwatch } from '#model/environment';
import { AppError } from '#model/error';
import type { Limits } from '#model/limits';
import type { Person } from '#model/person';
import type { MetaStore, MetaWrites } from '#storage/store';
import { record } from '../audit/record.ts';
import { digestOf } from '../identity/secret.ts';
import { type Instance, instanceOf, preferencesOf } from './instance.ts';
import type { Passwords } from './password.ts';
import type { People } from './people.ts';
import type { Register } from './register.ts';
import { nameKey } from './rules.ts';
import type { NewSession, Place, Presence, Sessions } from './sessions.ts';
import { Throttle } from './throttle.ts';

/** What {@link Entrance} works with. */
export interface EntranceOptions {
  meta: MetaStore;
  register: Register;
  people: People;
  sessions: Sessions;
  passwords: Passwords;
  clock: Clock;
  stopwatch: Stopwatch;
  random: Random;
  log: Log;
  /** Looked at each time. */
  limits: Pick<Limits, 'sessionTtlS'>;
}

/** What the first administrator sends. */
export interface SetUp {
  code: string;
  name: string;
  password: string;
  instance: Partial<Instance>;
}

/** Somebody who is in now, or why not. */
export type Entry =
  | { ok: true; token: string; maxAgeS: number; presence: Presence }
  | { ok: false; reason: 'wrong' }
  | { ok: false; reason: 'throttled'; retryAfterS: number };

/** A person mistypes; a program guesses. */
const byName = { freeAttempts: 5, waitSMax: 60, forgetS: 3600 } as const;
/** Several people may share an address. */
const byAddress = { freeAttempts: 20, waitSMax: 900, forgetS: 3600 } as const;

/** 80 bits, in letters and digits that look like no others. */
const codeBytes = 16;
const codeAlphabet = 'abcdefghijkmnpqrstuvwxyz23456789';

/** What is done beside beginning a session, in the same write. */
interface Entering {
  /** Before it. */
  first?: (tx: MetaWrites) => Promise<void>;
  /** Replaces the hash of the password. */
  renewedHash?: string | null;
}

/** Lets people in and out. */
export class Entrance {
  readonly #options: EntranceOptions;
  readonly #names: Throttle;
  readonly #addresses: Throttle;
  readonly #code: string;

  constructor(options: EntranceOptions) {
    this.#options = options;
    this.#names = new Throttle(options.stopwatch, byName);
    this.#addresses = new Throttle(options.stopwatch, byAddress);
    this.#code = newCode(options.random);
  }

  /** What the first administrator has to show; null once there are people. Another one at every start. */
  setupCode(): string | null {
    return this.#options.register.people().length === 0 ? this.#code : null;
  }

  /** The instance as people have set it up. */
  instance(): Instance {
    return instanceOf(this.#options.register.preferences());
  }

  /** Who a session's token stands for; null when it is over. */
  authenticate(token: string): Presence | null {
    return this.#options.sessions.authenticate(token);
  }

  /** Makes the first administrator and lets it in. `conflict` once there are people; `invalid-params`. */
  async setUp({ code, name, password, instance }: SetUp, place: Place): Promise<Entry> {
    if (this.setupCode() === null) throw alreadySetUp();
    const waitS = this.#take(this.#addresses, addressKey(place.address));
    if (waitS > 0) return { ok: false, reason: 'throttled', retryAfterS: waitS };
    if (!timingSafeEqual(digestOf(code.trim().toLowerCase()), digestOf(this.#code)))
      return { ok: false, reason: 'wrong' };
    const preferences = preferencesOf(instance, 'instanceName');
    const person = await this.#options.people.prepare({ name, password, role: 'admin' });
    this.#addresses.forget(addressKey(place.address));
    const first = async (tx: MetaWrites) => {
      if ((await tx.people()).length > 0) throw alreadySetUp();
      await this.#options.people.add(tx, { actor: 'setup', origin: place.address }, person);
      for (const [key, value] of preferences) await tx.savePreference(key, value);
    };
    return this.#enter(person, place, { first });
  }

  /** Lets somebody in who knows a name and its password. What is wrong of the two is not said. */
  async signIn(name: string, password: string, place: Place): Promise<Entry> {
    const address = addressKey(place.address);
    const person = this.#options.register.personByName(name);
    const key = this.#throttleKey(name, person, address);
    const waitS = Math.max(this.#names.waitS(key), this.#addresses.waitS(address));
    if (waitS > 0) return { ok: false, reason: 'throttled', retryAfterS: waitS };
    this.#names.note(key);
    this.#addresses.note(address);
    const isRight = await this.#options.passwords.verify(password, person?.passwordHash ?? null);
    if (person === undefined || !isRight) {
      this.#options.log.warn('sign-in failed', { address: place.address });
      return { ok: false, reason: 'wrong' };
    }
    this.#names.forget(key);
    this.#addresses.forget(address);
    return this.#enter(person, place, { renewedHash: await this.#renewedHash(person, password) });
  }

  /** Ends the session of a token; nothing happens when it is over already. */
  async signOut(token: string, address: string): Promise<void> {
    const person = this.authenticate(token)?.caller.person;
    if (person === undefined) return;
    const act = { actor: `person:${person.id}`, origin: address };
    await this.#options.sessions.end(act, person.session, person.id);
  }

  /** Guesses elsewhere are not to keep somebody out of a place where that person is signed in already. */
  #throttleKey(name: string, person: Person | undefined, address: string): string {
    const key = nameKey(name).slice(0, 64);
    const places = person === undefined ? [] : this.#options.sessions.list(person.id);
    return places.some((session) => addressKey(session.address) === address) ? `${key} ${address}` : key;
  }

  /** A hash of today's cost in the place of an older one; null where there is none to replace. */
  async #renewedHash(person: Person, password: string): Promise<string | null> {
    const { passwords } = this.#options;
    return passwords.isOutdated(person.passwordHash) ? passwords.hash(password) : null;
  }

  /** Begins a session for somebody who has proved to be `person`: with that password, which must not have changed since. */
  async #enter(person: Person, place: Place, { first, renewedHash }: Entering): Promise<Entry> {
    const { meta, register, sessions, clock, limits } = this.#options;
    const created = await meta.write<NewSession>(async (tx) => {
      await first?.(tx);
      const stored = (await tx.people()).find(({ id }) => id === person.id);
      if (stored?.passwordHash !== person.passwordHash)
        throw new AppError('conflict', 'This person has just been changed: try again');
      if (renewedHash) await tx.updatePerson({ ...stored, passwordHash: renewedHash });
      const begun = await sessions.begin(tx, stored, place);
      const act: Act = { actor: `person:${person.id}`, origin: place.address };
      const nowMs = Math.floor(clock.nowUs() / 1000);
      await record(tx, act, nowMs, { action: 'session.begin', target: begun.session.id, change: {} });
      return begun;
    });
    await register.reload();
    const presence = sessions.authenticate(created.token);
    if (presence === null) throw new AppError('conflict', 'this session has just been ended');
    return { ok: true, token: created.token, maxAgeS: limits.sessionTtlS, presence };
  }

  #take(throttle: Throttle, key: string): number {
    const waitS = throttle.waitS(key);
    if (waitS === 0) throttle.note(key);
    return waitS;
  }
}

function alreadySetUp(): AppError {
  return new AppError('conflict', 'There is an administrator already: sign in');
}

/** For example `k3fd-9xyz-…`: four groups of four. */
function newCode(random: Random): string {
  const letters = Array.from(random.bytes(codeBytes), (byte) => codeAlphabet[byte & 31]);
  return letters.join('').replace(/(.{4})(?=.)/g, '$1-');
}
