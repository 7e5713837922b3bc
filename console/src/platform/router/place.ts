/**
 * Where in the console one is: the part of the address after `#`, as a path with a query. The server never sees it, so
 * the console works under any path prefix and behind any proxy, and a view can be sent as a link.
 */
import { useCallback, useMemo, useSyncExternalStore } from 'react';

/** A place: `path` begins with a slash; `search` has the state of the view. */
export interface Place {
  path: string;
  search: URLSearchParams;
}

/** What a page gets: the named parts of its path. */
export interface PageProps {
  params: Readonly<Record<string, string>>;
}

/** What {@link usePlaceState} changes: null and '' remove a key. */
export type SearchChange = Readonly<Record<string, string | null>>;

/** The fragment of a place, for `href`: `#/signals?sort=name`. */
export function href(path: string, search: SearchChange = {}): string {
  const query = changed(new URLSearchParams(), search).toString();
  return `#${path}${query === '' ? '' : `?${query}`}`;
}

/** Goes to a fragment made by {@link href}; `replace` leaves no step in the history. */
export function navigate(fragment: string, { replace = false }: { replace?: boolean } = {}): void {
  if (fragment === (location.hash || '#/')) return;
  if (!replace) {
    location.hash = fragment.slice(1);
    return;
  }
  history.replaceState(history.state, '', fragment);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

/** Reads a fragment; an empty one is `/`. */
export function parsePlace(fragment: string): Place {
  const text = fragment.replace(/^#/, '');
  const mark = text.indexOf('?');
  const path = mark < 0 ? text : text.slice(0, mark);
  return {
    path: path.startsWith('/') ? path : `/${path}`,
    search: new URLSearchParams(mark < 0 ? '' : text.slice(mark + 1)),
  };
}

/** The present place; the component is drawn again when it changes. */
export function usePlace(): Place {
  const fragment = useSyncExternalStore(subscribe, () => location.hash);
  return useMemo(() => parsePlace(fragment), [fragment]);
}

/** The query of the present place and a function that changes some of its keys, by default without a step in the history. */
export function usePlaceState(): [
  URLSearchParams,
  (change: SearchChange, options?: { replace?: boolean }) => void,
] {
  const { search } = usePlace();
  const change = useCallback((change: SearchChange, { replace = true }: { replace?: boolean } = {}) => {
    const now = parsePlace(location.hash);
    const query = changed(now.search, change).toString();
    navigate(`#${now.path}${query === '' ? '' : `?${query}`}`, { replace });
  }, []);
  return [search, change];
}

/** Matches a path with a pattern such as `/signals/:id`; the named parts, or null. */
export function matchPath(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split('/');
  const parts = path.replace(/\/+$/, '').split('/');
  if (pattern === '/') return parts.join('') === '' ? {} : null;
  if (wanted.length !== parts.length) return null;
  const named: Record<string, string> = {};
  for (const [i, part] of wanted.entries()) {
    if (!part.startsWith(':')) {
      if (part !== parts[i]) return null;
      continue;
    }
    const value = decoded(parts[i]!);
    if (value === null) return null;
    named[part.slice(1)] = value;
  }
  return named;
}

/** Null: it is not properly encoded, such as a lone `%`. */
function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

function changed(search: URLSearchParams, change: SearchChange): URLSearchParams {
  const next = new URLSearchParams(search);
  for (const [key, value] of Object.entries(change)) {
    if (value === null || value === '') next.delete(key);
    else next.set(key, value);
  }
  return next;
}

function subscribe(listener: () => void): () => void {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
}
