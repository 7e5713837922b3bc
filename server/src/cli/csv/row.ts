/** One row of a CSV file: its time and values, or why it cannot be taken. */
import type { Layout } from './layout.ts';
import { type Localize, parseRowTime } from './row-time.ts';

/** A row to insert. */
export interface Row {
  timeUs: number;
  /** One for each series of the layout; null where the cell is empty. */
  values: (number | null)[];
}

/** A row that was left out. */
export interface Reject {
  /** The number of the line on which the row ends, from 1. */
  line: number;
  reason: string;
  fields: readonly string[];
}

/** How cells are to be read. */
export interface RowReading {
  layout: Layout;
  localize: Localize;
  decimal: '.' | ',';
}

const numbers = {
  '.': /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i,
  ',': /^[+-]?(\d+,?\d*|,\d+)(e[+-]?\d+)?$/i,
};

/** Reads one row; a text says why it cannot be taken. A row is taken whole or not at all. */
export function readRow(fields: readonly string[], reading: RowReading): Row | string {
  const { layout, localize, decimal } = reading;
  if (fields.length !== layout.columnCount) {
    return `must have ${layout.columnCount} fields, has ${fields.length}`;
  }
  const time = fields[layout.time.index];
  const timeUs = parseRowTime(time, layout.time.form, localize);
  if (Number.isNaN(timeUs)) return `${layout.time.title}: ${quote(time)} is no time of the file's form`;
  const values: (number | null)[] = [];
  for (const { index, title } of layout.series) {
    const value = readValue(fields[index], decimal);
    if (Number.isNaN(value)) return `${title}: ${quote(fields[index])} is no number`;
    values.push(value);
  }
  return { timeUs, values };
}

/** A cell's number, null when it is empty, NaN when it is neither. */
function readValue(cell: string, decimal: '.' | ','): number | null {
  const text = cell.trim();
  if (text === '') return null;
  if (!numbers[decimal].test(text)) return Number.NaN;
  const value = Number(decimal === ',' ? text.replace(',', '.') : text);
  return Number.isFinite(value) ? value : Number.NaN;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text);
}
