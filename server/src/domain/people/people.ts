/** Creates, changes and deletes people. At least one administrator always remains. */
import type { Act } from '#model/act';
import type { Role } from '#model/caller';
import { type Clock, clockMs, type Stopwatch } from '#model/environment';
import { AppError, conflict, invalidParams } from '#model/error';
import type { Person } from '#model/person';
import type { XidSource } from '#model/xid';
import type { Coordination } from '#storage/coordination';
import type { MetaPart, MetaReads, MetaWrites } from '#storage/meta-store';
import { changesOf, record } from '../audit/record.ts';
import type { Passwords } from './password.ts';
import type { PeopleCache } from './people-cache.ts';
import { checkPerson, nameKey } from './rules.ts';
import type { Sessions } from './sessions.ts';
import { Throttle } from './throttle.ts';

interface PeopleOptions {
  meta: MetaPart<'people' | 'sessions' | 'audit'>;
  cache: PeopleCache;
  sessions: Sessions;
  passwords: Passwords;
  clock: Clock;
  stopwatch: Stopwatch;
  coordination: Coordination;
  ids: XidSource;
}

/** A person to be created. */
interface NewPerson {
  name: string;
  password: string;
  role: Role;
}

/** A change of a person; omitted fields stay unchanged. */
interface PersonChange {
  role?: Role;
  password?: string;
}

/** Limit of wrong current passwords of a person who is signed in. */
const passwordChanges = { freeAttempts: 5, waitSMax: 900, forgetS: 3600 } as const;

/** Manages people. A change takes effect in this process when its promise resolves, in others within a second. */
export class People {
  readonly #options: PeopleOptions;
  /** Changes of a password, by person. */
  readonly #changes: Throttle;

  constructor(options: PeopleOptions) {
    this.#options = options;
    this.#changes = new Throttle({
      ...passwordChanges,
      stopwatch: options.stopwatch,
      attempts: options.coordination.attempts('person who changes a password'),
    });
  }

  /** Oldest first. */
  list(): Person[] {
    return this.#options.cache.people();
  }

  /** A person by name, ignoring case. `not-found`. */
  named(name: string): Person {
    const person = this.#options.cache.personByName(name);
    if (person === undefined)
      throw new AppError('not-found', `no person has the name ${JSON.stringify(name)}`);
    return person;
  }

  /** Creates a person. `invalid-params` at `name`, `password`; `conflict` when the name is taken. */
  async create(act: Act, { name, password, role }: NewPerson): Promise<Person> {
    const person = await this.prepare({ name, password, role });
    await this.#change((tx) => this.add(tx, act, person));
    return person;
  }

  /** Checks a new person and hashes the password, before a write. `invalid-params`. */
  async prepare({ name, password, role }: NewPerson): Promise<Person> {
    checkPerson(name, password);
    const { ids, passwords } = this.#options;
    const passwordHash = await passwords.hash(password);
    const nowMs = clockMs(this.#options.clock);
    return { id: ids.next(), name, role, passwordHash, createdAtMs: nowMs, updatedAtMs: nowMs };
  }

  /** Adds a prepared person inside a write. `conflict` when the name is taken. */
  async add(tx: Pick<MetaWrites, 'people' | 'sessions' | 'audit'>, act: Act, person: Person): Promise<void> {
    const taken = (await tx.people.all()).some((other) => nameKey(other.name) === nameKey(person.name));
    if (taken) throw conflict(`the name ${JSON.stringify(person.name)} is taken`);
    await tx.people.insert(person);
    const change = changesOf({}, view(person));
    await record(tx, act, this.#options.clock, { action: 'person.create', target: person.id, change });
  }

  /**
   * Changes a person's role or password; a new password ends all sessions but `keptSession`. `not-found`;
   * `invalid-params` at `password`; `conflict` when no administrator would be left.
   */
  async update(
    act: Act,
    id: string,
    change: PersonChange,
    keptSession: string | null = null,
  ): Promise<Person> {
    const passwordHash = await this.#newHash(id, change.password);
    return this.#change(async (tx) => {
      const before = await find(tx, id);
      if (passwordHash === null && (change.role ?? before.role) === before.role) return before;
      const after: Person = {
        ...before,
        role: change.role ?? before.role,
        passwordHash: passwordHash ?? before.passwordHash,
        updatedAtMs: clockMs(this.#options.clock),
      };
      if (after.role !== 'admin') await requireOtherAdmin(tx, before);
      await tx.people.update(after);
      if (passwordHash !== null) await this.#options.sessions.endOthers(tx, id, keptSession);
      const changes = {
        ...changesOf(view(before), view(after)),
        ...(passwordHash && { password: 'changed' }),
      };
      await record(tx, act, this.#options.clock, { action: 'person.update', target: id, change: changes });
      return after;
    });
  }

  /**
   * Lets a person choose another password; other sessions end. `invalid-params` at `current` or `next`; `try-again` after
   * several wrong ones, so that a stolen session does not let its thief guess.
   */
  async changePassword(
    act: Act,
    { id, session, current, next }: { id: string; session: string; current: string; next: string },
  ): Promise<void> {
    const { cache, passwords } = this.#options;
    const person = cache.person(id) ?? notFound(id);
    checkPerson(person.name, next, 'next');
    const waitS = this.#changes.waitS(id);
    if (waitS > 0) throw new AppError('try-again', `Too many wrong passwords; try again in ${waitS} s`);
    this.#changes.note(id);
    if (!(await passwords.verify(current, person.passwordHash)))
      throw invalidParams({ current: ['is not your password'] });
    this.#changes.forget(id);
    await this.update(act, id, { password: next }, session);
  }

  /** Deletes a person with all sessions. `not-found`; `conflict` when no administrator would be left. */
  remove(act: Act, id: string): Promise<void> {
    return this.#change(async (tx) => {
      const person = await find(tx, id);
      await requireOtherAdmin(tx, person);
      await tx.people.delete(id);
      const change = changesOf(view(person), {});
      await record(tx, act, this.#options.clock, { action: 'person.delete', target: id, change });
    });
  }

  async #newHash(id: string, password: string | undefined): Promise<string | null> {
    if (password === undefined) return null;
    const person = this.#options.cache.person(id) ?? notFound(id);
    checkPerson(person.name, password);
    return this.#options.passwords.hash(password);
  }

  /** Writes, and reloads the cache before it resolves. */
  async #change<T>(work: (tx: Pick<MetaWrites, 'people' | 'sessions' | 'audit'>) => Promise<T>): Promise<T> {
    const result = await this.#options.meta.write(work);
    await this.#options.cache.reload();
    return result;
  }
}

/** A person's fields in the audit. */
function view({ name, role }: Person): { name: string; role: Role } {
  return { name, role };
}

async function find(reads: Pick<MetaReads, 'people'>, id: string): Promise<Person> {
  return (await reads.people.find(id)) ?? notFound(id);
}

function notFound(id: string): never {
  throw new AppError('not-found', `no person has the ID ${id}`);
}

async function requireOtherAdmin(reads: Pick<MetaReads, 'people'>, person: Person): Promise<void> {
  if (person.role !== 'admin') return;
  const isOther = (other: Person) => other.role === 'admin' && other.id !== person.id;
  if (!(await reads.people.all()).some(isOther))
    throw conflict(`${JSON.stringify(person.name)} is the only administrator left`);
}
