/** Retention rules: how long the points of which signals are kept (L5). */
import { addMonths } from './civil.ts';
import { type Duration, dayUs, hourUs } from './duration.ts';
import type { Signal } from './signal.ts';

/** The signals of a rule: all, those of an integration, or those with a label value. */
export type RetentionScope =
  | { kind: 'all' }
  | { kind: 'integration'; integration: string }
  | { kind: 'label'; key: string; value: string };

/** One rule; at most one for each scope. */
export interface RetentionRule {
  scope: RetentionScope;
  /** Older points are deleted; null: points are kept forever. */
  keep: Duration | null;
}

/** The scope as text: `all`, `integration:<ID>`, `label:<key>=<value>`. */
export function printScope(scope: RetentionScope): string {
  if (scope.kind === 'integration') return `integration:${scope.integration}`;
  return scope.kind === 'label' ? `label:${scope.key}=${scope.value}` : 'all';
}

/** Reads what {@link printScope} wrote. */
export function parseScope(text: string): RetentionScope {
  if (text.startsWith('integration:')) return { kind: 'integration', integration: text.slice(12) };
  if (!text.startsWith('label:')) return { kind: 'all' };
  const at = text.indexOf('=');
  return { kind: 'label', key: text.slice(6, at), value: text.slice(at + 1) };
}

/** The rule that applies to a signal; undefined: none, its points are kept. */
export type RuleFinder = (signal: Pick<Signal, 'integration' | 'attributes'>) => RetentionRule | undefined;

/**
 * Finds rules: one by label wins over one by integration, which wins over the one for all. Of several labels, the one that
 * keeps longest wins, so that no rule deletes what another one keeps.
 */
export function ruleFinder(rules: readonly RetentionRule[]): RuleFinder {
  const byScope = new Map(rules.map((rule) => [printScope(rule.scope), rule]));
  const hasLabels = rules.some(({ scope }) => scope.kind === 'label');
  return ({ integration, attributes }) => {
    const labelled = hasLabels ? longestOf(byScope, attributes.labels) : undefined;
    return labelled ?? byScope.get(`integration:${integration}`) ?? byScope.get('all');
  };
}

function longestOf(
  rules: ReadonlyMap<string, RetentionRule>,
  labels: ReadonlyMap<string, readonly string[]>,
): RetentionRule | undefined {
  let longest: RetentionRule | undefined;
  for (const [key, values] of labels) {
    for (const value of values) {
      const rule = rules.get(`label:${key}=${value}`);
      if (rule !== undefined && (longest === undefined || lengthOf(rule) > lengthOf(longest))) longest = rule;
    }
  }
  return longest;
}

/** For comparison only: a month counts as its average length. */
function lengthOf({ keep }: RetentionRule): number {
  if (keep === null) return Number.POSITIVE_INFINITY;
  return keep.kind === 'fixed' ? keep.us : keep.months * 30.436875 * dayUs;
}

/** The time before which the rules keep no point of any signal; null: there is none. */
export function keptOfAnyFromUs(rules: readonly RetentionRule[], nowUs: number): number | null {
  const kept = rules.map(({ keep }) => (keep === null ? Number.NEGATIVE_INFINITY : keptFromUs(keep, nowUs)));
  const fromUs = Math.min(...kept);
  return Number.isFinite(fromUs) && rules.some(({ scope }) => scope.kind === 'all') ? fromUs : null;
}

/** From this length on the bound advances once a day instead of once an hour, so that blocks are rewritten once a day. */
const daylyUs = 10 * dayUs;

/** Points before this time are deleted: the age, rounded to keep more, to a whole hour, or from ten days on a whole day, UTC. */
export function keptFromUs(keep: Duration, nowUs: number): number {
  if (keep.kind === 'calendar') return addMonths(Math.floor(nowUs / dayUs), -keep.months) * dayUs;
  const unitUs = keep.us >= daylyUs ? dayUs : hourUs;
  return Math.floor((nowUs - keep.us) / unitUs) * unitUs;
}
