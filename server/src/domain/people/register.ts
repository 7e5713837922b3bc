/** People, sessions and preferences, cached in memory so that requests do not wait for the store; updated when the store changes. */

import type { Log } from '#model/environment';
import type { Person, Session } from '#model/person';
import type { MetaStore } from '#storage/meta-store';
import { nameKey } from './rules.ts';

/** Delay before a retry after the store could not be read, ms. */
const retryMs = 200;

/** People, sessions and preferences as last read from the store. */
export class Register {
  readonly #meta: MetaStore;
  readonly #log: Log;
  readonly #unsubscribe: () => void;
  #people = new Map<string, Person>();
  #byName = new Map<string, Person>();
  #sessions = new Map<string, Session>();
  #byDigest = new Map<string, Session>();
  #preferences: ReadonlyMap<string, string> = new Map();
  #running: Promise<void> = Promise.resolve();
  #retry: NodeJS.Timeout | undefined;

  constructor(meta: MetaStore, log: Log) {
    this.#meta = meta;
    this.#log = log;
    this.#unsubscribe = meta.subscribe((topic) => {
      if (topic === 'people') this.#follow();
    });
  }

  /** Oldest first. */
  people(): Person[] {
    return [...this.#people.values()];
  }

  person(id: string): Person | undefined {
    return this.#people.get(id);
  }

  /** Finds a person by name, ignoring case. */
  personByName(name: string): Person | undefined {
    return this.#byName.get(nameKey(name));
  }

  /** Oldest first, including expired ones. */
  sessions(): Session[] {
    return [...this.#sessions.values()];
  }

  /** By the SHA-256 of its token. */
  sessionByDigest(digest: string): Session | undefined {
    return this.#byDigest.get(digest);
  }

  preferences(): ReadonlyMap<string, string> {
    return this.#preferences;
  }

  /** Reads the store again, after a read in progress. When it resolves, everything committed before the call is known. */
  reload(): Promise<void> {
    const done = this.#running.catch(() => undefined).then(() => this.#load());
    this.#running = done;
    return done;
  }

  /** Stops following the store. */
  async close(): Promise<void> {
    this.#unsubscribe();
    await this.#running.catch(() => undefined);
    clearTimeout(this.#retry);
  }

  #follow(): void {
    this.reload().catch((error: unknown) => {
      this.#log.warn('people and sessions cannot be read; trying again', { error });
      clearTimeout(this.#retry);
      this.#retry = setTimeout(() => this.#follow(), retryMs);
      this.#retry.unref();
    });
  }

  async #load(): Promise<void> {
    const [people, sessions, preferences] = await Promise.all([
      this.#meta.people.all(),
      this.#meta.sessions.all(),
      this.#meta.preferences.all(),
    ]);
    this.#people = new Map(byAge(people).map((person) => [person.id, person]));
    this.#byName = new Map(people.map((person) => [nameKey(person.name), person]));
    this.#sessions = new Map(byAge(sessions).map((session) => [session.id, session]));
    this.#byDigest = new Map(sessions.map((session) => [session.tokenSha256, session]));
    this.#preferences = preferences;
  }
}

function byAge<T extends { id: string; createdAtMs: number }>(records: readonly T[]): T[] {
  return [...records].sort((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1));
}
