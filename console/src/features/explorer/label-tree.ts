/** Items in the order of their labels: key, value, items. */
import type { Item } from './item.ts';

interface LabelValue {
  value: string;
  items: readonly Item[];
}

interface LabelKey {
  key: string;
  values: readonly LabelValue[];
}

/** The tree of items, by name: an item is listed under each of its labels; items without labels are in `bare`. O(n log n). */
export function labelTree(items: readonly Item[]): { keys: LabelKey[]; bare: Item[] } {
  const sorted = items.toSorted((a, b) => order.compare(a.name, b.name));
  const entries = sorted.flatMap((item) =>
    Object.entries(item.labels).flatMap(([key, values]) => values.map((value) => ({ key, value, item }))),
  );
  const keys = [...Map.groupBy(entries, ({ key }) => key)].sort(byFirst).map(([key, own]) => ({
    key,
    values: [...Map.groupBy(own, ({ value }) => value)]
      .sort(byFirst)
      .map(([value, found]) => ({ value, items: found.map(({ item }) => item) })),
  }));
  return { keys, bare: sorted.filter(({ labels }) => Object.keys(labels).length === 0) };
}

function byFirst([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return order.compare(a, b);
}

const order = new Intl.Collator(undefined, { numeric: true });

/** The chosen IDs with some more, as many as fit. */
export function withItems(chosen: readonly string[], more: readonly Item[], most: number): string[] {
  return [...new Set([...chosen, ...more.map(({ id }) => id)])].slice(0, Math.max(most, chosen.length));
}
