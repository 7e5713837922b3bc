/** The embedded default store: metadata and points in one SQLite file, accessed by threads of this process. */
import { availableParallelism } from 'node:os';
import type { Clock, Log } from '#model/environment';
import type { Limits } from '#model/limits';
import { sqliteDialect } from '../meta/dialect.ts';
import { openSqlMetaStore } from '../meta/sql-meta-store.ts';
import type { MetaStore } from '../meta-store.ts';
import type { SeriesStore } from '../store.ts';
import { installChecks } from './metadata-checks.ts';
import { ReaderPool } from './reader-pool.ts';
import { Sealing } from './sealing.ts';
import { SqliteSeriesStore } from './series-store.ts';
import { ThreadSqlRunner } from './sql-runner.ts';
import { localStarter, workerStarter } from './thread.ts';

/** Options of {@link openSqlite}. */
export interface SqliteOptions {
  /** The data directory; created if it does not exist, accessible to its owner only. */
  directory: string;
  clock: Clock;
  log: Log;
  limits: Limits;
  /** Whether the process is the service, of which there is one for a data directory; commands may run alongside. Default false. */
  serving?: boolean;
  /** Whether writer and readers have threads of their own. Default true; short commands start faster without. */
  threads?: boolean;
  /** Number of reader threads. Default in a service: the number of processors minus one, within 2 to 4; else 1. */
  readerCount?: number;
  /** Maximum size of the file in bytes; above it appends fail with `unavailable`, as on a full disk. Default: no limit. */
  fileBytesMax?: number;
}

/** The open store. */
export interface SqliteStore {
  meta: MetaStore;
  series: SeriesStore;
  /** Waits for pending work, moves the write-ahead log into the file, and ends the threads. */
  close(): Promise<void>;
}

/**
 * Opens the store in a data directory, creating it if it is missing. Fails with `conflict` and changes nothing when another
 * service uses it, or when the file is not a store, is damaged, has a newer format, or cannot be written.
 */
export async function openSqlite(options: SqliteOptions): Promise<SqliteStore> {
  const { directory, limits, log, serving = false, readerCount = serving ? servingReaders() : 1 } = options;
  const starter = options.threads === false ? localStarter : workerStarter;
  const start = starter({
    directory,
    serving,
    fileBytesMax: options.fileBytesMax ?? Number.POSITIVE_INFINITY,
    textCharactersMax: limits.resourceCharactersMax,
  });
  const ends: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    const writer = await start('writer');
    ends.push(() => writer.call({ kind: 'close' }));
    const readers = await ReaderPool.start(start, readerCount);
    ends.push(() => readers.close());
    const follower = serving ? await ReaderPool.start(start, 1) : readers;
    if (serving) ends.push(() => follower.close());
    let matching: Promise<ReaderPool> | null = null;
    const matchers = () => {
      matching ??= ReaderPool.start(start, 1);
      return matching;
    };
    ends.push(async () => (await matching?.catch(() => null))?.close());
    const runner = new ThreadSqlRunner({ writer, readers, follower, matchers });
    const meta = await openSqlMetaStore({ runner, dialect: sqliteDialect, log, limits });
    ends.push(() => meta.close());
    await installChecks(runner);
    const sealing = new Sealing({ start, writer, log, serving });
    ends.push(() => sealing.close());
    const series = new SqliteSeriesStore({ directory, writer, readers, sealing, serving, limits });
    ends.push(() => series.close());
    return { meta, series, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function servingReaders(): number {
  return Math.min(4, Math.max(2, availableParallelism() - 1));
}
