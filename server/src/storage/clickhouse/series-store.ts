/** SeriesStore over a cluster of ClickHouse. */
import type { MessagePort } from 'node:worker_threads';
import { type Ending, signalOf } from '#model/ending';
import { AppError } from '#model/error';
import type { Points } from '#model/frame';
import type { Rollup } from '#model/rollup';
import type { Window } from '#model/window';
import { NumberTables } from '#threads/number-table';
import { SharedPointNotices } from '#threads/point-notices';
import { portTo } from '#threads/port-to';
import type {
  Batch,
  ReadCost,
  RollupRequest,
  ScanRequest,
  SeriesStore,
  SignalSize,
  StoreFigures,
} from '../store.ts';
import { freeBytes, signalSizes, signalsWithPoints, tableSize } from './amounts.ts';
import { PointChanges } from './changes.ts';
import type { Cluster } from './cluster.ts';
import { type Deletion, deleteBefore, deleteWritten, versionBelow } from './deletion.ts';
import { type GreatestNumbers, greatestNumbers } from './greatest-numbers.ts';
import { GroupCommit } from './group-commit.ts';
import type { InsertOptions } from './insert.ts';
import type { ClickHouseOptions, ClickHouseTuning } from './options.ts';
import { rollUpSources, scanSources } from './points-reader.ts';
import { ReadGate } from './read-gate.ts';
import { RecentChanges } from './recent-changes.ts';
import { RowCache } from './row-cache.ts';
import { type Memory, type ReadOptions, RunReader } from './runs.ts';
import { Turns } from './turns.ts';
import { type PointWriter, RemoteWriter, serveWriter } from './writer.ts';

const always: Window = { startUs: Number.NEGATIVE_INFINITY, endUs: Number.POSITIVE_INFINITY };

/**
 * Servers translate what they are asked for the fourth time into machine code, which takes them a tenth of a second of processor,
 * and seconds on a busy machine: more than short statements ever gain by it.
 */
const uncompiled = { compile_expressions: 0, compile_aggregate_expressions: 0, compile_sort_description: 0 };

/** Memory above which a server sorts on its disk, as a part of that of the statement. */
const sortPart = 0.5;

/** How long a shard has to say that it answers, ms. */
const partMsMax = 1_500;

/** Points in ClickHouse. */
export class ClickHouseSeriesStore implements SeriesStore {
  /** Each shard takes its rows by itself. */
  readonly mayStoreInPart = true;
  readonly changes: PointChanges;
  readonly #cluster: Cluster;
  readonly #options: ClickHouseOptions;
  readonly #tuning: ClickHouseTuning;
  readonly #gate: ReadGate;
  readonly #writer: PointWriter;
  readonly #turns: Turns;
  readonly #memory: Memory;

  constructor(cluster: Cluster, options: ClickHouseOptions, tuning: ClickHouseTuning) {
    this.#cluster = cluster;
    this.#options = options;
    this.#tuning = tuning;
    const { tables = new NumberTables(), writer, numbers } = options;
    const { database } = cluster;
    const notices = new SharedPointNotices(tables);
    this.#gate = new ReadGate(tables, tuning.holdMsMax);
    this.#turns = new Turns(tuning.readsMax);
    const changes = new RecentChanges(numbers);
    this.#memory = { changes, rows: new RowCache(changes, tuning.rememberedBytesMax) };
    this.#writer = writer
      ? new RemoteWriter(writer)
      : new GroupCommit({ ...options, cluster, database, tuning, notices, gate: this.#gate });
    this.changes = new PointChanges({ numbers, notices, read: (work) => this.#readOnce(work) });
  }

  /** The greatest numbers of signals and writes that points carry. */
  greatestNumbers(): Promise<GreatestNumbers> {
    return greatestNumbers(this.#cluster);
  }

  /** Access to the writer for another thread of the process, which must be closed before this store. */
  shareWriter(): MessagePort {
    return portTo((port) => serveWriter(this.#writer, port))[1];
  }

  append(batch: Batch): Promise<void> {
    return this.#writer.append(batch);
  }

  scan(request: ScanRequest, ending?: Ending, onRead?: (cost: ReadCost) => void): Promise<Points[]> {
    const work = (reader: RunReader) => scanSources(reader, request);
    return this.#read(request.sources, work, signalOf(ending), onRead);
  }

  rollup(request: RollupRequest, ending?: Ending, onRead?: (cost: ReadCost) => void): Promise<Rollup[]> {
    const work = (reader: RunReader) => rollUpSources(reader, request);
    return this.#read(request.sources, work, signalOf(ending), onRead);
  }

  async deleteSignals(signals: readonly number[]): Promise<void> {
    const sizes = await this.sizes(signals);
    const stored = signals.filter((_, i) => sizes[i].points > 0);
    if (stored.length === 0) return;
    const number = await this.#options.numbers.next();
    await this.#delete({ signals: stored, window: always, number });
  }

  async deletePoints(signals: readonly number[], window: Window): Promise<number[]> {
    if (signals.length === 0 || !(window.endUs > window.startUs)) return signals.map(() => 0);
    const number = await this.#options.numbers.next();
    const counts = await this.#counts(signals, window, versionBelow(number));
    const stored = [...counts.keys()];
    if (stored.length > 0) await this.#delete({ signals: stored, window, number });
    return signals.map((signal) => counts.get(signal) ?? 0);
  }

  async deleteBefore(beforeUs: number): Promise<void> {
    const number = await this.#options.numbers.next();
    const window = { startUs: Number.NEGATIVE_INFINITY, endUs: beforeUs };
    await this.#forgotten(window, deleteBefore(this.#cluster, { window, number }, this.#deletion));
  }

  async countPoints(signals: readonly number[], window: Window): Promise<number[]> {
    const counts = await this.#counts(signals, window);
    return signals.map((signal) => counts.get(signal) ?? 0);
  }

  async sizes(signals: readonly number[], signal?: AbortSignal): Promise<SignalSize[]> {
    signal?.throwIfAborted();
    if (signals.length === 0) return [];
    return this.#cluster.attempt(() => signalSizes(this.#cluster, signals, signal));
  }

  storedSignals(): Promise<number[]> {
    return this.#cluster.attempt(() => signalsWithPoints(this.#cluster));
  }

  async partProblems(): Promise<(string | null)[]> {
    const sql = `SELECT 1 FROM ${this.#cluster.database}.points LIMIT 0`;
    return Promise.all(
      this.#cluster.shards.map(async (shard) => {
        const signal = AbortSignal.timeout(partMsMax);
        try {
          await this.#cluster.attempt(() => shard.server.table(sql, {}, signal));
          return null;
        } catch (error) {
          if (error instanceof AppError) return error.message;
          return `Shard ${shard.number} of the store of points does not answer`;
        }
      }),
    );
  }

  async figures(): Promise<StoreFigures> {
    const [{ bytes }, free] = await this.#cluster.attempt(() =>
      Promise.all([tableSize(this.#cluster), freeBytes(this.#cluster)]),
    );
    const { bytes: queueBytes, count } = this.#writer.queue;
    return {
      ...{ fileBytes: bytes, walBytes: 0, logBytes: 0, queueBytes },
      ...{ writerQueueLength: count, readerQueueLength: this.#turns.length },
      ...{ sealLagS: 0, sealFailureCount: 0, damagedBlockCount: 0, freeBytes: free },
    };
  }

  async close(): Promise<void> {
    await this.#writer.close();
    await this.#cluster.close();
  }

  #delete(deletion: Deletion): Promise<void> {
    return this.#forgotten(deletion.window, deleteWritten(this.#cluster, deletion, this.#deletion));
  }

  /** Lets all nodes forget what they remember of a window after a deletion, also where it failed: it may go on. */
  #forgotten({ startUs: firstUs, endUs: lastUs }: Window, deleted: Promise<void>): Promise<void> {
    return deleted.finally(() => this.#options.numbers.deleted({ firstUs, lastUs }));
  }

  get #deletion(): InsertOptions {
    return { ...this.#options, database: this.#cluster.database, tuning: this.#tuning };
  }

  #counts(signals: readonly number[], window: Window, below?: bigint): Promise<Map<number, number>> {
    const work = (reader: RunReader) => reader.counts({ signals: [...new Set(signals)], window }, below);
    return this.#read([{ signals }], work);
  }

  /** Reads what no write changes any more. */
  #readOnce<T>(work: (reader: RunReader) => Promise<T>): Promise<T> {
    const once = () => work(new RunReader(this.#cluster, this.#reading));
    return this.#turns.run(() => this.#cluster.attempt(once));
  }

  #read<T>(
    sources: readonly { signals: readonly number[] }[],
    work: (reader: RunReader) => Promise<T>,
    signal?: AbortSignal,
    onRead?: (cost: ReadCost) => void,
  ): Promise<T> {
    const signals = new Set(sources.flatMap((source) => source.signals));
    let points = 0;
    const once = async () => {
      const reader = new RunReader(this.#cluster, { ...this.#reading, signal, memory: this.#memory });
      const result = await work(reader);
      points += reader.rowCount;
      return result;
    };
    return this.#turns.run(async () => {
      const result = await this.#gate.read(signals, () => this.#cluster.attempt(once));
      onRead?.({ blocks: 0, points });
      return result;
    }, signal);
  }

  /** Each time stamp is in one partition, so none needs merging with another. */
  get #reading(): ReadOptions {
    const settings = {
      do_not_merge_across_partitions_select_final: 1,
      ...uncompiled,
      max_bytes_before_external_sort: Math.floor(this.#tuning.statementBytesMax * sortPart),
    };
    return { settings, isReplicated: this.#options.isReplicated };
  }
}
