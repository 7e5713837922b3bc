/** The parts of the embedded store that seal and read give the same answers as the memory store, whatever happens in between. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Buckets } from '#model/bucket';
import { rollUp } from '#model/rollup';
import type { Window } from '#model/window';
import { openForReading, openForWriting } from '#storage/sqlite/connection';
import { EraseProgress } from '#storage/sqlite/erase-progress';
import { Eraser } from '#storage/sqlite/eraser';
import { encodeRow } from '#storage/sqlite/log-row';
import { LogWriter } from '#storage/sqlite/log-writer';
import { prepareRollup } from '#storage/sqlite/rollup-reader';
import { SealWriter } from '#storage/sqlite/seal-writer';
import { Sealer, type SealLimits } from '#storage/sqlite/sealer';
import { type Prepared, prepareScan } from '#storage/sqlite/series-reader';
import { SharedIndex, SnapshotReader } from '#storage/sqlite/snapshot';
import type { Batch, RollupSource, ScanRequest } from '#storage/store';
import { MemorySeriesStore } from '../memory-store/series-store.ts';

/** Everything is due at once, in the smallest steps, so that every state in between is met. */
const eager: SealLimits = {
  cycleValues: 3000,
  narrowCycleValues: 500,
  signalCyclePoints: 400,
  wideCycleValues: 3000,
  stepPoints: 1,
  stepBytes: 1,
  stepBlocks: 1,
  dueRows: 1,
  dueValues: 1,
  worthwhilePoints: 0,
  overdueRows: 1,
  overdueValues: 1,
  idleRows: 1,
  idleValues: 1,
};

/** Writer, sealer and reader of one file, without their threads. */
class Bench {
  readonly memory = new MemorySeriesStore();
  readonly #directory: string;
  /** Blocks that were damaged, as they were before. */
  readonly #sound = new Map<number, Uint8Array>();
  #db: DatabaseSync;
  #log: LogWriter;
  #seal: SealWriter;
  #sealDb: DatabaseSync;
  #sealer: Sealer;
  #eraser: Eraser;
  #readDb: DatabaseSync;
  #shared = new SharedIndex(100_000, 100_000);
  #snapshot: SnapshotReader;

  constructor(directory: string) {
    this.#directory = directory;
    this.#db = openForWriting(directory);
    this.#log = new LogWriter(this.#db);
    this.#seal = new SealWriter(this.#db);
    this.#sealDb = openForReading(directory);
    const sealShared = new SharedIndex(50_000, 0);
    this.#sealer = new Sealer(this.#sealDb, eager, sealShared);
    this.#eraser = new Eraser(this.#sealDb, sealShared, 1);
    this.#readDb = openForReading(directory);
    this.#snapshot = new SnapshotReader(this.#readDb, this.#shared);
  }

  async append(batch: Batch): Promise<void> {
    const row = encodeRow(batch);
    if (row !== null) this.#inTransaction(() => this.#log.append([row.buffer], [row.headBytes]));
    await this.memory.append(batch);
  }

  async deleteSignals(signals: number[]): Promise<void> {
    this.#inTransaction(() => this.#log.deleteSignals(signals));
    await this.memory.deleteSignals(signals);
  }

  /** Deletes points in the smallest steps; the first may come too late, and is made again then. */
  async deletePoints(signals: number[], window: Window, isLate: boolean): Promise<void> {
    // What of a damaged block would go cannot be counted.
    this.repair();
    const expected = await this.memory.deletePoints(signals, window);
    const progress = new EraseProgress(signals, window);
    while (!progress.isDone) {
      const answer = this.#eraser.plan({ ...progress.next(), pointsMax: 1, mayDefer: false })!;
      const { step } = answer;
      if (isLate) this.step(false);
      isLate = false;
      if (step !== null && !this.#inTransaction(() => this.#seal.erase(step))) continue;
      progress.note(answer);
    }
    assert.deepEqual(progress.counts, expected);
  }

  look(): void {
    this.#sealer.look(false);
  }

  /** Makes a step, and applies it after something else was appended. */
  async stepLate(batch: Batch): Promise<void> {
    const step = this.#sealer.step();
    await this.append(batch);
    if (step !== null) this.#inTransaction(() => this.#seal.apply(step));
  }

  /** Makes a step and applies it, or loses it. */
  step(isLost: boolean): void {
    const step = this.#sealer.step();
    if (step !== null && !isLost) this.#inTransaction(() => this.#seal.apply(step));
  }

  sealAll(): void {
    while (this.#sealer.look(false).isDue && this.#sealCycle());
    this.trim();
    while (this.#seal.vacuum({ keepPages: 0, isIdle: true }));
  }

  /** Whether nothing had to stay in the log. */
  #sealCycle(): boolean {
    let isSound = true;
    for (let step = this.#sealer.step(); step !== null; step = this.#sealer.step()) {
      const made = step;
      isSound &&= made.stranded.length === 0;
      if (!this.#inTransaction(() => this.#seal.apply(made))) break;
    }
    return isSound;
  }

  /** Flips a bit of a block. */
  damage(index: number): void {
    const blocks = this.#db.prepare('select id, data from series_block order by id').all();
    if (blocks.length === 0) return;
    const { id, data } = blocks[index % blocks.length] as { id: number; data: Uint8Array };
    if (!this.#sound.has(id)) this.#sound.set(id, data);
    const flipped = data.slice();
    flipped[flipped.length >> 1] ^= 4;
    this.#db.prepare('update series_block set data = ? where id = ?').run(flipped, id);
  }

  repair(): void {
    for (const [id, data] of this.#sound) {
      this.#db.prepare('update series_block set data = ? where id = ?').run(data, id);
    }
    this.#sound.clear();
  }

  trim(): void {
    while (this.#inTransaction(() => this.#seal.trim()));
  }

  logRowCount(): number {
    return Number(this.#db.prepare('select count(*) as count from series_log').get()?.count);
  }

  /** As after a crash: everything that was in memory is gone. */
  reopen(): void {
    this.close();
    this.#db = openForWriting(this.#directory);
    this.#log = new LogWriter(this.#db);
    this.#seal = new SealWriter(this.#db);
    this.#sealDb = openForReading(this.#directory);
    const sealShared = new SharedIndex(50_000, 0);
    this.#sealer = new Sealer(this.#sealDb, eager, sealShared);
    this.#eraser = new Eraser(this.#sealDb, sealShared, 1);
    this.#readDb = openForReading(this.#directory);
    this.#shared = new SharedIndex(100_000, 100_000);
    this.#snapshot = new SnapshotReader(this.#readDb, this.#shared);
  }

  close(): void {
    for (const db of [this.#db, this.#sealDb, this.#readDb]) db.close();
  }

  /** Every answer is right, or an error that names a damaged block. */
  async compare(request: ScanRequest): Promise<void> {
    const expected = await this.memory.scan(request);
    this.#unlessDamaged(() => {
      const found = this.#read(() => prepareScan(this.#snapshot, this.#shared.head, request));
      assert.deepEqual(found, expected);
    });
    for (const [i, source] of request.sources.entries()) {
      this.#unlessDamaged(() => this.#compareRollup(source, expected[i]));
    }
    const neighboured = request.sources.map((source) => ({ ...source, before: true, after: true }));
    for (const [i, points] of (await this.memory.scan({ sources: neighboured })).entries()) {
      this.#unlessDamaged(() => this.#compareStates(request.sources[i], points));
    }
  }

  /** Seconds in states (Q10), where the present lies in the middle of the points. */
  #compareStates(
    { signals, window }: ScanRequest['sources'][number],
    points: Parameters<typeof rollUp>[0],
  ): void {
    const buckets = bucketsFrom(window.startUs - 50);
    const source = { signals, window, statistics: [], states: 'seen', gapUs: 9000 } as const;
    const nowUs = 5000;
    const [found] = this.#read(() =>
      prepareRollup(this.#snapshot, this.#shared.head, { sources: [source], buckets, nowUs }, 100),
    );
    assert.deepEqual(found, rollUp(points, source, buckets, nowUs));
  }

  #unlessDamaged(read: () => void): void {
    try {
      read();
    } catch (error) {
      const named = /^block (\d+) of signal \d in tidemark.db is damaged/.exec((error as Error).message);
      if (named === null || !this.#sound.has(Number(named[1]))) throw error;
    }
  }

  #compareRollup(
    { signals, window }: ScanRequest['sources'][number],
    points: Parameters<typeof rollUp>[0],
  ): void {
    const buckets = bucketsFrom(window.startUs - 50);
    const mergeable = ['count', 'sum', 'min', 'max', 'avg', 'first', 'last', 'stddev'] as const;
    for (const statistics of [mergeable, [...mergeable, 'median', 'p95'] as const]) {
      this.#compareStatistics({ signals, window, statistics, states: [], gapUs: Infinity }, points, buckets);
    }
  }

  #compareStatistics(source: RollupSource, points: Parameters<typeof rollUp>[0], buckets: Buckets): void {
    const inside = { ...points };
    const expected = rollUp(inside, source, buckets, 0);
    const [found] = this.#read(() =>
      prepareRollup(this.#snapshot, this.#shared.head, { sources: [source], buckets, nowUs: 0 }, 100),
    );
    for (const [statistic, column] of expected.statistics) {
      const other = found.statistics.get(statistic)!;
      for (const [i, value] of column.entries()) assertNear(other[i], value, `${statistic} of bucket ${i}`);
    }
  }

  #read<T>(prepare: () => Prepared<T>): T {
    this.#snapshot.begin();
    try {
      const pieces = prepare()(Number.POSITIVE_INFINITY);
      for (;;) {
        const { done, value } = pieces.next();
        if (done === true) return value;
      }
    } finally {
      this.#snapshot.end();
    }
  }

  #inTransaction<T>(work: () => T): T {
    this.#db.exec('begin immediate');
    const result = work();
    this.#db.exec('commit');
    return result;
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

const signal = fc.integer({ min: 1, max: 4 });

/** Mostly growing, often late, sometimes far away; values with awkward ones among them. */
const batch = fc
  .record({
    startUs: fc.integer({ min: -20_000, max: 20_000 }),
    steps: fc.oneof(
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 2000 }).map((length) => new Array<number>(length).fill(10)),
    ),
    signals: fc.uniqueArray(signal, { minLength: 1, maxLength: 3 }),
    seed: fc.integer({ min: 1, max: 1000 }),
  })
  .map(({ startUs, steps, signals, seed }) => {
    const timesUs = new Float64Array(steps.length);
    let timeUs = startUs;
    steps.forEach((step, i) => {
      timeUs += step;
      timesUs[i] = timeUs;
    });
    const values = new Float64Array(signals.length * steps.length);
    for (let i = 0; i < values.length; i++) values[i] = valueAt(i, seed);
    return { timesUs, signals, values };
  });

function valueAt(i: number, seed: number): number {
  const hash = Math.imul(i + 1, 2654435761) ^ Math.imul(seed, 40503);
  if (hash % 11 === 0) return Number.NaN;
  if (hash % 13 === 0) return -0;
  return seed % 3 === 0 ? (hash % 6) + 0 : (hash % 10_000) / 100;
}

const window = fc
  .tuple(fc.integer({ min: -25_000, max: 45_000 }), fc.integer({ min: -10, max: 50_000 }))
  .map(([startUs, length]) => ({ startUs, endUs: startUs + length }));

const request: fc.Arbitrary<ScanRequest> = fc
  .array(
    fc.record({
      signals: fc.uniqueArray(signal, { minLength: 1, maxLength: 2 }),
      window,
      before: fc.boolean(),
      after: fc.boolean(),
    }),
    { minLength: 1, maxLength: 3 },
  )
  .map((sources) => ({ sources }));

type Command = (bench: Bench) => Promise<void> | void;

const appending: fc.Arbitrary<Command> = batch.map((made) => (bench: Bench) => bench.append(made));

const damaging: fc.Arbitrary<Command> = fc.nat(20).map((index) => (bench: Bench) => bench.damage(index));

/** What goes on all the time. */
const ordinary: fc.WeightedArbitrary<Command>[] = [
  { weight: 8, arbitrary: appending },
  { weight: 6, arbitrary: request.map((made) => (bench: Bench) => bench.compare(made)) },
  { weight: 3, arbitrary: fc.constant((bench: Bench) => bench.look()) },
  { weight: 6, arbitrary: fc.constant((bench: Bench) => bench.step(false)) },
  { weight: 1, arbitrary: fc.constant((bench: Bench) => bench.step(true)) },
  { weight: 3, arbitrary: batch.map((made) => (bench: Bench) => bench.stepLate(made)) },
  { weight: 1, arbitrary: fc.constant((bench: Bench) => bench.trim()) },
  { weight: 2, arbitrary: fc.constant((bench: Bench) => bench.sealAll()) },
  { weight: 1, arbitrary: fc.constant((bench: Bench) => bench.reopen()) },
];

const command: fc.Arbitrary<Command> = fc.oneof(
  ...ordinary,
  { weight: 1, arbitrary: damaging },
  { weight: 1, arbitrary: fc.constant((bench: Bench) => bench.repair()) },
  { weight: 1, arbitrary: signal.map((one) => (bench: Bench) => bench.deleteSignals([one])) },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.uniqueArray(signal, { maxLength: 3 }), window, fc.boolean()).map(
      ([signals, range, isLost]) =>
        (bench: Bench) =>
          bench.deletePoints(signals, range, isLost),
    ),
  },
);

const everything: ScanRequest = {
  sources: [1, 2, 3, 4].map((one) => ({
    signals: [one],
    window: { startUs: -1e6, endUs: 1e6 },
    before: false,
    after: false,
  })),
};

/** Blocks of some signals, of which some are damaged, and then what goes on all the time. */
const withDamage: fc.Arbitrary<Command[]> = fc
  .tuple(
    fc.array(appending, { minLength: 1, maxLength: 3 }),
    fc.array(damaging, { minLength: 1, maxLength: 3 }),
    fc.array(fc.oneof(...ordinary), { minLength: 4, maxLength: 30 }),
  )
  .map(([appends, damages, others]) => [...appends, (bench) => bench.sealAll(), ...damages, ...others]);

/** Runs commands, mends what was damaged, and compares everything that there is. */
async function runAll(commands: readonly Command[]): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-store-'));
  const bench = new Bench(directory);
  try {
    for (const run of commands) await run(bench);
    bench.repair();
    await bench.compare(everything);
    bench.sealAll();
    assert.equal(bench.logRowCount(), 0);
    await bench.compare(everything);
  } finally {
    bench.close();
    await rm(directory, { recursive: true });
  }
}

describe('sqlite: log, blocks and sealing', () => {
  const numRuns = Number(process.env.FC_RUNS ?? 40);

  it('R9 answer like the memory store under random commands', async () => {
    await fc.assert(fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 40 }), runAll), {
      numRuns,
    });
  });

  it('R9 answer right or name the damaged block, and lose nothing that comes while there is one', async () => {
    await fc.assert(fc.asyncProperty(withDamage, runAll), { numRuns });
  });
});
