/** Publishes all signals that a filter matches, page by page. */
import type { FilterJson } from '../../parts/filter/terms.ts';
import { call, type ResultOf } from '../../platform/rpc/rpc.ts';
import { itemAfter } from './choice.ts';
import {
  addPage,
  isTaken,
  type ManyCounts,
  type ManyOptions,
  noCounts,
  type Page,
  type Saved,
} from './counts.ts';

const pageMax = 500;

/**
 * Counts all signals that match, and publishes those that `options` selects; null: only counts. Each page is published
 * completely or not at all; if one fails or `signal` is aborted, the pages before it stay published.
 */
export async function publishMany(
  integration: string,
  filter: FilterJson,
  options: ManyOptions | null,
  { signal, onProgress }: { signal: AbortSignal; onProgress(counts: ManyCounts): void },
): Promise<ManyCounts> {
  let counts = noCounts;
  for await (const page of pages(integration, filter, signal)) {
    const saved = options ? await publishPage(integration, page, options, signal) : [];
    counts = addPage(counts, page, saved);
    onProgress(counts);
  }
  return counts;
}

/** Sorted by ID: signals that no longer match after they are published do not shift the later pages. */
async function* pages(integration: string, filter: FilterJson, signal: AbortSignal): AsyncGenerator<Page> {
  let total: number | null = null;
  for (let last: string | undefined = ''; last !== undefined; ) {
    const query = {
      filter: { $and: [filter, { id: { $gt: last } }] },
      sort: ['id'],
      limit: pageMax,
      total: total === null,
    };
    const params = { integration, query, include: ['item'] };
    const answer: ResultOf<'admin.selectSignals'> = await call('admin.selectSignals', params, { signal });
    const { data, included, meta } = answer;
    total ??= meta.total ?? 0;
    const ids = data.map(({ id }) => id);
    const { byId } = await call('console.publish.status', { ids }, { signal });
    yield {
      signals: data,
      items: new Map((included ?? []).map((item) => [item.id, item])),
      states: byId,
      total,
    };
    last = data.length < pageMax ? undefined : ids.at(-1);
  }
}

async function publishPage(
  integration: string,
  { signals, items, states }: Page,
  options: ManyOptions,
  signal: AbortSignal,
): Promise<Saved[]> {
  const taken = signals.filter(({ id }) => isTaken(states[id], options));
  if (taken.length === 0) return [];
  const entries = taken.map((each) => {
    const item = items.get(each.relationships.item.data?.id ?? '') ?? null;
    return [each.id, itemAfter(each, item, {}, item?.attributes.visible ?? options.isVisible)] as const;
  });
  const params = { integration, itemsBySignal: Object.fromEntries(entries) };
  const answer = await call('console.publish.apply', params, { signal });
  return Object.values(answer.itemsBySignal);
}
