/** Where the rows of a table come from: they are at hand, or the service gives them page by page. */
import { keepPreviousData, useQueries, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Column } from './table-layout.ts';

/** Rows for a table. */
export interface Rows<T> {
  total: number;
  /** The row at an index; undefined while it is on its way. */
  at(index: number): T | undefined;
  isLoading: boolean;
  error: Error | null;
  /** A column's ID; `-` before it for descending; empty for the given order. */
  sort: string;
  onSort?(sort: string): void;
  /** Called with the range of visible rows. */
  onRange?(first: number, last: number): void;
}

/** Rows at hand, sorted here. */
export function useLocalRows<T>(
  list: readonly T[] | undefined,
  columns: readonly Column<T>[],
  initialSort = '',
): Rows<T> {
  const [sort, setSort] = useState(initialSort);
  return useMemo(() => {
    const sorted = sortBy(list ?? [], columns, sort);
    const at = (index: number) => sorted[index];
    return { total: sorted.length, at, isLoading: list === undefined, error: null, sort, onSort: setSort };
  }, [list, columns, sort]);
}

/** One page of the service. */
export interface PageOf<T> {
  rows: readonly T[];
  total: number;
}

/** What {@link usePagedRows} takes. */
export interface PagedOptions<T> {
  /** Names the query: what changes the rows is part of it. */
  key: readonly unknown[];
  load(skip: number, limit: number, signal: AbortSignal): Promise<PageOf<T>>;
  sort: string;
  onSort(sort: string): void;
  isEnabled?: boolean;
}

const pageRows = 100;
/** While the rows fly by, nothing is asked for. */
const restMs = 60;

/** Rows of the service, of which only the pages in sight are asked for. */
export function usePagedRows<T>({
  key,
  load,
  sort,
  onSort,
  isEnabled = true,
}: PagedOptions<T>): Rows<T> & { refetch(): void } {
  const queries = useQueryClient();
  const [range, setRange] = useState({ first: 0, last: 0 });
  const pages = pagesBetween(range.first, range.last);
  const results = useQueries({
    queries: pages.map((page) => ({
      queryKey: [...key, page],
      queryFn: ({ signal }: { signal: AbortSignal }) => load(page * pageRows, pageRows, signal),
      enabled: isEnabled,
      staleTime: 15_000,
      placeholderData: page === 0 ? keepPreviousData : undefined,
    })),
  });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const onRange = useCallback((first: number, last: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(
      () => setRange((old) => (old.first === first && old.last === last ? old : { first, last })),
      first === 0 ? 0 : restMs,
    );
  }, []);
  const byPage = new Map(pages.map((page, i) => [page, results[i]?.data as PageOf<T> | undefined]));
  const total = [...byPage.values()].find((page) => page !== undefined)?.total ?? 0;
  return {
    total,
    at: (index) => {
      const page = Math.floor(index / pageRows);
      const found = byPage.get(page) ?? queries.getQueryData<PageOf<T>>([...key, page]);
      return found?.rows[index % pageRows];
    },
    isLoading: results.some(({ isPending }) => isPending),
    error: results.find(({ error }) => error)?.error ?? null,
    sort,
    onSort,
    onRange,
    refetch: () => void queries.invalidateQueries({ queryKey: key }),
  };
}

/** The same rows, with the IDs of those in sight. */
export function useRowsInSight<T extends { id: string }, R extends Rows<T>>(
  rows: R,
): { rows: R; ids: string[] } {
  const [range, setRange] = useState({ first: 0, last: 0 });
  const { onRange } = rows;
  const watch = useCallback(
    (first: number, last: number) => {
      setRange((old) => (old.first === first && old.last === last ? old : { first, last }));
      onRange?.(first, last);
    },
    [onRange],
  );
  const count = range.last - range.first + 1;
  const ids = Array.from({ length: count }, (_, i) => rows.at(range.first + i)?.id);
  return { rows: { ...rows, onRange: watch }, ids: ids.filter((id) => id !== undefined) };
}

/** The pages of some rows; the first is always among them, since it knows the total. */
function pagesBetween(first: number, last: number): number[] {
  const from = Math.floor(first / pageRows);
  const to = Math.floor(last / pageRows);
  const pages = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  return pages.includes(0) ? pages : [0, ...pages];
}

function sortBy<T>(list: readonly T[], columns: readonly Column<T>[], sort: string): readonly T[] {
  const isDescending = sort.startsWith('-');
  const key = columns.find(({ id }) => id === sort.replace(/^-/, ''))?.sort;
  if (!key) return list;
  const sign = isDescending ? -1 : 1;
  return list.toSorted((a, b) => sign * compare(key(a), key(b)));
}

/** What is missing comes first. */
function compare(a: string | number | null, b: string | number | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), undefined, { numeric: true });
}
