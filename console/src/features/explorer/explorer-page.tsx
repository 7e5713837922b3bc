/** The explorer: items over time. What is shown is in the address. */
import { lazy, Suspense, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { ErrorNotice, Notice } from '../../parts/notice.tsx';
import { Page } from '../../parts/page.tsx';
import { usePlaceState } from '../../platform/router/place.ts';
import { useShortcut } from '../../platform/router/shortcuts.ts';
import { nowMs as readNow } from '../../platform/time/clock.ts';
import { useZone } from '../../platform/time/zone.ts';
import { Beginning } from './beginning.tsx';
import { Exports } from './exports.tsx';
import type { Item } from './item.ts';
import { useItems } from './item-picker.tsx';
import { bandsMax, cutView, useLoaded } from './loading.ts';
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
  const zone = useZone();
  const shownZone = view.zone ?? zone;
  const { items, missing, error } = useItems(view.items);
  const now = useNowOf(view);
  const span = useMemo(
    () => resolveRange(view.range, now.ms, { zone: shownZone, firstDay: view.firstDay }),
    [view.range, now.ms, shownZone, view.firstDay],
  );
  const refresh = useRef(() => {});
  const [isBrowsing, setBrowsing] = useState(false);
  const acts = useActs(view, span, change, {
    refresh: () => refresh.current(),
    browse: () => setBrowsing(true),
  });
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
      actions={
        <>
          <ViewsMenu page="/explorer" search={printView(view)} />
          <Exports items={items} loaded={query.data ?? null} cut={cut} view={view} zone={shownZone} />
        </>
      }
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
          <Beginning onAdd={add} onAddAll={(ids) => change({ items: ids })} onBrowse={acts.browse} />
        ) : (
          <Shown
            view={view}
            items={items}
            span={span}
            zone={shownZone}
            cut={cut}
            loaded={query.data ?? null}
            isLoading={query.isFetching}
            nowMs={now.ms}
            acts={acts}
            onAdd={add}
          />
        )}
      </div>
      {isBrowsing && (
        <Suspense>
          <LabelBrowser
            chosen={view.items}
            onChange={(ids) => change({ items: ids })}
            onClose={() => setBrowsing(false)}
          />
        </Suspense>
      )}
    </Page>
  );
}

const LabelBrowser = lazy(() => import('./label-browser.tsx'));

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
  { refresh, browse }: Pick<ViewActs, 'refresh' | 'browse'>,
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
    browse,
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
