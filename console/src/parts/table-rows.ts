/** The rows of a table: a list, or pages that are requested from the service. */
import { keepPreviousData, useQueries, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { sortBy } from './sort-rows.ts';
import type { Column } from './table-layout.ts';

/** Rows for a table. */
export interface Rows<T> {
  total: number;
  /** The row at an index; undefined while it is loading. */
  at(index: number): T | undefined;
  isLoading: boolean;
  error: Error | null;
  /** A column's ID; `-` before it for descending; empty for the given order. */
  sort: string;
  onSort?(sort: string): void;
  /** Called with the range of visible rows. */
  onRange?(first: number, last: number): void;
}

/** The rows of a list, sorted here. */
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

interface PagedOptions<T> {
  /** Names the query: what changes the rows is part of it. */
  key: readonly unknown[];
  load(skip: number, limit: number, signal: AbortSignal): Promise<PageOf<T>>;
  sort: string;
  onSort(sort: string): void;
}

const pageRows = 100;
/** Pages are requested when scrolling has paused for so long, ms. */
const restMs = 60;

/** Rows of the service, and the IDs of those that are visible. */
export interface PagedRows<T> extends Rows<T> {
  ids: readonly string[];
  refetch(): void;
}

/** Rows of the service, of which only the visible pages are requested. */
export function usePagedRows<T extends { id: string }>({
  key,
  load,
  sort,
  onSort,
}: PagedOptions<T>): PagedRows<T> {
  const queries = useQueryClient();
  const [range, setRange] = useState(noRange);
  const [visible, setVisible] = useState(noRange);
  const pages = pagesBetween(range.first, range.last);
  const results = useQueries({
    queries: pages.map((page) => ({
      queryKey: [...key, page],
      queryFn: ({ signal }: { signal: AbortSignal }) => load(page * pageRows, pageRows, signal),
      staleTime: 15_000,
      placeholderData: page === 0 ? keepPreviousData : undefined,
    })),
  });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const onRange = useCallback((first: number, last: number) => {
    const next = (old: Range) => (old.first === first && old.last === last ? old : { first, last });
    setVisible(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setRange(next), first === 0 ? 0 : restMs);
  }, []);
  const byPage = new Map(pages.map((page, i) => [page, results[i]?.data as PageOf<T> | undefined]));
  const total = [...byPage.values()].find((page) => page !== undefined)?.total ?? 0;
  const at = (index: number) => {
    const page = Math.floor(index / pageRows);
    const found = byPage.get(page) ?? queries.getQueryData<PageOf<T>>([...key, page]);
    return found?.rows[index % pageRows];
  };
  return {
    total,
    at,
    ids: indexes(visible).flatMap((index) => at(index)?.id ?? []),
    isLoading: results.some(({ isPending }) => isPending),
    error: results.find(({ error }) => error)?.error ?? null,
    sort,
    onSort,
    onRange,
    refetch: () => void queries.invalidateQueries({ queryKey: key }),
  };
}

interface Range {
  first: number;
  last: number;
}

const noRange: Range = { first: 0, last: 0 };

function indexes({ first, last }: Range): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** The pages of some rows; the first is always among them, since it knows the total. */
function pagesBetween(first: number, last: number): number[] {
  const pages = indexes({ first: Math.floor(first / pageRows), last: Math.floor(last / pageRows) });
  return pages.includes(0) ? pages : [0, ...pages];
}
