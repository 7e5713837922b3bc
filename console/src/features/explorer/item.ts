/** Items as the explorer knows them, read from the service's relational view (R5). */

import type { Item as ItemResource } from '@tidemark/client/wire';
import { containsPattern } from '../../parts/filter/terms.ts';
import { durationMs } from '../../platform/time/span.ts';

/** An item that can be charted. */
export interface Item {
  id: string;
  name: string;
  description: string;
  /** Empty where the item has none. */
  unit: string;
  isEnum: boolean;
  /** What its numbers mean, where it is an enum. */
  states: ReadonlyMap<number, string>;
  /** How far apart its points are on average, ms. */
  intervalMs: number | null;
  /** For how long a line is drawn without a point, ms; null: without limit. */
  gapMs: number | null;
  labels: Readonly<Record<string, readonly string[]>>;
  annotations: Readonly<Record<string, string>>;
}

/** Reads an item resource. */
export function readItem({ id, meta, attributes }: ItemResource): Item {
  const { name, description, valueType, engUnit, sampleInterval, gapDetection, labels, enumValues } =
    attributes;
  return {
    id,
    name,
    description,
    unit: engUnit,
    isEnum: valueType === 'enum',
    states: new Map(Object.entries(enumValues).map(([key, text]) => [Number(key), text])),
    intervalMs: durationMs(sampleInterval),
    gapMs: durationMs(gapDetection),
    labels,
    annotations: meta.annotations,
  };
}

/** What a state is called: its text, else its number. */
export function stateText(item: Item, state: number): string {
  return item.states.get(state) ?? `state ${state}`;
}

/**
 * The resource filter (R14) of a search text: words are looked for in name, description and ID; `site:Oslo` in a
 * label. All words must match.
 */
export function searchFilter(text: string): Record<string, unknown> {
  const words = text.trim().split(/\s+/).filter(Boolean).slice(0, 20);
  const terms = words.map((word) => {
    const mark = word.indexOf(':');
    if (mark > 0 && mark < word.length - 1 && /^[A-Za-z0-9-_/]{1,128}$/.test(word.slice(0, mark))) {
      return { [`labels.${word.slice(0, mark)}`]: { $regex: containsPattern(word.slice(mark + 1)) } };
    }
    const $regex = containsPattern(word);
    return { $or: [{ name: { $regex } }, { description: { $regex } }, { id: word }] };
  });
  return terms.length === 0 ? {} : { $and: terms };
}
