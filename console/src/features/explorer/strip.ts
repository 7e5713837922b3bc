/** The overview under the chart: which stretch it shows, and what it is drawn from. */
import { useQuery } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { mergeColumns, type Rows } from './frame.ts';
import type { Item } from './item.ts';
import { loadFrame } from './load-frame.ts';
import { type Span, spanLengthMs } from './range.ts';
import { type Cutting, dataRequests } from './request.ts';
import { durationMs, reduce } from './width.ts';

/** Lines of more items could not be told apart in so little height. */
export const stripItemsMax = 6;

/** The overview is at most so many times as long as the window: with more its handles could not be taken hold of. */
const timesMax = 60;
/** Around a short window it is so many times as long. */
const timesUsual = 30;
const dayMs = 86_400_000;

/** The stretch from the first to the last data, by the day. Null while it is not known, and where there is none. */
export function useExtent(
  items: readonly Item[],
  nowMs: number,
): { extent: Span | null; hasLooked: boolean } {
  const ids = items.map(({ id }) => id).sort();
  const query = useQuery({
    queryKey: ['explorer-extent', ids],
    queryFn: ({ signal }) => loadExtent(items, nowMs, signal),
    enabled: items.length > 0,
    staleTime: 600_000,
  });
  return { extent: query.data ?? null, hasLooked: !query.isPending };
}

/** Looks for the months that have data, then for the days in the first and in the last of them. */
async function loadExtent(items: readonly Item[], nowMs: number, signal: AbortSignal): Promise<Span | null> {
  // Forecasts lie ahead.
  const toMs = nowMs + 60 * dayMs;
  const find = (span: Span, rollup: string) => loadTimes(items, span, rollup, signal);
  const months = await find({ fromMs: toMs - spanLengthMs.max, toMs }, 'P1M');
  if (months.length === 0) return null;
  const monthAt = (fromMs: number) => ({ fromMs, toMs: fromMs + 31 * dayMs });
  const [first, last] = [Math.min(...months), Math.max(...months)];
  const days = await Promise.all([...new Set([first, last])].map((month) => find(monthAt(month), 'P1D')));
  return {
    fromMs: Math.min(first + 30 * dayMs, ...days.flat()),
    toMs: Math.max(last, ...days.flat()) + dayMs,
  };
}

/** The starts of the buckets in which an item has a point. */
async function loadTimes(
  items: readonly Item[],
  span: Span,
  rollup: string,
  signal: AbortSignal,
): Promise<number[]> {
  const view = { statistic: 'count', hasBand: false } as const;
  const requests = dataRequests(items, view, { span, rollup, zone: 'UTC', firstDay: 1 });
  const frames = await Promise.all(requests.map((request) => loadFrame(request, signal)));
  return frames.flatMap(({ timesMs }) => [...timesMs]);
}

/**
 * The stretch that the overview shows around a window: all data, or where that is far too long, what is near. It stays
 * as it was while the window is well inside of it, so that it does not move under the hand.
 */
export function stripSpan(window: Span, extent: Span | null, before: Span | null): Span {
  const length = window.toMs - window.fromMs;
  if (before && isWellInside(window, before)) return before;
  const whole = {
    fromMs: Math.min(extent?.fromMs ?? window.fromMs, window.fromMs - length / 2),
    toMs: Math.max(extent?.toMs ?? window.toMs, window.toMs + length / 4),
  };
  if (whole.toMs - whole.fromMs <= timesMax * length) return tidy(whole);
  const middle = (window.fromMs + window.toMs) / 2;
  const half = (timesUsual * length) / 2;
  // As much on either side as there is.
  const fromMs = Math.max(whole.fromMs, Math.min(middle - half, whole.toMs - 2 * half));
  return tidy({ fromMs, toMs: Math.min(whole.toMs, fromMs + 2 * half) });
}

/** Not at an end of it, and neither too short nor too long for it. */
function isWellInside(window: Span, strip: Span): boolean {
  const length = strip.toMs - strip.fromMs;
  const times = length / (window.toMs - window.fromMs);
  const room = length / 50;
  return (
    times >= 1.2 &&
    times <= 2 * timesMax &&
    window.fromMs >= strip.fromMs + room &&
    window.toMs <= strip.toMs - room
  );
}

/** On whole fiftieths of its length: a window that ends now would change it with every look. */
function tidy({ fromMs, toMs }: Span): Span {
  const step = 10 ** Math.floor(Math.log10((toMs - fromMs) / 10));
  return { fromMs: Math.floor(fromMs / step) * step, toMs: Math.ceil(toMs / step) * step };
}

/** The overview of a view: its stretch, and its rows once they are there. */
export interface Strip {
  span: Span;
  rows: Rows | null;
  /** Whether its lines are still to come. */
  isLoading: boolean;
  /** The items that are drawn. */
  items: readonly Item[];
}

/** Loads the overview; it is asked for once the chart is there, as it is worth less. */
export function useStrip(
  items: readonly Item[],
  window: Span,
  { nowMs, zone, firstDay }: { nowMs: number; zone: string; firstDay: number },
): Strip {
  const drawn = useMemo(() => items.filter(({ isEnum }) => !isEnum).slice(0, stripItemsMax), [items]);
  const { extent, hasLooked } = useExtent(items.slice(0, stripItemsMax), nowMs);
  const before = useRef<{ span: Span; extent: Span | null } | null>(null);
  const kept = before.current?.extent === extent ? before.current.span : null;
  const span = stripSpan(window, extent, kept);
  before.current = { span, extent };
  const cutting = cuttingOf(span, zone, firstDay);
  const [request] = dataRequests(drawn, { statistic: 'avg', hasBand: false }, cutting);
  const query = useQuery({
    queryKey: ['explorer-strip', request],
    queryFn: async ({ signal }) => mergeColumns([await loadFrame(request!, signal)]),
    enabled: request !== undefined && extent !== null,
    staleTime: 60_000,
    structuralSharing: false,
  });
  const rows = query.data ?? null;
  const isLoading = !hasLooked || query.isFetching;
  return useMemo(() => ({ span, rows, isLoading, items: drawn }), [span, rows, isLoading, drawn]);
}

/** A few hundred buckets, whatever the stretch. */
function cuttingOf(span: Span, zone: string, firstDay: number): Cutting {
  const spanMs = span.toMs - span.fromMs;
  const { width } = reduce({ spanMs, pixels: 600, intervalsMs: [1000], needsBuckets: true });
  const rollup = width?.duration ?? 'P1M';
  // Longer than what the service reads at once: what is nearest to the end.
  const longest = Math.max(spanLengthMs.max, durationMs(rollup) ?? 0);
  return {
    span: { fromMs: Math.max(span.fromMs, span.toMs - longest), toMs: span.toMs },
    rollup,
    zone,
    firstDay,
  };
}
