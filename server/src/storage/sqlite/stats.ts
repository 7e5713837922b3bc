/** Statistics of the file, from the directory and the log. */
import type { SqlRow, SqlValue } from '../meta/sql-runner.ts';
import type { StoreStats } from '../store.ts';
import { tallyLog } from './log-tally.ts';

/** One read-only statement. */
export type SqlRead = (sql: string, params: readonly SqlValue[]) => Promise<SqlRow[]>;

const wholeFile = `select
  (select page_count from pragma_page_count) * (select page_size from pragma_page_size) as fileBytes,
  (select freelist_count from pragma_freelist_count) * (select page_size from pragma_page_size) as freeBytes`;

const allBlocks = `select count(distinct signal) as signals, count(*) as blocks,
  coalesce(sum(count), 0) as blockPoints, coalesce(sum(bytes), 0) as blockBytes from series_directory`;

/** How many of the signals in a JSON array have blocks. */
const signalsWithBlocks = `select count(*) as count from json_each(?)
  where exists (select 1 from series_directory where signal = value)`;

const largestSignals = `select signal, sum(count) as points, count(*) as blocks, sum(bytes) as bytes
  from series_directory group by signal order by 4 desc, 1 limit ?`;

/** Skips from signal to signal without reading the entries in between. */
const storedSignals = `with recursive stored (signal) as (
    select min(signal) from series_directory
    union all
    select (select min(signal) from series_directory where signal > stored.signal) from stored
      where signal is not null)
  select signal from stored where signal is not null`;

/** Reads the statistics of a store. The figures may be of slightly different states. Reads the whole log. */
export async function readStats(read: SqlRead, largestMax: number): Promise<StoreStats> {
  const [file] = await read(wholeFile, []);
  const [blocks] = await read(allBlocks, []);
  const { signals: logged, ...log } = await tallyLog(read);
  const [{ count }] = await read(signalsWithBlocks, [JSON.stringify([...logged])]);
  const largest = await read(largestSignals, [largestMax]);
  const figures = { ...file, ...blocks, ...log } as unknown as Omit<StoreStats, 'largest'>;
  const signals = figures.signals + logged.size - Number(count);
  return { ...figures, signals, largest: largest as unknown as StoreStats['largest'] };
}

/** The numbers of all signals that have blocks, ascending. */
export async function readStoredSignals(read: SqlRead): Promise<number[]> {
  const rows = await read(storedSignals, []);
  return rows.map(({ signal }) => Number(signal));
}
