/** The last day of some signals, in half hours, published or not. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useRested } from '../../parts/in-sight.ts';
import { call } from '../../platform/rpc/rpc.ts';
import { nowMs } from '../../platform/time/clock.ts';

/** Averages, oldest first; null: no points. */
export type Trend = readonly (number | null)[];

/** As many as one call reads. */
const idsMax = 50;
const bucketMs = 1_800_000;
const dayMs = 86_400_000;
const keptMax = 500;

/** Signal ID → how it went, of those in sight and of those seen before. Empty while nothing is known. */
export function useSignalTrends(ids: readonly string[]): ReadonlyMap<string, Trend> {
  const wanted = useRested(ids.slice(0, idsMax).join(','));
  const kept = useRef(new Map<string, Trend>());
  const [trends, setTrends] = useState<ReadonlyMap<string, Trend>>(kept.current);
  const query = useQuery({
    queryKey: ['console.signals.trends', wanted],
    queryFn: ({ signal }) => readTrends(wanted.split(','), signal),
    enabled: wanted !== '',
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });
  const latest = query.data;
  useEffect(() => {
    if (!latest) return;
    if (kept.current.size > keptMax) kept.current = new Map();
    for (const [id, trend] of Object.entries(latest)) kept.current.set(id, trend);
    setTrends(new Map(kept.current));
  }, [latest]);
  return trends;
}

async function readTrends(ids: readonly string[], signal: AbortSignal): Promise<Record<string, Trend>> {
  const endMs = Math.ceil(nowMs() / bucketMs) * bucketMs;
  const params = {
    ids,
    from: new Date(endMs - dayMs).toISOString(),
    before: new Date(endMs).toISOString(),
  };
  const { byId } = await call('console.signals.trends', params, { signal });
  return byId;
}
