/** What a batch means for items: the values that reading them gives at the times that it touched (Q14). */
import type { Points } from '#model/frame';
import type { ChangedPoints, SeriesStore } from '#storage/store';
import type { WatchedItems } from './watched-items.ts';

/** Times that are looked up in one read. */
const timesAtOnce = 1000;

/** Item → its points out of one batch. */
export type ItemPoints = ReadonlyMap<string, Points>;

/** Turns points of signals into points of the items that they feed. */
export async function itemPoints(
  items: Pick<WatchedItems, 'itemOf' | 'signalsOf'>,
  changed: readonly ChangedPoints[],
  series: Pick<SeriesStore, 'scan'>,
): Promise<ItemPoints> {
  const bySignal = Map.groupBy(changed, ({ signal }) => items.itemOf(signal));
  const points = new Map<string, Points>();
  for (const [item, parts] of bySignal) {
    if (item === undefined) continue;
    const signals = items.signalsOf(item);
    points.set(item, signals.length === 1 ? parts[0] : await readAt(series, signals, timesOf(parts)));
  }
  return points;
}

/** All times, ascending, each once. */
function timesOf(parts: readonly Points[]): Float64Array {
  return Float64Array.from(new Set(parts.flatMap(({ timesUs }) => [...timesUs]))).sort();
}

/** An item with several signals: at a time that more than one has, the newest signal counts, so the store is asked. */
async function readAt(
  series: Pick<SeriesStore, 'scan'>,
  signals: readonly number[],
  timesUs: Float64Array,
): Promise<Points> {
  const found: { timeUs: number; value: number }[] = [];
  for (let from = 0; from < timesUs.length; from += timesAtOnce) {
    const sources = Array.from(timesUs.subarray(from, from + timesAtOnce), (startUs) => {
      return { signals, window: { startUs, endUs: startUs + 1 }, before: false, after: false };
    });
    for (const { timesUs: times, values } of await series.scan({ sources }))
      if (times.length > 0) found.push({ timeUs: times[0], value: values[0] });
  }
  return {
    timesUs: Float64Array.from(found, ({ timeUs }) => timeUs),
    values: Float64Array.from(found, ({ value }) => value),
  };
}
