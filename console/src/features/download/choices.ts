/** What can be chosen for a file, and the parameters of the export route that say so (X1 to X9). */
import type { ExportParameters } from '../../platform/rpc/download.ts';
import { type Calendar, readEnd, resolveRange } from '../explorer/range.ts';

/** What is exported: IDs, or all that match a filter. */
export interface Subject {
  kind: 'items' | 'signals';
  of: { ids: readonly string[] } | { filter: object };
}

/** How the file is written. */
export type FileKind = 'csv' | 'excel' | 'jsonl' | 'parquet';

/** The choices of a person. */
export interface Choices {
  kind: FileKind;
  form: 'wide' | 'long';
  /** As they are typed; empty: from the first point, to the last one. */
  from: string;
  to: string;
  /** Empty: every point. */
  rollup: string;
  /** Empty: the average, of states the seconds in each. */
  statistics: string;
  zone: string;
  isCompressed: boolean;
}

/** The names of the kinds. */
export const kindNames: Readonly<Record<FileKind, string>> = {
  csv: 'CSV',
  excel: 'CSV with semicolons and decimal commas',
  jsonl: 'JSON lines',
  parquet: 'Parquet, for DuckDB, pandas and others',
};

/** The layouts. */
export const formNames: Readonly<Record<Choices['form'], string>> = {
  wide: 'A column for each',
  long: 'A row for each point',
};

/** Widths of buckets. */
export const rollupNames: Readonly<Record<string, string>> = {
  '': 'Every point',
  PT1M: 'Minutes',
  PT15M: 'Quarters of an hour',
  PT1H: 'Hours',
  P1D: 'Days',
  P1W: 'Weeks',
  P1M: 'Months',
  P1Y: 'Years',
};

/** Statistics of buckets. */
export const statisticNames: Readonly<Record<string, string>> = {
  '': 'Average, of states the time in each',
  'min,avg,max': 'Minimum, average, maximum',
  sum: 'Sum',
  count: 'Number of points',
  last: 'Last value',
};

const fileOf: Readonly<Record<FileKind, ExportParameters>> = {
  csv: { format: 'csv', titles: 'name' },
  excel: { format: 'csv', titles: 'name', separator: 'semicolon', decimal: 'comma' },
  jsonl: { format: 'jsonl' },
  parquet: { format: 'parquet' },
};

/** What is wrong with an end as it is typed; undefined: nothing. */
export function endProblem(text: string, zone: string): string | undefined {
  const isRead = text.trim() === '' || readEnd(text, zone) !== null;
  return isRead ? undefined : 'must be empty, or a time such as 2026-11-20 10:30, or now-7d';
}

/** The parameters; both ends can be read. */
export function parametersOf(
  subject: Subject,
  choices: Choices,
  at: { nowMs: number; firstDay: number },
): ExportParameters {
  const { kind, form, rollup, statistics, zone, isCompressed } = choices;
  const { of } = subject;
  const named = 'ids' in of ? of.ids.join(',') : '*';
  const isFiltered = 'filter' in of && Object.keys(of.filter).length > 0;
  const weeks: ExportParameters = rollup === 'P1W' ? { firstDayOfWeek: String(at.firstDay) } : {};
  return {
    ...{ [subject.kind]: named, ...(isFiltered ? { filter: JSON.stringify(of.filter) } : {}) },
    ...{ ...fileOf[kind], form, timeZone: zone },
    ...windowOf(choices, at.nowMs, { zone, firstDay: at.firstDay }),
    ...(rollup === '' ? {} : { rollup, ...weeks, ...(statistics === '' ? {} : { statistics }) }),
    ...(isCompressed && kind !== 'parquet' ? { compression: 'gzip' } : {}),
  };
}

const first = '1684-01-02T00:00:00Z';
const last = '2255-01-01T00:00:00Z';

function windowOf({ from, to, zone }: Choices, nowMs: number, calendar: Calendar): ExportParameters {
  const [start, end] = [from, to].map((text) => readEnd(text, zone));
  const span = resolveRange({ from: start ?? first, to: end ?? last }, nowMs, calendar);
  return {
    ...(start === null ? {} : { from: new Date(span.fromMs).toISOString() }),
    ...(end === null ? {} : { to: new Date(span.toMs).toISOString() }),
  };
}
