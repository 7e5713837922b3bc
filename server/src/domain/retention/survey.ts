/** All signals and the retention rule of each. */
import { matchAll, type ResourceQuery } from '#model/filter';
import { type RetentionRule, ruleFinder } from '#model/retention';
import type { MetaReads } from '#storage/meta-store';
import { pagesById } from '../signals/pages.ts';

/** All signals, by retention rule. */
interface Survey {
  /** Rule → numbers of its signals. */
  byRule: Map<RetentionRule, number[]>;
  /** Whether a signal has this number. */
  isKnown(number: number): boolean;
}

/** Signals in a page. */
const pageSignals = 1000;

/** Reads every signal once. */
export async function surveySignals(
  meta: Pick<MetaReads, 'signals'>,
  rules: readonly RetentionRule[],
): Promise<Survey> {
  const findRule = ruleFinder(rules);
  const byRule = new Map<RetentionRule, number[]>(rules.map((rule) => [rule, []]));
  const known = new Set<number>();
  const select = (query: ResourceQuery) => meta.signals.select(query, null);
  for await (const page of pagesById({ filter: matchAll, pageMax: pageSignals }, select)) {
    for (const signal of page) {
      known.add(signal.number);
      const rule = findRule(signal);
      if (rule !== undefined) byRule.get(rule)?.push(signal.number);
    }
  }
  return { byRule, isKnown: (number) => known.has(number) };
}
