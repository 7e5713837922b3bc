/** Results of the palette: items by name, and links to the lists of signals and items with the typed text. */

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Item } from '@tidemark/client/wire';
import { withSearch } from '../parts/filter/terms.ts';
import type { IconName } from '../parts/icon.tsx';
import { useRested } from '../parts/in-sight.ts';
import { href, navigate } from '../platform/router/place.ts';
import { call } from '../platform/rpc/rpc.ts';

/** One command. */
export interface Command {
  id: string;
  text: string;
  /** Further words that find it. */
  words?: string;
  note?: string;
  icon: IconName;
  keys?: string;
  run(): void;
}

/** The prefix of the IDs of results from the service, which are shown whatever their text is. */
export const foundPrefix = 'found ';

const shownMax = 6;
const charactersMin = 2;

/** Commands for the typed text; none for less than two characters. */
export function useFound(text: string): readonly Command[] {
  const typed = text.trim();
  const wanted = useRested(typed.length < charactersMin ? '' : typed);
  const query = useQuery({
    queryKey: ['service.selectItems', 'palette', wanted],
    queryFn: ({ signal }) => findItems(wanted, signal),
    enabled: wanted !== '',
    staleTime: 15_000,
    placeholderData: keepPreviousData,
  });
  if (typed.length < charactersMin) return [];
  const items = (wanted === '' ? [] : (query.data ?? [])).map(({ id, attributes }) =>
    itemCommand(id, attributes),
  );
  return [...items, listCommand('signals', typed), listCommand('items', typed)];
}

async function findItems(text: string, signal: AbortSignal): Promise<readonly Item[]> {
  const query = { filter: withSearch({}, text, ['name']), sort: ['name'], limit: shownMax };
  return (await call('service.selectItems', { query }, { signal })).data;
}

function itemCommand(id: string, { name }: Item['attributes']): Command {
  return {
    id: `${foundPrefix}${id}`,
    text: name,
    note: 'item',
    icon: 'box',
    run: () => navigate(href(`/items/${id}`)),
  };
}

function listCommand(list: 'signals' | 'items', text: string): Command {
  return {
    id: `${foundPrefix}${list}`,
    text: `Search ${list} for “${text}”`,
    icon: 'search',
    run: () => navigate(href(`/${list}`, { q: text })),
  };
}
