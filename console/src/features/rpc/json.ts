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

/** JSON for display: lists of plain values are on one line, because frames have many. */
export function printPretty(value: unknown, indent = ''): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    const parts = value.map((each) => printPretty(each, inner));
    if (value.every((each) => typeof each !== 'object' || each === null)) return `[${parts.join(', ')}]`;
    return `[\n${inner}${parts.join(`,\n${inner}`)}\n${indent}]`;
  }
  const members = Object.entries(value).map(
    ([name, each]) => `${JSON.stringify(name)}: ${printPretty(each, inner)}`,
  );
  return members.length === 0 ? '{}' : `{\n${inner}${members.join(`,\n${inner}`)}\n${indent}}`;
}
