/** The state of the explorer: its view, the data of that, and what can be done to it. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { usePlaceState } from '../../platform/router/place.ts';
import { nowMs as readNow } from '../../platform/time/clock.ts';
import { useZone } from '../../platform/time/zone.ts';
import { cutView } from './cut.ts';
import { countPoints, needsCount } from './every-point.ts';
import { useExtent } from './extent.ts';
import type { Item } from './item.ts';
import { useItems } from './item-picker.tsx';
import { useLive } from './live.ts';
import { isStreamed } from './live-rows.ts';
import { loadFrame } from './load-frame.ts';
import { useLoaded } from './loading.ts';
import { usePixels } from './pixels.ts';
import {
  absoluteRange,
  isRelative,
  type Range,
  rangeUntilNow,
  resolveRange,
  type Span,
  shiftSpan,
  stretchSpan,
  tidySpan,
} from './range.ts';
import { slicesOf } from './slices.ts';
import { parseView, printView, type View } from './view.ts';

/** Everything that the page shows. */
export type Explorer = ReturnType<typeof useExplorer>;

/** What can be done to a view. */
export type ViewActs = ReturnType<typeof useActs>;

/** Reads the view of the address and loads its data. */
export function useExplorer() {
  const { view, change } = useView();
  const preferred = useZone();
  const zone = view.zone ?? preferred;
  const { items, missing, error: itemsError } = useItems(view.items);
  const now = useNowOf(view);
  const span = useSpan(view, now.ms, zone);
  const [isBrowsing, setBrowsing] = useState(false);
  const [place, pixels] = usePixels();
  const live = useLive(items, isStreamed(view, items, span, pixels), now.refresh);
  // New points of a stream are added to what was loaded, which is not loaded again as time goes by.
  const readMs = live.anchorMs ?? now.ms;
  const readSpan = useSpan(view, readMs, zone);
  const { plan, error: countError } = useRawPlan(items, readSpan, zone, view.rollup === 'raw');
  const cut = useMemo(
    () => (pixels === 0 ? null : cutView(view, items, { span: readSpan, zone, pixels, plan })),
    [view, items, readSpan, zone, pixels, plan],
  );
  const query = useLoaded(view, items, cut, readMs);
  const loaded = useMemo(
    () => live.addTo(query.data ?? null, { span, nowMs: now.ms }),
    [live, query.data, span, now.ms],
  );
  const refresh = () => {
    if (isRelative(view.range)) now.refresh();
    void query.refetch();
  };
  return {
    ...{ view, items, missing, nowMs: now.ms, span, zone, place, cut, isBrowsing, setBrowsing },
    error: itemsError ?? countError ?? query.error,
    loaded,
    isLoading: query.isFetching || (cut === null && countError === null && pixels > 0),
    extent: useExtent(items).extent,
    acts: useActs(view, span, change, refresh),
  };
}

function useSpan({ range, firstDay }: View, nowMs: number, zone: string): Span {
  return useMemo(() => resolveRange(range, nowMs, { zone, firstDay }), [range, nowMs, zone, firstDay]);
}

function useRawPlan(items: readonly Item[], span: Span, zone: string, isWanted: boolean) {
  const isEnabled = isWanted && items.length > 0 && needsCount(items, span);
  const query = useQuery({
    queryKey: ['explorer-count', items.map(({ id }) => id), span, zone],
    queryFn: ({ signal }) => countPoints(items, span, zone, (request) => loadFrame(request, signal)),
    enabled: isEnabled,
    staleTime: 30_000,
  });
  if (!isEnabled) return { plan: { points: 0, slices: slicesOf(span, null, zone) }, error: null };
  return { plan: query.data ?? null, error: query.error };
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

function useActs(view: View, span: Span, change: (parts: Partial<View>) => void, refresh: () => void) {
  const before = useRef<Range[]>([]);
  /** Makes a picture of the chart; null while there is none. */
  const picture = useRef<((title: string) => Promise<Blob>) | null>(null);
  const show = (next: Span) => change({ range: absoluteRange(tidySpan(next)), isLive: false });
  const goTo = (next: Span) => {
    before.current.push(view.range);
    show(next);
  };
  const zoomOut = () => {
    const range = before.current.pop();
    if (range) change({ range });
    else show(stretchSpan(span, 2));
  };
  const setLive = (isLive: boolean) => {
    const range = isRelative(view.range) ? view.range : rangeUntilNow(span);
    change(isLive ? { isLive, range } : { isLive });
  };
  const shift = (steps: number) => show(shiftSpan(span, steps));
  return { change, goTo, zoomOut, shift, refresh, setLive, picture };
}
