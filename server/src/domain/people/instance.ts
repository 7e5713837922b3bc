/** The settings of an instance: its name, colour and time zone. */
import { AppError, invalidParams } from '#model/error';
import type { Instance } from '#model/sign-in';
import { checkZone } from '#model/zone';

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
  if (timeZone !== undefined) checkTimeZone(timeZone);
  const given = Object.entries({
    'instance.name': name,
    'instance.color': color,
    'instance.timeZone': timeZone,
  });
  return new Map(given.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function checkTimeZone(name: string): void {
  try {
    checkZone(name);
  } catch (error) {
    throw error instanceof AppError ? invalidParams({ timeZone: [error.message] }) : error;
  }
}
