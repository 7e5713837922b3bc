/** The embedded default store: metadata and points in one SQLite file, accessed by threads of this process. */
import { availableParallelism } from 'node:os';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { Clock, Log } from '#model/environment';
import type { Limits } from '#model/limits';
import { NumberTables } from '#threads/number-table';
import { SharedPointNotices } from '#threads/point-notices';
import { portTo } from '#threads/port-to';
import { Revisions } from '#threads/revisions';
import { Shares } from '#threads/shares';
import { keepNumbersApart } from '#threads/v8-settings';
import { sqliteDialect } from '../meta/dialect.ts';
import { requireComplete, SqlMetaRows } from '../meta/rows.ts';
import { openSqlMetaStore } from '../meta/sql-meta-store.ts';
import type { MetaRows, MetaStore } from '../meta-store.ts';
import type { SeriesStore } from '../store.ts';
import { areProcessorsBusy } from './busy-processors.ts';
import { LocalReader } from './local-reader.ts';
import { LogChanges } from './log-changes.ts';
import type { CallResults, OwnerCall, ReaderCall, WriterCall } from './messages.ts';
import { installChecks } from './metadata-checks.ts';
import { ReaderPool } from './reader-pool.ts';
import { Sealing, type SealPace } from './sealing.ts';
import { SqliteSeriesStore, type SqliteSeriesStoreOptions } from './series-store.ts';
import { ThreadSqlRunner } from './sql-runner.ts';
import { ownStore, remoteOwner, serveOwner } from './store-owner.ts';
import { localStarter, Thread, workerStarter } from './thread.ts';

/** What every thread that uses a store needs. */
export interface StoreUseOptions {
  /** The data directory; created if it does not exist, accessible to its owner only. */
  directory: string;
  log: Log;
  limits: Limits;
  /** What the threads of the process count together; default: there is one thread. */
  tables?: NumberTables;
}

/** Options of the store. */
export interface SqliteOptions extends StoreUseOptions {
  clock: Clock;
  /** Whether the process is the service, of which there is one for a data directory; commands may run alongside. Default false. */
  serving?: boolean;
  /** Whether writer and readers work on the calling thread. Default false; short commands start faster so. */
  isLocal?: boolean;
  /** Number of reader threads. Default in a service: the number of processors minus one, within 2 to 4; else 1. */
  readerCount?: number;
  /** Whether the store is opened to be filled from another one, and may be an unfinished copy. Default false. */
  isTransfer?: boolean;
  /** When sealing looks at the log; different in tests. */
  sealPace?: SealPace;
  /** Maximum size of the file in bytes; above it appends fail with `unavailable`, as on a full disk. Default: no limit. */
  fileBytesMax?: number;
}

/** A store as one thread uses it. */
export interface StoreUse {
  meta: MetaStore;
  series: SeriesStore;
  /** Waits for pending work of this thread, and releases what it has. */
  close(): Promise<void>;
}

/** The open store. Its `close` also moves the write-ahead log into the file, and ends the threads of the store. */
export interface SqliteStore extends StoreUse {
  rows: MetaRows;
  /** Access for another thread of the process, to be passed to {@link joinSqlite} there. It must be closed before the store. */
  share(): StoreShare;
}

/** Access to a store that another thread has opened. The ports have to be transferred. */
export interface StoreShare {
  writer: MessagePort;
  readers: MessagePort[];
  follower: MessagePort;
  owner: MessagePort;
  /** One number: the unsealed bytes of the log. */
  backlog: Float64Array;
}

/**
 * Opens the store in a data directory, creating it if it is missing. Fails with `conflict` and changes nothing when another
 * service uses it, or when the file is not a store, is damaged, has a newer format, or cannot be written.
 */
export async function openSqlite(options: SqliteOptions): Promise<SqliteStore> {
  keepNumbersApart();
  const { directory, limits, log, serving = false, readerCount = serving ? servingReaders() : 1 } = options;
  await using opening = new AsyncDisposableStack();
  const threadOptions = {
    directory,
    serving,
    fileBytesMax: options.fileBytesMax ?? Number.POSITIVE_INFINITY,
    textCharactersMax: limits.resourceCharactersMax,
  };
  const start = (options.isLocal ? localStarter : workerStarter)(threadOptions);
  const writer = await start('writer');
  opening.defer(async () => void (await writer.call({ kind: 'close' })));
  const local = serving ? new LocalReader(threadOptions) : undefined;
  const readers = await ReaderPool.start(start, readerCount, local);
  opening.defer(() => readers.close());
  const follower = serving ? await ReaderPool.start(start, 1) : readers;
  if (serving) opening.defer(() => follower.close());
  let matching: Promise<ReaderPool> | null = null;
  const matchers = () => {
    matching ??= ReaderPool.start(start, 1);
    return matching;
  };
  opening.defer(async () => (await matching?.catch(() => null))?.close());
  const backlog = new Float64Array(new SharedArrayBuffer(8));
  const sealing = new Sealing({
    ...{ start, writer, log, serving, backlog },
    isBusy: serving ? areProcessorsBusy : undefined,
    pace: options.sealPace,
  });
  const owner = ownStore(sealing, writer);
  const runner = new ThreadSqlRunner({ writer, readers, follower, matchers });
  const meta = await openSqlMetaStore({ ...metaOptions(options), runner, keepsAnswers: serving });
  opening.defer(() => meta.close());
  await installChecks(runner);
  const rows = new SqlMetaRows(runner, sqliteDialect);
  if (options.isTransfer !== true) await requireComplete(rows);
  opening.defer(() => sealing.close());
  const series = seriesOf({ ...options, serving, writer, readers, owner });
  opening.defer(() => series.close());
  const share = (): StoreShare => ({
    writer: portTo((port) => writer.connect(port))[1],
    follower: follower.share()[0],
    readers: readers.share(),
    owner: portTo((port) => serveOwner(owner, matchers, port))[1],
    backlog,
  });
  const closing = opening.move();
  return { meta, rows, series, share, close: () => closing.disposeAsync() };
}

/** Uses a store that another thread of the process has opened as a service. */
export async function joinSqlite(options: StoreUseOptions, share: StoreShare): Promise<StoreUse> {
  const { directory, limits } = options;
  await using opening = new AsyncDisposableStack();
  const threads: Pick<Thread<WriterCall>, 'disconnect'>[] = [];
  opening.defer(async () => {
    for (const thread of threads) thread.disconnect();
  });
  const threadTo = async <Body extends { kind: keyof CallResults }>(port: MessagePort) => {
    const thread = new Thread<Body>(port);
    threads.push(thread);
    await thread.ready;
    return thread;
  };
  const readerAt = async (port: MessagePort) => {
    const thread = await threadTo<ReaderCall>(port);
    await thread.receiveOverSocket();
    return thread;
  };
  const writer = await threadTo<WriterCall>(share.writer);
  const ownerThread = await threadTo<OwnerCall>(share.owner);
  const follower = new ReaderPool([await readerAt(share.follower)]);
  const readerThreads = await Promise.all(share.readers.map(readerAt));
  const local = new LocalReader({ directory, textCharactersMax: limits.resourceCharactersMax });
  const readers = new ReaderPool(readerThreads, local);
  let matching: Promise<ReaderPool> | null = null;
  const connectMatcher = async () => {
    const { port1, port2 } = new MessageChannel();
    await ownerThread.call({ kind: 'matcher', port: port2 }, [port2]);
    return new ReaderPool([await readerAt(port1)]);
  };
  const matchers = () => {
    matching ??= connectMatcher();
    return matching;
  };
  opening.defer(async () => {
    await Promise.all([readers.settle(), follower.settle(), matching?.then((pool) => pool.settle())]);
  });
  const runner = new ThreadSqlRunner({ writer, readers, follower, matchers });
  const meta = await openSqlMetaStore({ ...metaOptions(options), runner, keepsAnswers: true });
  opening.defer(() => meta.close());
  const owner = remoteOwner(ownerThread, share.backlog);
  const series = seriesOf({ ...options, serving: true, writer, readers, owner });
  opening.defer(() => series.close());
  const closing = opening.move();
  return { meta, series, close: () => closing.disposeAsync() };
}

function metaOptions({ log, limits, tables = new NumberTables() }: StoreUseOptions) {
  return { dialect: sqliteDialect, log, limits, notices: new Revisions(tables) };
}

function seriesOf(
  options: StoreUseOptions & Omit<SqliteSeriesStoreOptions, 'queue' | 'changes'>,
): SqliteSeriesStore {
  const { tables = new NumberTables(), directory } = options;
  const queue = new Shares(tables, 'bytes that wait for the disk');
  const changes = new LogChanges(directory, new SharedPointNotices(tables));
  return new SqliteSeriesStore({ ...options, queue, changes });
}

function servingReaders(): number {
  return Math.min(4, Math.max(2, availableParallelism() - 1));
}
