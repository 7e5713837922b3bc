/** What the explorer shows of the items that were chosen: chart or table, how the data came about, and the readout. */
import { useId, useMemo, useState } from 'react';
import { useShortcut } from '../layout/shortcuts.ts';
import { printCount } from '../parts/number.ts';
import { Segments } from '../parts/tabs.tsx';
import { lineStyle } from './chart-model.ts';
import { ChartView } from './chart-view.tsx';
import { sayComparison } from './compare.ts';
import type { Item } from './item.ts';
import { ItemPicker } from './item-picker.tsx';
import type { Cut } from './loading.ts';
import { printMoment, printOffsets, printRange, sayStretch } from './moments.ts';
import { PinCard, PinTable } from './pin-cards.tsx';
import { placePins, removeNear, togglePin } from './pins.ts';
import { chartOf, fileColumns, type Loaded, type PlottedItem, plotItems } from './plot.ts';
import { absoluteRange, type Span } from './range.ts';
import { type Moment, readingAt } from './reading.ts';
import { Readout } from './readout.tsx';
import { RowsTable } from './rows-table.tsx';
import { SpokenRows } from './spoken-rows.tsx';
import { StatesTable } from './states-table.tsx';
import { useStrip } from './strip.ts';
import { StripView } from './strip-view.tsx';
import type { ViewActs } from './toolbar.tsx';
import { itemsMax, type View } from './view.ts';
import { sayWidth } from './width.ts';

/** What {@link Shown} takes. */
export interface ShownProps {
  view: View;
  items: readonly Item[];
  span: Span;
  zone: string;
  cut: Cut | null;
  loaded: Loaded | null;
  isLoading: boolean;
  nowMs: number;
  acts: ViewActs;
  onAdd(item: Item): void;
}

/** The chart or the table, with the readout below. */
export function Shown({ view, items, span, zone, cut, loaded, isLoading, nowMs, acts, onAdd }: ShownProps) {
  const id = useId();
  const [cursor, setCursor] = useState<Moment | null>(null);
  const [hasReadout, setReadout] = useState(true);
  useShortcut('l', 'Show or hide the readout', 'Explorer', () => setReadout(!hasReadout));
  useShortcut('t a', 'Make the range absolute', 'Explorer', () =>
    acts.change({ range: absoluteRange(span) }),
  );
  const { hidden, line } = view;
  const plotted = useMemo(
    () => (loaded ? plotItems(items, { hidden, line }, loaded) : []),
    [items, hidden, line, loaded],
  );
  const model = useMemo(
    () => (loaded ? chartOf(plotted, loaded, { span, zone, firstDay: view.firstDay }) : null),
    [plotted, loaded, span, zone, view.firstDay],
  );
  const moment = cursor !== null && loaded && cursor.row < loaded.rows.timesMs.length ? cursor : null;
  const pins = useMemo(() => (loaded ? placePins(view.pins, loaded) : []), [view.pins, loaded]);
  const removePin = (atMs: number) => acts.change({ pins: view.pins.filter((each) => each !== atMs) });
  const strip = useStrip(items, span, {
    nowMs,
    isReady: loaded !== null && view.tab === 'chart',
    zone,
    firstDay: view.firstDay,
  });
  const styleOf = useMemo(() => (item: Item) => lineStyle(items.indexOf(item)), [items]);
  const hasStates = items.some(({ isEnum }) => isEnum);
  const columns = useMemo(() => (loaded ? fileColumns(items, loaded) : []), [items, loaded]);
  const label = `Chart of ${items.map(({ name }) => name).join(', ')}; ${printRange(view.range, span, zone)}`;
  return (
    <section className="card explorer-card" aria-label="Data">
      <div className="explorer-head">
        <Words view={view} cut={cut} loaded={loaded} span={span} zone={zone} isLoading={isLoading} />
        <Segments
          label="Show as"
          value={view.tab}
          onChange={(tab) => acts.change({ tab })}
          options={[
            { value: 'chart', text: 'Chart' },
            { value: 'table', text: 'Table' },
            ...(hasStates ? [{ value: 'states' as const, text: 'States' }] : []),
          ]}
        />
      </div>
      {loaded && view.tab === 'table' && (
        <RowsTable rows={loaded.rows} columns={columns} zone={zone} label="Rows of the view" />
      )}
      {loaded && view.tab === 'states' && (
        <StatesTable
          plotted={plotted}
          isOfPoints={loaded.rollup === null}
          zone={zone}
          onEveryPoint={() => acts.change({ rollup: 'raw' })}
        />
      )}
      {model && loaded && view.tab === 'chart' && (
        <>
          <ChartView
            model={model}
            label={label}
            detailsId={`${id}-rows`}
            cursor={moment?.row ?? null}
            onCursor={(row, atMs) => setCursor(row === null ? null : { row, atMs })}
            onPin={(at) => acts.change({ pins: togglePin(view.pins, model.timesMs[at]!, model.timesMs) })}
            onUnpin={(at) =>
              acts.change({ pins: removeNear(view.pins, at === null ? null : model.timesMs[at]!) })
            }
            pins={pins.map((pin) => (
              <PinCard
                key={pin.atMs}
                pin={pin}
                plotted={plotted}
                loaded={loaded}
                zone={zone}
                onRemove={removePin}
              />
            ))}
            onSpan={acts.goTo}
            onZoomOut={acts.zoomOut}
            sayRow={(at) => sayRow(plotted, loaded, at, zone)}
            isBusy={isLoading}
          />
          <StripView
            strip={strip}
            window={span}
            zone={zone}
            firstDay={view.firstDay}
            styleOf={styleOf}
            onSpan={acts.goTo}
          />
          <SpokenRows id={`${id}-rows`} rows={loaded.rows} columns={columns} zone={zone} />
        </>
      )}
      {!loaded && <div className="chart-waiting" />}
      <div className="explorer-add">
        <ItemPicker chosen={new Set(view.items)} onAdd={onAdd} isFull={view.items.length >= itemsMax} />
      </div>
      <div hidden={!hasReadout}>
        <Readout
          plotted={plotted}
          loaded={loaded}
          cursor={moment}
          zone={zone}
          moment={moment === null || !loaded ? 'Last' : printMoment(zone, loaded.rows.timesMs[moment.row]!)}
          onToggle={(item) => acts.change({ hidden: toggled(view.hidden, item) })}
          onIsolate={(item) => acts.change({ hidden: new Set(view.items.filter((each) => each !== item)) })}
          onRemove={(item) => acts.change({ items: view.items.filter((each) => each !== item) })}
        />
      </div>
      {loaded && pins.length > 0 && (
        <PinTable
          pins={pins}
          cursor={moment}
          plotted={plotted}
          loaded={loaded}
          zone={zone}
          onRemove={removePin}
          onClear={() => acts.change({ pins: [] })}
        />
      )}
    </section>
  );
}

/** How the data came about, in words. */
function Words({
  view,
  cut,
  loaded,
  span,
  zone,
  isLoading,
}: {
  view: View;
  cut: Cut | null;
  loaded: Loaded | null;
  span: Span;
  zone: string;
  isLoading: boolean;
}) {
  if (!cut || !loaded) return <p className="quiet">Loading …</p>;
  const rows = printCount(loaded.rows.timesMs.length);
  const how = cut.isAutomatic && loaded.rollup !== null ? ', from pixel width' : '';
  const points =
    cut.isAutomatic && loaded.rollup !== null
      ? `, instead of about ${printCount(cut.pointsEstimated)} points`
      : '';
  return (
    <p className="explorer-words" aria-live="off">
      <b>{capital(sayWidth(loaded.rollup))}</b>
      <span className="quiet">
        {how}
        {points} · {rows} rows · {zone.replaceAll('_', ' ')}
        {zone === 'UTC' ? '' : ` ${printOffsets(zone, span)}`}
        {view.compares === '' ? '' : ` · dashed: ${sayComparison(span, view.compares, zone)}`}
        {isLoading ? ' · loading …' : ''}
      </span>
    </p>
  );
}

/** What is read out for a row. */
function sayRow(plotted: readonly PlottedItem[], loaded: Loaded, row: number, zone: string): string {
  const atMs = loaded.rows.timesMs[row]!;
  const values = plotted
    .filter(({ isVisible }) => isVisible)
    .slice(0, 8)
    .map((each) => {
      const { text, stretch } = readingAt(each, loaded, { row, atMs });
      return `${each.item.name} ${text}${stretch ? ` ${sayStretch(stretch, zone)}` : ''}`;
    });
  return `${printMoment(zone, atMs)}: ${values.join('; ')}`;
}

function toggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return next;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
