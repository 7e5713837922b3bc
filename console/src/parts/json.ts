/** JSON as people type and read it. */

/** Reads JSON; an empty text is no value. */
export function parseJson(text: string): { value?: unknown; problem?: string } {
  if (text.trim() === '') return { value: undefined };
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Whether a text is the JSON of a value, however it is written. */
export function saysSame(text: string, value: unknown): boolean {
  const parsed = parseJson(text);
  return parsed.problem === undefined && JSON.stringify(parsed.value) === JSON.stringify(value);
}

/** Whether a value is an object with members, not a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * JSON for display: lists of plain values are on one line, because frames have many. Of a longer text only the first
 * `charactersMax` characters are certain; the rest of large lists is not printed.
 */
export function printPretty(value: unknown, charactersMax = Number.POSITIVE_INFINITY, indent = ''): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const parts: string[] = [];
  let left = charactersMax;
  for (const [name, each] of isList ? value.entries() : Object.entries(value)) {
    if (left < 0) break;
    const printed = printPretty(each, left, inner);
    parts.push(isList ? printed : `${JSON.stringify(name)}: ${printed}`);
    left -= printed.length + 2;
  }
  const [open, close] = isList ? '[]' : '{}';
  if (parts.length === 0) return `${open}${close}`;
  const isPlain = isList && value.every((each) => typeof each !== 'object' || each === null);
  if (isPlain) return `[${parts.join(', ')}]`;
  return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${indent}${close}`;
}
