/** Percentiles of buckets: they need all values of a bucket at once and cannot be merged. */
import type { Statistic } from './statistic.ts';

const ranks: ReadonlyMap<Statistic, number> = new Map([
  ['p05', 0.05],
  ['median', 0.5],
  ['p95', 0.95],
]);

/** Adds the wanted percentiles to `columns`: linear between the two nearest values, NaN where a bucket is empty. */
export function addPercentiles(
  values: Float64Array,
  starts: Uint32Array,
  statistics: readonly Statistic[],
  columns: Map<Statistic, Float64Array>,
): void {
  const wanted = statistics.filter((statistic) => ranks.has(statistic));
  if (wanted.length === 0) return;
  const outs = wanted.map(() => new Float64Array(starts.length - 1).fill(Number.NaN));
  for (let b = 0; b < starts.length - 1; b++) {
    if (starts[b] === starts[b + 1]) continue;
    const sorted = values.slice(starts[b], starts[b + 1]).sort();
    for (let i = 0; i < wanted.length; i++) outs[i][b] = percentile(sorted, ranks.get(wanted[i]) as number);
  }
  for (let i = 0; i < wanted.length; i++) columns.set(wanted[i], outs[i]);
}

function percentile(sorted: Float64Array, rank: number): number {
  const at = rank * (sorted.length - 1);
  const low = Math.floor(at);
  const below = sorted[low];
  return at === low ? below : below + (at - low) * (sorted[low + 1] - below);
}
