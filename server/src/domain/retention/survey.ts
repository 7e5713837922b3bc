/** All signals and the retention rule of each. */
import { type Filter, matchAll, type ResourceQuery } from '#model/filter';
import { type RetentionRule, ruleFinder } from '#model/retention';
import type { Signal } from '#model/signal';
import type { MetaReads } from '#storage/meta-store';

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
  for await (const signal of everySignal(meta)) {
    known.add(signal.number);
    const rule = findRule(signal);
    if (rule !== undefined) byRule.get(rule)?.push(signal.number);
  }
  return { byRule, isKnown: (number) => known.has(number) };
}

/** Pages that begin after the last ID: signals that are created or deleted meanwhile shift nothing. */
async function* everySignal(meta: Pick<MetaReads, 'signals'>): AsyncGenerator<Signal, void, undefined> {
  const path = { field: 'id' } as const;
  let filter: Filter = matchAll;
  while (true) {
    const query: ResourceQuery = {
      filter,
      sort: [{ path, descending: false }],
      limit: pageSignals,
      skip: 0,
      total: false,
    };
    const { records } = await meta.signals.select(query, null);
    yield* records;
    if (records.length < pageSignals) return;
    filter = { op: 'gt', path, value: records[records.length - 1].id };
  }
}
