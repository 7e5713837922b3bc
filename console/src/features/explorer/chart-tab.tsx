/** The chart with its pins, the overview below it, and its rows for users of screen readers. */
import { useDeferredValue, useMemo } from 'react';
import { useShortcut } from '../../platform/router/shortcuts.ts';
import { printCivil } from '../../platform/time/civil.ts';
import { lineStyle } from './chart-model.ts';
import { ChartView } from './chart-view.tsx';
import type { FileColumn } from './file.ts';
import type { Item } from './item.ts';
import { EmptyRange } from './notices.tsx';
import { PinCard } from './pin-cards.tsx';
import { placePins, removeNear, togglePin } from './pins.ts';
import { chartOf, type Loaded, type Plot, summarize } from './plot.ts';
import type { Span } from './range.ts';
import { type Cursor, readingAt } from './reading.ts';
import { SpokenRows } from './spoken-rows.tsx';
import { useStrip } from './strip.ts';
import { StripView } from './strip-view.tsx';
import { printRange, sayHold } from './timestamps.ts';
import { Tooltip } from './tooltip.tsx';
import type { Explorer, ViewActs } from './use-explorer.ts';
import type { View } from './view.ts';

interface Props {
  explorer: Explorer;
  plot: Plot;
  columns: readonly FileColumn[];
  /** Unique on the page. */
  id: string;
  cursor: Cursor | null;
  onCursor(cursor: Cursor | null): void;
}

/** The chart of a view. */
export function ChartTab({ explorer, plot, columns, id, cursor, onCursor }: Props) {
  const { view, items, span, zone, extent, isLoading, acts } = explorer;
  const { loaded } = plot;
  const { firstDay, axes, ranges } = view;
  const shown = useMemo(() => shownSpan(span, loaded.span, isLoading), [span, loaded.span, isLoading]);
  const model = useMemo(
    () => chartOf(plot, { span: shown, firstDay, axes, ranges }),
    [plot, shown, firstDay, axes, ranges],
  );
  const strip = useStrip(items, span, { zone, firstDay });
  const styleOf = useMemo(() => (item: Item) => lineStyle(items.indexOf(item)), [items]);
  const pins = usePins(view, acts, model.timesMs, cursor);
  return (
    <>
      <ChartView
        model={model}
        label={`Chart of ${items.map(({ name }) => name).join(', ')}; ${printRange(view.range, span, zone)}`}
        detailsId={`${id}-rows`}
        cursor={cursor?.row ?? null}
        onCursor={(row, atMs) => onCursor(row === null ? null : { row, atMs })}
        onPin={pins.toggle}
        onUnpin={pins.removeNear}
        pins={placePins(view.pins, loaded).map((each) => (
          <PinCard key={each.atMs} pin={each} plot={plot} onRemove={pins.remove} />
        ))}
        overlay={
          !isLoading &&
          isEmpty(plot) && <EmptyRange extent={extent} span={span} zone={zone} onSpan={acts.goTo} />
        }
        tip={(height) => cursor && <Tooltip cursor={cursor} plot={plot} height={height} />}
        picture={acts.picture}
        onSpan={acts.goTo}
        onZoomOut={acts.zoomOut}
        sayRow={(row) => sayRow(plot, row)}
        isBusy={isLoading}
      />
      <StripView
        strip={strip}
        window={span}
        zone={zone}
        firstDay={firstDay}
        styleOf={styleOf}
        onSpan={acts.goTo}
      />
      <LaterRows id={`${id}-rows`} loaded={loaded} columns={columns} zone={zone} />
    </>
  );
}

function usePins(
  { pins }: View,
  { change }: Pick<ViewActs, 'change'>,
  timesMs: ArrayLike<number>,
  cursor: Cursor | null,
) {
  const toggle = (row: number) => change({ pins: togglePin(pins, timesMs[row]!, timesMs) });
  useShortcut('p', 'Pin the time under the cursor', 'Explorer', () => cursor && toggle(cursor.row));
  return {
    toggle,
    remove: (atMs: number) => change({ pins: pins.filter((each) => each !== atMs) }),
    removeNear: (row: number | null) =>
      change({ pins: removeNear(pins, row === null ? null : timesMs[row]!) }),
  };
}

/** Until other data is there the old stays visible, also where none of it lies in the new range. */
function shownSpan(wanted: Span, loaded: Span, isLoading: boolean): Span {
  const shared = Math.min(wanted.toMs, loaded.toMs) - Math.max(wanted.fromMs, loaded.fromMs);
  return isLoading && shared < (wanted.toMs - wanted.fromMs) * 0.1 ? loaded : wanted;
}

/** Whether no item has a point or a state in the window. */
function isEmpty({ plotted, loaded }: Plot): boolean {
  return plotted.every(({ item, band }) =>
    band ? band.length === 0 : !loaded.last.has(item.id) && summarize(item, loaded).points === 0,
  );
}

interface LaterRowsProps {
  id: string;
  loaded: Loaded;
  columns: readonly FileColumn[];
  zone: string;
}

/** The rows are rendered after the chart, which comes first; the pointer over the chart changes nothing here. */
function LaterRows({ id, loaded, columns, zone }: LaterRowsProps) {
  const now = useMemo(() => ({ loaded, columns }), [loaded, columns]);
  const later = useDeferredValue(now, null);
  return useMemo(
    () => <SpokenRows id={id} rows={later?.loaded.rows ?? null} columns={later?.columns ?? []} zone={zone} />,
    [id, later, zone],
  );
}

/** The number of items that are read out for a row. */
const saidMax = 8;

function sayRow(plot: Plot, row: number): string {
  const { plotted, loaded, zone } = plot;
  const atMs = loaded.rows.timesMs[row]!;
  const values = plotted
    .filter(({ isVisible }) => isVisible)
    .slice(0, saidMax)
    .map((each) => {
      const { text, held } = readingAt(each, loaded, { row, atMs });
      return `${each.item.name} ${text}${held ? ` ${sayHold(held, zone)}` : ''}`;
    });
  return `${printCivil(zone, atMs)}: ${values.join('; ')}`;
}
