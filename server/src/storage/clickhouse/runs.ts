/** Reads points of many signals from the servers, signal after signal in order of time, in pieces. */
import { bug } from '#model/error';
import type { Points } from '#model/frame';
import type { Window } from '#model/window';
import type { Cluster, Shard } from './cluster.ts';
import { type Block, readBlocks } from './native-reader.ts';
import type { Look, RecentChanges } from './recent-changes.ts';
import type { ReadRows, RowCache, RowShape, Rows } from './row-cache.ts';
import type { Server, Settings } from './server.ts';

/** Signals that one statement names at most. */
export const signalsAtOnce = 5000;

/** Where times end (R3), and beyond which no bound needs to be written. */
const timeUsMax = 2 ** 53;

/** Which points are read. */
export interface RunRequest {
  signals: readonly number[];
  window: Window;
  /** Rows of one statement at most, all that are needed to know that there are too many. */
  rowsMax?: number;
}

/** What is selected besides the signal. Numbers are the only values in any part. */
export interface Selection {
  /** Expressions of Float64. */
  columns: readonly string[];
  /** Whether only the newest version of each point counts. */
  isFinal: boolean;
  condition: string;
  /** Grouping or order. */
  tail: string;
}

/** What is remembered of earlier reads. */
export interface Memory {
  rows: RowCache;
  changes: RecentChanges;
}

/** How a reader reads. */
export interface ReadOptions {
  settings: Settings;
  /** Whether a server may lack what was acknowledged, and has to say so before it is read. */
  isReplicated: boolean;
  signal?: AbortSignal;
  /** Without one everything is read. */
  memory?: Memory;
}

/** Takes points of a signal: pieces of one signal in order of time, signals in any order. */
export type TakeRun = (signal: number, points: Points) => void;

/** Reads from one cluster. */
export class RunReader {
  readonly #cluster: Cluster;
  readonly #options: ReadOptions;
  readonly #signal: AbortSignal;
  /** By server: that it has everything. */
  readonly #current = new Map<Server, Promise<unknown>>();
  #look: Promise<Look | null> | null = null;
  /** Ends the reads of other shards when one has failed. */
  readonly #others = new AbortController();
  /** Rows that the servers have sent. */
  rowCount = 0;

  constructor(cluster: Cluster, options: ReadOptions) {
    this.#cluster = cluster;
    this.#options = options;
    const { signal: own } = this.#others;
    this.#signal = options.signal === undefined ? own : AbortSignal.any([own, options.signal]);
  }

  /** Rows of each signal, as {@link RowCache.read} gives them. Where it is not known what has changed, all are read. */
  async remembered(
    shape: RowShape,
    { signals, window }: Pick<RunRequest, 'signals' | 'window'>,
    read: ReadRows,
  ): Promise<Map<number, Rows>> {
    const { memory } = this.#options;
    if (memory === undefined) throw bug('this reader has no memory');
    this.#look ??= memory.changes.look().catch(() => null);
    return memory.rows.read(shape, { signals, window, look: await this.#look }, read);
  }

  /** The points inside a window. */
  async inside({ signals, window, rowsMax }: RunRequest, take: TakeRun): Promise<void> {
    const range = rangeSql(window);
    if (range === null) return;
    const limit = rowsMax === undefined || rowsMax >= timeUsMax ? '' : ` LIMIT ${rowsMax}`;
    const columns = ['toFloat64(time) AS t', 'value AS v'];
    const tail = `ORDER BY signal, time${limit}`;
    await this.select(signals, { columns, isFinal: true, condition: range, tail }, (block) =>
      takePoints(block, take),
    );
  }

  /** The newest point of each signal inside a window, or the oldest one. */
  async outermost({ signals, window }: RunRequest, end: 'newest' | 'oldest', take: TakeRun): Promise<void> {
    const range = rangeSql(window);
    if (range === null) return;
    const columns =
      end === 'newest'
        ? ['toFloat64(max(time)) AS t', 'argMax(value, (time, version)) AS v']
        : ['toFloat64(min(time)) AS t', 'argMax(value, (-time, version)) AS v'];
    await this.select(
      signals,
      { columns, isFinal: false, condition: range, tail: 'GROUP BY signal' },
      (block) => takePoints(block, take),
    );
  }

  /** How many points each signal has inside a window; signals without any are left out. `below`: only points of older versions. */
  async counts({ signals, window }: RunRequest, below?: bigint): Promise<Map<number, number>> {
    const counts = new Map<number, number>();
    const range = rangeSql(window);
    if (range === null) return counts;
    const condition = below === undefined ? range : `${range} AND version < ${below}`;
    const columns = ['toFloat64(count()) AS c'];
    await this.select(
      signals,
      { columns, isFinal: true, condition, tail: 'GROUP BY signal' },
      ([numbers, found]) => {
        for (const [i, signal] of numbers.entries()) counts.set(signal, found[i]);
      },
    );
    return counts;
  }

  /** Whether the servers know a function. */
  async hasFunction(name: string): Promise<boolean> {
    const facts = await Promise.all(this.#cluster.shards.map(({ server }) => server.facts()));
    return facts.every(({ functions }) => functions.has(name));
  }

  /**
   * Runs a statement for the signals of each shard, or several where they are many; `take` gets the signals and then the columns
   * of each block, and which of the statements it is of.
   */
  async select(
    signals: readonly number[],
    selection: Selection,
    take: (block: Block, statement: string) => void,
  ): Promise<void> {
    const divided = this.#cluster.divide(signals);
    const reads = this.#cluster.shards.map(async (shard, i) => {
      for (let from = 0; from < divided[i].length; from += signalsAtOnce)
        await this.#run(shard, divided[i].slice(from, from + signalsAtOnce), selection, (block) =>
          take(block, `${i} ${from}`),
        );
    });
    await Promise.all(reads).catch(async (error: unknown) => {
      this.#others.abort(error);
      await Promise.allSettled(reads);
      throw error;
    });
  }

  async #run(
    { server }: Shard,
    signals: readonly number[],
    { columns, isFinal, condition, tail }: Selection,
    take: (block: Block) => void,
  ): Promise<void> {
    const from = isFinal ? `${this.#table} FINAL` : this.#table;
    const sql = `SELECT toFloat64(signal) AS s, ${columns.join(', ')} FROM ${from} WHERE signal IN (${signals.join()}) AND ${condition} ${tail} FORMAT Native`;
    if (this.#options.isReplicated)
      await this.#current.getOrInsertComputed(server, () => this.#requireCurrent(server));
    const chunks = server.read(sql, this.#options.settings, this.#signal);
    for await (const block of readBlocks(chunks, 1 + columns.length, server.origin)) {
      this.rowCount += block[0].length;
      take(block);
    }
  }

  /**
   * Fails where a replica has not got yet what was acknowledged before. This is a statement by itself: with the setting in a
   * statement that reads, 18.16 leaves out, without an error, what was merged with newer points while the statement began.
   */
  #requireCurrent(server: Server): Promise<unknown> {
    const sql = `SELECT 1 FROM ${this.#table} WHERE signal = 0 LIMIT 1`;
    return server.table(sql, { select_sequential_consistency: 1 }, this.#signal);
  }

  get #table(): string {
    return `${this.#cluster.database}.points`;
  }
}

/** A window as a condition; null where it is empty. */
export function rangeSql({ startUs, endUs }: Window): string | null {
  const start = Math.max(-timeUsMax, Math.ceil(startUs));
  const end = Math.min(timeUsMax + 2, Math.ceil(endUs)); // The next whole number behind the last time that has a number.
  return end > start ? `time >= ${start} AND time < ${end}` : null;
}

/** Calls `take` with each signal of a column, and the rows from and to which it has it. */
export function eachRun(
  signals: Float64Array,
  take: (signal: number, from: number, to: number) => void,
): void {
  for (let from = 0; from < signals.length; ) {
    const signal = signals[from];
    let to = from + 1;
    while (to < signals.length && signals[to] === signal) to++;
    take(signal, from, to);
    from = to;
  }
}

function takePoints([signals, timesUs, values]: Block, take: TakeRun): void {
  eachRun(signals, (signal, from, to) =>
    take(signal, { timesUs: timesUs.subarray(from, to), values: values.subarray(from, to) }),
  );
}
