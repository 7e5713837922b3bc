/** The filter of a list in the address, so that a filtered list can be sent as a link. */
import { useCallback, useMemo } from 'react';
import { usePlaceState } from '../../platform/router/place.ts';
import { type FilterJson, parseFilterText, withSearch } from './terms.ts';

/** Filter, search text and order of a list. */
export interface PlaceFilter {
  text: string;
  setText(text: string): void;
  filter: FilterJson;
  setFilter(filter: FilterJson): void;
  sort: string;
  setSort(sort: string): void;
  /** Filter and search as one filter for the service. */
  whole: FilterJson;
}

/** Reads and writes `q`, `filter` and `sort` of the place. */
export function usePlaceFilter(searchPaths: readonly string[], sortDefault: string): PlaceFilter {
  const [search, change] = usePlaceState();
  const text = search.get('q') ?? '';
  const filterText = search.get('filter') ?? '';
  const sort = search.get('sort') ?? sortDefault;
  const filter = useMemo(() => {
    const parsed = parseFilterText(filterText);
    return 'filter' in parsed ? parsed.filter : {};
  }, [filterText]);
  const whole = useMemo(() => withSearch(filter, text, searchPaths), [filter, text, searchPaths]);
  const setText = useCallback((q: string) => change({ q }), [change]);
  const setFilter = useCallback(
    (next: FilterJson) => change({ filter: Object.keys(next).length === 0 ? null : JSON.stringify(next) }),
    [change],
  );
  const setSort = useCallback(
    (next: string) => change({ sort: next === sortDefault ? null : next }),
    [change, sortDefault],
  );
  return { text, setText, filter, setFilter, sort, setSort, whole };
}
