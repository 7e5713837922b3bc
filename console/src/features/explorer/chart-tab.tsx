/** The chart with its pins, the overview below it, and its rows for those who do not see it. */
import { useDeferredValue, useMemo } from 'react';
import { useShortcut } from '../../platform/router/shortcuts.ts';
import { lineStyle } from './chart-model.ts';
import { ChartView } from './chart-view.tsx';
import type { FileColumn } from './file.ts';
import type { Item } from './item.ts';
import { printMoment, printRange, sayStretch } from './moments.ts';
import { PinCard } from './pin-cards.tsx';
import { placePins, removeNear, togglePin } from './pins.ts';
import { chartOf, type Loaded, type PlottedItem } from './plot.ts';
import type { Span } from './range.ts';
import { type Moment, readingAt } from './reading.ts';
import { SpokenRows } from './spoken-rows.tsx';
import { useStrip } from './strip.ts';
import { StripView } from './strip-view.tsx';
import type { ViewActs } from './toolbar.tsx';
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
  nowMs: number;
  isLoading: boolean;
  /** Unique on the page. */
  id: string;
  moment: Moment | null;
  onMoment(moment: Moment | null): void;
  acts: ViewActs;
}

/** The chart of a view. */
export function ChartTab(props: ChartTabProps) {
  const { view, items, plotted, loaded, columns, span, zone, nowMs, isLoading, id, moment, acts } = props;
  const { pins, firstDay } = view;
  const model = useMemo(
    () => chartOf(plotted, loaded, { span, zone, firstDay }),
    [plotted, loaded, span, zone, firstDay],
  );
  const strip = useStrip(items, span, { nowMs, zone, firstDay });
  const styleOf = useMemo(() => (item: Item) => lineStyle(items.indexOf(item)), [items]);
  const setPins = (next: readonly number[]) => acts.change({ pins: next });
  const timeOf = (row: number) => model.timesMs[row]!;
  const pin = (row: number) => setPins(togglePin(pins, timeOf(row), model.timesMs));
  useShortcut('p', 'Pin the moment under the cursor', 'Explorer', () => moment && pin(moment.row));
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

/** The rows come a moment after the chart, which is to be seen first; the pointer over the chart changes nothing here. */
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
      const { text, stretch } = readingAt(each, loaded, { row, atMs });
      return `${each.item.name} ${text}${stretch ? ` ${sayStretch(stretch, zone)}` : ''}`;
    });
  return `${printMoment(zone, atMs)}: ${values.join('; ')}`;
}
