/** A table of any length: only the rows in sight are drawn. Columns can be chosen, some sorted; rows reached by keyboard. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { usePreferences } from '../platform/theme/preferences.ts';
import { useIsNarrow } from './narrow.ts';
import { Body, HeaderRow, headHeight } from './table-body.tsx';
import { ColumnChooser } from './table-columns.tsx';
import { hasChoice, layoutOf } from './table-layout.ts';
import { type Slot, type TableProps, useSlotTable } from './table-model.tsx';
import type { Rows } from './table-rows.ts';
import './table.css';

const rowHeights = { comfortable: 40, compact: 32 } as const;

/** The table. */
export function DataTable<T>(props: TableProps<T>) {
  const { rows, label, empty, height = 'max(320px, calc(100dvh - 310px))' } = props;
  const { density, widths } = usePreferences();
  const isNarrow = useIsNarrow();
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
  const visible = table.getVisibleLeafColumns().map(({ id }) => id);
  const names = visible.join(' ');
  const shownColumns = useMemo(
    () => props.columns.filter(({ id }) => names.split(' ').includes(id)),
    [props.columns, names],
  );
  if (rows.total === 0 && !rows.isLoading) return <>{empty}</>;
  // On a phone the columns are those that fit.
  const hasChooser = hasChoice(props.columns) && !(isNarrow && props.columns.some((one) => one.isNarrow));
  const layout = layoutOf(props.columns, visible, {
    hasCheck: props.selection !== undefined,
    isNarrow,
    widths: (isNarrow ? undefined : widths[props.name]) ?? {},
  });
  return (
    <div className={hasChooser ? 'table-frame with-chooser' : 'table-frame'}>
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
        <div
          className="table-inner"
          role="presentation"
          style={{ height: virtual.getTotalSize() + headHeight, minWidth: layout.widthMin }}
        >
          <HeaderRow {...props} table={table} template={layout.template} slots={slots} />
          <Body
            {...props}
            table={table}
            shown={shownColumns}
            template={layout.template}
            offsets={shown.map(({ start }) => start)}
            scrollTo={virtual.scrollToIndex}
            rowHeight={rowHeights[density]}
          />
        </div>
      </div>
      {hasChooser && <ColumnChooser name={props.name} columns={props.columns} visible={visible} />}
    </div>
  );
}

/** What a row ends with. */
export function RowActions({ children }: { children: ReactNode }) {
  return <div className="table-actions">{children}</div>;
}

function slotsOf<T>(rows: Rows<T>, first: number, last: number): Slot<T>[] {
  const count = Math.max(0, Math.min(last, rows.total - 1) - first + 1);
  return Array.from({ length: rows.total === 0 ? 0 : count }, (_, i) => ({
    index: first + i,
    row: rows.at(first + i),
  }));
}
