/** Hashes of resources, by which clients see whether something has changed without comparing it (R7). */
import { hash } from 'node:crypto';
import { sortedKeys } from './attributes-view.ts';

/**
 * Lower-case hex SHA-1 over the compact JSON of `fields`, in their order, and a line feed. A Map is written with its keys
 * sorted bytewise (they are ASCII). The clients compute the same hash over what they would send, so not a byte may differ.
 */
export function resourceHash(fields: Readonly<Record<string, unknown>>): string {
  return hash('sha1', `${escapeMarkup(compactJson(fields))}\n`, 'hex');
}

/** Written for speed: a selection of resources spends much of its time here. */
function compactJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return value === '' ? '""' : JSON.stringify(value);
  if (value instanceof Map) return printMap(value);
  if (Array.isArray(value)) return `[${value.map(compactJson).join(',')}]`;
  let members = '';
  for (const [key, member] of Object.entries(value)) members += printMember(key, member, members);
  return `{${members}}`;
}

function printMap(map: ReadonlyMap<string, unknown>): string {
  if (map.size === 0) return '{}';
  let members = '';
  for (const key of sortedKeys(map)) members += printMember(key, map.get(key), members);
  return `{${members}}`;
}

function printMember(key: string, value: unknown, before: string): string {
  return `${before === '' ? '' : ','}${JSON.stringify(key)}:${compactJson(value)}`;
}

/** These five occur only inside strings of JSON, so they can be escaped in the whole text at once. */
function escapeMarkup(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
