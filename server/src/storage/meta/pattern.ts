/** Checks the patterns of a filter (R14) before any SQL contains them. */
import { invalidParams } from '#model/error';
import type { Filter } from '#model/filter';
import { patternProblem } from '#model/pattern';

/** Fails with `invalid-params` at the field for a pattern that RE2 does not accept. */
export function checkPatterns(filter: Filter): void {
  if (filter.op === 'and' || filter.op === 'or') filter.filters.forEach(checkPatterns);
  if (filter.op !== 'regex') return;
  const problem = patternProblem(filter.pattern);
  const { path } = filter;
  const at = 'key' in path ? `${path.field}.${path.key}` : path.field;
  if (problem !== null) throw invalidParams({ [at]: [problem] });
}
