/** Publishes all signals that a filter matches, page by page. */

import type { Item, PublishState, Signal } from '@tidemark/client/wire';
import type { FilterJson } from '../../parts/filter/terms.ts';
import { call, type ResultOf } from '../../platform/rpc/rpc.ts';
import { itemAfter } from './choice.ts';

/** Which signals are published. */
export interface ManyOptions {
  /** Those without an item. */
  takesNew: boolean;
  /** Those that have changed since they were published. */
  takesChanged: boolean;
  /** Those whose items were edited; the edits are overwritten. */
  takesEdited: boolean;
  /** Whether new items are visible. */
  isVisible: boolean;
}

/** Counts by state, and of created and updated items. */
export interface ManyCounts {
  seen: number;
  total: number | null;
  unpublished: number;
  changed: number;
  edited: number;
  inSync: number;
  created: number;
  updated: number;
}

/** The counts at the start. */
export const noCounts: ManyCounts = {
  seen: 0,
  total: null,
  unpublished: 0,
  changed: 0,
  edited: 0,
  inSync: 0,
  created: 0,
  updated: 0,
};

/** The number of signals that `options` would publish. */
export function countTaken({ unpublished, changed, edited }: ManyCounts, options: ManyOptions): number {
  return (
    (options.takesNew ? unpublished : 0) +
    (options.takesChanged ? changed : 0) +
    (options.takesEdited ? edited : 0)
  );
}

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

interface Page {
  signals: readonly Signal[];
  items: ReadonlyMap<string, Item>;
  states: Readonly<Record<string, PublishState>>;
  total: number;
}

/** The result of publishing one signal. */
type Saved = ResultOf<'console.publish.apply'>['itemsBySignal'][string];

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

type Kind = 'unpublished' | 'changed' | 'edited' | 'inSync';

/** An edited item counts as edited even if its signal has changed too. */
function kindOf({ state, isItemEdited }: PublishState): Kind {
  if (state === 'unpublished') return 'unpublished';
  if (isItemEdited) return 'edited';
  return state === 'signal-changed' ? 'changed' : 'inSync';
}

function isTaken(state: PublishState | undefined, options: ManyOptions): boolean {
  if (!state) return false;
  const takes = {
    unpublished: options.takesNew,
    changed: options.takesChanged,
    edited: options.takesEdited,
    inSync: false,
  };
  return takes[kindOf(state)];
}

function addPage(counts: ManyCounts, { signals, states, total }: Page, saved: readonly Saved[]): ManyCounts {
  const kinds = signals.flatMap(({ id }) => (states[id] ? [kindOf(states[id])] : []));
  const add = (kind: Kind) => counts[kind] + kinds.filter((each) => each === kind).length;
  return {
    seen: counts.seen + signals.length,
    total,
    unpublished: add('unpublished'),
    changed: add('changed'),
    edited: add('edited'),
    inSync: add('inSync'),
    created: counts.created + saved.filter(({ created }) => created).length,
    updated: counts.updated + saved.filter(({ updated }) => updated).length,
  };
}
