/** Patterns of `$regex` (R14): RE2 syntax, matched in linear time, compiled once and remembered for a while. */
import { RE2JS } from 're2js';
import { invalidParams } from '#model/error';
import type { Filter } from '#model/filter';

/** Patterns remembered; one that 256 others have pushed out is compiled again when it is asked for. */
const rememberedMax = 256;

const remembered = new Map<string, RE2JS>();

/** Whether `pattern` matches `text` somewhere. Throws for a pattern that is none: {@link checkPatterns} comes first. */
export function matchesPattern(pattern: string, text: string): boolean {
  return compile(pattern).test(text);
}

/** Refuses a filter with a pattern that is none, before any SQL sees it: `invalid-params` at the field. */
export function checkPatterns(filter: Filter): void {
  if (filter.op === 'and' || filter.op === 'or') filter.filters.forEach(checkPatterns);
  if (filter.op !== 'regex') return;
  try {
    compile(filter.pattern);
  } catch (cause) {
    const { path } = filter;
    const at = 'key' in path ? `${path.field}.${path.key}` : path.field;
    throw invalidParams({ [at]: [`must be a pattern in RE2 syntax: ${(cause as Error).message}`] });
  }
}

function compile(pattern: string): RE2JS {
  const known = remembered.get(pattern);
  if (known !== undefined) return known;
  const compiled = RE2JS.compile(pattern);
  const oldest = remembered.keys().next();
  if (remembered.size >= rememberedMax && !oldest.done) remembered.delete(oldest.value);
  remembered.set(pattern, compiled);
  return compiled;
}
