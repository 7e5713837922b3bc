/** A table of any length: only the rows in sight are drawn. Columns can be chosen, some sorted; rows reached by keyboard. */
import {
  type ColumnDef,
  columnVisibilityFeature,
  rowSortingFeature,
  type SortingState,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { navigate } from '../router/place.ts';
import { setPreferences, usePreferences } from '../theme/preferences.ts';
import { IconButton } from './button.tsx';
import { CheckField } from './field.tsx';
import { Icon } from './icon.tsx';
import { Menu } from './menu.tsx';
import type { Rows } from './table-rows.ts';
import './table.css';

/** A column. */
export interface Column<T> {
  id: string;
  title: string;
  cell(row: T): ReactNode;
  /** What rows at hand are sorted by; for rows of the service: that the column can be sorted. */
  sort?: (row: T) => string | number | null;
  /** A share of the width, or pixels when `px` ends it; default `1fr`. */
  width?: string;
  /** Numbers stand at the right. */
  isNumber?: boolean;
  /** Not shown until somebody chooses it. */
  isExtra?: boolean;
}

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
  /** What stands there when there are no rows. */
  empty: ReactNode;
  /** The greatest height of the table; default most of the window. */
  height?: string;
}

const features = tableFeatures({ rowSortingFeature, columnVisibilityFeature });
type Features = typeof features;

interface Slot<T> {
  index: number;
  row: T | undefined;
}

const rowHeights = { comfortable: 40, compact: 32 } as const;

/** The table. */
export function DataTable<T>(props: TableProps<T>) {
  const { rows, label, empty, height = 'max(320px, calc(100dvh - 310px))' } = props;
  const { density } = usePreferences();
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.total,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeights[density],
    overscan: 8,
  });
  const shown = virtual.getVirtualItems();
  const first = shown[0]?.index ?? 0;
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => rows.onRange?.(first, last), [rows.onRange, first, last]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the sizes are measured anew when the density changes
  useEffect(() => virtual.measure(), [density]);
  const slots = useMemo(() => slotsOf(rows, first, last), [rows, first, last]);
  const table = useSlotTable(props, slots);
  if (rows.total === 0 && !rows.isLoading) return <>{empty}</>;
  const visible = table.getVisibleLeafColumns().map(({ id }) => id);
  const template = templateOf(props, visible);
  return (
    <div className="table-frame">
      <ColumnChooser name={props.name} columns={props.columns} visible={visible} />
      <div
        ref={scroller}
        className="table"
        role="grid"
        aria-label={label}
        aria-rowcount={rows.total + 1}
        aria-multiselectable={props.selection ? true : undefined}
        aria-busy={rows.isLoading}
        style={{ maxHeight: height }}
      >
        <div className="table-inner" role="presentation" style={{ height: virtual.getTotalSize() + 38 }}>
          <HeaderRow {...props} table={table} template={template} slots={slots} />
          <Body
            {...props}
            table={table}
            template={template}
            offsets={shown.map(({ start }) => start)}
            scrollTo={virtual.scrollToIndex}
            rowHeight={rowHeights[density]}
          />
        </div>
      </div>
    </div>
  );
}

type SlotTable<T> = ReturnType<typeof useSlotTable<T>>;

function useSlotTable<T>(props: TableProps<T>, data: Slot<T>[]) {
  const { columns, name, rows } = props;
  const { columns: chosen } = usePreferences();
  const columnVisibility = useMemo(() => visibilityOf(columns, chosen[name]), [columns, chosen, name]);
  const defs = useMemo<ColumnDef<Features, Slot<T>>[]>(
    () =>
      columns.map((column) => ({
        id: column.id,
        header: column.title,
        accessorFn: (slot: Slot<T>) => slot.row,
        enableSorting: column.sort !== undefined,
        cell: ({ row }) => {
          const value = row.original.row;
          return value === undefined ? <span className="table-blank" /> : column.cell(value);
        },
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

interface PartProps<T> extends TableProps<T> {
  table: SlotTable<T>;
  template: string;
}

function HeaderRow<T>({
  table,
  template,
  selection,
  slots,
  idOf,
  columns,
}: PartProps<T> & { slots: Slot<T>[] }) {
  const [group] = table.getHeaderGroups();
  const numbers = new Set(columns.filter(({ isNumber }) => isNumber).map(({ id }) => id));
  return (
    <div
      className="table-row table-head"
      role="row"
      aria-rowindex={1}
      style={{ gridTemplateColumns: template }}
    >
      {selection && (
        <div className="table-cell table-check" role="columnheader">
          <SelectLoaded
            selection={selection}
            ids={slots.flatMap(({ row }) => (row === undefined ? [] : [idOf(row)]))}
          />
        </div>
      )}
      {group?.headers.map((header) => {
        const sorted = header.column.getIsSorted();
        return (
          <div
            key={header.id}
            className={numbers.has(header.column.id) ? 'table-cell number' : 'table-cell'}
            role="columnheader"
            aria-sort={sorted === 'asc' ? 'ascending' : sorted === 'desc' ? 'descending' : undefined}
          >
            {header.column.getCanSort() ? (
              <button
                type="button"
                className="table-sort"
                onClick={() => header.column.toggleSorting(sorted === 'asc')}
              >
                <table.FlexRender header={header} />
                {sorted && <Icon name={sorted === 'asc' ? 'up' : 'down'} size={12} />}
              </button>
            ) : (
              <table.FlexRender header={header} />
            )}
          </div>
        );
      })}
    </div>
  );
}

function SelectLoaded({
  ids,
  selection,
}: {
  ids: readonly string[];
  selection: NonNullable<TableProps<unknown>['selection']>;
}) {
  const areAll = ids.length > 0 && ids.every((id) => selection.ids.has(id));
  return (
    <CheckField
      label={areAll ? 'Select none' : 'Select the rows in sight'}
      isSelected={areAll}
      isIndeterminate={!areAll && selection.ids.size > 0}
      onChange={(isOn) => selection.onChange(isOn ? new Set([...selection.ids, ...ids]) : new Set())}
    />
  );
}

interface BodyProps<T> extends PartProps<T> {
  offsets: readonly number[];
  rowHeight: number;
  scrollTo(index: number): void;
}

/** The rows; the arrows move between them, Enter opens, space selects. One row at a time can be reached with Tab. */
function Body<T>(props: BodyProps<T>) {
  const { table, offsets, rows, scrollTo, rowHeight, idOf, linkOf, selection } = props;
  const [active, setActive] = useState(0);
  const body = useRef<HTMLDivElement>(null);
  const wanted = useRef<number | null>(null);
  const models = table.getRowModel().rows;
  const isActiveInSight = models.some(({ original }) => original.index === active);
  useEffect(() => {
    if (wanted.current === null) return;
    const row = body.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"]`);
    if (!row) return;
    wanted.current = null;
    row.focus();
  });
  const move = (to: number) => {
    const index = Math.max(0, Math.min(rows.total - 1, to));
    wanted.current = index;
    setActive(index);
    scrollTo(index);
  };
  const onKey = (event: React.KeyboardEvent, slot: Slot<T>) => {
    if (event.target !== event.currentTarget) return;
    const step = stepOf(event.key, Math.max(1, models.length - 18));
    if (step !== null) move(Number.isFinite(step) ? slot.index + step : step < 0 ? 0 : rows.total - 1);
    else if (event.key === 'Enter' && slot.row !== undefined && linkOf) navigate(linkOf(slot.row));
    else if (event.key === ' ' && slot.row !== undefined && selection)
      selection.onChange(toggled(selection.ids, idOf(slot.row)));
    else return;
    event.preventDefault();
  };
  return (
    <div role="rowgroup" ref={body}>
      {models.map((model, i) => (
        <BodyRow
          key={model.id}
          {...props}
          model={model}
          top={(offsets[i] ?? 0) + 38}
          rowHeight={rowHeight}
          isTabStop={isActiveInSight ? model.original.index === active : i === 0}
          onFocus={() => setActive(model.original.index)}
          onKey={onKey}
        />
      ))}
    </div>
  );
}

function BodyRow<T>({
  model,
  table,
  template,
  columns,
  selection,
  idOf,
  top,
  rowHeight,
  isTabStop,
  onFocus,
  onKey,
}: BodyProps<T> & {
  model: ReturnType<SlotTable<T>['getRowModel']>['rows'][number];
  top: number;
  isTabStop: boolean;
  onFocus(): void;
  onKey(event: React.KeyboardEvent, slot: Slot<T>): void;
}) {
  const slot = model.original;
  const id = slot.row === undefined ? null : idOf(slot.row);
  const isSelected = selection !== undefined && id !== null && selection.ids.has(id);
  const numbers = new Set(columns.filter(({ isNumber }) => isNumber).map((column) => column.id));
  return (
    <div
      className={isSelected ? 'table-row selected' : 'table-row'}
      role="row"
      data-index={slot.index}
      aria-rowindex={slot.index + 2}
      aria-selected={selection ? isSelected : undefined}
      tabIndex={isTabStop ? 0 : -1}
      style={{ gridTemplateColumns: template, height: rowHeight, transform: `translateY(${top}px)` }}
      onFocus={onFocus}
      onKeyDown={(event) => onKey(event, slot)}
    >
      {selection && (
        <div className="table-cell table-check" role="gridcell">
          {id !== null && (
            <CheckField
              label="Select row"
              isSelected={isSelected}
              onChange={() => selection.onChange(toggled(selection.ids, id))}
            />
          )}
        </div>
      )}
      {model.getVisibleCells().map((cell) => (
        <div
          key={cell.id}
          className={numbers.has(cell.column.id) ? 'table-cell number' : 'table-cell'}
          role="gridcell"
        >
          <table.FlexRender cell={cell} />
        </div>
      ))}
    </div>
  );
}

function ColumnChooser<T>({
  name,
  columns,
  visible,
}: {
  name: string;
  columns: readonly Column<T>[];
  visible: readonly string[];
}) {
  const preferences = usePreferences();
  if (!columns.some(({ isExtra }) => isExtra)) return null;
  const choose = (ids: readonly string[]) =>
    setPreferences({ columns: { ...preferences.columns, [name]: ids } });
  return (
    <div className="table-columns">
      <Menu
        label="Columns"
        icon="columns"
        isTiny
        entries={columns.slice(1).map(({ id, title }) => ({
          text: title,
          isChecked: visible.includes(id),
          run: () => choose(visible.includes(id) ? visible.filter((each) => each !== id) : [...visible, id]),
        }))}
      />
    </div>
  );
}

/** A menu that a row ends with: `IconButton`s there would be in the way of the keyboard. */
export function RowActions({ children }: { children: ReactNode }) {
  return <div className="table-actions">{children}</div>;
}

/** A button in a row. */
export const RowButton = IconButton;

function slotsOf<T>(rows: Rows<T>, first: number, last: number): Slot<T>[] {
  const count = Math.max(0, Math.min(last, rows.total - 1) - first + 1);
  return Array.from({ length: rows.total === 0 ? 0 : count }, (_, i) => ({
    index: first + i,
    row: rows.at(first + i),
  }));
}

function visibilityOf<T>(columns: readonly Column<T>[], chosen: readonly string[] | undefined) {
  return Object.fromEntries(
    columns.map(({ id, isExtra }, i) => [id, i === 0 || (chosen ? chosen.includes(id) : !isExtra)]),
  );
}

function templateOf<T>({ columns, selection }: TableProps<T>, visible: readonly string[]): string {
  const widths = columns.filter(({ id }) => visible.includes(id)).map(({ width = '1fr' }) => trackOf(width));
  return [...(selection ? ['40px'] : []), ...widths].join(' ');
}

/** A share never gets narrower than what can be read: then the table scrolls sideways. */
function trackOf(width: string): string {
  return width.endsWith('fr')
    ? `minmax(${Math.round(90 * Math.max(1, Number.parseFloat(width)))}px, ${width})`
    : width;
}

function sortingOf(sort: string): SortingState {
  if (sort === '') return [];
  const desc = sort.startsWith('-');
  return [{ id: desc ? sort.slice(1) : sort, desc }];
}

/** By how many rows a key moves; infinite for the ends; null for a key that does not. */
function stepOf(key: string, page: number): number | null {
  switch (key) {
    case 'ArrowDown':
      return 1;
    case 'ArrowUp':
      return -1;
    case 'PageDown':
      return page;
    case 'PageUp':
      return -page;
    case 'Home':
      return Number.NEGATIVE_INFINITY;
    case 'End':
      return Number.POSITIVE_INFINITY;
    default:
      return null;
  }
}

function toggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return next;
}
