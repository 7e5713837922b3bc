/** What is edited, and the calls that do it: few resources in one, many page by page. */
import type { FilterJson } from '../../parts/filter/terms.ts';
import { call, type ParamsOf, type ResultOf } from '../../platform/rpc/rpc.ts';
import type { Change } from './change.ts';

type EditAnswer = ResultOf<'console.items.edit'>;

/** Signals of an integration, or items. */
export type EditTarget = { kind: 'signals'; integration: string } | { kind: 'items' };

/** Which of them: those named, or all that a filter matches. */
export type Scope = { ids: readonly string[] } | { filter: FilterJson };

/** What is asked for again when something was edited. */
export const renewedByEdit = [
  'admin.selectSignals',
  'service.selectItems',
  'console.publish.status',
  'console.signals.spacing',
] as const;

/** The limits of one call: of matches of a filter, and of IDs in a filter. */
const pageMax = 1000;
const idsMax = 500;

/** The progress and the result of {@link editMany}. */
export interface ManyEdited {
  /** Looked at so far, of how many; null: not known yet. */
  seen: number;
  total: number | null;
  /** How many of these change. */
  changed: number;
  /** What changed, up to `keptMax`. */
  edited: EditAnswer['edited'];
}

/** The progress at the start. */
export const noneEdited: ManyEdited = { seen: 0, total: null, changed: 0, edited: [] };

/** One edit of few resources. */
export function editFew(target: EditTarget, ids: readonly string[], change: Change): Promise<EditAnswer> {
  return edit(target, { filter: { id: { $in: ids } }, limit: ids.length }, change, false);
}

/**
 * Edits, or with `isDryRun` tries, page by page: each call is whole or not at all, and where one fails or `signal` is
 * aborted, those before it are done. `onProgress` is called after each.
 */
export async function editMany(
  target: EditTarget,
  scope: Scope,
  change: Change,
  options: {
    isDryRun?: boolean;
    keptMax?: number;
    signal?: AbortSignal;
    onProgress?(progress: ManyEdited): void;
  } = {},
): Promise<ManyEdited> {
  let state: ManyEdited = { ...noneEdited, total: 'ids' in scope ? scope.ids.length : null };
  for await (const answer of pages(target, scope, change, options)) {
    state = {
      seen: state.seen + answer.selected,
      total: state.total ?? answer.total,
      changed: state.changed + answer.edited.length,
      edited: [...state.edited, ...answer.edited.slice(0, (options.keptMax ?? 0) - state.edited.length)],
    };
    options.onProgress?.(state);
  }
  return state;
}

async function* pages(
  target: EditTarget,
  scope: Scope,
  change: Change,
  { isDryRun = false, signal }: { isDryRun?: boolean; signal?: AbortSignal },
): AsyncGenerator<EditAnswer> {
  if ('ids' in scope) {
    for (let from = 0; from < scope.ids.length; from += idsMax) {
      const ids = scope.ids.slice(from, from + idsMax);
      yield await edit(target, { filter: { id: { $in: ids } }, limit: idsMax }, change, isDryRun, signal);
    }
    return;
  }
  // By ID, so that an edit after which a resource matches no more does not move those behind it.
  for (let last: string | null = ''; last !== null; ) {
    const filter = { $and: [scope.filter, { id: { $gt: last } }] };
    const query = { filter, sort: ['id'], limit: pageMax, total: last === '' };
    const answer: EditAnswer = await edit(target, query, change, isDryRun, signal);
    yield answer;
    last = answer.selected < pageMax ? null : answer.last;
  }
}

function edit(
  target: EditTarget,
  query: ParamsOf<'console.items.edit'>['query'],
  change: Change,
  dryRun: boolean,
  signal?: AbortSignal,
): Promise<EditAnswer> {
  const params = { query, change, dryRun };
  const options = signal ? { signal } : {};
  if (target.kind === 'items') return call('console.items.edit', params, options);
  return call('console.signals.edit', { integration: target.integration, ...params }, options);
}
