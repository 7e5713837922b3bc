/** What the columns of a CSV file are: one has the times, each other one is a series under an input key. */
import { nearestName } from '#domain/formula/suggest';
import { UsageError } from '../usage.ts';
import { findTimeForm, type TimeForm } from './row-time.ts';

/** A column that becomes a series. */
export interface SeriesColumn {
  /** Its place in a row. */
  index: number;
  title: string;
  /** The input key under which its values are inserted. */
  key: string;
}

/** The layout of a file. */
export interface Layout {
  time: { index: number; title: string; form: TimeForm };
  series: readonly SeriesColumn[];
  columnCount: number;
}

/** What the caller says about the columns. */
export interface LayoutWishes {
  /** The title of the time column; null: find it. */
  time: string | null;
  /** Put before every key that is not mapped. */
  prefix: string;
  /** Title → key; an empty key leaves the column out. */
  map: ReadonlyMap<string, string>;
}

const keyPattern = /^[a-zA-Z0-9\-_:.#+/]{1,128}$/;
const timeTitle = /^_?(time|times|timestamp|ts|date|datetime|date[ _-]?time|zeit|tid|dato|datum)\b/i;

/** Decides the layout by the titles and some rows below them. Throws {@link UsageError}. */
export function readLayout(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  wishes: LayoutWishes,
): Layout {
  checkTitles(titles);
  for (const title of wishes.map.keys()) requireColumn('--map', title, titles);
  const time = wishes.time === null ? findTime(titles, rows) : namedTime(wishes.time, titles, rows);
  const series = seriesColumns(titles, time.index, wishes);
  return { time, series, columnCount: titles.length };
}

function checkTitles(titles: readonly string[]): void {
  if (titles.length < 2) throw new UsageError('the file has one column only; is --separator right?');
  const empty = titles.indexOf('');
  if (empty >= 0)
    throw new UsageError(`the first line must name the columns, column ${empty + 1} has no name`);
  if (findTimeForm(titles.slice(0, 1)) !== null || titles.every((title) => Number.isFinite(Number(title)))) {
    throw new UsageError(`the first line must name the columns, got ${JSON.stringify(titles.join(' '))}`);
  }
  const twice = titles.find((title, index) => titles.indexOf(title) !== index);
  if (twice !== undefined) throw new UsageError(`the first line names two columns ${JSON.stringify(twice)}`);
}

function requireColumn(flag: string, title: string, titles: readonly string[]): number {
  const index = titles.indexOf(title);
  if (index >= 0) return index;
  const near = nearestName(title, titles);
  const hint = near === null ? `; there are ${titles.join(', ')}` : `; did you mean ${JSON.stringify(near)}?`;
  throw new UsageError(`${flag}: the file has no column ${JSON.stringify(title)}${hint}`);
}

type TimeColumn = Layout['time'];

function namedTime(
  title: string,
  titles: readonly string[],
  rows: readonly (readonly string[])[],
): TimeColumn {
  const index = requireColumn('--time', title, titles);
  const form = formOf(index, rows);
  if (form !== null) return { index, title, form };
  const example = JSON.stringify(rows[0]?.[index] ?? '');
  throw new UsageError(`--time: column ${JSON.stringify(title)} holds no times, the first is ${example}`);
}

/** A column named like a time and holding times; else the first that holds times as text. */
function findTime(titles: readonly string[], rows: readonly (readonly string[])[]): TimeColumn {
  const columns = titles.map((title, index) => ({ index, title, form: formOf(index, rows) }));
  const found =
    columns.find(({ title, form }) => form !== null && timeTitle.test(title)) ??
    columns.find(({ form }) => form === 'text');
  if (found?.form) return { ...found, form: found.form };
  throw new UsageError('no column holds times in a known form; name it with --time');
}

/** Most of the sample decides, so that a broken row at the top does not hide the column: it is rejected later. */
function formOf(index: number, rows: readonly (readonly string[])[]): TimeForm | null {
  const samples = rows.map((row) => row[index] ?? '');
  const whole = findTimeForm(samples);
  if (whole !== null) return whole;
  const valid = samples.filter((sample) => findTimeForm([sample]) !== null);
  return valid.length * 2 > samples.length ? findTimeForm(valid) : null;
}

function seriesColumns(titles: readonly string[], timeIndex: number, wishes: LayoutWishes): SeriesColumn[] {
  const columns = titles
    .map((title, index) => ({ index, title, key: wishes.map.get(title) ?? defaultKey(title, wishes.prefix) }))
    .filter(({ index, key }) => index !== timeIndex && key !== '');
  if (columns.length === 0) throw new UsageError('--map leaves out every column');
  const byKey = new Map<string, string>();
  for (const { title, key } of columns) {
    if (!keyPattern.test(key)) {
      throw new UsageError(
        `column ${JSON.stringify(title)}: the input key must be 1 to 128 of a-z A-Z 0-9 - _ : . # + /, got ${JSON.stringify(key)}; choose one with --map`,
      );
    }
    const other = byKey.get(key);
    if (other !== undefined) {
      throw new UsageError(
        `columns ${JSON.stringify(other)} and ${JSON.stringify(title)} have the same input key ${key}; choose others with --map`,
      );
    }
    byKey.set(key, title);
  }
  return columns;
}

/** The title with everything that a key cannot hold replaced by `_`. */
function defaultKey(title: string, prefix: string): string {
  return prefix + title.replace(/[^a-zA-Z0-9\-_:.#+/]+/g, '_');
}
