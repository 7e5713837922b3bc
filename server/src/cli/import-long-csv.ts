/** `tidemark import csv` of the long form: a row for each point, with the columns time, signal and value. */
import { type CellReading, findDecimal, quoteCell, readCell } from './csv/cell.ts';
import { defaultKey } from './csv/layout.ts';
import type { CsvReader } from './csv/reader.ts';
import { findTimeForm, type TimeForm } from './csv/row-time.ts';
import { findSeparator } from './csv/separator.ts';
import type { PointsImport, PointsSummary } from './import-json-lines.ts';
import { PointImport } from './points/point-import.ts';
import { UsageError } from './usage.ts';

/** A file of the long form. */
export interface LongHead {
  separator: string;
  /** The first rows, without that of the titles. */
  rows: readonly (readonly string[])[];
}

/** The head of a file whose columns are `time`, `signal` or `item`, and `value`; null: it is a table. */
export function readLongHead(reader: CsvReader, given: string | null): LongHead | null {
  const separator = given ?? reader.preamble.separator ?? findSeparator(reader.headText());
  const [titles = [], ...rows] = reader.headRows(separator);
  const name = titles.map((title) => title.trim().toLowerCase()).join(' ');
  return name === 'time signal value' || name === 'time item value' ? { separator, rows } : null;
}

/** Options of such an import. */
export type LongCsvImport = Omit<PointsImport, 'path' | 'from'> & {
  reader: CsvReader;
  head: LongHead;
  /** Null: detect it. */
  decimal: '.' | ',' | null;
  nullWords: CellReading['nullWords'];
};

/** Reads the whole file in constant memory. What was stored before an error stays; importing again completes it. */
export async function importLongCsv(work: LongCsvImport): Promise<PointsSummary> {
  const { reader, head, rejects, progress } = work;
  const reading = { timeForm: timeFormOf(work), nullWords: work.nullWords, decimal: decimalOf(work) };
  const points = new PointImport(work.target, rejects, work.clock);
  let isTitle = true;
  const how = { ...work, ...reading };
  for await (const rows of reader.rows(head.separator)) {
    for (const { line, fields } of rows) {
      const isRow = !isTitle && !fields[0].startsWith('# next=');
      isTitle = false;
      const taking = isRow ? take(points, line, fields, how) : null;
      if (taking !== null) await taking;
    }
    progress.show(reader.part, points.points);
  }
  await points.end();
  await rejects.removeStale();
  const { signals } = points;
  const counts = { rejected: rejects.rows, rejectsPath: rejects.path };
  return { points: points.points, ...counts, signals, notes: points.notes() };
}

/** How the rows of a file are read. */
type RowReading = Pick<LongCsvImport, 'map' | 'prefix'> & CellReading & { timeForm: TimeForm };

/** Null when there is nothing to wait for. */
function take(
  points: PointImport,
  line: number,
  fields: readonly string[],
  { timeForm, map, prefix, ...reading }: RowReading,
): Promise<void> | null {
  const text = fields.join(',');
  if (fields.length !== 3) return points.reject(line, `must have 3 fields, has ${fields.length}`, text);
  const [timeText, name, cell] = fields.map((field) => field.trim());
  const key = map.get(name) ?? defaultKey(name, prefix);
  const value = readCell(cell, null, reading);
  if (key === '' || value === null) return null;
  const time = timeForm.read(timeText);
  if (time === null)
    return points.reject(line, `${quoteCell(timeText)} is not a time of the form of this file`, text);
  if (Number.isNaN(value)) return points.reject(line, `${quoteCell(cell)} is not a number`, text);
  return points.add({ time, key, value, line, text });
}

function timeFormOf({ timeForm, head }: LongCsvImport): TimeForm {
  if (timeForm !== null) return timeForm;
  const found = findTimeForm(head.rows.map(([time = '']) => time));
  if (found !== null && typeof found !== 'string') return found;
  throw new UsageError(
    `column "time": ${found ?? 'its texts are not times of a known form; describe them with --time-format'}`,
  );
}

function decimalOf({ decimal, head }: LongCsvImport): '.' | ',' {
  const found = decimal ?? findDecimal(head.rows.map((row) => row[2] ?? ''));
  if (found !== null) return found;
  throw new UsageError(
    'numbers such as 1,234 may have a decimal comma or a comma between thousands; use --decimal "," or "."',
  );
}
