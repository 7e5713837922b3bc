/** Which rules match which signals (P2, P4), as filters of selections decide it. */
import type { Filter, ResourceQuery } from '#model/filter';
import type { Signal } from '#model/signal';
import type { ResourceReads } from '../signals/plan.ts';
import type { CompiledRule } from './compiled-rule.ts';

/** Signal ID → the rules that match, of the lowest position that has any. */
export type Matches = ReadonlyMap<string, readonly CompiledRule[]>;

/** Signals of one search: few enough that a store finds them by their IDs in one statement. */
const searchSignals = 100;

/** Finds the rules of signals of one integration; one search for each rule and {@link searchSignals} of them. `rules` ascend by position. */
export async function matchRules(
  reads: ResourceReads,
  rules: readonly CompiledRule[],
  integration: string,
  signals: readonly Signal[],
  signal?: AbortSignal,
): Promise<Matches> {
  const matches = new Map<string, CompiledRule[]>();
  let open = signals.map(({ id }) => id);
  for (const [i, compiled] of rules.entries()) {
    const { rule } = compiled;
    // A signal that a rule of a lower position matches is decided.
    if (rule.position !== rules[i - 1]?.rule.position) open = open.filter((id) => !matches.has(id));
    if (open.length === 0) break;
    if (rule.integration !== null && rule.integration !== integration) continue;
    for (let start = 0; start < open.length; start += searchSignals) {
      const ids = open.slice(start, start + searchSignals);
      const { records } = await reads.signals.select(amongst(ids, rule.filter), integration, signal);
      for (const { id } of records) matches.set(id, [...(matches.get(id) ?? []), compiled]);
    }
  }
  return matches;
}

/** Those of some resources that pass a filter, by ID. */
function amongst(ids: readonly string[], filter: Filter): ResourceQuery {
  const these: Filter = { op: 'in', path: { field: 'id' }, values: ids };
  return {
    filter: { op: 'and', filters: [these, filter] },
    sort: [],
    limit: ids.length,
    skip: 0,
    total: false,
  };
}
