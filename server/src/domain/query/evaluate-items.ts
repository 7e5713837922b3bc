/** The items that an evaluate call is about (Q11, Q12). */
import { invalidParams } from '#model/error';
import type { ResourceQuery } from '#model/filter';
import type { Limits } from '#model/limits';
import { ProblemList } from '#model/problem-list';
import type { Item } from '#model/signal';
import type { MetaReads } from '#storage/meta-store';
import { describeUnknownItems } from '../signals/unknown-ids.ts';
import type { Aggregated, EvaluateRequest, GroupAggregation } from './request.ts';

/** One item or group of the call, with the items behind it. */
export interface Column extends Aggregated {
  members: readonly Item[];
  /** Null: a single item, taken as it is. */
  groupAggregation: GroupAggregation | null;
}

/**
 * Looks the items up: one column for each item and group, in the order asked. Fails with `invalid-params` by path when an
 * item does not exist, or when they are too many. `signal` ends it early, with its reason.
 */
export async function columnsAsked(
  meta: Pick<MetaReads, 'signals' | 'items'>,
  request: EvaluateRequest,
  limits: Limits,
  signal?: AbortSignal,
): Promise<Column[]> {
  const ids = [...new Set(request.items.map(({ id }) => id))];
  checkCount(ids.length, 'items', limits);
  const known = new Map((await meta.items.byId(ids)).map((item) => [item.id, item]));
  const unknown = ids.filter((id) => !known.has(id));
  const described = unknown.length === 0 ? null : await describeUnknownItems(meta, unknown);
  const problems = new ProblemList();
  const columns: Column[] = [];
  request.items.forEach((asked, i) => {
    const item = known.get(asked.id);
    if (item === undefined) problems.add(['items', i, 'id'], described?.get(asked.id) ?? '');
    else columns.push({ ...asked, members: [item], groupAggregation: null });
  });
  problems.throwIfAny();
  return [...columns, ...(await groupColumns(meta, request, limits, new Set(ids), signal))];
}

async function groupColumns(
  meta: Pick<MetaReads, 'signals' | 'items'>,
  { groups }: EvaluateRequest,
  limits: Limits,
  ids: Set<string>,
  signal?: AbortSignal,
): Promise<Column[]> {
  const columns: Column[] = [];
  for (const [i, group] of groups.entries()) {
    const { records } = await meta.items.select(group.query, signal);
    for (const { id } of records) ids.add(id);
    checkCount(ids.size, `groups.${i}`, limits, isCut(group.query, records.length, limits));
    columns.push({ ...group, members: records });
  }
  return columns;
}

/** Whether a search that was to find one item too many has found it, so that there may be any number more. */
function isCut({ limit }: ResourceQuery, found: number, { itemsLimitMax }: Limits): boolean {
  return limit > itemsLimitMax && found === limit;
}

function checkCount(count: number, path: string, limits: Limits, isMore = false): void {
  const max = limits.itemsLimitMax;
  if (count <= max) return;
  throw invalidParams({
    [path]: [
      `all items and groups together must reference at most ${max} items, got ${isMore ? `more than ${max}` : count}`,
    ],
  });
}

/** Every item behind these columns, each once, by ID ascending. */
export function itemsBehind(columns: readonly Column[]): Item[] {
  const items = new Map(columns.flatMap(({ members }) => members.map((item) => [item.id, item])));
  return [...items.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}
