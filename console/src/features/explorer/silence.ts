/** Items that have fallen silent while people look at them live. */
import type { Item } from './item.ts';
import type { Loaded } from './plot.ts';

interface SilentItem {
  item: Item;
  /** Its newest point in the window, ms; null: there is none. */
  lastMs: number | null;
}

/** Without a declared interval or gap, a minute without a point counts as silence. */
const usualMs = 60_000;
/** Less than the time between two looks of live mode says nothing. */
const shortestMs = 10_000;

/** Items whose newest point is older than their gap detection, or than three of their intervals; the longest silent first. */
export function silentItems(items: readonly Item[], { last, ids }: Loaded, nowMs: number): SilentItem[] {
  return items
    .filter(({ id }) => ids.includes(id))
    .map((item) => ({ item, lastMs: last.get(item.id)?.ms ?? null }))
    .filter(({ item, lastMs }) => lastMs === null || nowMs - lastMs > allowedMs(item))
    .sort((a, b) => (a.lastMs ?? 0) - (b.lastMs ?? 0));
}

function allowedMs({ gapMs, intervalMs }: Item): number {
  return Math.max(shortestMs, gapMs ?? (intervalMs === null ? usualMs : 3 * intervalMs));
}
