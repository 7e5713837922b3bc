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
import { chartOf, type Loaded, type PlottedItem, summarize } from './plot.ts';
import type { Span } from './range.ts';
import { type Moment, readingAt } from './reading.ts';
import { SpokenRows } from './spoken-rows.tsx';
import { useStrip } from './strip.ts';
import { StripView } from './strip-view.tsx';
import { printRange, sayHold } from './timestamps.ts';
import type { ViewActs } from './toolbar.tsx';
import { Tooltip } from './tooltip.tsx';
import type { View } from './view.ts';

/** What {@link ChartTab} takes. */
export interface ChartTabProps {
  view: View;
  items: readonly Item[];
  plotted: readonly PlottedItem[];
  loaded: Loaded;
  columns: readonly FileColumn[];
  span: Span;
  zone: string;
  extent: Span | null;
  isLoading: boolean;
  /** Unique on the page. */
  id: string;
  moment: Moment | null;
  onMoment(moment: Moment | null): void;
  acts: ViewActs;
}

/** The chart of a view. */
export function ChartTab(props: ChartTabProps) {
  const { view, items, plotted, loaded, columns, span, zone, isLoading, id, moment, acts } = props;
  const { pins, firstDay, axes, ranges } = view;
  const shown = useMemo(() => shownSpan(span, loaded.span, isLoading), [span, loaded.span, isLoading]);
  const model = useMemo(
    () => chartOf(plotted, loaded, { span: shown, zone, firstDay, axes, ranges }),
    [plotted, loaded, shown, zone, firstDay, axes, ranges],
  );
  const strip = useStrip(items, span, { zone, firstDay });
  const styleOf = useMemo(() => (item: Item) => lineStyle(items.indexOf(item)), [items]);
  const setPins = (next: readonly number[]) => acts.change({ pins: next });
  const timeOf = (row: number) => model.timesMs[row]!;
  const pin = (row: number) => setPins(togglePin(pins, timeOf(row), model.timesMs));
  useShortcut('p', 'Pin the time under the cursor', 'Explorer', () => moment && pin(moment.row));
  return (
    <>
      <ChartView
        model={model}
        label={`Chart of ${items.map(({ name }) => name).join(', ')}; ${printRange(view.range, span, zone)}`}
        detailsId={`${id}-rows`}
        cursor={moment?.row ?? null}
        onCursor={(row, atMs) => props.onMoment(row === null ? null : { row, atMs })}
        onPin={pin}
        onUnpin={(row) => setPins(removeNear(pins, row === null ? null : timeOf(row)))}
        pins={<PinCards {...props} onRemove={(atMs) => setPins(pins.filter((each) => each !== atMs))} />}
        overlay={!isLoading && isEmpty(plotted, loaded) && <EmptyRange {...props} onSpan={acts.goTo} />}
        tip={(height) =>
          moment && <Tooltip moment={moment} plotted={plotted} loaded={loaded} zone={zone} height={height} />
        }
        picture={acts.picture}
        onSpan={acts.goTo}
        onZoomOut={acts.zoomOut}
        sayRow={(row) => sayRow(plotted, loaded, row, zone)}
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

/** Until other data is there the old stays in sight, also where nothing of it lies in the new range. */
export function shownSpan(wanted: Span, loaded: Span, isLoading: boolean): Span {
  const shared = Math.min(wanted.toMs, loaded.toMs) - Math.max(wanted.fromMs, loaded.fromMs);
  return isLoading && shared < (wanted.toMs - wanted.fromMs) * 0.1 ? loaded : wanted;
}

/** Whether no item has a point or a state in the window. */
function isEmpty(plotted: readonly PlottedItem[], loaded: Loaded): boolean {
  return plotted.every(({ item, band }) =>
    band ? band.length === 0 : summarize(item, loaded).points === 0 && !loaded.last.has(item.id),
  );
}

function PinCards({
  view,
  plotted,
  loaded,
  zone,
  onRemove,
}: Pick<ChartTabProps, 'view' | 'plotted' | 'loaded' | 'zone'> & { onRemove(atMs: number): void }) {
  return placePins(view.pins, loaded).map((pin) => (
    <PinCard key={pin.atMs} pin={pin} plotted={plotted} loaded={loaded} zone={zone} onRemove={onRemove} />
  ));
}

/** The rows are rendered after the chart, which comes first; the pointer over the chart changes nothing here. */
function LaterRows({ id, ...now }: Pick<ChartTabProps, 'id' | 'loaded' | 'columns' | 'zone'>) {
  const { loaded, columns, zone } = now;
  const later = useDeferredValue(
    useMemo(() => ({ loaded, columns }), [loaded, columns]),
    null,
  );
  return useMemo(
    () =>
      later ? (
        <SpokenRows id={id} rows={later.loaded.rows} columns={later.columns} zone={zone} />
      ) : (
        <section id={id} className="spoken-rows" aria-label="Data of the chart" />
      ),
    [id, later, zone],
  );
}

/** As many items as are read out for a row. */
const saidMax = 8;

/** What is read out for a row. */
function sayRow(plotted: readonly PlottedItem[], loaded: Loaded, row: number, zone: string): string {
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
