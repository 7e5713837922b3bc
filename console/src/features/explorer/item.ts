/** Items as the explorer knows them, read from the service's relational view (R5). */
import { durationMs } from './width.ts';

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

/** The part of an item resource that is read here. */
export interface ItemResource {
  id: string;
  meta?: { annotations?: Record<string, string> };
  attributes: {
    name: string;
    description?: string;
    valueType?: string;
    engUnit?: string;
    sampleInterval?: string | null;
    gapDetection?: string | null;
    labels?: Record<string, string[]>;
    enumValues?: Record<string, string>;
  };
}

/** Reads an item resource. */
export function readItem({ id, meta, attributes }: ItemResource): Item {
  const states = Object.entries(attributes.enumValues ?? {}).map(
    ([key, text]) => [Number(key), text] as const,
  );
  return {
    id,
    name: attributes.name,
    description: attributes.description ?? '',
    unit: attributes.engUnit ?? '',
    isEnum: attributes.valueType === 'enum',
    states: new Map(states),
    intervalMs: attributes.sampleInterval ? durationMs(attributes.sampleInterval) : null,
    gapMs: attributes.gapDetection ? durationMs(attributes.gapDetection) : null,
    labels: attributes.labels ?? {},
    annotations: meta?.annotations ?? {},
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
      return { [`labels.${word.slice(0, mark)}`]: { $regex: containing(word.slice(mark + 1)) } };
    }
    const $regex = containing(word);
    return { $or: [{ name: { $regex } }, { description: { $regex } }, { id: word }] };
  });
  return terms.length === 0 ? {} : { $and: terms };
}

/** RE2: contains the text, whatever its case. */
function containing(text: string): string {
  return `(?i)${text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&')}`;
}
