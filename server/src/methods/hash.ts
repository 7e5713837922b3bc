/** Hashes of resources, by which clients see whether something has changed without comparing it (R7). */
import { hash } from 'node:crypto';

/**
 * Lower-case hex SHA-1 over the compact JSON of `fields`, in their order, and a line feed. A Map is written with its keys
 * sorted bytewise (they are ASCII). The clients compute the same hash over what they would send, so not a byte may differ.
 */
export function resourceHash(fields: Readonly<Record<string, unknown>>): string {
  return hash('sha1', `${escapeMarkup(compactJson(fields))}\n`, 'hex');
}

function compactJson(value: unknown): string {
  if (value instanceof Map) return printMembers([...value].sort(([a], [b]) => (a < b ? -1 : 1)));
  if (Array.isArray(value)) return `[${value.map(compactJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) return printMembers(Object.entries(value));
  return JSON.stringify(value);
}

function printMembers(members: readonly (readonly [string, unknown])[]): string {
  return `{${members.map(([key, value]) => `${JSON.stringify(key)}:${compactJson(value)}`).join(',')}}`;
}

/** These five occur only inside strings of JSON, so they can be escaped in the whole text at once. */
function escapeMarkup(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
