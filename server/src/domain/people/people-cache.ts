/** People, sessions and preferences, cached in memory so that requests do not wait for the store; updated when the store changes. */

import type { Log } from '#model/environment';
import type { Person, Session } from '#model/person';
import type { MetaPart } from '#storage/meta-store';
import { byId, Follower } from '../follower.ts';
import { nameKey } from './rules.ts';

type PeopleMeta = MetaPart<'people' | 'sessions' | 'preferences'>;

/** People, sessions and preferences as last read from the store. */
export class PeopleCache extends Follower {
  readonly #meta: PeopleMeta;
  #people = new Map<string, Person>();
  #byName = new Map<string, Person>();
  #sessions = new Map<string, Session>();
  #byDigest = new Map<string, Session>();
  #preferences: ReadonlyMap<string, string> = new Map();

  constructor(meta: PeopleMeta, log: Log) {
    super({ meta, topics: ['people'], warning: 'people and sessions cannot be read; trying again', log });
    this.#meta = meta;
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

  protected override async load(): Promise<void> {
    const [people, sessions, preferences] = await Promise.all([
      this.#meta.people.all(),
      this.#meta.sessions.all(),
      this.#meta.preferences.all(),
    ]);
    this.#people = byId(people);
    this.#byName = new Map(people.map((person) => [nameKey(person.name), person]));
    this.#sessions = byId(sessions);
    this.#byDigest = new Map(sessions.map((session) => [session.tokenSha256, session]));
    this.#preferences = preferences;
  }
}
