/** Converts items to sources of a series store: numbers of signals. */
import type { Item } from '#model/signal';
import type { MetaReads } from '#storage/meta-store';
import type { Source } from '#storage/store';

/** The source of each item: its signals ascending by creation, so that the newest wins (Q14). Items without signals have none. */
export async function sourcesOfItems(
  meta: Pick<MetaReads, 'items'>,
  items: readonly Item[],
): Promise<Source[]> {
  if (items.length === 0) return [];
  const fed = await meta.items.fedById(items.map(({ id }) => id));
  const signals = new Map(fed.map((item) => [item.id, item.signals]));
  return items.map((item) => signals.get(item.id) ?? []);
}

/** How long a state of this item lasts without a further point (Q10), µs. */
export function gapUsOf(item: Item): number {
  return item.attributes.gapDetectionUs ?? Number.POSITIVE_INFINITY;
}
