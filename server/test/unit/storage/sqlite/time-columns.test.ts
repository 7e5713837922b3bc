/** Signals that are written in the same rows share their stored times, for as long as blocks refer to them. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { openForReading, openForWriting } from '#storage/sqlite/connection';
import { Eraser } from '#storage/sqlite/eraser';
import { encodeRow } from '#storage/sqlite/log-row';
import { LogWriter } from '#storage/sqlite/log-writer';
import { SealWriter } from '#storage/sqlite/seal-writer';
import { Sealer, sealLimits } from '#storage/sqlite/sealer';
import { prepareScan } from '#storage/sqlite/series-reader';
import { SharedIndex, SnapshotReader } from '#storage/sqlite/snapshot';
import { readStats } from '#storage/sqlite/stats';
import { TimeMigration } from '#storage/sqlite/time-migration';
import { MemorySeriesStore } from '../../../memory-store/series-store.ts';
import { SeededRandom } from '../../../support/world.ts';

const signals = Array.from({ length: 20 }, (_, k) => k + 1);
const everything = { startUs: -1e15, endUs: 1e15 };

/** A minute apart, each late by up to a second. */
function times(from: number, count: number): Float64Array {
  const late = new SeededRandom(from + 1).bytes(4 * count);
  const view = new DataView(late.buffer, late.byteOffset);
  return Float64Array.from({ length: count }, (_, i) => (from + i) * 60e6 + (view.getUint32(4 * i) % 1e6));
}

/** A file without threads, and the memory store with the same points. */
class Rig {
  readonly memory = new MemorySeriesStore();
  readonly db: DatabaseSync;
  readonly #seal: SealWriter;
  readonly #log: LogWriter;

  constructor(directory: string) {
    this.db = openForWriting(directory);
    this.#log = new LogWriter(this.db);
    this.#seal = new SealWriter(this.db);
  }

  static async make(t: TestContext): Promise<Rig> {
    const directory = await mkdtemp(join(tmpdir(), 'tidemark-time-columns-'));
    const rig = new Rig(directory);
    t.after(async () => {
      rig.db.close();
      await rm(directory, { recursive: true });
    });
    return rig;
  }

  /** Appends rows with a value for each signal; `isMissing`: which of them have none. */
  async append(
    some: readonly number[],
    timesUs: Float64Array,
    isMissing = (_row: number, _signal: number) => false,
  ): Promise<void> {
    const values = new Float64Array(timesUs.length * some.length);
    for (let i = 0; i < values.length; i++) {
      const [row, column] = [i % timesUs.length, Math.floor(i / timesUs.length)];
      values[i] = isMissing(row, some[column]) ? Number.NaN : Math.floor(row / 50) + some[column];
    }
    const batch = { timesUs, signals: some, values };
    const { buffer, headBytes } = encodeRow(batch)!;
    this.#log.append([buffer], [headBytes]);
    await this.memory.append(batch);
  }

  seal(): void {
    this.#read((db) => {
      const sealer = new Sealer(db, { ...sealLimits, idleRows: 1 });
      assert.ok(sealer.look(true).isDue);
      for (let step = sealer.step(); step !== null; step = sealer.step()) {
        this.db.exec('begin');
        assert.ok(this.#seal.apply(step));
        this.db.exec('commit');
      }
    });
    while (this.#seal.trim());
  }

  /** Lets signals share the times of blocks that were stored without; the number of steps. */
  migrate(limits = sealLimits, stepsMax = Number.POSITIVE_INFINITY): number {
    return this.#read((db) => {
      const migration = new TimeMigration(db, new SharedIndex(0, 0), limits);
      let stepCount = 0;
      for (let isApplied = false; stepCount < stepsMax; stepCount++) {
        const step = migration.plan(isApplied);
        if (step === null) break;
        isApplied = this.#seal.erase(step, false);
      }
      while (this.#seal.trim());
      return stepCount;
    });
  }

  async erase(some: readonly number[], endUs: number): Promise<void> {
    const window = { startUs: everything.startUs, endUs };
    this.#read((db) => {
      const eraser = new Eraser(db, new SharedIndex(0, 0), 1000);
      const { step } = eraser.plan({ signals: some, window, pointsMax: 1e9, mayDefer: false })!;
      this.#seal.erase(step!, true);
    });
    while (this.#seal.trim());
    await this.memory.deletePoints(some, window);
  }

  async deleteSignals(some: readonly number[]): Promise<void> {
    this.#log.deleteSignals(some);
    while (this.#seal.trim());
    await this.memory.deleteSignals(some);
  }

  /** Compares the points of a signal with those of the memory store. */
  async compare(signal: number): Promise<void> {
    const sources = [{ signals: [signal], window: everything, before: false, after: false }];
    const [expected] = await this.memory.scan({ sources });
    const found = this.#read((db) => {
      const shared = new SharedIndex(0, 0);
      const snapshot = new SnapshotReader(db, shared);
      snapshot.begin();
      const pieces = prepareScan(snapshot, shared.head, { sources })(Number.POSITIVE_INFINITY);
      for (;;) {
        const { done, value } = pieces.next();
        if (done === true) return value[0];
      }
    });
    assert.deepEqual(found, expected);
  }

  async compareAll(): Promise<void> {
    for (const signal of signals) await this.compare(signal);
  }

  get stats() {
    return readStats(this.db, 0, true);
  }

  get bytesPerPoint(): number {
    const { blockBytes, timeColumnBytes, blockPoints } = this.stats;
    return (blockBytes + timeColumnBytes) / blockPoints;
  }

  #read<T>(work: (db: DatabaseSync) => T): T {
    const db = openForReading(dirname(this.db.location()!));
    try {
      return work(db);
    } finally {
      db.close();
    }
  }
}

test('the times of rows with many signals are stored once', async (t) => {
  const rig = await Rig.make(t);
  for (let part = 0; part < 3; part++) {
    await rig.append(signals, times(part * 1000, 1000));
    rig.seal();
  }
  await rig.compareAll();
  assert.equal(rig.stats.timeColumns, 3);
  // 20 bits of jitter among 20 signals are an eighth of a byte; each alone would have 2.5 bytes.
  assert.ok(rig.bytesPerPoint < 0.3, `${rig.bytesPerPoint}`);
});

test('signals with missing values, late points and points that overwrite others share the other times', async (t) => {
  const rig = await Rig.make(t);
  await rig.append(signals, times(0, 2000), (row, signal) => row % 100 === signal);
  rig.seal();
  await rig.append([3], Float64Array.of(30e6, 30e6 + 600e6));
  await rig.append([4, 5], times(500, 1));
  rig.seal();
  await rig.compareAll();
  assert.ok(rig.bytesPerPoint < 0.4, `${rig.bytesPerPoint}`);
});

test('rows of one value each are shared by signals that are not in all of them', async (t) => {
  const rig = await Rig.make(t);
  for (const [i, timeUs] of times(0, 300).entries()) {
    const some = signals.filter((signal) => (i * 7 + signal) % 20 !== 0);
    await rig.append(some, Float64Array.of(timeUs));
  }
  rig.seal();
  await rig.compareAll();
  assert.equal(rig.stats.timeColumns, 1);
  assert.ok(rig.bytesPerPoint < 0.7, `${rig.bytesPerPoint}`);
});

test('signals with rows of their own, and regular times, have no shared columns', async (t) => {
  const rig = await Rig.make(t);
  for (const signal of [1, 2, 3]) await rig.append([signal], times(signal, 1000));
  await rig.append(
    [4, 5, 6],
    Float64Array.from({ length: 1000 }, (_, i) => i * 60e6),
  );
  rig.seal();
  await rig.compareAll();
  assert.equal(rig.stats.timeColumns, 0);
});

test('a column is deleted when no block refers to it any more, and not before', async (t) => {
  const rig = await Rig.make(t);
  for (let part = 0; part < 4; part++) {
    await rig.append(signals, times(part * 500, 500));
    rig.seal();
  }
  assert.equal(rig.stats.timeColumns, 4);
  await rig.erase(signals.slice(1), 750 * 60e6);
  await rig.compareAll();
  assert.equal(rig.stats.timeColumns, 4);
  await rig.erase([1], 750 * 60e6);
  await rig.compareAll();
  assert.equal(rig.stats.timeColumns, 3);
  await rig.deleteSignals(signals.slice(1));
  await rig.compareAll();
  assert.equal(rig.stats.timeColumns, 3);
  await rig.deleteSignals([1]);
  assert.equal(rig.stats.timeColumns, 0);
});

test('a column whose count is damaged is kept', async (t) => {
  const rig = await Rig.make(t);
  await rig.append(signals, times(0, 500));
  rig.seal();
  rig.db.exec('update series_times set refs = 0');
  await rig.append(signals, times(500, 500));
  rig.seal();
  await rig.compareAll();
  await rig.deleteSignals(signals);
  assert.equal(rig.stats.timeColumns, 1);
});

test('R9 a column that is missing is an error, and nothing is added to blocks that refer to it', async (t) => {
  const rig = await Rig.make(t);
  await rig.append(signals, times(0, 500));
  await rig.append([21], times(0, 500));
  rig.seal();
  rig.db.exec('create temp table kept as select * from series_times; delete from series_times');
  const missing =
    /^AppError: block \d+ of signal 7 in tidemark.db is damaged: time column \d+ is damaged: it is missing; it holds 500 points/;
  await assert.rejects(rig.compare(7), missing);
  await rig.compare(21);
  await rig.append([7, 8], Float64Array.of(90e6, 1e12));
  rig.seal();
  await assert.rejects(rig.compare(7), missing);
  rig.db.exec('insert into series_times select id, refs, row_check, 0 from kept');
  await assert.rejects(rig.compare(7), /time column \d+ is damaged: its row differs/);
  rig.db.exec('delete from series_times; insert into series_times select * from kept');
  await rig.compareAll();
});

/** Blocks as earlier formats have them: each signal is sealed alone, so its times are its own. */
async function withOwnTimes(t: TestContext, count: number): Promise<Rig> {
  const rig = await Rig.make(t);
  for (const signal of [1, 2, 3]) await rig.append([signal], times(0, count), (row) => row % 999 === signal);
  await rig.append([4], times(7, count));
  await rig.append(
    [5, 6],
    Float64Array.from({ length: count }, (_, i) => i * 60e6),
  );
  rig.seal();
  assert.equal(rig.stats.timeColumns, 0);
  return rig;
}

test('R9 blocks with times of their own are rewritten to share them, step by step', async (t) => {
  const rig = await withOwnTimes(t, 150_000);
  const before = rig.bytesPerPoint;
  const limits = { ...sealLimits, stepPoints: 1 };
  assert.equal(rig.migrate(limits, 4), 4);
  await rig.compareAll();
  await rig.append([1, 2, 3], times(150_000, 500));
  rig.seal();
  assert.ok(rig.migrate(limits) >= 9);
  await rig.compareAll();
  assert.ok(rig.bytesPerPoint < 0.7 * before, `${rig.bytesPerPoint} bytes a point, before ${before}`);
  assert.equal(rig.migrate(), 0);
});

test('R9 rewriting goes on after other changes, and after steps that were not applied', async (t) => {
  const rig = await withOwnTimes(t, 40_000);
  const limits = { ...sealLimits, stepPoints: 1 };
  rig.migrate(limits, 1);
  await rig.deleteSignals([1]);
  assert.equal(rig.stats.timeColumns, 0);
  assert.equal(rig.migrate(limits), 2);
  await rig.compareAll();
  assert.ok(rig.stats.timeColumns > 0);
  await rig.deleteSignals([2, 3]);
  assert.equal(rig.stats.timeColumns, 0);
});
