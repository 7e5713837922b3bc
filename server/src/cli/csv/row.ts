/** One row of a CSV file: its time and values, and what of it cannot be read. */
import { type CellReading, quoteCell, readCell } from './cell.ts';
import { type Layout, type SeriesColumn, timeText } from './layout.ts';
import type { RowTime } from './time-pattern.ts';

/** A row to insert. */
export interface Row {
  timeUs: number;
  /** One for each series of the layout; null where there is no value. */
  values: (number | null)[];
}

/** A row as it was read; its instant is not decided yet. */
export interface ReadRow {
  time: RowTime;
  /** As in {@link Row}; null also where a cell was rejected. */
  values: (number | null)[];
  /** The columns whose cell was rejected. */
  rejected: SeriesColumn[];
}

/** A row of which something was left out. */
export interface Reject {
  /** The number of the line on which the row ends, from 1. */
  line: number;
  reason: string;
  fields: readonly string[];
}

/** How rows are read. */
export interface RowReading extends CellReading {
  layout: Layout;
}

/** Reads one row; a text says why it is rejected as a whole: its fields, or its time. */
export function readRow(fields: readonly string[], reading: RowReading): ReadRow | string {
  const { layout } = reading;
  if (fields.length !== layout.columnCount)
    return `must have ${layout.columnCount} fields, has ${fields.length}`;
  const text = timeText(fields, layout.time);
  const time = layout.time.form.read(text);
  if (time === null) return `${layout.time.title}: ${quoteCell(text)} is not a time of the form of this file`;
  const rejected: SeriesColumn[] = [];
  const values = layout.series.map((column) => {
    const value = readCell(fields[column.index], column.states, reading);
    if (!Number.isNaN(value)) return value;
    rejected.push(column);
    return null;
  });
  return { time, values, rejected };
}

const reasonsMax = 5;

/** Why cells of a row were rejected. */
export function cellReasons(fields: readonly string[], rejected: readonly SeriesColumn[]): string {
  const reasons = rejected.slice(0, reasonsMax).map(({ index, title, states }) => {
    const wanted = states === null ? 'a number' : `a state of the signal (${states.describe()})`;
    return `${title}: ${quoteCell(fields[index])} is not ${wanted}`;
  });
  const more = rejected.length - reasons.length;
  return `${reasons.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}
