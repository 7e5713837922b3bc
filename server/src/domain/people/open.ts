/** Opens the services for people, which share one cache and one queue of password checks. */
import type { Clock, Log, Random, Stopwatch } from '#model/environment';
import type { Limits } from '#model/limits';
import type { XidSource } from '#model/xid';
import type { Coordination } from '#storage/coordination';
import type { MetaPart } from '#storage/meta-store';
import type { NumberTables } from '#threads/number-table';
import { type PasswordCost, Passwords } from './password.ts';
import { People } from './people.ts';
import { PeopleCache } from './people-cache.ts';
import { SavedViews } from './saved-views.ts';
import { Sessions } from './sessions.ts';
import { Settings } from './settings.ts';
import { SignIns } from './sign-ins.ts';

/** Dependencies of {@link openPeople}. */
export interface OpenPeopleOptions {
  meta: MetaPart<'people' | 'sessions' | 'savedViews' | 'preferences' | 'audit'>;
  clock: Clock;
  /** Measures the delays after wrong passwords. */
  stopwatch: Stopwatch;
  random: Random;
  ids: XidSource;
  log: Log;
  coordination: Coordination;
  /** What the threads of this process share. */
  tables: NumberTables;
  /** Looked at each time. */
  limits: Pick<
    Limits,
    | 'sessionIdleS'
    | 'sessionTtlS'
    | 'sessionsPerPersonMax'
    | 'passwordsWaitingMax'
    | 'savedViewsMax'
    | 'savedViewsPerPersonMax'
  >;
  /** What the first administrator has to enter; default: a new code. */
  setupCode?: string;
  /** The cost of password hashes; tests use a lower one. */
  passwordCost?: PasswordCost;
}

/** Reads people and sessions from the store. `close` writes pending dates of last use, and stops following the store. */
export async function openPeople(options: OpenPeopleOptions) {
  const { meta, random, limits, log } = options;
  const cache = new PeopleCache(meta, log);
  await cache.reload();
  const passwords = new Passwords(random, limits, options.tables, options.passwordCost);
  const shared = { ...options, cache, passwords };
  const sessions = new Sessions(shared);
  const people = new People({ ...shared, sessions });
  const signIns = new SignIns({ ...shared, sessions, people });
  const savedViews = new SavedViews(shared);
  const settings = new Settings(shared);
  const close = async () => {
    await sessions.settle();
    await cache.close();
  };
  const catchUp = () => cache.catchUp();
  return { people, sessions, signIns, savedViews, settings, catchUp, close };
}
