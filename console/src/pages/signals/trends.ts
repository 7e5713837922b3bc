/** The last day of signals or items in half hours, for sparklines. */
import { useFactsOf } from '../../parts/in-sight.ts';
import { call } from '../../platform/rpc/rpc.ts';
import { nowMs } from '../../platform/time/clock.ts';

/** Averages, oldest first; null: no points. */
export type Trend = readonly (number | null)[];

/** The number of rows that one call reads. */
const idsMax = 50;
const bucketMs = 1_800_000;
const dayMs = 86_400_000;
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
  const { fromMs, endMs } = lastDay();
  const range = { from: new Date(fromMs).toISOString(), before: new Date(endMs).toISOString() };
  return (await call('console.signals.trends', { ids, ...range }, { signal })).byId;
}

async function readItems(ids: string[], signal: AbortSignal): Promise<Record<string, Trend>> {
  const { fromMs, endMs } = lastDay();
  const times = { $gte: new Date(fromMs).toISOString(), $lt: new Date(endMs).toISOString() };
  const params = {
    query: { filter: { id: { $in: ids } }, limit: ids.length },
    data: { filter: { times, series: { $in: ids.map((id) => `${id}_avg`) } }, rollup: 'PT30M' },
  };
  const { data } = await call('service.dataFrame', params, { signal });
  const slots = data.times.map((time) => Math.round((Date.parse(time) - fromMs) / bucketMs));
  return Object.fromEntries(ids.map((id) => [id, spread(data.series[`${id}_avg`] ?? [], slots)]));
}

/** The day that ends with the present half hour. */
function lastDay(): { fromMs: number; endMs: number } {
  const endMs = Math.ceil(nowMs() / bucketMs) * bucketMs;
  return { fromMs: endMs - dayMs, endMs };
}

/** Puts values at their half hours; the service omits those in which no item has a value. */
function spread(values: Trend, slots: readonly number[]): Trend {
  const all = new Array<number | null>(dayMs / bucketMs).fill(null);
  for (const [i, slot] of slots.entries()) if (slot in all) all[slot] = values[i] ?? null;
  return all;
}
