/** SeriesStore over the threads of the embedded store. Runs on the event loop and never accesses the file. */
import { stat } from 'node:fs/promises';
import type { Ending } from '#model/ending';
import { AppError } from '#model/error';
import type { Points } from '#model/frame';
import type { Limits } from '#model/limits';
import type { Rollup } from '#model/rollup';
import { eachIteration, runSteps } from '#model/steps';
import type { Window } from '#model/window';
import type { Shares } from '#threads/shares';
import type {
  Batch,
  ReadCost,
  RollupRequest,
  ScanRequest,
  SeriesStore,
  SignalSize,
  StoreFigures,
} from '../store.ts';
import type { LogChanges } from './log-changes.ts';
import { encodeRow, encodingSteps } from './log-row.ts';
import type { WriterCall } from './messages.ts';
import { databasePath } from './paths.ts';
import type { ReaderPool } from './reader-pool.ts';
import type { StoreOwner } from './store-owner.ts';
import type { Thread } from './thread.ts';
import { smallBytesMax } from './write-queue.ts';

/** Options of the store. */
export interface SqliteSeriesStoreOptions {
  /** Where the file is. */
  directory: string;
  writer: Thread<WriterCall>;
  readers: ReaderPool;
  owner: StoreOwner;
  serving: boolean;
  /** Bytes of batches that wait for the disk, in all threads. */
  queue: Shares;
  /** The log as a sequence; default: nothing can be followed. It is closed with the store. */
  changes?: LogChanges;
  /** Evaluated for each batch: the maximum number of queued bytes; batches above it are rejected. */
  limits: Pick<Limits, 'queueBytesMax'>;
}

/** Signals deleted in one transaction, after their blocks have been deleted. */
const deletedAtOnce = 500;

/** Signals that are counted in one request. */
const countedAtOnce = 200;

/** Signals whose sizes are asked for in one request. */
const sizedAtOnce = 2000;

/** Signals that have blocks, ascending. Skips from signal to signal without reading the entries in between. */
const storedSignals = `with recursive stored (signal) as (
    select min(signal) from series_directory
    union all
    select (select min(signal) from series_directory where signal > stored.signal) from stored
      where signal is not null)
  select signal from stored where signal is not null`;

const always: Window = { startUs: Number.NEGATIVE_INFINITY, endUs: Number.POSITIVE_INFINITY };

/** All batches share one queue. */
const everyone = '';

/** Values that are encoded at once: less than half a millisecond. */
const valuesAtOnce = 32_768;

interface Waiting {
  buffer: ArrayBuffer;
  headBytes: number;
  bytes: number;
  /** Bytes of its values when they are read. */
  valueBytes: number;
  resolve(): void;
  reject(error: unknown): void;
}

/** Points in `tidemark.db`. Small batches of one iteration of the event loop go to the writer in one message. */
export class SqliteSeriesStore implements SeriesStore {
  readonly givesArraysAlone = true;
  readonly changes: LogChanges | undefined;
  readonly #options: SqliteSeriesStoreOptions;
  /** Appends of this thread that are not settled. */
  #openCount = 0;
  #waiting: Waiting[] = [];

  constructor(options: SqliteSeriesStoreOptions) {
    this.#options = options;
    this.changes = options.changes;
  }

  async append(batch: Batch): Promise<void> {
    const row =
      batch.values.length > valuesAtOnce
        ? await runSteps(encodingSteps(batch), eachIteration())
        : encodeRow(batch);
    if (row === null) return;
    const { buffer, headBytes } = row;
    const bytes = buffer.byteLength;
    if (
      !this.#options.queue.take(everyone, bytes, (queued) => queued === 0 || queued + bytes <= this.#queueMax)
    )
      throw this.#full();
    this.#openCount++;
    try {
      await this.#options.owner.spaceInLog(batch.values.byteLength);
      await new Promise<void>((resolve, reject) => {
        if (this.#waiting.length === 0) setImmediate(() => this.#send());
        const valueBytes = batch.values.byteLength;
        this.#waiting.push({ buffer, headBytes, bytes, valueBytes, resolve, reject });
      });
    } finally {
      this.#openCount--;
      this.#options.queue.add(everyone, -bytes);
    }
  }

  async scan(request: ScanRequest, ending?: Ending, onRead?: (cost: ReadCost) => void): Promise<Points[]> {
    const { found, cost } = await this.#named(this.#options.readers.call({ kind: 'scan', request }, ending));
    onRead?.(cost);
    return found;
  }

  async rollup(
    request: RollupRequest,
    ending?: Ending,
    onRead?: (cost: ReadCost) => void,
  ): Promise<Rollup[]> {
    const { found, cost } = await this.#named(this.#options.readers.rollup(request, ending));
    onRead?.(cost);
    return found;
  }

  async deleteSignals(signals: readonly number[]): Promise<void> {
    // Blocks are deleted in steps first, so that appends need not wait for all of them.
    await this.#options.owner.erase(signals, always).catch((error: unknown) => {
      if (!isStoredDamage(error)) throw error;
    });
    for (let from = 0; from < signals.length; from += deletedAtOnce) {
      await this.#options.writer.call({ kind: 'delete', signals: signals.slice(from, from + deletedAtOnce) });
    }
    await this.#reclaim();
  }

  async deletePoints(signals: readonly number[], window: Window): Promise<number[]> {
    const counts = await this.#named(this.#options.owner.erase(signals, window));
    await this.#reclaim();
    return counts;
  }

  async countPoints(signals: readonly number[], { startUs, endUs }: Window): Promise<number[]> {
    if (!(endUs > startUs)) return signals.map(() => 0);
    const window = { startUs, endUs };
    const buckets = { edgesUs: Float64Array.of(startUs, endUs), stepUs: null };
    const counts: number[] = [];
    for (let from = 0; from < signals.length; from += countedAtOnce) {
      const sources = signals.slice(from, from + countedAtOnce).map((signal) => ({
        ...{ signals: [signal], window, states: [], gapUs: Number.POSITIVE_INFINITY },
        statistics: ['count'] as const,
      }));
      const rollups = await this.rollup({ sources, buckets, nowUs: 0 });
      counts.push(...rollups.map(({ statistics }) => statistics.get('count')?.[0] || 0));
    }
    return counts;
  }

  async sizes(signals: readonly number[], signal?: AbortSignal): Promise<SignalSize[]> {
    const sizes: SignalSize[] = [];
    for (let from = 0; from < signals.length; from += sizedAtOnce) {
      const some = signals.slice(from, from + sizedAtOnce);
      sizes.push(
        ...(await this.#named(this.#options.readers.call({ kind: 'sizes', signals: some }, signal))),
      );
    }
    return sizes;
  }

  async storedSignals(): Promise<number[]> {
    const rows = await this.#options.readers.read(storedSignals, []);
    return rows.map(({ signal }) => Number(signal));
  }

  async figures(): Promise<StoreFigures> {
    const path = databasePath(this.#options.directory);
    const [fileBytes, walBytes] = await Promise.all([sizeOf(path), sizeOf(`${path}-wal`)]);
    return {
      fileBytes,
      walBytes,
      queueBytes: this.#options.queue.total,
      writerQueueLength: this.#options.writer.waitingCount,
      readerQueueLength: this.#options.readers.queueLength,
      ...(await this.#options.owner.figures()),
    };
  }

  /** Resolves when all pending appends are settled. The threads are closed by the code that started them. */
  async close(): Promise<void> {
    this.#send();
    while (this.#openCount > 0) await new Promise((resolve) => setImmediate(resolve));
    this.changes?.close();
  }

  /** Logs damage found by a read, and adds the IDs of the affected signals to the error. */
  async #named<T>(reading: Promise<T>): Promise<T> {
    try {
      return await reading;
    } catch (error) {
      if (!isStoredDamage(error)) throw error;
      this.#options.owner.noteDamage([error.message]);
      const invalidResources = await Promise.all(
        (error.invalidResources ?? []).map(async ({ id, ...details }) => ({
          ...(await this.#idOf(id)),
          ...details,
        })),
      );
      throw new AppError(error.kind, error.message, { invalidResources, cause: error });
    }
  }

  /** The ID of the signal with a number; empty when that cannot be read either. */
  async #idOf(number: string | undefined): Promise<{ id?: string }> {
    const rows = await this.#options.readers
      .read('select id from signal where number = ?', [Number(number)])
      .catch(() => []);
    return rows.length === 0 ? {} : { id: String(rows[0].id) };
  }

  /** Returns free pages to the file system in a command; a service does so when it is idle. */
  async #reclaim(): Promise<void> {
    if (!this.#options.serving) await this.#options.owner.giveBack();
  }

  /** Sends all that waits: small batches in one message, so that they share a transaction, and each large one alone. */
  #send(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    const [small, large] = [false, true].map((isLarge) =>
      waiting.filter(({ bytes }) => bytes > smallBytesMax === isLarge),
    );
    if (small.length > 0) this.#append(small);
    for (const row of large) this.#append([row]);
  }

  #append(sent: readonly Waiting[]): void {
    const buffers = sent.map(({ buffer }) => buffer);
    const headBytes = sent.map((row) => row.headBytes);
    this.#options.writer.call({ kind: 'append', buffers, headBytes }, buffers).then(
      () => {
        this.#options.owner.noteAppended(
          sent.reduce((sum, { valueBytes }) => sum + valueBytes, 0),
          sent.length,
        );
        for (const row of sent) row.resolve();
        this.changes?.raise();
      },
      (error: unknown) => {
        for (const row of sent) row.reject(error);
      },
    );
  }

  #full(): AppError {
    return new AppError(
      'unavailable',
      `Nothing was stored: ${this.#options.queue.total} bytes wait for the disk, at most ${this.#queueMax} may; try again later`,
    );
  }

  get #queueMax(): number {
    return this.#options.limits.queueBytesMax;
  }
}

/** Bytes of a file; 0 when there is none. */
async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return 0;
  }
}

function isStoredDamage(error: unknown): error is AppError {
  return error instanceof AppError && error.kind === 'found-invalid-resource';
}
