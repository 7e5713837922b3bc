/** The explorer: items over time. What is shown is in the address. */
import { lazy, Suspense, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { ErrorNotice } from '../../parts/notice.tsx';
import { Page } from '../../parts/page.tsx';
import { usePlaceState } from '../../platform/router/place.ts';
import { useShortcut } from '../../platform/router/shortcuts.ts';
import { nowMs as readNow } from '../../platform/time/clock.ts';
import { useZone } from '../../platform/time/zone.ts';
import { Beginning } from './beginning.tsx';
import { cutView } from './cut.ts';
import { useRawPlan } from './every-point.ts';
import { Exports } from './exports.tsx';
import { useExtent } from './extent.ts';
import type { Item } from './item.ts';
import { useItems } from './item-picker.tsx';
import { bandsMax, useLoaded } from './loading.ts';
import { MissingItems, SilentItems, TooManyPoints } from './notices.tsx';
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
import { Shown } from './shown.tsx';
import { Toolbar, type ViewActs } from './toolbar.tsx';
import { parseView, printView, type View } from './view.ts';
import { ViewsMenu } from './views-menu.tsx';
import './explorer.css';

/** The page. */
export default function ExplorerPage() {
  const { view, change } = useView();
  const explorer = useExplorer(view, change);
  const { items, span, zone, nowMs, cut, loaded, isLoading, acts, extent } = explorer;
  const add = (item: Item) => change({ items: [...view.items, item.id] });
  useExplorerKeys(acts);
  return (
    <Page
      title="Explorer"
      isWide
      actions={
        <>
          <ViewsMenu page="/explorer" search={printView(view)} />
          <Exports items={items} loaded={loaded} cut={cut} view={view} span={span} zone={zone} acts={acts} />
        </>
      }
    >
      <Toolbar
        view={view}
        span={span}
        zone={zone}
        nowMs={nowMs}
        extent={extent}
        acts={acts}
        isLoading={isLoading}
        canBand={items.filter(({ isEnum }) => !isEnum).length <= bandsMax}
      />
      <Notices view={view} change={change} {...explorer} />
      <div ref={explorer.place} className="explorer-body">
        {view.items.length === 0 ? (
          <Beginning onAdd={add} onAddAll={(ids) => change({ items: ids })} onBrowse={acts.browse} />
        ) : (
          <Shown view={view} {...explorer} onAdd={add} />
        )}
      </div>
      {explorer.isBrowsing && (
        <Suspense>
          <LabelBrowser
            chosen={view.items}
            onChange={(ids) => change({ items: ids })}
            onClose={explorer.endBrowsing}
          />
        </Suspense>
      )}
    </Page>
  );
}

const LabelBrowser = lazy(() => import('./label-browser.tsx'));

/** Everything that the page shows of a view. */
function useExplorer(view: View, change: (parts: Partial<View>) => void) {
  const preferred = useZone();
  const zone = view.zone ?? preferred;
  const { items, missing, error: itemsError } = useItems(view.items);
  const now = useNowOf(view);
  const span = useMemo(
    () => resolveRange(view.range, now.ms, { zone, firstDay: view.firstDay }),
    [view.range, now.ms, zone, view.firstDay],
  );
  const [isBrowsing, setBrowsing] = useState(false);
  const [place, pixels] = usePixels();
  const { plan, error: countError } = useRawPlan(items, span, zone, view.rollup === 'raw');
  const cut = useMemo(
    () => (pixels === 0 ? null : cutView(view, items, { span, zone, pixels, plan })),
    [view, items, span, zone, pixels, plan],
  );
  const query = useLoaded(view, items, cut, now.ms);
  const refresh = () => {
    if (isRelative(view.range)) now.refresh();
    void query.refetch();
  };
  const acts = useActs(view, span, change, { refresh, browse: () => setBrowsing(true) });
  return {
    items,
    missing,
    error: itemsError ?? countError ?? query.error,
    nowMs: now.ms,
    span,
    zone,
    place,
    cut,
    loaded: query.data ?? null,
    isLoading: query.isFetching || (cut === null && countError === null && pixels > 0),
    extent: useExtent(items).extent,
    acts,
    refresh,
    isBrowsing,
    endBrowsing: () => setBrowsing(false),
  };
}

function Notices({
  view,
  change,
  error,
  missing,
  cut,
  items,
  loaded,
  nowMs,
  zone,
  refresh,
}: ReturnType<typeof useExplorer> & { view: View; change(parts: Partial<View>): void }) {
  const removeMissing = () => change({ items: view.items.filter((id) => !missing.includes(id)) });
  return (
    <>
      {error && <ErrorNotice error={error} retry={refresh} />}
      {missing.length > 0 && <MissingItems ids={missing} onRemove={removeMissing} />}
      {cut?.tooManyPoints != null && (
        <TooManyPoints cut={cut} onAutomatic={() => change({ rollup: 'auto' })} />
      )}
      {view.isLive && loaded && <SilentItems items={items} loaded={loaded} nowMs={nowMs} zone={zone} />}
    </>
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

/** The present that relative ranges refer to: it changes on refresh, and in live mode. */
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
  { refresh, browse }: Pick<ViewActs, 'refresh' | 'browse'>,
): ViewActs {
  const before = useRef<Range[]>([]);
  const picture = useRef<ViewActs['picture']['current']>(null);
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
    browse,
    picture,
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
