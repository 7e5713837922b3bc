/** Rows as files: CSV (RFC 4180) and JSON. */
import { printIso } from './civil.ts';
import type { Rows } from './frame.ts';

/** A column of a file. */
export interface FileColumn {
  /** Of {@link Rows.columns}. */
  key: string;
  /** What stands at its head. */
  title: string;
  /** What is written in place of a number: the text of a state. */
  text?: (value: number) => string;
}

/** Rows as CSV: the time in the zone with its offset, then a column for each; empty where there is no value. Lines end in CRLF. */
export function printCsv(rows: Rows, columns: readonly FileColumn[], zone: string): string {
  const lines = [['time', ...columns.map(({ title }) => title)].map(field).join(',')];
  const found = columns.map(({ key, text }) => ({ values: rows.columns.get(key) ?? [], text }));
  for (const row of rows.times.keys()) {
    const fields = [zone === 'UTC' ? rows.times[row]! : localTime(rows, row, zone)];
    for (const { values, text } of found) {
      const value = values[row];
      fields.push(value === undefined ? '' : text ? field(text(value)) : String(value));
    }
    lines.push(fields.join(','));
  }
  return `${lines.join('\r\n')}\r\n`;
}

/** Rows as JSON: a data frame (`times`, `series`) with what each series is beside it. */
export function printJson(rows: Rows, columns: readonly FileColumn[]): string {
  const series = columns.map(({ key }) => [
    key,
    rows.times.map((_, row) => rows.columns.get(key)?.[row] ?? null),
  ]);
  const titles = columns.map(({ key, title }) => [key, title]);
  const frame = { titles: Object.fromEntries(titles), times: rows.times, series: Object.fromEntries(series) };
  return `${JSON.stringify(frame, null, 1)}\n`;
}

/** A name that every file system takes: `pump-1-flow_2026-11-13.csv`. */
export function fileName(title: string, extension: string): string {
  const stem = title
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .toLowerCase();
  return `${stem.slice(0, 80) || 'data'}.${extension}`;
}

/** Local time with the offset; what is finer than a thousandth of a second is kept. */
function localTime({ times, timesMs }: Rows, row: number, zone: string): string {
  const finer = /\.\d{3}(\d+)Z$/.exec(times[row]!)?.[1];
  const local = printIso(zone, Math.floor(timesMs[row]!));
  if (finer === undefined) return local;
  return local.replace(
    /(\.\d{3})?(Z|[+-]\d\d:\d\d)$/,
    (_, thousandths, offset) => `${thousandths ?? '.000'}${finer}${offset}`,
  );
}

/** Quoted where it must be; a text that a spreadsheet would take for a formula begins with an apostrophe. */
function field(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
