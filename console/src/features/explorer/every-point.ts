/** Every point of a window: how many there are, and which of the calls that read them find any. */
import { drawnPointsMax, type RawPlan } from './cut.ts';
import type { Item } from './item.ts';
import type { Span } from './range.ts';
import { dataRequests, type LoadFrame } from './request.ts';
import { rawSpanMax, slicesOf } from './slices.ts';

const dayMs = 86_400_000;

/** Counts the points of a window month by month. */
export async function countPoints(
  items: readonly Item[],
  span: Span,
  zone: string,
  load: LoadFrame,
): Promise<RawPlan> {
  const view = { statistic: 'count', hasBand: false } as const;
  const calls = slicesOf(span, 'P1M', zone).flatMap((slice) =>
    dataRequests(items, view, { span: slice, rollup: 'P1M', zone, firstDay: 1 }),
  );
  const frames = await Promise.all(calls.map(load));
  const counts = frames.flatMap(({ series }) => series.filter(({ key }) => key.endsWith('_count')));
  const points = counts.reduce((sum, { values }) => sum + sumOf(values), 0);
  const months = frames.flatMap(({ timesMs }) => [...timesMs]);
  const hasData = ({ fromMs, toMs }: Span) => months.some((ms) => ms < toMs && ms + 32 * dayMs > fromMs);
  return { points, slices: slicesOf(span, null, zone).filter(hasData) };
}

function sumOf(values: Float64Array): number {
  return values.reduce((sum, each) => sum + (Number.isNaN(each) ? 0 : each), 0);
}

/** Whether points have to be counted before they are read. */
export function needsCount(items: readonly Item[], { fromMs, toMs }: Span): boolean {
  const spanMs = toMs - fromMs;
  if (spanMs > rawSpanMax) return true;
  const points = items.reduce((sum, { intervalMs }) => sum + spanMs / (intervalMs ?? 1000), 0);
  return points > drawnPointsMax / 2;
}
