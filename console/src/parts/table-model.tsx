/** What a table is made of before it is drawn: its properties, the rows in sight, and the library's view of both. */
import {
  type ColumnDef,
  columnVisibilityFeature,
  rowSortingFeature,
  type SortingState,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { type ReactNode, useMemo } from 'react';
import { usePreferences } from '../platform/theme/preferences.ts';
import { useIsNarrow } from './narrow.ts';
import { type Column, visibilityOf } from './table-layout.ts';
import type { Rows } from './table-rows.ts';

/** What {@link DataTable} takes. */
export interface TableProps<T> {
  /** Names the table for its readers, and under `name` its columns are remembered. */
  label: string;
  name: string;
  rows: Rows<T>;
  columns: readonly Column<T>[];
  idOf(row: T): string;
  /** Where Enter on a row goes. */
  linkOf?(row: T): string;
  selection?: { ids: ReadonlySet<string>; onChange(ids: ReadonlySet<string>): void };
  /** Shown if there are no rows. */
  empty: ReactNode;
  /** The greatest height of the table; default most of the window. */
  height?: string;
}

/** The features of the table library that tables use. */
export const features = tableFeatures({ rowSortingFeature, columnVisibilityFeature });

/** A row in sight; undefined while it is on its way. */
export interface Slot<T> {
  index: number;
  row: T | undefined;
}

/** A table of the library over the rows in sight. */
export type SlotTable<T> = ReturnType<typeof useSlotTable<T>>;

/** The table of the library; sorting is done by who gives the rows. */
export function useSlotTable<T>(props: TableProps<T>, data: Slot<T>[]) {
  const { columns, name, rows } = props;
  const { columns: chosen } = usePreferences();
  const isNarrow = useIsNarrow();
  const columnVisibility = useMemo(
    () => visibilityOf(columns, chosen[name], isNarrow),
    [columns, chosen, name, isNarrow],
  );
  const defs = useMemo<ColumnDef<typeof features, Slot<T>>[]>(
    () =>
      columns.map((column) => ({
        id: column.id,
        header: column.title,
        accessorFn: (slot: Slot<T>) => slot.row,
        enableSorting: column.sort !== undefined,
      })),
    [columns],
  );
  return useTable({
    features,
    columns: defs,
    data,
    getRowId: (slot: Slot<T>) => String(slot.index),
    manualSorting: true,
    enableSortingRemoval: false,
    sortDescFirst: false,
    state: { sorting: sortingOf(rows.sort), columnVisibility },
    onSortingChange: (update) => {
      const next = typeof update === 'function' ? update(sortingOf(rows.sort)) : update;
      const [key] = next;
      rows.onSort?.(key ? `${key.desc ? '-' : ''}${key.id}` : '');
    },
  });
}

function sortingOf(sort: string): SortingState {
  if (sort === '') return [];
  const desc = sort.startsWith('-');
  return [{ id: desc ? sort.slice(1) : sort, desc }];
}
