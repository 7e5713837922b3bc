/** The item after publishing: for each field the value of the signal or of the item. */
import type { Item, Signal } from '@tidemark/client/wire';
import { attributeNames } from '../../features/edit/change.ts';
import type { Attributes } from '../../platform/rpc/shapes.ts';

/** A field that is compared. */
export type ComparedField = keyof Attributes;

/** The source of a field's value. */
export type Side = 'signal' | 'item';

/** The fields of one item for which a side was chosen; the others follow the signal. */
export type Choice = Partial<Record<ComparedField, Side>>;

/** Whether signal and item have the same value in a field. */
export function isEqual(field: ComparedField, signal: Signal, item: Item): boolean {
  return canonical(signal.attributes[field]) === canonical(item.attributes[field]);
}

/** The fields that differ. */
export function differences(signal: Signal, item: Item): ComparedField[] {
  return attributeNames.filter((field) => !isEqual(field, signal, item));
}

/** The item as `console.publish.apply` takes it. */
export function itemAfter(
  signal: Signal,
  item: Item | null,
  choice: Choice,
  isVisible: boolean,
): Record<string, unknown> {
  const chosen = attributeNames.map((field) => {
    const source = item && choice[field] === 'item' ? item.attributes : signal.attributes;
    return [field, source[field]] as const;
  });
  return { ...Object.fromEntries(chosen), visible: isVisible };
}

/** JSON with sorted keys: maps are equal whatever their order. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(',')}}`;
}
