/** What the explorer shows of the items that were chosen: chart or table, how the data came about, and the readout. */
import { useId, useMemo, useState } from 'react';
import { useShortcut } from '../layout/shortcuts.ts';
import { printCount } from '../parts/number.ts';
import { Segments } from '../parts/tabs.tsx';
import { ChartView } from './chart-view.tsx';
import type { Item } from './item.ts';
import { ItemPicker } from './item-picker.tsx';
import type { Cut } from './loading.ts';
import { printMoment, printOffsets, printRange } from './moments.ts';
import { chartOf, fileColumns, type Loaded, type PlottedItem, plotItems, stateStyler } from './plot.ts';
import { absoluteRange, type Span } from './range.ts';
import { Readout } from './readout.tsx';
import { RowsTable } from './rows-table.tsx';
import { stateAt } from './state-band.ts';
import { printNumber } from './ticks.ts';
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
  acts: ViewActs;
  onAdd(item: Item): void;
}

/** The chart or the table, with the readout below. */
export function Shown({ view, items, span, zone, cut, loaded, isLoading, acts, onAdd }: ShownProps) {
  const id = useId();
  const [cursor, setCursor] = useState<number | null>(null);
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
  const row = cursor !== null && loaded && cursor < loaded.rows.timesMs.length ? cursor : null;
  const columns = useMemo(() => (loaded ? fileColumns(items, loaded) : []), [items, loaded]);
  const label = `Chart of ${items.map(({ name }) => name).join(', ')}; ${printRange(view.range, span, zone)}`;
  return (
    <section className="card explorer-card" aria-label="Data">
      <div className="explorer-head">
        <Words cut={cut} loaded={loaded} span={span} zone={zone} isLoading={isLoading} />
        <Segments
          label="Show as"
          value={view.tab}
          onChange={(tab) => acts.change({ tab })}
          options={[
            { value: 'chart', text: 'Chart' },
            { value: 'table', text: 'Table' },
          ]}
        />
      </div>
      {loaded && view.tab === 'table' && (
        <RowsTable rows={loaded.rows} columns={columns} zone={zone} label="Rows of the view" />
      )}
      {model && loaded && view.tab === 'chart' && (
        <ChartView
          model={model}
          label={label}
          detailsId={`${id}-readout`}
          cursor={row}
          onCursor={setCursor}
          onSpan={acts.goTo}
          onZoomOut={acts.zoomOut}
          sayRow={(at) => sayRow(plotted, loaded, at, zone)}
          isBusy={isLoading}
        />
      )}
      {!loaded && <div className="chart-waiting" />}
      <div className="explorer-add">
        <ItemPicker chosen={new Set(view.items)} onAdd={onAdd} isFull={view.items.length >= itemsMax} />
      </div>
      <div id={`${id}-readout`} hidden={!hasReadout}>
        <Readout
          plotted={plotted}
          loaded={loaded}
          cursor={row}
          moment={row === null || !loaded ? 'Last' : printMoment(zone, loaded.rows.timesMs[row]!)}
          onToggle={(item) => acts.change({ hidden: toggled(view.hidden, item) })}
          onIsolate={(item) => acts.change({ hidden: new Set(view.items.filter((each) => each !== item)) })}
          onRemove={(item) => acts.change({ items: view.items.filter((each) => each !== item) })}
        />
      </div>
    </section>
  );
}

/** How the data came about, in words. */
function Words({
  cut,
  loaded,
  span,
  zone,
  isLoading,
}: {
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
        {isLoading ? ' · loading …' : ''}
      </span>
    </p>
  );
}

/** What is read out for a row. */
function sayRow(plotted: readonly PlottedItem[], { rows }: Loaded, row: number, zone: string): string {
  const atMs = rows.timesMs[row]!;
  const values = plotted
    .filter(({ isVisible }) => isVisible)
    .slice(0, 8)
    .map(({ item, column, band }) => {
      if (band) {
        const state = stateAt(band, atMs);
        return `${item.name} ${state === null ? 'no state' : stateStyler(item)(state).text}`;
      }
      const value = column[row];
      return `${item.name} ${value === undefined ? 'no value' : `${printNumber(value)} ${item.unit}`}`;
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
