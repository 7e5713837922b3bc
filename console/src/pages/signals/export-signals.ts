/** The metadata of all signals or items that a filter matches, as a file. */
import type { Item, Signal } from '@tidemark/client/wire';
import { attributeNames } from '../../features/edit/change.ts';
import { csvOf } from '../../parts/csv.ts';

const pageRows = 1000;

/** Loads all pages as one CSV text, with a line of column names if there are rows. Maps are written as JSON. */
export async function exportResources(
  load: (skip: number, limit: number) => Promise<{ rows: readonly (Signal | Item)[] }>,
): Promise<string> {
  const lines: string[][] = [];
  for (let skip = 0; ; skip += pageRows) {
    const { rows } = await load(skip, pageRows);
    const records = rows.map(recordOf);
    if (lines.length === 0 && records[0]) lines.push(Object.keys(records[0]));
    lines.push(...records.map((record) => Object.values(record)));
    if (rows.length < pageRows) return csvOf(lines);
  }
}

function recordOf(resource: Signal | Item): Record<string, string> {
  const { id, attributes, meta } = resource;
  const own: Record<string, string> =
    resource.type === 'signals'
      ? { input: resource.attributes.input, item: resource.relationships.item.data?.id ?? '' }
      : { visible: String(resource.attributes.visible) };
  const fields = attributeNames.map((name) => [name, printField(attributes[name] ?? '')] as const);
  const { createdAt, updatedAt } = meta;
  return { id, ...own, ...Object.fromEntries(fields), createdAt, updatedAt };
}

function printField(value: string | object): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
