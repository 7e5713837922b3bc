/** What the same points, written again and again, make of the file: while that goes on, and when it is over. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { limitDefaults } from '#model/limits';
import { openSqlite } from '#storage/sqlite/store';
import type { SeriesStore } from '#storage/store';
import { systemClock } from '#system-environment';
import { steps } from './data.ts';
import type { Figure } from './report.ts';
import type { Run } from './run.ts';

const signals = Array.from({ length: 20 }, (_, k) => k + 1);
const rowCount = 10_000;

/** Sealing has to keep up: what it is behind is no growth. */
const logBytesMax = 16 * 2 ** 20;

/** When nothing comes any more, tidying up is given this long, ms. */
const restMsMax = 30_000;

/** The largest file of each half of the rounds, and its size when the service is idle, MiB. */
export async function measureOverwrite(run: Run): Promise<Figure[]> {
  const directory = mkdtempSync(join(tmpdir(), 'tidemark-overwrite-'));
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const store = await openSqlite({
    ...{ directory, clock: systemClock, log, limits: limitDefaults, serving: true },
  });
  try {
    const rounds = run.isTiny ? 2 : 200;
    const halves = [
      await largestFile(store.series, 0, rounds / 2),
      await largestFile(store.series, rounds / 2, rounds),
    ];
    const atRest = run.isTiny ? await fileBytes(store.series) : await leftAtRest(store.series);
    const writtenMiB = Math.round((rounds * rowCount * signals.length * 8) / 2 ** 20);
    const name = `${writtenMiB} MiB over the same ${signals.length} × ${rowCount.toLocaleString('en')} points`;
    const figure = (when: string, bytes: number, most: number): Figure => ({
      ...{ name: `file, ${when}`, value: bytes / 2 ** 20, unit: 'MiB', target: { most } },
      note: `${name}; with the write-ahead log`,
    });
    const [first, second] = halves;
    return run.print([
      figure('first half of overwriting', first, 128),
      figure('second half of overwriting', second, Math.ceil((first / 2 ** 20) * 1.1)),
      figure('at rest after overwriting', atRest, 2),
    ]);
  } finally {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function largestFile(series: SeriesStore, from: number, to: number): Promise<number> {
  const timesUs = steps(rowCount, 0, 1e6);
  let most = 0;
  for (let round = from; round < to; round++) {
    const values = new Float64Array(rowCount * signals.length).fill(round);
    await series.append({ timesUs, signals, values });
    while (((await series.figures?.())?.logBytes ?? 0) > logBytesMax) await sleep(5);
    most = Math.max(most, await fileBytes(series));
  }
  return most;
}

/** The file and its write-ahead log. */
async function fileBytes(series: SeriesStore): Promise<number> {
  const figures = await series.figures?.();
  return (figures?.fileBytes ?? 0) + (figures?.walBytes ?? 0);
}

/** Bytes when they no longer change. */
async function leftAtRest(series: SeriesStore): Promise<number> {
  const giveUpMs = performance.now() + restMsMax;
  let bytes = await fileBytes(series);
  for (let same = 0; same < 30 && performance.now() < giveUpMs; ) {
    await sleep(100);
    const now = await fileBytes(series);
    same = now === bytes ? same + 1 : 0;
    bytes = now;
  }
  return bytes;
}
