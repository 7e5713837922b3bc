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
import type { Explorer } from './use-explorer.ts';

/** The chart of a view; `id` is unique on the page. */
export function ChartTab({
  explorer: { view, items, span, zone, extent, isLoading, acts },
  plot,
  columns,
  id,
  cursor,
  onCursor,
}: {
  explorer: Explorer;
  plot: Plot;
  columns: readonly FileColumn[];
  id: string;
  cursor: Cursor | null;
  onCursor(cursor: Cursor | null): void;
}) {
  const { loaded } = plot;
  const { pins, firstDay, axes, ranges } = view;
  const shown = useMemo(() => shownSpan(span, loaded.span, isLoading), [span, loaded.span, isLoading]);
  const model = useMemo(
    () => chartOf(plot, { span: shown, firstDay, axes, ranges }),
    [plot, shown, firstDay, axes, ranges],
  );
  const strip = useStrip(items, span, { zone, firstDay });
  const styleOf = useMemo(() => (item: Item) => lineStyle(items.indexOf(item)), [items]);
  const setPins = (next: readonly number[]) => acts.change({ pins: next });
  const timeOf = (row: number) => model.timesMs[row]!;
  const pin = (row: number) => setPins(togglePin(pins, timeOf(row), model.timesMs));
  const unpin = (atMs: number) => setPins(pins.filter((each) => each !== atMs));
  useShortcut('p', 'Pin the time under the cursor', 'Explorer', () => cursor && pin(cursor.row));
  return (
    <>
      <ChartView
        model={model}
        label={`Chart of ${items.map(({ name }) => name).join(', ')}; ${printRange(view.range, span, zone)}`}
        detailsId={`${id}-rows`}
        cursor={cursor?.row ?? null}
        onCursor={(row, atMs) => onCursor(row === null ? null : { row, atMs })}
        onPin={pin}
        onUnpin={(row) => setPins(removeNear(pins, row === null ? null : timeOf(row)))}
        pins={placePins(pins, loaded).map((each) => (
          <PinCard key={each.atMs} pin={each} plot={plot} onRemove={unpin} />
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

/** Until other data is there the old stays visible, also where none of it lies in the new range. */
function shownSpan(wanted: Span, loaded: Span, isLoading: boolean): Span {
  const shared = Math.min(wanted.toMs, loaded.toMs) - Math.max(wanted.fromMs, loaded.fromMs);
  return isLoading && shared < (wanted.toMs - wanted.fromMs) * 0.1 ? loaded : wanted;
}

/** Whether no item has a point or a state in the window. */
function isEmpty({ plotted, loaded }: Plot): boolean {
  return plotted.every(({ item, band }) =>
    band ? band.length === 0 : summarize(item, loaded).points === 0 && !loaded.last.has(item.id),
  );
}

/** The rows are rendered after the chart, which comes first; the pointer over the chart changes nothing here. */
function LaterRows({
  id,
  loaded,
  columns,
  zone,
}: {
  id: string;
  loaded: Loaded;
  columns: readonly FileColumn[];
  zone: string;
}) {
  const now = useMemo(() => ({ loaded, columns }), [loaded, columns]);
  const later = useDeferredValue(now, null);
  return useMemo(
    () => <SpokenRows id={id} rows={later?.loaded.rows ?? null} columns={later?.columns ?? []} zone={zone} />,
    [id, later, zone],
  );
}

/** As many items as are read out for a row. */
const saidMax = 8;

/** What is read out for a row. */
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
