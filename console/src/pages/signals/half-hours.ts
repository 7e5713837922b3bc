/** A day in half hours. */

/** Averages, oldest first; null: no points. */
export type Trend = readonly (number | null)[];

const bucketMs = 1_800_000;
const dayMs = 86_400_000;

/** The day that ends with the present half hour. */
export function lastDay(nowMs: number): { fromMs: number; endMs: number } {
  const endMs = Math.ceil(nowMs / bucketMs) * bucketMs;
  return { fromMs: endMs - dayMs, endMs };
}

/** The values of a day, by half hours from `fromMs` on. The service omits times at which no item has a value. */
export function spread(times: readonly string[], values: Trend, fromMs: number): Trend {
  const all = new Array<number | null>(dayMs / bucketMs).fill(null);
  for (const [i, time] of times.entries()) {
    const slot = Math.round((Date.parse(time) - fromMs) / bucketMs);
    if (slot in all) all[slot] = values[i] ?? null;
  }
  return all;
}
