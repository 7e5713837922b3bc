/** Where the data of items begins and ends, however old it is, and the newest point before an instant. */
import { useQuery } from '@tanstack/react-query';
import { lastPoints, type Point } from './frame.ts';
import type { Item } from './item.ts';
import { loadFrame } from './load-frame.ts';
import type { Span } from './range.ts';
import { pointsAround } from './request.ts';

/** Before and after every timestamp that the service takes (R3). */
const earliestMs = Date.parse('1684-07-29T00:00:00Z');
const latestMs = Date.parse('2255-06-05T00:00:00Z');

/** From the first to the newest point of any of the items; null while it is not known, and where there is none. */
export function useExtent(items: readonly Item[]): { extent: Span | null; hasLooked: boolean } {
  const ids = items.map(({ id }) => id).sort();
  const query = useQuery({
    queryKey: ['explorer-extent', ids],
    queryFn: ({ signal }) => loadExtent(items, signal),
    enabled: items.length > 0,
    staleTime: 60_000,
  });
  return { extent: query.data ?? null, hasLooked: !query.isPending };
}

async function loadExtent(items: readonly Item[], signal: AbortSignal): Promise<Span | null> {
  const edges = [earliestMs, latestMs].map((ms) => loadFrame(pointsAround(items, ms), signal));
  const [first, last] = (await Promise.all(edges)).map(({ timesMs }) => timesMs);
  if (first!.length === 0 || last!.length === 0) return null;
  return { fromMs: Math.min(...first!), toMs: Math.max(...last!) };
}

/** The newest point of each item within a span, by item ID. */
export async function loadLast(
  items: readonly Item[],
  span: Span,
  signal: AbortSignal,
): Promise<Map<string, Point>> {
  return lastPoints(await loadFrame(pointsAround(items, span.toMs), signal), span);
}
