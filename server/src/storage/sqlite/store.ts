/** The embedded default store: meta-data and points in one SQLite file, worked on by threads of this process. */
import type { Limits } from '#model/limits';
import type { Clock, Log } from '#model/world';
import { sqliteDialect } from '../meta/dialect.ts';
import { SqlMetaStore } from '../meta/sql-meta-store.ts';
import type { MetaStore, SeriesStore } from '../store.ts';
import type { WriterCall } from './messages.ts';
import { ReaderPool } from './reader-pool.ts';
import { Sealing } from './sealing.ts';
import { SqliteSeriesStore } from './series-store.ts';
import { ThreadSqlRunner } from './sql-runner.ts';
import { Thread } from './thread.ts';

/** What {@link openSqlite} needs. */
export interface SqliteOptions {
  /** The data directory; it is made when it does not exist, with rights for its owner only. */
  directory: string;
  clock: Clock;
  log: Log;
  limits: Limits;
  /** A serving process holds the data directory alone; others (the command line) work beside it. Default false. */
  serving?: boolean;
  /** Reader threads. Default 2. */
  readerCount?: number;
}

/** The open store. */
export interface SqliteStore {
  meta: MetaStore;
  series: SeriesStore;
  /** Settles what is under way, moves everything into the file, and ends the threads. */
  close(): Promise<void>;
}

/**
 * Opens the store in a data directory, making it where it is missing. Fails with `conflict` and changes nothing when
 * another process serves it, or the file is foreign, damaged, of a newer format, or cannot be written.
 */
export async function openSqlite(options: SqliteOptions): Promise<SqliteStore> {
  const { directory, limits, log, serving = false, readerCount = 2 } = options;
  const writer = await Thread.start<WriterCall>('writer-thread', { directory, serving });
  const readers = await ReaderPool.start({ directory, serving }, readerCount);
  const runner = new ThreadSqlRunner(writer, readers);
  const meta = await SqlMetaStore.open({ runner, dialect: sqliteDialect, log });
  const sealing = new Sealing({ directory, serving }, writer, log);
  const series = new SqliteSeriesStore({ writer, readers, sealing, queueBytesMax: limits.queueBytesMax });
  const close = async () => {
    await meta.close();
    await series.close();
    await sealing.close();
    await readers.close();
    await writer.call({ kind: 'close' });
  };
  return { meta, series, close };
}
