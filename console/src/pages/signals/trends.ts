/** The last day of signals or items in half hours, for sparklines. */
import { useFactsOf } from '../../parts/in-sight.ts';
import { call } from '../../platform/rpc/rpc.ts';
import { nowMs } from '../../platform/time/clock.ts';
import { lastDay, spread, type Trend } from './half-hours.ts';

const idsMax = 50;
const options = { idsMax, staleMs: 60_000 };

/** Signal ID → its trend, for visible signals and those seen before, published or not. */
export function useSignalTrends(ids: readonly string[]): ReadonlyMap<string, Trend> {
  return useFactsOf('console.signals.trends', ids, readSignals, options);
}

/** Item ID → its trend, for visible items and those seen before. */
export function useItemTrends(ids: readonly string[]): ReadonlyMap<string, Trend> {
  return useFactsOf('service.dataFrame', ids, readItems, options);
}

async function readSignals(ids: string[], signal: AbortSignal): Promise<Record<string, Trend>> {
  const { fromMs, endMs } = lastDay(nowMs());
  const range = { from: new Date(fromMs).toISOString(), before: new Date(endMs).toISOString() };
  return (await call('console.signals.trends', { ids, ...range }, { signal })).byId;
}

async function readItems(ids: string[], signal: AbortSignal): Promise<Record<string, Trend>> {
  const { fromMs, endMs } = lastDay(nowMs());
  const times = { $gte: new Date(fromMs).toISOString(), $lt: new Date(endMs).toISOString() };
  const params = {
    query: { filter: { id: { $in: ids } }, limit: ids.length },
    data: { filter: { times, series: { $in: ids.map((id) => `${id}_avg`) } }, rollup: 'PT30M' },
  };
  const { data } = await call('service.dataFrame', params, { signal });
  return Object.fromEntries(
    ids.map((id) => [id, spread(data.times, data.series[`${id}_avg`] ?? [], fromMs)]),
  );
}
