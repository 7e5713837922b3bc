/** Sorts the rows of a table. */
import type { Column } from './table-layout.ts';

/** The rows in the order of a column; `sort` is its ID, with `-` before it for descending. */
export function sortBy<T>(
  list: readonly T[],
  columns: readonly Pick<Column<T>, 'id' | 'sort'>[],
  sort: string,
): readonly T[] {
  const isDescending = sort.startsWith('-');
  const key = columns.find(({ id }) => id === sort.replace(/^-/, ''))?.sort;
  if (!key) return list;
  const sign = isDescending ? -1 : 1;
  return list.toSorted((a, b) => sign * compare(key(a), key(b)));
}

/** Missing values come first; numbers in texts count as numbers. */
function compare(a: string | number | null, b: string | number | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), undefined, { numeric: true });
}
