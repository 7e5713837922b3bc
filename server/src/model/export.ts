/** What an export hands on: blocks of rows of bounded size, in order, and the position after each. */

import type { CalculationVersion } from './calculation.ts';
import type { Item, Signal } from './signal.ts';

/** What is exported: items as readers see them, or signals as they are written. */
export type ExportSubject = 'items' | 'signals';

/**
 * `wide`: one row for each time, a column for each series. `long`: one row for each point, ordered by ID, then by time.
 */
export type ExportForm = 'wide' | 'long';

/** A series of an export. */
export interface ExportColumn {
  /** Unique in the export: the ID, or `<id>_<statistic>`, or `<id>_state_<n>`. */
  key: string;
  /** Of the item or signal. */
  id: string;
  name: string;
  unit: string;
  /** What was computed for each bucket: a statistic, or `state_<n>` in seconds; null: raw points. */
  statistic: string | null;
}

/** Where an export goes on: after the row at this time, in the long form of the resource with this ID. */
export interface ExportPosition {
  /** Null in the wide form. */
  id: string | null;
  us: number;
}

/** A signal with the item that it feeds, or an item. */
export interface ExportResource {
  resource: Signal | Item;
  /** Null: it feeds none, or it is an item. */
  item: Item | null;
  /** Of a calculated item that is exported to be imported: all that are kept. */
  versions?: readonly CalculationVersion[];
}

/** Consecutive rows. In the long form all columns are of one resource. */
export interface ExportBlock {
  columns: readonly ExportColumn[];
  /** Strictly ascending. Not empty, unless the block describes resources. */
  timesUs: Float64Array;
  /** One for each column, as long as the times; NaN: no value. */
  values: readonly Float64Array[];
  /** The position after the last row. */
  end: ExportPosition;
  /** Described before the points of the blocks that follow; such a block has no rows. */
  resources?: readonly ExportResource[];
}

const positionPattern = /^([0-9a-v]{20})?~(-?\d{1,16})$/;

/** A position as text, for the parameter `after`. */
export function printPosition({ id, us }: ExportPosition): string {
  return `${id ?? ''}~${us}`;
}

/** Reads {@link printPosition}; null when the text is not a position. */
export function parsePosition(text: string): ExportPosition | null {
  const match = positionPattern.exec(text);
  if (match === null || Math.abs(Number(match[2])) > 2 ** 53) return null;
  return { id: match[1] ?? null, us: Number(match[2]) };
}

/** How many points a block has. */
export function countBlockPoints({ values }: ExportBlock): number {
  let count = 0;
  for (const column of values) count += countNumbers(column);
  return count;
}

/** By index: each value that an iterator gives is an object until the loop is compiled. */
function countNumbers(column: Float64Array): number {
  let count = 0;
  for (let row = 0; row < column.length; row++) if (!Number.isNaN(column[row])) count++;
  return count;
}

/** A block without the rows after the one with which it has `pointsMax` points, and how many it has. At least one row is kept. */
export function cutBlock(block: ExportBlock, pointsMax: number): { block: ExportBlock; pointCount: number } {
  const pointCount = countBlockPoints(block);
  if (pointCount <= pointsMax) return { block, pointCount };
  let count = 0;
  let row = 0;
  for (; row < block.timesUs.length && (row === 0 || count < pointsMax); row++)
    for (const column of block.values) if (!Number.isNaN(column[row])) count++;
  const timesUs = block.timesUs.subarray(0, row);
  const values = block.values.map((column) => column.subarray(0, row));
  return {
    block: { ...block, timesUs, values, end: { ...block.end, us: timesUs[row - 1] } },
    pointCount: count,
  };
}
