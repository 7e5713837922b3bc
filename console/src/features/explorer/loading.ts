/** Loads the data of a view: how it is cut, the calls, and what it is compared with. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { durationMs } from '../../platform/time/span.ts';
import { earlierSpan } from './compare.ts';
import type { Cut } from './cut.ts';
import { loadLast } from './extent.ts';
import { type Columns, concatColumns, lastPoints, mergeColumns } from './frame.ts';
import type { Item } from './item.ts';
import { loadFrame } from './load-frame.ts';
import { type Loaded, previousPrefix } from './plot.ts';
import type { Span } from './range.ts';
import { type Cutting, dataRequests, type Request } from './request.ts';
import { slicesOf } from './slices.ts';
import type { View } from './view.ts';

/** Bands behind more lines than this are indistinguishable, and cost three times the bytes. */
export const bandsMax = 4;

/** Whether the items are few enough for bands. */
export function canHaveBands(items: readonly Item[]): boolean {
  return items.filter(({ isEnum }) => !isEnum).length <= bandsMax;
}

function hasBands(view: View, items: readonly Item[]): boolean {
  return view.hasBand && canHaveBands(items);
}

/** The calls of a view. */
export function requestsOf(view: View, items: readonly Item[], cut: Cut): Request[] {
  return sliced(items, { statistic: view.statistic, hasBand: hasBands(view, items) }, cut, cut.slices).flat();
}

/** The calls of each slice: numbers and states apart, in the same order in each. */
function sliced(
  items: readonly Item[],
  view: Pick<View, 'statistic' | 'hasBand'>,
  cut: Cutting,
  slices: readonly Span[],
): Request[][] {
  // Only the ends of the whole window are led to; between slices the points of the others follow.
  return slices.map((span) => dataRequests(items, view, { ...cut, span }, slices.length === 1));
}

/** Loads slices, a few at a time, and puts them together: a frame for numbers, and one for states. */
async function loadSliced(calls: readonly Request[][], signal: AbortSignal): Promise<Columns[]> {
  const frames: Columns[][] = [];
  for (let at = 0; at < calls.length; at += slicesAtOnce) {
    const some = calls.slice(at, at + slicesAtOnce);
    frames.push(
      ...(await Promise.all(some.map((each) => Promise.all(each.map((call) => loadFrame(call, signal)))))),
    );
  }
  const kinds = frames[0]?.length ?? 0;
  return Array.from({ length: kinds }, (_, kind) => concatColumns(frames.map((each) => each[kind]!)));
}

const slicesAtOnce = 4;

/** The data of a view; while the next is loaded, that of the one before. Calls whose answers are not needed any more are aborted. */
export function useLoaded(view: View, items: readonly Item[], cut: Cut | null, nowMs: number) {
  const requests = cut ? requestsOf(view, items, cut) : [];
  return useQuery({
    queryKey: ['explorer', requests, view.compares, view.statistic],
    queryFn: async ({ signal }) => {
      const wanted = { statistic: view.statistic, hasBand: hasBands(view, items) };
      const [frames, earlier, last] = await Promise.all([
        loadSliced(sliced(items, wanted, cut!, cut!.slices), signal),
        loadEarlier(view, items, cut!, signal),
        cut!.rollup === null ? null : loadLast(items, cut!.span, signal),
      ]);
      const newest = last ?? new Map(frames.flatMap((frame) => [...lastPoints(frame, cut!.span)]));
      return { ...loadedOf(view, items, cut!, [...frames, ...earlier], nowMs), last: newest };
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
): Omit<Loaded, 'last'> {
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

/** The time range that is compared with, moved to the times of this one. */
async function loadEarlier(
  view: View,
  items: readonly Item[],
  cut: Cut,
  signal: AbortSignal,
): Promise<Columns[]> {
  if (view.compares === '') return [];
  const { span, toPresent } = earlierSpan(cut.span, view.compares, cut.zone);
  const wanted = { statistic: view.statistic, hasBand: false };
  const calls = sliced(items, wanted, { ...cut, span }, slicesOf(span, cut.rollup, cut.zone));
  return (await loadSliced(calls, signal)).map(({ timesMs, series }) => ({
    timesMs: timesMs.map(toPresent),
    series: series.map((each) => ({ ...each, key: `${previousPrefix}${each.key}` })),
  }));
}
