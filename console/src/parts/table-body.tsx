/** Head and rows of a table, and the keys that move between rows. */
import { memo, type ReactNode, useEffect, useRef, useState } from 'react';
import { navigate } from '../platform/router/place.ts';
import { ColumnHandle } from './column-handle.tsx';
import { CheckField } from './field.tsx';
import { Icon } from './icon.tsx';
import { targetOf } from './table-keys.ts';
import type { Column } from './table-layout.ts';
import type { Rows } from './table-rows.ts';
import { toggled } from './toggled.ts';

/** What a table takes. */
export interface TableProps<T> {
  label: string;
  /** The key under which widths and choice of columns are remembered. */
  name: string;
  rows: Rows<T>;
  columns: readonly Column<T>[];
  idOf(row: T): string;
  /** The address that Enter on a row opens. */
  linkOf?(row: T): string;
  selection?: { ids: ReadonlySet<string>; onChange(ids: ReadonlySet<string>): void };
  empty: ReactNode;
  /** The maximum height of the table; default most of the window. */
  height?: string;
}

/** A visible row; `row` is undefined while it is loading. */
export interface Slot<T> {
  index: number;
  row: T | undefined;
}

/** The height of the head, px. */
export const headHeight = 38;

/** The names of the columns, by which rows can be sorted. */
export function HeaderRow<T>({
  shown,
  template,
  selection,
  slots,
  idOf,
  rows,
  name,
}: TableProps<T> & { shown: readonly Column<T>[]; template: string; slots: readonly Slot<T>[] }) {
  const ids = slots.flatMap(({ row }) => (row === undefined ? [] : [idOf(row)]));
  return (
    <div
      className="table-row table-head"
      role="row"
      aria-rowindex={1}
      style={{ gridTemplateColumns: template }}
    >
      {selection && (
        <div className="table-cell table-check" role="columnheader">
          <SelectVisible selection={selection} ids={ids} />
        </div>
      )}
      {shown.map((column) => (
        <Head key={column.id} table={name} column={column} rows={rows} />
      ))}
    </div>
  );
}

/** The name of one column; pressed it sorts by the column, pressed again in the other direction. */
function Head<T>({ table, column, rows }: { table: string; column: Column<T>; rows: Rows<T> }) {
  const { id, title, isTitleHidden, isNumber, sort } = column;
  const order = rows.sort === id ? 'ascending' : rows.sort === `-${id}` ? 'descending' : undefined;
  return (
    <div className={isNumber ? 'table-cell number' : 'table-cell'} role="columnheader" aria-sort={order}>
      {isTitleHidden ? (
        <span className="hidden-text">{title}</span>
      ) : sort ? (
        <button
          type="button"
          className="table-sort bare"
          onClick={() => rows.onSort?.(order === 'ascending' ? `-${id}` : id)}
        >
          {title}
          {order && <Icon name={order === 'ascending' ? 'up' : 'down'} size={12} />}
        </button>
      ) : (
        title
      )}
      {!isTitleHidden && <ColumnHandle table={table} column={id} title={title} />}
    </div>
  );
}

interface SelectVisibleProps {
  ids: readonly string[];
  selection: NonNullable<TableProps<unknown>['selection']>;
}

function SelectVisible({ ids, selection }: SelectVisibleProps) {
  const areAll = ids.length > 0 && ids.every((id) => selection.ids.has(id));
  return (
    <CheckField
      aria-label={areAll ? 'Select none' : 'Select the visible rows'}
      isSelected={areAll}
      isIndeterminate={!areAll && selection.ids.size > 0}
      onChange={(isOn) => selection.onChange(isOn ? new Set([...selection.ids, ...ids]) : new Set())}
    />
  );
}

interface BodyProps<T> extends TableProps<T> {
  /** The columns that are shown; the same list as long as they are the same. */
  shown: readonly Column<T>[];
  template: string;
  slots: readonly Slot<T>[];
  rowHeight: number;
  scrollTo(index: number): void;
}

/** The rows; the arrow keys move between them, Enter opens, space selects. Tab reaches one of them. */
export function Body<T>(props: BodyProps<T>) {
  const { slots, rows, scrollTo, rowHeight, idOf, linkOf, selection } = props;
  const [active, setActive] = useState(0);
  const body = useRef<HTMLDivElement>(null);
  const wanted = useRef<number | null>(null);
  const isActiveVisible = slots.some(({ index }) => index === active);
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
  const onKey = (event: React.KeyboardEvent, { index, row }: Slot<T>) => {
    if (event.target !== event.currentTarget) return;
    const to = targetOf(event.key, index, Math.max(1, slots.length - 18), rows.total - 1);
    if (to !== null) move(to);
    else if (event.key === 'Enter' && row !== undefined && linkOf) navigate(linkOf(row));
    else if (event.key === ' ' && row !== undefined && selection)
      selection.onChange(toggled(selection.ids, idOf(row)));
    else return;
    event.preventDefault();
  };
  return (
    <div role="rowgroup" ref={body}>
      {slots.map((slot, i) => (
        <BodyRow
          key={slot.index}
          {...props}
          slot={slot}
          top={slot.index * rowHeight + headHeight}
          isTabStop={isActiveVisible ? slot.index === active : i === 0}
          onFocus={() => setActive(slot.index)}
          onKey={onKey}
        />
      ))}
    </div>
  );
}

interface RowProps<T> extends BodyProps<T> {
  slot: Slot<T>;
  top: number;
  isTabStop: boolean;
  onFocus(): void;
  onKey(event: React.KeyboardEvent, slot: Slot<T>): void;
}

function BodyRow<T>(props: RowProps<T>) {
  const { slot, template, shown, selection, idOf, top, rowHeight, isTabStop, onKey } = props;
  const id = slot.row === undefined ? null : idOf(slot.row);
  const isSelected = selection !== undefined && id !== null && selection.ids.has(id);
  const [cutTexts, setCutTexts] = useState('');
  const focus = (event: React.FocusEvent<HTMLElement>) => {
    props.onFocus();
    const row = event.currentTarget;
    setCutTexts(event.target === row && row.matches(':focus-visible') ? cutTextsOf(row) : '');
  };
  return (
    <div
      className={isSelected ? 'table-row selected' : 'table-row'}
      role="row"
      data-index={slot.index}
      aria-rowindex={slot.index + 2}
      aria-selected={selection ? isSelected : undefined}
      tabIndex={isTabStop ? 0 : -1}
      style={{ gridTemplateColumns: template, height: rowHeight, transform: `translateY(${top}px)` }}
      onFocus={focus}
      onBlur={() => setCutTexts('')}
      onKeyDown={(event) => onKey(event, slot)}
    >
      {selection && (
        <div className="table-cell table-check" role="gridcell">
          {id !== null && (
            <CheckField
              aria-label="Select row"
              isSelected={isSelected}
              onChange={() => selection.onChange(toggled(selection.ids, id))}
            />
          )}
        </div>
      )}
      <Cells row={slot.row} columns={shown} />
      {cutTexts && (
        <div className="table-whole" aria-hidden="true">
          {cutTexts}
        </div>
      )}
    </div>
  );
}

/** Cells are rendered again only for another row or other columns, not when the table scrolls. */
const Cells = memo(function Cells<T>({
  row,
  columns,
}: {
  row: T | undefined;
  columns: readonly Column<T>[];
}) {
  return columns.map(({ id, isNumber, cell }) => (
    <div
      key={id}
      className={isNumber ? 'table-cell number' : 'table-cell'}
      role="gridcell"
      onPointerEnter={(event) => titleIfCut(event.currentTarget)}
    >
      {row === undefined ? <span className="table-blank" /> : cell(row)}
    </div>
  ));
}) as <T>(props: { row: T | undefined; columns: readonly Column<T>[] }) => ReactNode;

/** Gives a cell that is cut off its whole text as the tooltip. */
function titleIfCut(cell: HTMLElement): void {
  if (isCut(cell)) cell.title = textOf(cell);
  else cell.removeAttribute('title');
}

/** Its text, with spaces between separate elements. */
function textOf(cell: HTMLElement): string {
  // biome-ignore lint/performance/useDomNodeTextContent: textContent runs words together that stand apart
  return cell.innerText.replace(/\s+/g, ' ').trim();
}

/** Whether a cell, or what is in it, is wider than its column. */
function isCut(cell: HTMLElement): boolean {
  return [cell, ...cell.children].some(
    (each) => each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0,
  );
}

/** The texts of a row that are cut off; shown when the row is reached by keyboard. */
function cutTextsOf(row: HTMLElement): string {
  const cells = [...row.querySelectorAll<HTMLElement>('[role=gridcell]')];
  return cells.flatMap((cell) => (isCut(cell) ? [textOf(cell)] : [])).join(' · ');
}
