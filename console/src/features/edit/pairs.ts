/** Converts maps to editable rows, and back. */
import type { Attributes } from '../../platform/rpc/shapes.ts';

/** One row. */
export interface Pair {
  /** Only for the list in the page. */
  id: number;
  key: string;
  value: string;
}

/** The rows of a map. */
export function pairsOf(map: Readonly<Record<string, string>>): Pair[] {
  return Object.entries(map).map(([key, value], id) => ({ id, key, value }));
}

/** The map of rows; those without a key are none. */
export function mapOf(pairs: readonly Pair[]): Record<string, string> {
  return Object.fromEntries(
    pairs.filter(({ key }) => key.trim() !== '').map(({ key, value }) => [key.trim(), value]),
  );
}

/** Labels as texts, their values with commas between. */
export function labelTexts(labels: Attributes['labels']): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).map(([key, values]) => [key, values.join(', ')]));
}

/** The values of a label, parsed from user input; sorted and without duplicates, as the service stores them. */
export function labelValues(text: string): string[] {
  const values = text
    .split(',')
    .map((value) => value.trim())
    .filter((value) => value !== '');
  return [...new Set(values)].sort();
}
