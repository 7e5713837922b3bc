/** A simulation of processes that use one file of the embedded store, compared with the memory store. */
import assert from 'node:assert/strict';
import type { DatabaseSync } from 'node:sqlite';
import type { Buckets } from '#model/bucket';
import { type Rollup, rollUp } from '#model/rollup';
import type { Window } from '#model/window';
import { BlockCheck } from '#storage/sqlite/block-check';
import { openForWriting } from '#storage/sqlite/connection';
import type { ThreadRole } from '#storage/sqlite/messages';
import { formatVersion } from '#storage/sqlite/schema';
import type { SqliteSeriesStore } from '#storage/sqlite/series-store';
import type { Batch, RollupSource, ScanRequest } from '#storage/store';
import { MemorySeriesStore } from '../memory-store/series-store.ts';
import { LocalStore, turns } from './local-store.ts';

/** A block or a time column. */
interface StoredRow {
  name: 'block' | 'time column';
  id: number;
  data: Uint8Array;
}

const blocksAndColumns = `select 'block' as name, id, data from series_block
  union all select 'time column', id, data from series_times order by id`;

/** Two processes on one file, a service and a command, and the memory store with what they have acknowledged. */
export class Simulation {
  readonly memory = new MemorySeriesStore();
  readonly #directory: string;
  readonly #stores: LocalStore[];
  readonly #file: DatabaseSync;
  /** Blocks and time columns that were damaged, as they were before, by what errors call them. */
  readonly #sound = new Map<string, StoredRow>();

  private constructor(directory: string, stores: LocalStore[]) {
    this.#directory = directory;
    this.#stores = stores;
    this.#file = openForWriting(directory);
  }

  static async open(directory: string): Promise<Simulation> {
    const service = await openService(directory);
    return new Simulation(directory, [service, await openCommand(directory)]);
  }

  /** Begins an append; the memory store has the batch when it is acknowledged. */
  async append(process: number, batch: Batch): Promise<void> {
    this.#stores[process].series.append(batch).then(() => this.memory.append(batch), assert.fail);
    await turns();
  }

  /** Lets a thread handle some calls. */
  async deliver(process: number, role: ThreadRole, count: number): Promise<void> {
    for (let i = 0; i < count; i++) await this.#stores[process].deliver(role);
  }

  async sealOnce(process: number): Promise<void> {
    this.#stores[process].sealOnce();
    await turns();
  }

  /** A process ends; what was not acknowledged is lost, and another one takes its place. */
  async restart(process: number): Promise<void> {
    this.#stores[process].kill();
    const open = process === 0 ? openService : openCommand;
    this.#stores[process] = await open(this.#directory);
  }

  /** Deletes points while sealing goes on in both processes, in an order that depends on `seed`. */
  async deletePoints(process: number, signals: number[], window: Window, seed: number): Promise<void> {
    // How many points of a damaged block are deleted cannot be counted.
    this.repair();
    const counts = await this.#during(process, seed, ({ series }) => series.deletePoints(signals, window));
    assert.deepEqual(counts, await this.memory.deletePoints(signals, window));
  }

  async deleteSignals(process: number, signals: number[], seed: number): Promise<void> {
    await this.#during(process, seed, ({ series }) => series.deleteSignals(signals));
    await this.memory.deleteSignals(signals);
  }

  /** Handles all calls, in an order that depends on `seed`, until there are none. */
  async settle(seed: number): Promise<void> {
    while (await this.#deliverAny(seed));
  }

  /** Seals everything; without damage nothing stays in the log. */
  async sealAll(): Promise<void> {
    // A cycle that has begun may leave points that were damaged then.
    await this.settle(0);
    this.#stores[0].look();
    await turns();
    await this.settle(0);
  }

  /** Flips a bit of a block or of a time column. */
  damage(index: number): void {
    const rows = this.#file.prepare(blocksAndColumns).all() as unknown as StoredRow[];
    if (rows.length === 0) return;
    const row = rows[index % rows.length];
    const name = `${row.name} ${row.id}`;
    if (!this.#sound.has(name)) this.#sound.set(name, row);
    const data = row.data.slice();
    data[data.length >> 1] ^= 4;
    this.#save({ ...row, data });
  }

  repair(): void {
    for (const row of this.#sound.values()) this.#save(row);
    this.#sound.clear();
  }

  /** What is wrong with blocks, their directory and time columns. */
  problems(): string[] {
    const check = new BlockCheck(this.#file, formatVersion, { blocks: 0, points: 0, notes: [] });
    return [...check.blocks(() => {}), ...check.records(), ...check.columns()];
  }

  #save({ name, id, data }: StoredRow): void {
    const table = name === 'block' ? 'series_block' : 'series_times';
    this.#file.prepare(`update ${table} set data = ? where id = ?`).run(data, id);
  }

  logRowCount(): number {
    const rows = 'select count(*) as count from series_log where seq > (select sealed_seq from series_state)';
    return Number(this.#file.prepare(rows).get()?.count);
  }

  close(): void {
    for (const store of this.#stores) store.kill();
    this.#file.close();
  }

  /** Every answer is right, or an error that names a damaged block. */
  async compare(process: number, request: ScanRequest): Promise<void> {
    const { series } = this.#stores[process];
    const expected = await this.memory.scan(request);
    await this.#unlessDamaged(async () => assert.deepEqual(await series.scan(request), expected));
    for (const [i, source] of request.sources.entries()) {
      await this.#unlessDamaged(() => compareStatistics(series, source, expected[i]));
    }
    const neighboured = request.sources.map((source) => ({ ...source, before: true, after: true }));
    for (const [i, points] of (await this.memory.scan({ sources: neighboured })).entries()) {
      await this.#unlessDamaged(() => compareStates(series, request.sources[i], points));
    }
  }

  async #unlessDamaged(read: () => Promise<void>): Promise<void> {
    try {
      await read();
    } catch (error) {
      const named = /^(block \d+) of signal \d in tidemark.db is damaged: (time column \d+ is damaged)?/.exec(
        (error as Error).message,
      );
      const column = named?.[2]?.replace(' is damaged', '');
      if (named === null || !this.#sound.has(column ?? named[1])) throw error;
    }
  }

  /** Waits for work of a process, during which batches that were begun before are stored and sealing goes on. */
  async #during<T>(process: number, seed: number, work: (store: LocalStore) => Promise<T>): Promise<T> {
    for (const store of this.#stores) await store.storeAll();
    let isDone = false;
    const result = work(this.#stores[process]).finally(() => {
      isDone = true;
    });
    await turns();
    for (let i = 0; !isDone; i++) await this.#deliverAny(seed * 31 + i);
    return result;
  }

  /** Lets one of the waiting threads handle a call. Returns whether there was one. */
  async #deliverAny(seed: number): Promise<boolean> {
    const waiting = this.#stores.flatMap((store) => store.waiting);
    if (waiting.length > 0) waiting[(Math.imul(seed + 1, 2654435761) >>> 8) % waiting.length].deliver();
    await turns();
    return waiting.length > 0;
  }
}

type Source = ScanRequest['sources'][number];
type ComparedPoints = Parameters<typeof rollUp>[0];

/** Seconds in states (Q10), where the present lies in the middle of the points. */
async function compareStates(
  series: SqliteSeriesStore,
  asked: Source,
  points: ComparedPoints,
): Promise<void> {
  const { signals, window } = asked;
  const buckets = bucketsFrom(window.startUs - 50);
  const source = { signals, window, statistics: [], states: 'seen', gapUs: 9000 } as const;
  const nowUs = 5000;
  const [found] = await series.rollup({ sources: [source], buckets, nowUs });
  assert.deepEqual(found, rollUp(points, source, buckets, nowUs));
}

/** So many sources that the readers share them. */
const sharedCount = 16;

/** All statistics, those of many sources together and of one alone. */
async function compareStatistics(
  series: SqliteSeriesStore,
  asked: Source,
  points: ComparedPoints,
): Promise<void> {
  const { signals, window } = asked;
  const buckets = bucketsFrom(window.startUs - 50);
  const mergeable = ['count', 'sum', 'min', 'max', 'avg', 'first', 'last', 'stddev'] as const;
  for (const [statistics, count] of [
    [mergeable, sharedCount],
    [[...mergeable, 'median', 'p95'] as const, 1],
  ] as const) {
    const source: RollupSource = { signals, window, statistics, states: [], gapUs: Infinity };
    const expected = rollUp({ ...points }, source, buckets, 0);
    const sources = new Array(count).fill(source);
    const rollups = await series.rollup({ sources, buckets, nowUs: 0 });
    assert.equal(rollups.length, count);
    for (const found of rollups) assertNearAll(found, expected);
  }
}

function assertNearAll(found: Rollup, expected: Rollup): void {
  for (const [statistic, column] of expected.statistics) {
    const other = found.statistics.get(statistic)!;
    for (const [i, value] of column.entries()) assertNear(other[i], value, `${statistic} of bucket ${i}`);
  }
}

function bucketsFrom(startUs: number): Buckets {
  return { edgesUs: Float64Array.from({ length: 6 }, (_, i) => startUs + i * 4000), stepUs: 4000 };
}

function assertNear(found: number, expected: number, what: string): void {
  const tolerance = 1e-9 * Math.max(1, Math.abs(expected));
  const isNear = Object.is(found, expected) || Math.abs(found - expected) <= tolerance;
  assert.ok(isNear, `${what}: ${found} for ${expected}`);
}

/** A service, in which the processors are busy two of three times. */
function openService(directory: string): Promise<LocalStore> {
  let count = 0;
  return LocalStore.open(directory, true, { isBusy: async () => count++ % 3 < 2 });
}

function openCommand(directory: string): Promise<LocalStore> {
  return LocalStore.open(directory, false);
}
