/**
 * Bytes of a store's file are flipped at random, in every kind of page. A read answers what was stored, or an error; and where a
 * read meets damage, a check finds it.
 */
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { cp, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { limitDefaults } from '#model/limits';
import { rollUp } from '#model/rollup';
import { openForReading, openForWriting } from '#storage/sqlite/connection';
import { Eraser } from '#storage/sqlite/eraser';
import { encodeRow } from '#storage/sqlite/log-row';
import { LogWriter } from '#storage/sqlite/log-writer';
import { databasePath } from '#storage/sqlite/paths';
import { prepareRollup } from '#storage/sqlite/rollup-reader';
import { pageBytes } from '#storage/sqlite/schema';
import { SealWriter } from '#storage/sqlite/seal-writer';
import { Sealer, sealLimits } from '#storage/sqlite/sealer';
import { type Prepared, prepareScan, prepareSizes } from '#storage/sqlite/series-reader';
import { SharedIndex, SnapshotReader } from '#storage/sqlite/snapshot';
import { openSqlite } from '#storage/sqlite/store';
import type { Batch, RollupRequest, ScanSource } from '#storage/store';
import { MemorySeriesStore } from '../memory-store/series-store.ts';
import { checkFile } from '../support/file-check.ts';
import { integration, signal } from '../support/resources.ts';
import { FixedClock, KeptLog, SeededRandom } from '../support/world.ts';

/** Flips of each kind: a few by default; the full run sets 1000 or more. */
const rounds = Number(process.env.CORRUPTION_ROUNDS ?? 12);

/** Signals with one block each, so that pages of the directory are full of rows; the last three have several blocks. */
const signalCount = 40;
const longSignals = [38, 39, 40];
const someSignals = Array.from({ length: signalCount }, (_, k) => k + 1).filter((each) => each !== 3);
const everything = { startUs: -1e9, endUs: 1e9 };

/** Irregular times, which the signals share. */
function batchOf(signals: readonly number[], firstUs: number, rows: number, seed: number): Batch {
  return {
    timesUs: Float64Array.from({ length: rows }, (_, i) => firstUs + i * 10 + ((i * i * 7) % 9)),
    signals,
    values: Float64Array.from({ length: rows * signals.length }, (_, i) => Math.sin(i * seed)),
  };
}

/** Writes batches, seals those of them that have to be, and deletes a little; the same in memory. */
async function fill(directory: string): Promise<MemorySeriesStore> {
  const memory = new MemorySeriesStore();
  const made = await openSqlite({
    directory,
    clock: new FixedClock(),
    log: new KeptLog(),
    limits: limitDefaults,
  });
  await made.meta.write(async (tx) => {
    const owner = integration();
    await tx.integrations.insert(owner);
    await tx.signals.insert(Array.from({ length: signalCount }, (_, k) => signal(owner.id, `input-${k}`)));
  });
  await made.close();
  const db = openForWriting(directory);
  const log = new LogWriter(db);
  const append = async (batch: Batch) => {
    const { buffer, headBytes } = encodeRow(batch)!;
    log.append([buffer], [headBytes]);
    await memory.append(batch);
  };
  const all = Array.from({ length: signalCount }, (_, k) => k + 1);
  await append(batchOf(all, 0, 20, 1));
  await append(batchOf(longSignals, 1000, 30_000, 2));
  sealAll(directory, db);
  for (let i = 0; i < 30; i++) await append(batchOf(someSignals, 400_000 + i * 100, 5, 3 + i));
  const readDb = openForReading(directory);
  const eraser = new Eraser(readDb, new SharedIndex(0, 0), 1000);
  const window = { startUs: 50, endUs: 120 };
  const { step } = eraser.plan({ signals: [7], window, pointsMax: 1e9, mayDefer: false })!;
  new SealWriter(db).erase(step!, true);
  await memory.deletePoints([7], window);
  log.deleteSignals([3]);
  await memory.deleteSignals([3]);
  readDb.close();
  db.close();
  return memory;
}

function sealAll(directory: string, db: DatabaseSync): void {
  const readDb = openForReading(directory);
  try {
    const sealer = new Sealer(readDb, { ...sealLimits, idleRows: 1 });
    const writer = new SealWriter(db);
    sealer.look(true);
    for (let step = sealer.step(); step !== null; step = sealer.step()) {
      db.exec('begin');
      assert.ok(writer.apply(step));
      db.exec('commit');
    }
    while (writer.trim());
  } finally {
    readDb.close();
  }
}

/** The file with a byte changed in a page of a table; where. */
async function flip(path: string, table: string, random: SeededRandom): Promise<string> {
  const db = new DatabaseSync(path, { readOnly: true });
  const pages = db.prepare('select pageno from dbstat where name = ? order by pageno').all(table);
  db.close();
  const below = (n: number) => random.bytes(4).reduce((sum, byte) => sum * 256 + byte, 0) % n;
  const page = Number(pages[below(pages.length)].pageno);
  const start = (page - 1) * pageBytes;
  const file = await open(path, 'r+');
  const { buffer: bytes } = await file.read(new Uint8Array(pageBytes), 0, pageBytes, start);
  // Mostly a byte that is in use: pages of small tables are nearly empty.
  const used = Array.from(bytes.keys()).filter((i) => bytes[i] !== 0);
  const at = below(8) === 0 ? below(pageBytes) : used[below(used.length)];
  await file.write(Uint8Array.of(bytes[at] ^ (1 + below(255))), 0, 1, start + at);
  await file.close();
  return `byte ${at} of page ${page}`;
}

/** Reads of one store; each gives the same for the same points. */
class Reads {
  readonly #db: DatabaseSync;
  readonly #shared = new SharedIndex(1e6, 1e6);
  readonly #snapshot: SnapshotReader;

  constructor(directory: string) {
    this.#db = openForReading(directory);
    this.#snapshot = new SnapshotReader(this.#db, this.#shared);
  }

  /** Compares every kind of read with the memory store; how many failed with an error. */
  async compare(memory: MemorySeriesStore): Promise<number> {
    let failures = 0;
    for (const signal of [...someSignals, 3]) {
      for (const source of sourcesOf(signal)) {
        const [expected] = await memory.scan({ sources: [source] });
        failures += this.#attempt(() => {
          const [found] = this.#run(() =>
            prepareScan(this.#snapshot, this.#shared.head, { sources: [source] }),
          );
          assert.deepEqual(found, expected);
        });
        failures += this.#attempt(() => this.#compareRollup(source, expected));
      }
      failures += this.#attempt(() => {
        this.#run(() => prepareSizes(this.#snapshot, this.#shared.head, [signal]));
      });
    }
    return failures;
  }

  /** 1 when it failed because of damage. */
  #attempt(read: () => void): 0 | 1 {
    try {
      read();
      return 0;
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      assert.match((error as Error).message, /damaged|malformed|not a database|corrupt/);
      return 1;
    }
  }

  #compareRollup(source: ScanSource, points: Parameters<typeof rollUp>[0]): void {
    if (source.before || source.after) return;
    const buckets = {
      edgesUs: Float64Array.of(source.window.startUs, 200_000, source.window.endUs),
      stepUs: null,
    };
    const statistics = ['count', 'min', 'max', 'first', 'last', 'sum'] as const;
    const wanted = { ...source, statistics, states: [], gapUs: Infinity };
    const request: RollupRequest = { sources: [wanted], buckets, nowUs: 0 };
    const [found] = this.#run(() => prepareRollup(this.#snapshot, this.#shared.head, request, 1000));
    const expected = rollUp(points, wanted, buckets, 0);
    for (const [statistic, column] of expected.statistics) {
      for (const [i, value] of column.entries()) {
        const other = found.statistics.get(statistic)![i];
        const isNear =
          Object.is(other, value) || Math.abs(other - value) <= 1e-9 * Math.max(1, Math.abs(value));
        assert.ok(isNear, `${statistic} of bucket ${i}: ${other} for ${value}`);
      }
    }
  }

  #run<T>(prepare: () => Prepared<T>): T {
    this.#snapshot.begin();
    try {
      const work = prepare()(Number.POSITIVE_INFINITY);
      for (;;) {
        const { done, value } = work.next();
        if (done === true) return value;
      }
    } finally {
      this.#snapshot.end();
    }
  }

  close(): void {
    this.#db.close();
  }
}

function sourcesOf(signal: number): ScanSource[] {
  const signals = [signal];
  return [
    { signals, window: everything, before: false, after: false },
    { signals, window: { startUs: 100_005, endUs: 250_000 }, before: true, after: true },
    { signals, window: { startUs: 399_000, endUs: 401_000 }, before: false, after: false },
    { signals, window: { startUs: 500_000, endUs: 600_000 }, before: true, after: false },
  ];
}

async function problemsOf(path: string): Promise<string[]> {
  return (await checkFile(path)).problems;
}

const tables = [
  'series_directory',
  'series_signal',
  'series_block',
  'series_times',
  'series_log',
  'series_state',
  'series_deleted',
];

describe('a file with a byte that is not as it was written', () => {
  let root: string;
  let memory: MemorySeriesStore;
  const sound = () => join(root, 'sound');
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'tidemark-corruption-'));
    memory = await fill(sound());
  });
  after(() => rm(root, { recursive: true }));

  it('is sound before', async () => {
    assert.deepEqual(await problemsOf(databasePath(sound())), []);
    const reads = new Reads(sound());
    assert.equal(await reads.compare(memory), 0);
    reads.close();
  });

  for (const table of tables) {
    it(`R9 never gives a wrong number, and a check finds the damage: ${table}`, {
      timeout: 600_000,
    }, async (t) => {
      const seed = Number(process.env.SEED ?? randomInt(1e6));
      const random = new SeededRandom(seed);
      const met = { byReads: 0, byCheck: 0 };
      for (let round = 0; round < rounds; round++) {
        const directory = join(root, 'copy');
        await cp(sound(), directory, { recursive: true });
        const path = databasePath(directory);
        const where = await flip(path, table, random);
        try {
          const hasFailed = await readsFail(directory, memory);
          const problems = await problemsOf(path);
          assert.ok(!hasFailed || problems.length > 0, 'a read met damage that the check has not found');
          met.byReads += Number(hasFailed);
          met.byCheck += Number(problems.length > 0);
          if (round % 4 === 0) await sealsRight(directory, memory);
        } catch (error) {
          assert.fail(`seed ${seed}, round ${round}, ${where} of ${table}: ${(error as Error).stack}`);
        } finally {
          await rm(directory, { recursive: true });
        }
      }
      t.diagnostic(`${rounds} flips: reads met ${met.byReads}, the check ${met.byCheck}`);
    });
  }
});

async function readsFail(directory: string, memory: MemorySeriesStore): Promise<boolean> {
  const reads = new Reads(directory);
  try {
    return (await reads.compare(memory)) > 0;
  } finally {
    reads.close();
  }
}

/** What is sealed and trimmed next to damage is still right, or named. */
async function sealsRight(directory: string, memory: MemorySeriesStore): Promise<void> {
  try {
    const db = openForWriting(directory);
    try {
      sealAll(directory, db);
    } finally {
      db.close();
    }
  } catch (error) {
    assert.match((error as Error).message, /damaged|malformed|not a database|corrupt|constraint/);
  }
  await readsFail(directory, memory);
}
