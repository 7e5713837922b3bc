/** Head and rows of a table, and the keys that move between rows. */
import { memo, type ReactNode, useEffect, useRef, useState } from 'react';
import { navigate } from '../platform/router/place.ts';
import { ColumnHandle } from './column-handle.tsx';
import { CheckField } from './field.tsx';
import { Icon } from './icon.tsx';
import type { Column } from './table-layout.ts';
import type { Slot, SlotTable, TableProps } from './table-model.tsx';

/** The height of the head, px. */
export const headHeight = 38;

interface PartProps<T> extends TableProps<T> {
  table: SlotTable<T>;
  template: string;
}

/** The names of the columns, with which rows are sorted. */
export function HeaderRow<T>({
  table,
  template,
  selection,
  slots,
  idOf,
  columns,
  name,
}: PartProps<T> & { slots: Slot<T>[] }) {
  const [group] = table.getHeaderGroups();
  const numbers = new Set(columns.filter(({ isNumber }) => isNumber).map(({ id }) => id));
  const hidden = new Set(columns.filter(({ isTitleHidden }) => isTitleHidden).map(({ id }) => id));
  const titles = new Map(columns.map(({ id, title }) => [id, title]));
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
            {hidden.has(header.column.id) ? (
              <span className="hidden-text">{titles.get(header.column.id)}</span>
            ) : header.column.getCanSort() ? (
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
            {!hidden.has(header.column.id) && (
              <ColumnHandle
                table={name}
                column={header.column.id}
                title={titles.get(header.column.id) ?? ''}
              />
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
  /** The columns that are shown; the same list as long as they are. */
  shown: readonly Column<T>[];
  offsets: readonly number[];
  rowHeight: number;
  scrollTo(index: number): void;
}

/** The rows; the arrows move between them, Enter opens, space selects. One row at a time can be reached with Tab. */
export function Body<T>(props: BodyProps<T>) {
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
          top={(offsets[i] ?? 0) + headHeight}
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
  template,
  shown,
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
  const [whole, setWhole] = useState('');
  const focus = (event: React.FocusEvent<HTMLElement>) => {
    onFocus();
    const row = event.currentTarget;
    setWhole(event.target === row && row.matches(':focus-visible') ? wholeTexts(row) : '');
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
      onBlur={() => setWhole('')}
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
      <Cells row={slot.row} columns={shown} />
      {whole && (
        <div className="table-whole" aria-hidden="true">
          {whole}
        </div>
      )}
    </div>
  );
}

/** Cells are drawn anew only for another row or other columns: scrolling moves those that are there. */
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
      onPointerEnter={(event) => nameWhole(event.currentTarget)}
    >
      {row === undefined ? <span className="table-blank" /> : cell(row)}
    </div>
  ));
}) as <T>(props: { row: T | undefined; columns: readonly Column<T>[] }) => ReactNode;

/** The whole text of a cell that is cut off, for the pointer. */
function nameWhole(cell: HTMLElement): void {
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

/** The texts of a row that are cut off, for who has reached it by keyboard. */
function wholeTexts(row: HTMLElement): string {
  const cells = [...row.querySelectorAll<HTMLElement>('[role=gridcell]')];
  return cells.flatMap((cell) => (isCut(cell) ? [textOf(cell)] : [])).join(' · ');
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
