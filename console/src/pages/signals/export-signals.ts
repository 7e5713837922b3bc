/** The meta-data of all signals that a filter matches, as a file. */
import { csvOf } from '../../parts/csv.ts';
import type { SignalView } from '../../session/views.ts';

const columns = [
  'id',
  'input',
  'item',
  'name',
  'description',
  'valueType',
  'sourceType',
  'engUnit',
  'sampleInterval',
  'gapDetection',
  'labels',
  'enumValues',
  'createdAt',
  'updatedAt',
] as const;

/** As many as one call gives. */
const pageRows = 1000;

/** Loads page after page and makes CSV of all. Maps are written as JSON. */
export async function exportSignals(
  load: (skip: number, limit: number) => Promise<{ rows: readonly SignalView[]; total: number }>,
): Promise<string> {
  const lines: string[][] = [[...columns]];
  for (let skip = 0; ; skip += pageRows) {
    const { rows } = await load(skip, pageRows);
    lines.push(...rows.map(lineOf));
    if (rows.length < pageRows) return csvOf(lines);
  }
}

function lineOf({ id, attributes, meta, relationships }: SignalView): string[] {
  const fields: Record<(typeof columns)[number], string> = {
    ...attributes,
    id,
    item: relationships.item.data?.id ?? '',
    sampleInterval: attributes.sampleInterval ?? '',
    gapDetection: attributes.gapDetection ?? '',
    labels: JSON.stringify(attributes.labels),
    enumValues: JSON.stringify(attributes.enumValues),
    createdAt: meta.createdAt,
    updatedAt: meta.updatedAt,
  };
  return columns.map((name) => fields[name]);
}
