/** Every point of a window: how many there are, and which of the calls that read them find any. */
import { useQuery } from '@tanstack/react-query';
import { drawnPointsMax, type RawPlan } from './cut.ts';
import { concatColumns } from './frame.ts';
import type { Item } from './item.ts';
import { loadFrame } from './load-frame.ts';
import type { Span } from './range.ts';
import { dataRequests } from './request.ts';
import { rawSpanMax, slicesOf } from './slices.ts';

const dayMs = 86_400_000;

/** Whether points have to be counted before they are read. */
export function needsCount(items: readonly Item[], { fromMs, toMs }: Span): boolean {
  const spanMs = toMs - fromMs;
  if (spanMs > rawSpanMax) return true;
  const points = items.reduce((sum, { intervalMs }) => sum + spanMs / (intervalMs ?? 1000), 0);
  return points > drawnPointsMax / 2;
}

/** Counts the points of a window; null while that takes. */
export function useRawPlan(
  items: readonly Item[],
  span: Span,
  zone: string,
  isWanted: boolean,
): { plan: RawPlan | null; error: Error | null } {
  const isEnabled = isWanted && items.length > 0 && needsCount(items, span);
  const query = useQuery({
    queryKey: ['explorer-count', items.map(({ id }) => id), span, zone],
    queryFn: ({ signal }) => countPoints(items, span, zone, signal),
    enabled: isEnabled,
    staleTime: 30_000,
  });
  if (!isEnabled) return { plan: { points: 0, slices: slicesOf(span, null, zone) }, error: null };
  return { plan: query.data ?? null, error: query.error };
}

/** Counts the points of a window month by month. */
export async function countPoints(
  items: readonly Item[],
  span: Span,
  zone: string,
  signal: AbortSignal,
): Promise<RawPlan> {
  const view = { statistic: 'count', hasBand: false } as const;
  const calls = slicesOf(span, 'P1M', zone).flatMap((slice) =>
    dataRequests(items, view, { span: slice, rollup: 'P1M', zone, firstDay: 1 }),
  );
  const frames = await Promise.all(calls.map((request) => loadFrame(request, signal)));
  const { series } = concatColumns(frames.filter(({ series: columns }) => columns.length > 0));
  const counts = series.filter(({ key }) => key.endsWith('_count'));
  const points = counts.reduce(
    (sum, { values }) => values.reduce((all, each) => all + (Number.isNaN(each) ? 0 : each), sum),
    0,
  );
  const months = frames.flatMap(({ timesMs }) => [...timesMs]);
  const hasData = ({ fromMs, toMs }: Span) => months.some((ms) => ms < toMs && ms + 32 * dayMs > fromMs);
  return { points, slices: slicesOf(span, null, zone).filter(hasData) };
}
