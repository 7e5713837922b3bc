/** The last day of some items, in half hours: enough for a sparkline. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRested } from '../../parts/in-sight.ts';
import { call } from '../../platform/rpc/rpc.ts';
import { nowMs } from '../../platform/time/clock.ts';

/** As many as one call reads. */
const idsMax = 50;
const bucketMs = 1_800_000;
const dayMs = 86_400_000;

/** Item ID → its averages, oldest first. Empty while nothing is known. */
export function useTrends(ids: readonly string[]): ReadonlyMap<string, readonly (number | null)[]> {
  const wanted = useRested(ids.slice(0, idsMax).join(','));
  const query = useQuery({
    queryKey: ['service.dataFrame', 'trend', wanted],
    queryFn: ({ signal }) => readTrends(wanted.split(','), signal),
    enabled: wanted !== '',
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });
  return query.data ?? none;
}

const none: ReadonlyMap<string, readonly (number | null)[]> = new Map();

async function readTrends(ids: readonly string[], signal: AbortSignal) {
  const endMs = Math.ceil(nowMs() / bucketMs) * bucketMs;
  const times = {
    $gte: new Date(endMs - dayMs).toISOString(),
    $lt: new Date(endMs).toISOString(),
  };
  const params = {
    query: { filter: { id: { $in: ids } }, limit: ids.length },
    data: { filter: { times, series: { $in: ids.map((id) => `${id}_avg`) } }, rollup: 'PT30M' },
  };
  const { data } = await call('service.dataFrame', params, { signal });
  const slots = data.times.map((time) => Math.round((Date.parse(time) - endMs + dayMs) / bucketMs));
  return new Map(ids.map((id) => [id, spread(data.series[`${id}_avg`] ?? [], slots)] as const));
}

/** Puts values at their half hours; the service leaves out those in which no item has a value. */
function spread(values: readonly (number | null)[], slots: readonly number[]): (number | null)[] {
  const all = new Array<number | null>(dayMs / bucketMs).fill(null);
  for (const [i, value] of values.entries()) {
    const slot = slots[i];
    if (slot !== undefined && slot >= 0 && slot < all.length) all[slot] = value;
  }
  return all;
}
