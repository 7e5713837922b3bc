/** What the explorer shows of the items that were chosen: chart or table, how the data was computed, and the readout. */
import { memo, useDeferredValue, useId, useMemo, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Segments } from '../../parts/tabs.tsx';
import { toggled } from '../../parts/toggled.ts';
import { useShortcut } from '../../platform/router/shortcuts.ts';
import { AxisDialog } from './axis-dialog.tsx';
import { ChartTab } from './chart-tab.tsx';
import { DataCard } from './data-card.tsx';
import { fileColumns } from './file-columns.ts';
import { ItemPicker } from './item-picker.tsx';
import { PinTable } from './pin-cards.tsx';
import { placePins } from './pins.ts';
import { type Plot, plotItems } from './plot.ts';
import { absoluteRange } from './range.ts';
import type { Cursor } from './reading.ts';
import { Readout } from './readout.tsx';
import { RowsTable } from './rows-table.tsx';
import { StatesTable } from './states-table.tsx';
import type { Explorer } from './use-explorer.ts';
import { itemsMax } from './view.ts';
import { Words } from './words.tsx';
import './shown.css';

/** The chart or a table, with the readout below. */
export function Shown(explorer: Explorer) {
  const { view, items, span, zone, cut, loaded, isLoading, acts, setBrowsing } = explorer;
  const id = useId();
  const [cursor, setCursor] = useState<Cursor | null>(null);
  useShortcut('t a', 'Make the range absolute', 'Explorer', () =>
    acts.change({ range: absoluteRange(span) }),
  );
  const { hidden, line, own } = view;
  const plot = useMemo(
    () => (loaded ? { loaded, zone, plotted: plotItems(items, { hidden, line, own }, loaded) } : null),
    [items, hidden, line, own, loaded, zone],
  );
  const columns = useMemo(() => (loaded ? fileColumns(items, loaded) : []), [items, loaded]);
  const valid = cursor !== null && loaded && cursor.row < loaded.rows.timesMs.length ? cursor : null;
  return (
    <DataCard
      label="Data"
      head={<Words {...{ view, items, cut, loaded, span, zone, isLoading }} />}
      actions={<TabChoice view={view} items={items} acts={acts} />}
    >
      {plot && view.tab === 'table' && (
        <RowsTable rows={plot.loaded.rows} columns={columns} zone={zone} label="Rows of the view" />
      )}
      {plot && view.tab === 'states' && (
        <StatesTable plot={plot} onEveryPoint={() => acts.change({ rollup: 'raw' })} />
      )}
      {plot && view.tab === 'chart' && (
        <ChartTab
          explorer={explorer}
          plot={plot}
          id={id}
          columns={columns}
          cursor={valid}
          onCursor={setCursor}
        />
      )}
      {!plot && <div className="data-waiting" />}
      <div className="data-add">
        <Adding view={view} acts={acts} setBrowsing={setBrowsing} />
      </div>
      <Below plot={plot} view={view} cursor={valid} acts={acts} />
    </DataCard>
  );
}

/** Not rendered again while the pointer moves over the chart; nor is the next. */
const Adding = memo(function Adding({
  view,
  acts,
  setBrowsing,
}: Pick<Explorer, 'view' | 'acts' | 'setBrowsing'>) {
  return (
    <>
      <ItemPicker
        chosen={new Set(view.items)}
        onAdd={({ id }) => acts.change({ items: [...view.items, id] })}
        isFull={view.items.length >= itemsMax}
      />
      <Button icon="columns" onPress={() => setBrowsing(true)}>
        By label
      </Button>
    </>
  );
});

const TabChoice = memo(function TabChoice({ view, items, acts }: Pick<Explorer, 'view' | 'items' | 'acts'>) {
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

/** The tables below. They are rendered after the chart, which comes first. */
function Below(now: Pick<Explorer, 'view' | 'acts'> & { plot: Plot | null; cursor: Cursor | null }) {
  const { view, acts } = now;
  const isShown = view.hasReadout;
  useShortcut('l', 'Show or hide the readout', 'Explorer', () => acts.change({ hasReadout: !isShown }));
  const { plot, cursor } = useDeferredValue(
    useMemo(() => ({ plot: now.plot, cursor: now.cursor }), [now.plot, now.cursor]),
  );
  const [axisItem, setAxisItem] = useState<string | null>(null);
  const ofAxis = plot?.plotted.find(({ item }) => item.id === axisItem);
  const pins = useMemo(() => (plot ? placePins(view.pins, plot.loaded) : []), [view.pins, plot]);
  return (
    <>
      <div hidden={!isShown}>
        <Readout
          plot={plot}
          cursor={cursor}
          onToggle={(item) => acts.change({ hidden: toggled(view.hidden, item) })}
          onIsolate={(item) => acts.change({ hidden: new Set(view.items.filter((each) => each !== item)) })}
          onRemove={(item) => acts.change({ items: view.items.filter((each) => each !== item) })}
          onAxis={setAxisItem}
        />
      </div>
      {ofAxis && <AxisDialog plotted={ofAxis} view={view} acts={acts} onClose={() => setAxisItem(null)} />}
      {plot && pins.length > 0 && (
        <PinTable
          pins={pins}
          cursor={cursor}
          plot={plot}
          onRemove={(atMs) => acts.change({ pins: view.pins.filter((each) => each !== atMs) })}
          onClear={() => acts.change({ pins: [] })}
        />
      )}
    </>
  );
}
