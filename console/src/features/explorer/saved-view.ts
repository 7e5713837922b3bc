/** Saved views: an address of the explorer or of the formulas, under a name that is visible to all people. */
import type { SavedView } from '@tidemark/client/wire';
import type { SearchChange } from '../../platform/router/place.ts';

/** Pages whose address is a view. */
export type ViewPage = '/explorer' | '/formulas';

/** The longest query that the service keeps, characters (A5g). */
export const queryCharactersMax = 8192;

/** The query under which a view is saved; equal views have equal ones. */
export function savedQuery(page: ViewPage, search: SearchChange): string {
  const parts = Object.entries(search).filter((part): part is [string, string] => !!part[1]);
  const query = new URLSearchParams(parts);
  // Live is how one looks, not what at.
  query.delete('live');
  if (page === '/formulas') query.set('page', 'formulas');
  query.sort();
  return query.toString();
}

/** Where a saved view is to be opened. */
export function placeOf(query: string): { page: ViewPage; search: Record<string, string> } {
  const { page, ...search } = Object.fromEntries(new URLSearchParams(query));
  return { page: page === 'formulas' ? '/formulas' : '/explorer', search };
}

/** Views whose name has the text in it, by name; those of this page first. */
export function matchViews(views: readonly SavedView[], text: string, page: ViewPage): SavedView[] {
  const wanted = text.trim().toLowerCase();
  const isHere = (view: SavedView) => placeOf(view.query).page === page;
  return views
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .sort((a, b) => Number(isHere(b)) - Number(isHere(a)) || a.name.localeCompare(b.name));
}
