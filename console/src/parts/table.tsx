/** A table of any length: only the visible rows are rendered. Columns can be chosen and sorted; rows are reached by keyboard. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef } from 'react';
import { usePreferences } from '../platform/theme/preferences.ts';
import { useIsNarrow } from './narrow.ts';
import { Body, HeaderRow, headHeight, type Slot, type TableProps } from './table-body.tsx';
import { ColumnChooser, useVisibility } from './table-columns.tsx';
import { hasChoice, layoutOf } from './table-layout.ts';
import type { Rows } from './table-rows.ts';
import './table.css';

const rowHeights = { comfortable: 40, compact: 32 } as const;

/** Most of the height of the window. */
export const fullHeight = 'max(320px, calc(100dvh - 310px))';

/** The table. */
export function DataTable<T>(props: TableProps<T>) {
  const { rows, label, empty, height = fullHeight, columns, selection } = props;
  const { density, widths } = usePreferences();
  const isNarrow = useIsNarrow();
  const rowHeight = rowHeights[density];
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.total,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the sizes are measured again when the density changes
  useEffect(() => virtual.measure(), [density]);
  const slots = useSlots(rows, virtual.getVirtualItems());
  const visibility = useVisibility(props.name, columns);
  const shown = useMemo(() => columns.filter(({ id }) => visibility[id]), [columns, visibility]);
  if (rows.total === 0 && !rows.isLoading && !rows.error) return <>{empty}</>;
  const visible = shown.map(({ id }) => id);
  const layout = layoutOf(shown, {
    hasCheck: selection !== undefined,
    isNarrow,
    widths: (isNarrow ? undefined : widths[props.name]) ?? {},
  });
  // On a phone the columns are those that fit.
  const hasChooser = hasChoice(columns) && !(isNarrow && columns.some((one) => one.isNarrow));
  const parts = { ...props, shown, template: layout.template, slots };
  return (
    <div className={hasChooser ? 'table-frame with-chooser' : 'table-frame'}>
      <div
        ref={scroller}
        className="table"
        role="grid"
        aria-label={label}
        aria-rowcount={rows.total + 1}
        aria-multiselectable={selection ? true : undefined}
        aria-busy={rows.isLoading}
        style={{ maxHeight: height }}
      >
        <div
          className="table-inner"
          role="presentation"
          style={{ height: virtual.getTotalSize() + headHeight, minWidth: layout.widthMin }}
        >
          <HeaderRow {...parts} />
          <Body {...parts} scrollTo={virtual.scrollToIndex} rowHeight={rowHeight} />
        </div>
      </div>
      {hasChooser && <ColumnChooser name={props.name} columns={columns} visible={visible} />}
    </div>
  );
}

/** The rows in the visible range, which is reported to `rows`. */
function useSlots<T>(rows: Rows<T>, items: readonly { index: number }[]): Slot<T>[] {
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => rows.onRange?.(first, last), [rows.onRange, first, last]);
  return useMemo(() => {
    const count = Math.max(0, Math.min(last + 1, rows.total) - first);
    return Array.from({ length: count }, (_, i) => ({ index: first + i, row: rows.at(first + i) }));
  }, [rows, first, last]);
}
