/** Converts items to sources of a series store: numbers of signals. */
import type { Item } from '#model/signal';
import type { MetaStore, Source } from '#storage/store';

/** The source of each item: its signals ascending by creation, so that the newest wins (Q14). Items without signals have none. */
export async function sourcesOfItems(meta: MetaStore, items: readonly Item[]): Promise<Source[]> {
  if (items.length === 0) return [];
  const numbers = new Map<string, number[]>(items.map((item) => [item.id, []]));
  for (const { item, number } of await meta.feedsOfItems([...numbers.keys()])) {
    numbers.get(item)?.push(number);
  }
  return items.map((item) => numbers.get(item.id) ?? []);
}

/** How long a state of this item lasts without a further point (Q10), µs. */
export function gapUsOf(item: Item): number {
  return item.attributes.gapDetectionUs ?? Number.POSITIVE_INFINITY;
}
