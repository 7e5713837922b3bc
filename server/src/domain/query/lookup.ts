/** The items behind the columns of an evaluate call (Q11, Q12). */
import type { Limits } from '#model/limits';
import { ProblemList } from '#model/problem-list';
import type { Item } from '#model/signal';
import type { FedItem, MetaReads } from '#storage/meta-store';
import { describeUnknownItems } from '../signals/unknown-ids.ts';
import type { GroupAggregation } from './aggregation.ts';
import type { Aggregated, EvaluateRequest, ItemGroup } from './request.ts';

/** How many groups are looked up concurrently. */
const groupsAtOnce = 4;

/** An item or group under its alias, and the items behind it: one column before formulas are computed. */
export interface AliasColumn extends Aggregated {
  members: readonly FedItem[];
  /** Null: a single item, taken as it is. */
  groupAggregation: GroupAggregation | null;
}

/** What looking up needs. */
export interface LookUp {
  meta: Pick<MetaReads, 'signals' | 'items'>;
  limits: Limits;
  signal: AbortSignal | undefined;
}

/**
 * Looks up the items and groups, with the signals that feed them: one column for each, in the order asked. Fails with
 * `invalid-params` by path when an item does not exist, or when they are too many.
 */
export async function lookUpColumns(request: EvaluateRequest, lookUp: LookUp): Promise<AliasColumn[]> {
  const { meta, limits } = lookUp;
  const problems = new ProblemList();
  const ids = [...new Set(request.items.map(({ id }) => id))];
  checkCount(ids.length, 'items', limits, problems);
  problems.throwIfAny();
  const [found, groups] = await Promise.all([
    ids.length === 0 ? [] : meta.items.fedById(ids),
    lookUpGroups(request.groups, new Set(ids), lookUp, problems),
  ]);
  const items = new Map(found.map((item) => [item.id, item]));
  const unknown = ids.filter((id) => !items.has(id));
  const described = unknown.length === 0 ? null : await describeUnknownItems(meta, unknown);
  const columns: AliasColumn[] = [];
  request.items.forEach((asked, i) => {
    const item = items.get(asked.id);
    if (item === undefined) problems.add(['items', i, 'id'], described?.get(asked.id) ?? '');
    else columns.push({ ...asked, members: [item], groupAggregation: null });
  });
  problems.throwIfAny();
  return [...columns, ...groups];
}

/** Adds the items of the groups to `ids`; stops at the first group with which there are too many. */
async function lookUpGroups(
  groups: readonly ItemGroup[],
  ids: Set<string>,
  { meta, limits, signal }: LookUp,
  problems: ProblemList,
): Promise<AliasColumn[]> {
  const columns: AliasColumn[] = [];
  for (let start = 0; start < groups.length && problems.isEmpty; start += groupsAtOnce) {
    const some = groups.slice(start, start + groupsAtOnce);
    const selected = await Promise.all(some.map(({ query }) => meta.items.selectFed(query, signal)));
    selected.forEach(({ records }, i) => {
      const isCut = some[i].query.limit > limits.itemsLimitMax && records.length === some[i].query.limit;
      for (const { id } of records) ids.add(id);
      if (problems.isEmpty) checkCount(ids.size, `groups.${start + i}`, limits, problems, isCut);
      columns.push({ ...some[i], members: records });
    });
  }
  return columns;
}

/** `isCut`: a search that was to find one item too many has found it, so there may be any number more. */
function checkCount(count: number, path: string, limits: Limits, problems: ProblemList, isCut = false): void {
  const max = limits.itemsLimitMax;
  if (count <= max) return;
  const got = isCut ? `more than ${max}` : count;
  problems.add([path], `all items and groups together must reference at most ${max} items, got ${got}`);
}

/** Every item behind these columns, each once, by ID ascending. */
export function itemsBehind(columns: readonly AliasColumn[]): Item[] {
  const items = new Map(columns.flatMap(({ members }) => members.map((item) => [item.id, item])));
  return [...items.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}
