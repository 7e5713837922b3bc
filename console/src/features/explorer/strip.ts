/** The overview under the chart: what it is drawn from. */
import { useQuery } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { useExtent } from './extent.ts';
import { concatColumns, mergeColumns, type Rows } from './frame.ts';
import type { Item } from './item.ts';
import { loadFrame } from './load-frame.ts';
import type { Span } from './range.ts';
import { type Cutting, dataRequests } from './request.ts';
import { slicesOf } from './slices.ts';
import { stripSpan } from './strip-span.ts';
import { reduce } from './width.ts';

/** Lines of more items are indistinguishable in so little height. */
export const stripItemsMax = 6;

/** The overview of a view: its time range, and its rows once they are loaded. */
export interface Strip {
  span: Span;
  rows: Rows | null;
  isLoading: boolean;
  items: readonly Item[];
}

/** Loads the overview; it is asked for once the chart is there, as it is worth less. */
export function useStrip(
  items: readonly Item[],
  window: Span,
  { zone, firstDay }: { zone: string; firstDay: number },
): Strip {
  const drawn = useMemo(() => items.filter(({ isEnum }) => !isEnum).slice(0, stripItemsMax), [items]);
  const { extent, hasLooked } = useExtent(items);
  const before = useRef<{ span: Span; extent: Span | null } | null>(null);
  const kept = before.current?.extent === extent ? before.current.span : null;
  const span = stripSpan(window, extent, kept);
  before.current = { span, extent };
  const cutting = cuttingOf(span, zone, firstDay);
  const requests = slicesOf(span, cutting.rollup, zone).flatMap((slice) =>
    dataRequests(drawn, { statistic: 'avg', hasBand: false }, { ...cutting, span: slice }),
  );
  const query = useQuery({
    queryKey: ['explorer-strip', requests],
    queryFn: async ({ signal }) => {
      const frames = await Promise.all(requests.map((request) => loadFrame(request, signal)));
      return mergeColumns([concatColumns(frames)]);
    },
    enabled: requests.length > 0 && extent !== null,
    staleTime: 60_000,
    structuralSharing: false,
  });
  const rows = query.data ?? null;
  const isLoading = !hasLooked || query.isFetching;
  return useMemo(() => ({ span, rows, isLoading, items: drawn }), [span, rows, isLoading, drawn]);
}

/** A few hundred buckets, however long the range. */
function cuttingOf(span: Span, zone: string, firstDay: number): Cutting {
  const spanMs = span.toMs - span.fromMs;
  const width = reduce({ spanMs, pixels: 600, intervalsMs: [1000], needsBuckets: true });
  return { span, rollup: width?.duration ?? 'P1M', zone, firstDay };
}
