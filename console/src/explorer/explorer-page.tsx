/** The explorer: items over time. What is shown is in the address. */
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { addItem, emptySheet, printSheet } from '../formula/sheet.ts';
import { useShortcut } from '../layout/shortcuts.ts';
import { Button, LinkButton } from '../parts/button.tsx';
import { download } from '../parts/code-block.tsx';
import { Menu } from '../parts/menu.tsx';
import { EmptyState, ErrorNotice, Notice } from '../parts/notice.tsx';
import { printCount } from '../parts/number.ts';
import { Page } from '../parts/page.tsx';
import { Segments } from '../parts/tabs.tsx';
import { href, usePlaceState } from '../router/place.ts';
import { CopyMenu } from '../rpc/copy-menu.tsx';
import { nowMs as readNow } from '../time/clock.ts';
import { useZone } from '../time/zone.ts';
import { ChartView } from './chart-view.tsx';
import { fileName, printCsv, printJson } from './file.ts';
import type { Item } from './item.ts';
import { ItemPicker, useItemSearch, useItems } from './item-picker.tsx';
import { bandsMax, type Cut, cutView, requestsOf, useLoaded } from './loading.ts';
import { printMoment, printOffsets, printRange } from './moments.ts';
import { chartOf, fileColumns, type Loaded, type PlottedItem, plotItems, stateStyler } from './plot.ts';
import {
  absoluteRange,
  isRelative,
  type Range,
  resolveRange,
  type Span,
  shiftSpan,
  stretchSpan,
  tidySpan,
} from './range.ts';
import { Readout } from './readout.tsx';
import { RowsTable } from './rows-table.tsx';
import { stateAt } from './state-band.ts';
import { printNumber } from './ticks.ts';
import { Toolbar, type ViewActs } from './toolbar.tsx';
import { itemsMax, parseView, printView, type View } from './view.ts';
import { sayWidth } from './width.ts';
import './explorer.css';

/** The page. */
export default function ExplorerPage() {
  const { view, change } = useView();
  const zone = useZone();
  const shownZone = view.zone ?? zone;
  const { items, missing, error } = useItems(view.items);
  const now = useNowOf(view);
  const span = useMemo(
    () => resolveRange(view.range, now.ms, { zone: shownZone, firstDay: view.firstDay }),
    [view.range, now.ms, shownZone, view.firstDay],
  );
  const refresh = useRef(() => {});
  const acts = useActs(view, span, change, () => refresh.current());
  const [place, pixels] = usePixels();
  const cut = useMemo(
    () => (pixels === 0 ? null : cutView(view, items, { span, zone: shownZone, pixels })),
    [view, items, span, shownZone, pixels],
  );
  const query = useLoaded(view, items, cut, now.ms);
  refresh.current = () => {
    if (isRelative(view.range)) now.refresh();
    void query.refetch();
  };
  const add = (item: Item) => change({ items: [...view.items, item.id] });
  useExplorerKeys(acts);
  return (
    <Page
      title="Explorer"
      isWide
      actions={<Exports items={items} loaded={query.data ?? null} cut={cut} view={view} zone={shownZone} />}
    >
      <Toolbar
        view={view}
        span={span}
        zone={shownZone}
        nowMs={now.ms}
        acts={acts}
        isLoading={query.isFetching}
        canBand={items.filter(({ isEnum }) => !isEnum).length <= bandsMax}
      />
      {error && <ErrorNotice error={error} />}
      {missing.length > 0 && <Missing ids={missing} change={change} view={view} />}
      {query.error && <ErrorNotice error={query.error} retry={() => void query.refetch()} />}
      <div ref={place} className="explorer-body">
        {view.items.length === 0 ? (
          <Beginning onAdd={add} onAddAll={(ids) => change({ items: ids })} />
        ) : (
          <Shown
            view={view}
            items={items}
            span={span}
            zone={shownZone}
            cut={cut}
            loaded={query.data ?? null}
            isLoading={query.isFetching}
            acts={acts}
            onAdd={add}
          />
        )}
      </div>
    </Page>
  );
}

/** The view of the address, and a function that changes parts of it; steps of the range can be gone back. */
function useView() {
  const [search, changeSearch] = usePlaceState();
  const text = search.toString();
  const view = useMemo(() => parseView(new URLSearchParams(text)), [text]);
  const change = (parts: Partial<View>) =>
    changeSearch(printView({ ...view, ...parts }), {
      replace: parts.range === undefined && parts.items === undefined,
    });
  return { view, change };
}

/** The present that relative ranges refer to: it stands still until somebody refreshes, or runs in live mode. */
function useNowOf(view: View) {
  const [ms, setMs] = useState(readNow);
  const refresh = () => setMs(readNow());
  useEffect(() => {
    if (!view.isLive) return;
    const timer = setInterval(() => document.visibilityState === 'visible' && setMs(readNow()), 3000);
    return () => clearInterval(timer);
  }, [view.isLive]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another range begins at another present
  useEffect(() => setMs(readNow()), [view.range.from, view.range.to]);
  return { ms, refresh };
}

function useActs(
  view: View,
  span: Span,
  change: (parts: Partial<View>) => void,
  refresh: () => void,
): ViewActs {
  const before = useRef<Range[]>([]);
  const goTo = (next: Span) => {
    before.current.push(view.range);
    change({ range: absoluteRange(tidySpan(next)), isLive: false });
  };
  const zoomOut = () => {
    const range = before.current.pop();
    if (range) change({ range });
    else change({ range: absoluteRange(tidySpan(stretchSpan(span, 2))), isLive: false });
  };
  const setLive = (isLive: boolean) => {
    const range = isRelative(view.range)
      ? view.range
      : { from: `now-${Math.ceil((span.toMs - span.fromMs) / 60_000)}m`, to: 'now' };
    change(isLive ? { isLive, range } : { isLive });
  };
  return {
    change,
    goTo,
    zoomOut,
    shift: (steps) => change({ range: absoluteRange(tidySpan(shiftSpan(span, steps))), isLive: false }),
    refresh,
    setLive,
  };
}

/** The width of an element, in steps of 20 pixels: a scroll bar that comes and goes asks for nothing. */
function usePixels() {
  const place = useRef<HTMLDivElement>(null);
  const [pixels, setPixels] = useState(0);
  useLayoutEffect(() => {
    const element = place.current!;
    const measure = () => setPixels(Math.max(200, Math.floor((element.clientWidth - 90) / 20) * 20));
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
  return [place, pixels] as const;
}

function useExplorerKeys(acts: ViewActs): void {
  useShortcut('t z', 'Zoom out', 'Explorer', acts.zoomOut);
  useShortcut('Mod+z', 'Zoom out', 'Explorer', acts.zoomOut);
  useShortcut('t ArrowLeft', 'Earlier', 'Explorer', () => acts.shift(-0.5));
  useShortcut('t ArrowRight', 'Later', 'Explorer', () => acts.shift(0.5));
  useShortcut('d r', 'Refresh', 'Explorer', acts.refresh);
}

interface ShownProps {
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
function Shown({ view, items, span, zone, cut, loaded, isLoading, acts, onAdd }: ShownProps) {
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
  const rows = printCount(loaded.rows.times.length);
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

/** Where nothing is chosen yet. */
function Beginning({ onAdd, onAddAll }: { onAdd(item: Item): void; onAddAll(ids: readonly string[]): void }) {
  const { items, isLoading, total } = useItemSearch('', 8);
  return (
    <section className="card" aria-label="Data">
      <EmptyState icon="chart" title="Choose what to look at">
        <p>Items are published signals. Add one below by its name or a label, or begin with one of these.</p>
        <div className="beginning-picker">
          <ItemPicker chosen={new Set()} onAdd={onAdd} />
        </div>
        <div className="line">
          {items.map((item) => (
            <Button key={item.id} isTiny icon={item.isEnum ? 'columns' : 'wave'} onPress={() => onAdd(item)}>
              {item.name}
            </Button>
          ))}
        </div>
        {items.length > 1 && (
          <div className="line">
            <Button icon="chart" tone="primary" onPress={() => onAddAll(items.map(({ id }) => id))}>
              Chart {items.length === total ? 'all' : 'the first'} {items.length}
            </Button>
          </div>
        )}
        {!isLoading && total === 0 && (
          <p>
            There are none yet: <a href="#/publish">publish signals</a>, and they become items.
          </p>
        )}
      </EmptyState>
    </section>
  );
}

function Missing({
  ids,
  view,
  change,
}: {
  ids: readonly string[];
  view: View;
  change(parts: Partial<View>): void;
}) {
  const remove = () => change({ items: view.items.filter((id) => !ids.includes(id)) });
  return (
    <Notice
      mood="warn"
      action={
        <Button isTiny onPress={remove}>
          Remove {ids.length === 1 ? 'it' : 'them'}
        </Button>
      }
    >
      {ids.length === 1
        ? `The item ${ids[0]} is not there`
        : `${ids.length} items of this view are not there`}{' '}
      any more.
    </Notice>
  );
}

function Exports({
  items,
  loaded,
  cut,
  view,
  zone,
}: {
  items: readonly Item[];
  loaded: Loaded | null;
  cut: Cut | null;
  view: View;
  zone: string;
}) {
  const calls = cut && items.length > 0 ? requestsOf(view, items, cut) : [];
  const isEmpty = !loaded || loaded.rows.times.length === 0 || items.length === 0;
  const save = (extension: 'csv' | 'json') => {
    if (!loaded) return;
    const columns = fileColumns(items, loaded);
    const title = `${items.length === 1 ? items[0]!.name : `${items.length} items`} ${printMoment(zone, loaded.span.fromMs).slice(0, 10)}`;
    const text = extension === 'csv' ? printCsv(loaded.rows, columns, zone) : printJson(loaded.rows, columns);
    download(fileName(title, extension), text, extension === 'csv' ? 'text/csv' : 'application/json');
  };
  return (
    <>
      <Menu
        label="Download what is shown"
        text="Download"
        icon="download"
        tone="normal"
        entries={[
          { text: 'CSV', isDisabled: isEmpty, run: () => save('csv') },
          { text: 'JSON', isDisabled: isEmpty, run: () => save('json') },
        ]}
      />
      <CopyMenu calls={calls} />
      {items.length > 0 && (
        <LinkButton to={formulasLink(items, view)} icon="formula">
          Formulas
        </LinkButton>
      )}
    </>
  );
}

/** The page of formulas with the same items over the same range. */
function formulasLink(items: readonly Item[], view: View): string {
  const sheet = items.reduce(addItem, emptySheet);
  const { from = null, to = null, zone = null } = printView(view);
  return href('/formulas', { f: printSheet(sheet), from, to, zone });
}

function toggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return next;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
