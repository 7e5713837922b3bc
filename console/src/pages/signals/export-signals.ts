/** The metadata of all signals or items that a filter matches, as a file. */
import type { Item, Signal } from '@tidemark/client/wire';
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
  return {
    id,
    ...own,
    name: attributes.name,
    description: attributes.description,
    valueType: attributes.valueType,
    sourceType: attributes.sourceType,
    engUnit: attributes.engUnit,
    sampleInterval: attributes.sampleInterval ?? '',
    gapDetection: attributes.gapDetection ?? '',
    labels: JSON.stringify(attributes.labels),
    enumValues: JSON.stringify(attributes.enumValues),
    createdAt: meta.createdAt,
    updatedAt: meta.updatedAt,
  };
}
