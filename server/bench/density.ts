/** Bytes a point on the disk, for three generated sets whose entropy is known: each in a file of its own, sealed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Points } from '#model/frame';
import { limitDefaults } from '#model/limits';
import { sqliteFiles } from '#storage/sqlite/files';
import { databasePath } from '#storage/sqlite/paths';
import { openSqlite } from '#storage/sqlite/store';
import type { StoreStats } from '#storage/store';
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
  const empty = await inDirectory((directory) => statsAfter(directory, []));
  const measure = (set: GeneratedSet) => densityOf(set, run.isTiny ? 10_000 : 100_000, used(empty));
  if (run.isTiny) return run.print(await Promise.all(generatedSets.map(measure)));
  const figures: Figure[] = [];
  for (const set of generatedSets) figures.push(...run.print([await measure(set)]));
  return figures;
}

const signalCount = 10;
const batchRows = 10_000;

/** Bytes that are in use, of which those of the log will not be for long. */
function used({ fileBytes, freeBytes, logBytes }: StoreStats): number {
  return fileBytes - freeBytes - logBytes;
}

async function inDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'tidemark-density-'));
  try {
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function densityOf(
  { name, most, make }: GeneratedSet,
  rows: number,
  emptyBytes: number,
): Promise<Figure> {
  const sets = Array.from({ length: signalCount }, (_, k) => make(rows, 100 + k));
  const full = await inDirectory((directory) => statsAfter(directory, sets));
  // A few blocks fit into the pages of an empty file.
  const value = Math.max(used(full) - emptyBytes, full.blockBytes) / full.blockPoints;
  const blocks = (full.blockBytes / full.blockPoints).toPrecision(3);
  const note = `${blocks} without the directory and free space in pages; ${full.blocks} blocks`;
  return { name: `on disk: ${name}`, value, unit: 'bytes/point', target: { most }, note };
}

/** Appended points become blocks in the background; less than a hundred thousand values may stay in the log. */
async function untilInBlocks(directory: string): Promise<void> {
  for (let i = 0; i < 600; i++) {
    const { blockPoints, logBytes } = statsOf(directory);
    if (blockPoints > 0 && logBytes < 800_000) return;
    await sleep(100);
  }
  throw new Error('the points did not become blocks within a minute');
}

async function statsAfter(directory: string, sets: readonly Points[]): Promise<StoreStats> {
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const store = await openSqlite({
    directory,
    clock: systemClock,
    log,
    limits: limitDefaults,
    serving: true,
  });
  try {
    for (const [k, { timesUs, values }] of sets.entries()) {
      for (let from = 0; from < timesUs.length; from += batchRows) {
        const [times, column] = [timesUs, values].map((all) => all.slice(from, from + batchRows));
        await store.series.append({ timesUs: times, signals: [k + 1], values: column });
      }
    }
    if (sets.length > 0) await untilInBlocks(directory);
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
