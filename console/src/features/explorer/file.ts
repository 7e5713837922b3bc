/** Rows as files: CSV (RFC 4180) and JSON. */
import { csvField, csvOf } from '../../parts/csv.ts';
import { printIso } from '../../platform/time/civil.ts';
import { printTime, type Rows } from './frame.ts';

/** A column of a file. */
export interface FileColumn {
  /** Of {@link Rows.columns}. */
  key: string;
  title: string;
  /** What is written in place of a number: the text of a state. */
  text?: (value: number) => string;
}

/** Rows as CSV: the time in the zone with its offset, then a column for each; empty where there is no value. Lines end in CRLF. */
export function printCsv(rows: Rows, columns: readonly FileColumn[], zone: string): string {
  const found = columns.map(({ key, text }) => ({ values: rows.columns.get(key) ?? [], text }));
  let lines = csvOf([['time', ...columns.map(({ title }) => title)]]);
  for (let row = 0; row < rows.timesMs.length; row++) {
    const ms = rows.timesMs[row]!;
    lines += zone === 'UTC' ? printTime(ms) : localTime(ms, zone);
    for (const { values, text } of found) {
      const value = values[row];
      lines += `,${value === undefined ? '' : text ? csvField(text(value)) : String(value)}`;
    }
    lines += '\r\n';
  }
  return lines;
}

/** Rows as JSON: a data frame (`times`, `series`) and the title of each series. */
export function printJson(rows: Rows, columns: readonly FileColumn[]): string {
  const times = Array.from(rows.timesMs, printTime);
  const series = columns.map(({ key }) => {
    const column = rows.columns.get(key) ?? [];
    return [key, times.map((_, row) => column[row] ?? null)];
  });
  const titles = columns.map(({ key, title }) => [key, title]);
  const frame = { titles: Object.fromEntries(titles), times, series: Object.fromEntries(series) };
  return `${JSON.stringify(frame, null, 1)}\n`;
}

/** Local time with the offset, to the microsecond, a fraction only where there is one. */
function localTime(ms: number, zone: string): string {
  const fraction = /\.\d+/.exec(printTime(ms))?.[0] ?? '';
  const local = printIso(zone, Math.floor(Math.round(ms * 1000) / 1_000_000) * 1000);
  return local.replace(/Z$|[+-]\d\d:\d\d$/, `${fraction}$&`);
}
