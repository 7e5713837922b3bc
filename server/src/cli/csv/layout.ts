/** What the columns of a CSV file are: one or two have the times, each other one is a series under an input key. */
import { nearestName } from '#domain/formula/suggest';
import { UsageError } from '../usage.ts';
import { findTimeForm, type TimeForm, textForm } from './row-time.ts';
import type { States } from './states.ts';

/** A column that becomes a series. */
export interface SeriesColumn {
  /** Its place in a row. */
  index: number;
  title: string;
  /** The input key under which its values are inserted. */
  key: string;
  /** Its states; null when it holds numbers. */
  states: States | null;
}

/** Where the times of the rows are. */
export interface TimeColumn {
  /** One column, or two whose texts are joined by a space: date and time of day. */
  indexes: readonly number[];
  title: string;
  form: TimeForm;
}

/** The layout of a file. */
export interface Layout {
  time: TimeColumn;
  series: readonly SeriesColumn[];
  columnCount: number;
  /** Decisions about columns that the user may not expect, one sentence each. */
  notes: readonly string[];
}

/** The user's options about columns. */
export interface LayoutOptions {
  /** The title of the time column, or two joined by `+`; null: find it. */
  time: string | null;
  /** The form of the times; null: find it. */
  timeForm: TimeForm | null;
  /** Put before every key that is not mapped. */
  prefix: string;
  /** Title → key; an empty key leaves the column out. */
  map: ReadonlyMap<string, string>;
}

type Rows = readonly (readonly string[])[];

/** Input keys. */
export const keyPattern = /^[a-zA-Z0-9\-_:.#+/]{1,128}$/;
const timeTitle = /^_?(time|times|timestamp|ts|date|datetime|date[ _-]?time|zeit|tid|dato|datum)\b/i;
const dateTitle = /^_?(date|day|datum|dato|fecha|tag)\b/i;
const timeOfDay = /^\d{1,2}:\d\d(:\d\d([.,]\d+)?)?( ?[ap]m)?$/i;

/** The text that has a row's time. */
export function timeText(fields: readonly string[], { indexes }: Pick<TimeColumn, 'indexes'>): string {
  return indexes.length === 1
    ? fields[indexes[0]].trim()
    : indexes.map((index) => fields[index]?.trim()).join(' ');
}

/** Whether a file's first row looks like names of columns rather than like data. */
export function isTitleRow(fields: readonly string[]): boolean {
  return (
    findTimeForm(fields.slice(0, 1)) === null && !fields.every((field) => Number.isFinite(Number(field)))
  );
}

/** Decides the layout by the titles and some rows below them. Throws {@link UsageError}. */
export function readLayout(titles: readonly string[], rows: Rows, options: LayoutOptions): Layout {
  checkTitles(titles);
  for (const title of options.map.keys()) requireColumn('--map', title, titles);
  const sample = { titles, rows, timeForm: options.timeForm };
  const time = options.time === null ? findTime(sample) : namedTime(sample, options.time);
  const unnamed = unnamedColumns(sample, time);
  const series = seriesColumns(titles, [...time.indexes, ...unnamed.indexes], options);
  const joined = time.indexes.length > 1 ? [`the time is read from the columns ${time.title}`] : [];
  return { time, series, columnCount: titles.length, notes: [...joined, ...unnamed.notes] };
}

function checkTitles(titles: readonly string[]): void {
  if (titles.length < 2) {
    throw new UsageError('the file has one column only; name the character between columns with --separator');
  }
  if (!isTitleRow(titles)) {
    throw new UsageError(`the first line must name the columns, got ${JSON.stringify(titles.join(' '))}`);
  }
  const twice = titles.find((title, index) => title !== '' && titles.indexOf(title) !== index);
  if (twice !== undefined) throw new UsageError(`the first line names two columns ${JSON.stringify(twice)}`);
}

function requireColumn(flag: string, title: string, titles: readonly string[]): number {
  const index = titles.indexOf(title);
  if (index >= 0) return index;
  const near = nearestName(title, titles);
  const hint =
    near === null ? `; its columns are ${titles.join(', ')}` : `; did you mean ${JSON.stringify(near)}?`;
  throw new UsageError(`${flag}: the file has no column ${JSON.stringify(title)}${hint}`);
}

/** The beginning of a file, and the form of its times if the user has named it. */
interface Sample {
  titles: readonly string[];
  rows: Rows;
  timeForm: TimeForm | null;
}

function namedTime(sample: Sample, title: string): TimeColumn {
  const { titles, rows, timeForm } = sample;
  const parts = titles.includes(title) ? [title] : title.split('+').map((part) => part.trim());
  const named = parts.length === 2 ? parts : [title];
  const indexes = named.map((part) => requireColumn('--time', part, titles));
  const form = timeForm ?? (rows.length === 0 ? textForm : formOf(textsOf(rows, indexes)));
  if (typeof form === 'string') throw new UsageError(`--time: ${form}`);
  if (form !== null) return { indexes, title, form };
  const example = JSON.stringify(timeText(rows[0] ?? [], { indexes }));
  throw new UsageError(
    `--time: column ${JSON.stringify(title)} holds no times of a known form, the first is ${example}; describe them with --time-format`,
  );
}

/** A column named like a time and holding times; else the first that holds times as text. */
function findTime(sample: Sample): TimeColumn {
  const { titles, rows } = sample;
  if (rows.length === 0) {
    // The result does not matter.
    const [title] = titles.filter((title) => timeTitle.test(title)).concat(titles[0]);
    return { indexes: [titles.indexOf(title)], title, form: textForm };
  }
  const columns = titles.map((title, index) => ({ index, title, form: usableForm(sample, [index]) }));
  const found =
    columns.find(({ title, form }) => form !== null && timeTitle.test(title)) ??
    columns.find(({ form }) => typeof form === 'string' || (form !== null && !form.name.startsWith('unix-')));
  if (found === undefined || found.form === null) {
    throw new UsageError(
      'no column holds times in a known form; name it with --time, and describe the times with --time-format',
    );
  }
  const { index, title, form } = found;
  const joined = dateTitle.test(title) ? joinTimeOfDay(sample, index) : null;
  if (joined !== null) return joined;
  if (typeof form === 'string') throw new UsageError(`column ${JSON.stringify(title)}: ${form}`);
  return { indexes: [index], title: title === '' ? `column ${index + 1}` : title, form };
}

/** A column of dates and another of times of day, as in `Date,Time,value`, are one time; null if there is no such column. */
function joinTimeOfDay(sample: Sample, date: number): TimeColumn | null {
  const { titles, rows } = sample;
  const other = titles.findIndex((title, index) => {
    const texts = textsOf(rows, [index]).filter((text) => text !== '');
    const isTime = texts.length > 0 && texts.every((text) => timeOfDay.test(text));
    return isTime && index !== date && timeTitle.test(title);
  });
  if (other < 0) return null;
  const indexes = [date, other];
  const title = indexes.map((index) => titles[index]).join('+');
  const form = usableForm(sample, indexes);
  if (typeof form === 'string') throw new UsageError(`columns ${JSON.stringify(title)}: ${form}`);
  return form === null ? null : { indexes, title, form };
}

/** The form that the user has named where it reads a column, else the one that is found. A text says why none is certain. */
function usableForm({ rows, timeForm }: Sample, indexes: readonly number[]): TimeForm | string | null {
  const texts = textsOf(rows, indexes);
  if (timeForm === null) return formOf(texts);
  return isMost(texts, (text) => timeForm.read(text) !== null) ? timeForm : null;
}

function textsOf(rows: Rows, indexes: readonly number[]): string[] {
  return rows.map((row) => timeText(row, { indexes: indexes.filter((index) => index < row.length) }));
}

/** The majority decides, so that an invalid row at the top does not hide the column; the row is rejected later. */
function formOf(texts: readonly string[]): TimeForm | string | null {
  const isValid = (text: string) => findTimeForm([text]) !== null;
  return findTimeForm(texts) ?? (isMost(texts, isValid) ? findTimeForm(texts.filter(isValid)) : null);
}

function isMost(texts: readonly string[], isTrue: (text: string) => boolean): boolean {
  return texts.filter(isTrue).length * 2 > texts.length;
}

/** Unnamed columns that can be ignored: row numbers written by pandas, and the empty column after a trailing separator. */
function unnamedColumns({ titles, rows }: Sample, time: TimeColumn): { indexes: number[]; notes: string[] } {
  const indexes: number[] = [];
  const notes: string[] = [];
  for (const [index, title] of titles.entries()) {
    if (time.indexes.includes(index) || !/^(Unnamed: \d+)?$/.test(title)) continue;
    const cells = rows.map((row) => (row[index] ?? '').trim());
    const isEmpty = cells.every((cell) => cell === '');
    if (isEmpty || ((index === 0 || title !== '') && isCount(cells))) {
      indexes.push(index);
      if (!isEmpty) notes.push(`column ${index + 1} has no name and counts the rows: it is left out`);
    } else if (title === '') {
      throw new UsageError(`the first line must name the columns, column ${index + 1} has no name`);
    }
  }
  return { indexes, notes };
}

function isCount(cells: readonly string[]): boolean {
  return cells.every((cell, row) => /^\d+$/.test(cell) && Number(cell) === Number(cells[0]) + row);
}

function seriesColumns(
  titles: readonly string[],
  others: readonly number[],
  { map, prefix }: LayoutOptions,
): SeriesColumn[] {
  const columns = titles
    .map((title, index) => ({ index, title, key: map.get(title) ?? defaultKey(title, prefix), states: null }))
    .filter(({ index, key }) => !others.includes(index) && key !== '');
  if (columns.length === 0) throw new UsageError('no column is left to import');
  for (const [key, [{ title }, other]] of Map.groupBy(columns, (column) => column.key)) {
    if (!keyPattern.test(key)) {
      throw new UsageError(
        `column ${JSON.stringify(title)}: the input key must be 1 to 128 of a-z A-Z 0-9 - _ : . # + /, got ${JSON.stringify(key)}; choose one with --map`,
      );
    }
    if (other !== undefined) {
      throw new UsageError(
        `columns ${JSON.stringify(title)} and ${JSON.stringify(other.title)} have the same input key ${key}; choose others with --map`,
      );
    }
  }
  return columns;
}

/** The title with everything that a key cannot hold replaced by `_`. */
export function defaultKey(title: string, prefix: string): string {
  return prefix + title.replace(/[^a-zA-Z0-9\-_:.#+/]+/g, '_');
}
