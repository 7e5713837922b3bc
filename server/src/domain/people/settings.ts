/** The settings of an instance: its name, colour and time zone. */
import type { Act } from '#model/act';
import type { Clock } from '#model/environment';
import { invalidParams } from '#model/error';
import type { Instance } from '#model/sign-in';
import { zoneProblem } from '#model/zone';
import type { MetaPart } from '#storage/meta-store';
import { changesOf, record } from '../audit/record.ts';
import type { PeopleCache } from './people-cache.ts';

const usual: Instance = { name: 'Tidemark', color: '', timeZone: 'UTC' };

/** Reads the settings from preferences. */
export function instanceOf(preferences: ReadonlyMap<string, string>): Instance {
  return {
    name: preferences.get('instance.name') ?? usual.name,
    color: preferences.get('instance.color') ?? usual.color,
    timeZone: preferences.get('instance.timeZone') ?? usual.timeZone,
  };
}

/** The preferences to be stored for a change, by key; omitted fields stay unchanged. `invalid-params` at `namePath`, `color`, `timeZone`. */
export function preferencesOf(choice: Partial<Instance>, namePath: string): Map<string, string> {
  const { name, color, timeZone } = choice;
  const length = [...(name ?? '')].length;
  if (name !== undefined && (length < 1 || length > 64))
    throw invalidParams({ [namePath]: [`must be 1 to 64 characters, got ${length}`] });
  if (color !== undefined && !/^(#[0-9a-f]{6})?$/i.test(color))
    throw invalidParams({ color: ['must be a colour such as #2266aa, or empty'] });
  const zone = timeZone === undefined ? null : zoneProblem(timeZone);
  if (zone !== null) throw invalidParams({ timeZone: [zone] });
  const given = Object.entries({
    'instance.name': name,
    'instance.color': color,
    'instance.timeZone': timeZone,
  });
  return new Map(given.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

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
