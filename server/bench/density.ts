/** Bytes a point on the disk, for generated sets whose entropy is known: each in a file of its own, sealed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Points } from '#model/frame';
import { limitDefaults } from '#model/limits';
import { sqliteFiles } from '#storage/sqlite/files';
import { databasePath } from '#storage/sqlite/paths';
import { openSqlite } from '#storage/sqlite/store';
import type { Batch, StoreStats } from '#storage/store';
import { systemClock } from '#system-environment';
import { cycle, jittered, states, steps, walk } from './data.ts';
import type { Figure } from './report.ts';
import type { Run } from './run.ts';

/** One kind of series, made of a seed. */
export interface GeneratedSet {
  name: string;
  /** Bytes a point that should be enough. */
  most: number;
  make(count: number, seed: number): Points;
}

const startUs = Date.UTC(2024, 0, 1) * 1000;
const minuteUs = 60e6;

/** Twenty bits of jitter. */
const late = { stepUs: minuteUs, jitterUs: 2 ** 20 };

/** Rounds down to whole milliseconds. */
function inMs(timesUs: Float64Array): Float64Array {
  return timesUs.map((us) => Math.floor(us / 1000) * 1000);
}

/**
 * The three sets; the second one also with times of whole milliseconds. Their entropy is 0.67, 3.75 (2.5 in ms) and 0.003 bytes
 * a point: 40 steps of the walk; 1,000 steps of noise and 2^20 µs of jitter; a change every 500 points.
 */
export const generatedSets: readonly GeneratedSet[] = [
  {
    name: '2-decimal walk, regular seconds',
    most: 0.71,
    make: (count, seed) => ({ timesUs: steps(count, startUs, 1e6), values: walk(count, seed, 0.4) }),
  },
  {
    name: '3 decimals, minutes with jitter in µs',
    most: 4.4,
    make: (count, seed) => ({
      timesUs: jittered(count, startUs, late, seed),
      values: cycle(count, seed, 1),
    }),
  },
  {
    name: '3 decimals, minutes with jitter in ms',
    most: 3.4,
    make: (count, seed) => ({
      timesUs: inMs(jittered(count, startUs, late, seed)),
      values: cycle(count, seed, 1),
    }),
  },
  {
    name: 'rare states',
    most: 0.016,
    make: (count, seed) => ({ timesUs: steps(count, startUs, minuteUs), values: states(count, seed, 0.002) }),
  },
];

/** Stores each set, and looks at what its file has become. */
export async function measureDensity(run: Run): Promise<Figure[]> {
  const emptyBytes = used(await inDirectory((directory) => statsAfter(directory, [])));
  const measure = (set: GeneratedSet) => densityOf(set, run.isTiny ? 10_000 : 100_000, emptyBytes);
  const measureRows = () => densityOfRows(run.isTiny ? 100 : 1000, run.isTiny ? 2000 : 4000, emptyBytes);
  if (run.isTiny) return run.print(await Promise.all([...generatedSets.map(measure), measureRows()]));
  const figures: Figure[] = [];
  for (const set of generatedSets) figures.push(...run.print([await measure(set)]));
  return [...figures, ...run.print([await measureRows()])];
}

/** Values of the second set, with one column of times for all signals: each batch is one row. */
export const sharedRows = '3 decimals, rows a minute apart with jitter in µs';

async function densityOfRows(signalCount: number, rows: number, emptyBytes: number): Promise<Figure> {
  const signals = Array.from({ length: signalCount }, (_, k) => k + 1);
  const timesUs = jittered(rows, startUs, late, 100);
  const columns = signals.map((k) => cycle(rows, 100 + k, 1));
  const batches = Array.from(timesUs, (timeUs, row) => ({
    ...{ timesUs: Float64Array.of(timeUs), signals },
    values: Float64Array.from(columns, (column) => column[row]),
  }));
  const full = await inDirectory((directory) => statsAfter(directory, batches));
  return figureOf({ name: sharedRows, most: 2 }, full, emptyBytes);
}

const signalCount = 10;
const batchRows = 10_000;

/** Bytes that are in use for blocks: those of the log will not be for long, and those of kept batches are bounded. */
function used({ fileBytes, freeBytes, logBytes, keptBytes }: StoreStats): number {
  return fileBytes - freeBytes - logBytes - keptBytes;
}

async function inDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'tidemark-density-'));
  try {
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function densityOf(set: GeneratedSet, rows: number, emptyBytes: number): Promise<Figure> {
  const batches = Array.from({ length: signalCount }, (_, k) => batchesOf(set.make(rows, 100 + k), k + 1));
  const full = await inDirectory((directory) => statsAfter(directory, batches.flat()));
  return figureOf(set, full, emptyBytes);
}

function batchesOf({ timesUs, values }: Points, signal: number): Batch[] {
  return Array.from({ length: Math.ceil(timesUs.length / batchRows) }, (_, part) => {
    const [times, column] = [timesUs, values].map((all) =>
      all.slice(part * batchRows, (part + 1) * batchRows),
    );
    return { timesUs: times, signals: [signal], values: column };
  });
}

function figureOf({ name, most }: Pick<GeneratedSet, 'name' | 'most'>, full: StoreStats, emptyBytes: number) {
  const inBlocks = full.blockBytes + full.timeColumnBytes;
  // A few blocks fit into the pages of an empty file.
  const value = Math.max(used(full) - emptyBytes, inBlocks) / full.blockPoints;
  const blocks = (inBlocks / full.blockPoints).toPrecision(3);
  const note = `${blocks} without the directory and free space in pages; ${full.blocks} blocks`;
  return { name: `on disk: ${name}`, value, unit: 'bytes/point', target: { most }, note };
}

/** How often a store is examined, ms: rows of the log that are in blocks are deleted within that time. */
const pollMs = 250;

/** Appended points become blocks in the background; less than a hundred thousand values may stay in the log. */
async function untilInBlocks(directory: string): Promise<void> {
  let usedBytes = 0;
  for (let i = 0; i < 240; i++) {
    const stats = statsOf(directory);
    const isSealed = stats.blockPoints > 0 && stats.logBytes < 800_000;
    if (isSealed && used(stats) === usedBytes) return;
    usedBytes = used(stats);
    await sleep(pollMs);
  }
  throw new Error('the points did not become blocks within a minute');
}

/** Batches that are stored at a time. */
const appendsMax = 64;

async function statsAfter(directory: string, batches: readonly Batch[]): Promise<StoreStats> {
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const store = await openSqlite({
    directory,
    clock: systemClock,
    log,
    limits: limitDefaults,
    serving: true,
  });
  try {
    for (let from = 0; from < batches.length; from += appendsMax) {
      const some = batches.slice(from, from + appendsMax);
      await Promise.all(some.map((batch) => store.series.append(batch)));
    }
    if (batches.length > 0) await untilInBlocks(directory);
  } finally {
    await store.close();
  }
  return statsOf(directory);
}

function statsOf(directory: string): StoreStats {
  const inspection = sqliteFiles.inspect(databasePath(directory));
  try {
    return inspection.stats(0);
  } finally {
    inspection.close();
  }
}
