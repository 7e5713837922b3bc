/** Loads the data of a view: how it is cut, the calls, and what it is compared with. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { earlierSpan } from './compare.ts';
import { type Columns, mergeColumns } from './frame.ts';
import type { Item } from './item.ts';
import { loadFrame } from './load-frame.ts';
import { type Loaded, previousPrefix } from './plot.ts';
import type { Span } from './range.ts';
import { type Cutting, dataRequests, type Request } from './request.ts';
import type { View } from './view.ts';
import { durationMs, reduce } from './width.ts';

/** How a view is cut at present. */
export interface Cut extends Cutting {
  /** Whether the width of buckets follows the pixels. */
  isAutomatic: boolean;
  /** How many points the items are thought to have there. */
  pointsEstimated: number;
  /** Every point was asked for, and there are too many. */
  isTooMany: boolean;
}

/** So many points are drawn well below a second; a service reads no more than forty days of them at once (L2). */
const everyPoint = { pointsMax: 1_000_000, spanMsMax: 40 * 86_400_000 };

/** Bands behind more lines than this could not be told apart, and cost three times the bytes. */
export const bandsMax = 4;

/** Decides how a view is cut. */
export function cutView(
  view: View,
  items: readonly Item[],
  place: { span: Span; zone: string; pixels: number },
): Cut {
  const { span, zone, pixels } = place;
  const spanMs = span.toMs - span.fromMs;
  const automatic = reduce({ spanMs, pixels, intervalsMs: items.map(({ intervalMs }) => intervalMs) });
  const { pointsEstimated } = automatic;
  const isTooMany = view.rollup === 'raw' && isMoreThanDrawn(items, spanMs);
  const common = { span, zone, firstDay: view.firstDay, pointsEstimated, isTooMany };
  if (view.rollup === 'auto' || isTooMany)
    return { ...common, rollup: automatic.width?.duration ?? null, isAutomatic: true };
  return { ...common, rollup: view.rollup === 'raw' ? null : view.rollup, isAutomatic: false };
}

/** Whether every point would be too many; of an item whose interval nobody knows, nothing is assumed. */
function isMoreThanDrawn(items: readonly Item[], spanMs: number): boolean {
  const points = items.reduce((sum, { intervalMs }) => sum + (intervalMs ? spanMs / intervalMs : 0), 0);
  return points > everyPoint.pointsMax || spanMs > everyPoint.spanMsMax;
}

/** Whether bands are loaded and drawn. */
export function hasBands(view: View, items: readonly Item[]): boolean {
  return view.hasBand && items.filter(({ isEnum }) => !isEnum).length <= bandsMax;
}

/** The calls of a view. */
export function requestsOf(view: View, items: readonly Item[], cut: Cut): Request[] {
  return dataRequests(items, { statistic: view.statistic, hasBand: hasBands(view, items) }, cut);
}

/** The data of a view; while the next is on its way, that of the one before. Calls that nobody waits for are broken off. */
export function useLoaded(view: View, items: readonly Item[], cut: Cut | null, nowMs: number) {
  const requests = cut ? requestsOf(view, items, cut) : [];
  const { hasBand: _, hidden: __, ...wanted } = view;
  return useQuery({
    queryKey: ['explorer', requests, view.compares, wanted.statistic],
    queryFn: async ({ signal }) => {
      const calls = requests.map((request) => loadFrame(request, signal));
      const frames = await Promise.all([...calls, ...loadEarlier(view, items, cut!, signal)]);
      return loadedOf(view, items, cut!, frames, nowMs);
    },
    enabled: cut !== null && items.length > 0,
    placeholderData: keepPreviousData,
    // Kept for going back in the history; frames are large.
    gcTime: 60_000,
    staleTime: 30_000,
    structuralSharing: false,
  });
}

function loadedOf(
  view: View,
  items: readonly Item[],
  cut: Cut,
  frames: readonly Columns[],
  nowMs: number,
): Loaded {
  const { rollup, span } = cut;
  const windowMs = span.toMs - span.fromMs;
  return {
    rows: mergeColumns(frames),
    rollup,
    widthMs: rollup === null ? 0 : rollup === 'window' ? windowMs : (durationMs(rollup) ?? 0),
    span,
    nowMs,
    statistic: view.statistic,
    hasBand: hasBands(view, items),
    compares: view.compares,
    ids: items.map(({ id }) => id),
  };
}

/** The stretch that is compared with, moved to the times of this one. */
function loadEarlier(view: View, items: readonly Item[], cut: Cut, signal: AbortSignal): Promise<Columns>[] {
  if (view.compares === '') return [];
  const { span, toPresent } = earlierSpan(cut.span, view.compares, cut.zone);
  const requests = dataRequests(items, { statistic: view.statistic, hasBand: false }, { ...cut, span });
  return requests.map(async (request) => {
    const { timesMs, series } = await loadFrame(request, signal);
    return {
      timesMs: timesMs.map(toPresent),
      series: series.map((each) => ({ ...each, key: `${previousPrefix}${each.key}` })),
    };
  });
}
