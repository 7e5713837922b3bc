/** What the explorer shows of the items that were chosen: chart or table, how the data came about, and the readout. */

import { memo, useDeferredValue, useId, useMemo, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Segments } from '../../parts/tabs.tsx';
import { useShortcut } from '../../platform/router/shortcuts.ts';
import { printCivil } from '../../platform/time/civil.ts';
import { AxisDialog } from './axis-dialog.tsx';
import { ChartTab } from './chart-tab.tsx';
import type { Cut } from './cut.ts';
import { fileColumns } from './file-columns.ts';
import type { Item } from './item.ts';
import { ItemPicker } from './item-picker.tsx';
import { PinTable } from './pin-cards.tsx';
import { placePins } from './pins.ts';
import { type Loaded, type PlottedItem, plotItems } from './plot.ts';
import { absoluteRange, type Span } from './range.ts';
import type { Moment } from './reading.ts';
import { Readout } from './readout.tsx';
import { RowsTable } from './rows-table.tsx';
import { StatesTable } from './states-table.tsx';
import type { ViewActs } from './toolbar.tsx';
import { itemsMax, type View } from './view.ts';
import { Words } from './words.tsx';

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
  extent: Span | null;
  acts: ViewActs;
  onAdd(item: Item): void;
}

/** The chart or a table, with the readout below. */
export function Shown(props: ShownProps) {
  const { view, items, span, zone, cut, loaded, isLoading, acts, onAdd } = props;
  const id = useId();
  const [cursor, setCursor] = useState<Moment | null>(null);
  useShortcut('t a', 'Make the range absolute', 'Explorer', () =>
    acts.change({ range: absoluteRange(span) }),
  );
  const { hidden, line, own } = view;
  const data = useMemo(
    () => (loaded ? { loaded, plotted: plotItems(items, { hidden, line, own }, loaded) } : null),
    [items, hidden, line, own, loaded],
  );
  const columns = useMemo(() => (loaded ? fileColumns(items, loaded) : []), [items, loaded]);
  const moment = cursor !== null && loaded && cursor.row < loaded.rows.timesMs.length ? cursor : null;
  return (
    <section className="card explorer-card" aria-label="Data">
      <div className="explorer-head">
        <Words
          view={view}
          items={items}
          cut={cut}
          loaded={loaded}
          span={span}
          zone={zone}
          isLoading={isLoading}
        />
        <TabChoice view={view} items={items} acts={acts} />
      </div>
      {data && view.tab === 'table' && (
        <RowsTable rows={data.loaded.rows} columns={columns} zone={zone} label="Rows of the view" />
      )}
      {data && view.tab === 'states' && (
        <StatesTable
          plotted={data.plotted}
          isOfPoints={data.loaded.rollup === null}
          zone={zone}
          onEveryPoint={() => acts.change({ rollup: 'raw' })}
        />
      )}
      {data && view.tab === 'chart' && (
        <ChartTab {...props} {...data} id={id} columns={columns} moment={moment} onMoment={setCursor} />
      )}
      {!data && <div className="chart-waiting" />}
      <div className="explorer-add">
        <Adding ids={view.items} onAdd={onAdd} onBrowse={acts.browse} />
      </div>
      <Below data={data} view={view} moment={moment} zone={zone} acts={acts} />
    </section>
  );
}

/** Not rendered again while the pointer moves over the chart; nor is what follows. */
const Adding = memo(function Adding({
  ids,
  onAdd,
  onBrowse,
}: {
  ids: readonly string[];
  onAdd(item: Item): void;
  onBrowse(): void;
}) {
  return (
    <>
      <ItemPicker chosen={new Set(ids)} onAdd={onAdd} isFull={ids.length >= itemsMax} />
      <Button icon="columns" onPress={onBrowse}>
        By label
      </Button>
    </>
  );
});

const TabChoice = memo(function TabChoice({
  view,
  items,
  acts,
}: Pick<ShownProps, 'view' | 'items' | 'acts'>) {
  const hasStates = items.some(({ isEnum }) => isEnum);
  return (
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
  );
});

/** Rows as they were loaded, and what is drawn of them. */
interface Data {
  loaded: Loaded;
  plotted: readonly PlottedItem[];
}

const noItems: readonly PlottedItem[] = [];

/** The tables below. They are rendered after the chart, which comes first. */
function Below(now: { data: Data | null; view: View; moment: Moment | null; zone: string; acts: ViewActs }) {
  const { view, zone, acts } = now;
  const isShown = view.hasReadout;
  useShortcut('l', 'Show or hide the readout', 'Explorer', () => acts.change({ hasReadout: !isShown }));
  const { data, moment } = useDeferredValue(
    useMemo(() => ({ data: now.data, moment: now.moment }), [now.data, now.moment]),
  );
  const loaded = data?.loaded ?? null;
  const plotted = data?.plotted ?? noItems;
  const [axisItem, setAxisItem] = useState<string | null>(null);
  const ofAxis = plotted.find(({ item }) => item.id === axisItem);
  const pins = useMemo(() => (loaded ? placePins(view.pins, loaded) : []), [view.pins, loaded]);
  return (
    <>
      <div hidden={!isShown}>
        <Readout
          plotted={plotted}
          loaded={loaded}
          cursor={moment}
          zone={zone}
          moment={moment === null || !loaded ? 'Last' : printCivil(zone, loaded.rows.timesMs[moment.row]!)}
          onToggle={(item) => acts.change({ hidden: toggled(view.hidden, item) })}
          onIsolate={(item) => acts.change({ hidden: new Set(view.items.filter((each) => each !== item)) })}
          onRemove={(item) => acts.change({ items: view.items.filter((each) => each !== item) })}
          onAxis={setAxisItem}
        />
      </div>
      {ofAxis && <AxisDialog plotted={ofAxis} view={view} acts={acts} onClose={() => setAxisItem(null)} />}
      {loaded && pins.length > 0 && (
        <PinTable
          pins={pins}
          cursor={moment}
          plotted={plotted}
          loaded={loaded}
          zone={zone}
          onRemove={(atMs) => acts.change({ pins: view.pins.filter((each) => each !== atMs) })}
          onClear={() => acts.change({ pins: [] })}
        />
      )}
    </>
  );
}

function toggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return next;
}
