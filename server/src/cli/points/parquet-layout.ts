/** What the columns of a Parquet file are: its times, and points by name or a series for each column. */
import { keyPattern } from '../csv/layout.ts';
import { UsageError } from '../usage.ts';
import type { ParquetColumn } from './parquet-file.ts';

/** The columns of an import. */
export interface ParquetLayout {
  time: ParquetColumn;
  /** One row for each point; null: a series for each column. */
  long: { name: string; value: string; description: string | null } | null;
  /** Of the wide form. */
  series: readonly { name: string; key: string }[];
  notes: string[];
}

/** How columns become signals. */
export interface ParquetLayoutOptions {
  /** The column of the times; null: detect it. */
  time: string | null;
  /** The input key of a column; null: it is left out. */
  keyOf(name: string): string | null;
}

const isTime = ({ kind }: ParquetColumn) => kind === 'time' || kind === 'local-time';

/** Finds the columns. Throws {@link UsageError} when they are not clear. */
export function readParquetLayout(
  columns: readonly ParquetColumn[],
  options: ParquetLayoutOptions,
): ParquetLayout {
  const time = findTime(columns, options.time);
  const others = columns.filter((column) => column !== time);
  const named = (name: string) => others.find((column) => column.name.toLowerCase() === name);
  const name = named('signal') ?? named('item');
  const value = named('value');
  if (name?.kind !== 'text' || value === undefined) return wideLayout(time, others, options);
  if (named('statistic') !== undefined)
    throw new UsageError('the file is of a rollup, it has a column "statistic": only points can be imported');
  const description = named('description')?.name ?? null;
  const used = [name.name, value.name, description];
  const notes = others
    .filter((other) => !used.includes(other.name))
    .map((other) => `column ${JSON.stringify(other.name)} is left out: the file has one row for each point`);
  return { time, long: { name: name.name, value: value.name, description }, series: [], notes };
}

function findTime(columns: readonly ParquetColumn[], given: string | null): ParquetColumn {
  const names = columns.map(({ name }) => JSON.stringify(name)).join(', ');
  const byName = (name: string) => columns.filter((column) => column.name.toLowerCase() === name);
  const found = given === null ? byName('time') : columns.filter(({ name }) => name === given);
  if (given === null && found.length === 0) found.push(...columns.filter(isTime));
  if (found.length === 1) return found[0];
  if (given !== null)
    throw new UsageError(`--time: no column is named ${JSON.stringify(given)}; it has ${names}`);
  throw new UsageError(`which column has the times? Name it with --time; the file has ${names}`);
}

function wideLayout(
  time: ParquetColumn,
  others: readonly ParquetColumn[],
  { keyOf }: ParquetLayoutOptions,
): ParquetLayout {
  const isIndex = ({ name }: ParquetColumn) => /^(__index_level_\d+__|Unnamed: \d+)$/.test(name);
  const notes = others.filter(isIndex).map(({ name }) => `column ${name} counts the rows: it is left out`);
  const series = others
    .filter((column) => !isIndex(column))
    .flatMap((column) => {
      const key = keyOf(column.name);
      if (key !== null) requireNumbers(column);
      return key === null ? [] : [{ name: column.name, key }];
    });
  if (series.length === 0) throw new UsageError('no column is left to import');
  requireKeys(series);
  return { time, long: null, series, notes };
}

function requireNumbers({ name, kind }: ParquetColumn): void {
  if (kind === 'number' || kind === 'boolean') return;
  const what = {
    text: 'text',
    time: 'times',
    'local-time': 'times',
    other: 'values of a type that is not numeric',
  };
  throw new UsageError(
    `column ${JSON.stringify(name)} has ${what[kind]}, which cannot be stored; leave it out with --map ${JSON.stringify(`${name}=`)}`,
  );
}

function requireKeys(series: ParquetLayout['series']): void {
  for (const [key, [{ name }, other]] of Map.groupBy(series, (one) => one.key)) {
    if (!keyPattern.test(key))
      throw new UsageError(
        `column ${JSON.stringify(name)}: ${JSON.stringify(key)} is not an input key; choose one with --map`,
      );
    if (other !== undefined)
      throw new UsageError(
        `columns ${JSON.stringify(name)} and ${JSON.stringify(other.name)} have the same input key ${key}; choose others with --map`,
      );
  }
}
