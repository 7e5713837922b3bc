/** Changes the name, colour and time zone of the instance after the set-up. */
import type { Act } from '#model/act';
import type { Clock } from '#model/environment';
import type { Instance } from '#model/sign-in';
import type { MetaPart } from '#storage/meta-store';
import { changesOf, record } from '../audit/record.ts';
import { instanceOf, preferencesOf } from './instance.ts';
import type { PeopleCache } from './people-cache.ts';

interface SettingsOptions {
  meta: MetaPart<'preferences' | 'audit'>;
  cache: PeopleCache;
  clock: Clock;
}

/** The settings that people make in the console. */
export class Settings {
  readonly #options: SettingsOptions;

  constructor(options: SettingsOptions) {
    this.#options = options;
  }

  /** Changes the given fields and returns all settings. `invalid-params` at `name`, `color`, `timeZone`. */
  async change(act: Act, choice: Partial<Instance>): Promise<Instance> {
    const { meta, cache, clock } = this.#options;
    const preferences = preferencesOf(choice, 'name');
    const after = await meta.write(async (tx) => {
      const before = await tx.preferences.all();
      const merged = instanceOf(new Map([...before, ...preferences]));
      const change = changesOf({ ...instanceOf(before) }, { ...merged });
      if (Object.keys(change).length === 0) return merged;
      for (const [key, value] of preferences) await tx.preferences.save(key, value);
      await record(tx, act, clock, { action: 'instance.set', target: 'instance', change });
      return merged;
    });
    await cache.reload();
    return after;
  }
}
