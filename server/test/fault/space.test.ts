/** Disk space: writing the same points repeatedly does not make the file grow, and afterwards it is as small as the points need. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { limitDefaults } from '#model/limits';
import { keptBytesMax } from '#storage/sqlite/kept-rows';
import { openSqlite } from '#storage/sqlite/store';
import type { SeriesStore, StoreFigures } from '#storage/store';
import { temporaryDirectory } from '../support/directory.ts';
import { FixedClock, KeptLog } from '../support/world.ts';

const rowCount = 10_000;
const signals = Array.from({ length: 20 }, (_, k) => k + 1);
const timesUs = Float64Array.from({ length: rowCount }, (_, i) => i * 1_000_000);

/** Bytes that each round appends to the log. */
const roundBytes = rowCount * signals.length * 8;

/** The write-ahead log is copied into the file when it has 64 MiB: so many rounds make that happen again and again. */
const rounds = 180;

/** Sealing has to keep up, or the log would be what grows. */
const logBytesMax = 16 * 1024 * 1024;

const mebibyte = 1024 * 1024;

async function figuresOf(series: SeriesStore): Promise<StoreFigures> {
  return (await series.figures?.()) ?? assert.fail('the store has no figures');
}

/** Writes other values at the same times; the largest file and write-ahead log until then. */
async function overwrite(series: SeriesStore, from: number, to: number) {
  const most = { fileBytes: 0, walBytes: 0 };
  for (let round = from; round < to; round++) {
    await series.append({
      timesUs,
      signals,
      values: new Float64Array(rowCount * signals.length).fill(round),
    });
    let figures = await figuresOf(series);
    while (figures.logBytes > logBytesMax) {
      await wait(5);
      figures = await figuresOf(series);
    }
    most.fileBytes = Math.max(most.fileBytes, figures.fileBytes);
    most.walBytes = Math.max(most.walBytes, figures.walBytes);
  }
  return most;
}

test('R9 a file does not grow while the same points are written again and again, and is small afterwards', {
  timeout: 180_000,
}, async (t: TestContext) => {
  const directory = await temporaryDirectory(t);
  const log = new KeptLog();
  const store = await openSqlite({
    ...{ directory, clock: new FixedClock(), log, limits: limitDefaults },
    serving: true,
  });
  const { series } = store;
  const half = await overwrite(series, 0, rounds / 2);
  const whole = await overwrite(series, rounds / 2, rounds);
  const shown = [half, whole].map(({ fileBytes, walBytes }) =>
    [fileBytes, walBytes].map((bytes) => (bytes / mebibyte).toFixed(1)).join(' + '),
  );
  t.diagnostic(
    `${(roundBytes * rounds) / mebibyte} MiB written; file + write-ahead log: ${shown.join(', then ')} MiB`,
  );
  assert.ok(whole.fileBytes <= half.fileBytes + logBytesMax, 'the file has grown');
  assert.ok(whole.walBytes <= 96 * mebibyte, 'the write-ahead log has grown');
  assert.ok(whole.fileBytes + whole.walBytes < (roundBytes * rounds) / 2, 'nothing was reclaimed');

  // When nothing comes any more, what is free is given back, and the write-ahead log cut off; the newest rows stay.
  const leftMax = 2 * mebibyte + keptBytesMax;
  let figures = await figuresOf(series);
  for (let i = 0; i < 300 && figures.fileBytes + figures.walBytes > leftMax; i++) {
    await wait(100);
    figures = await figuresOf(series);
  }
  assert.ok(figures.fileBytes <= leftMax, `${figures.fileBytes} bytes are left`);
  assert.equal(figures.walBytes, 0);
  assert.deepEqual(
    log.lines.filter(({ level }) => level === 'error'),
    [],
  );
  const window = { startUs: 0, endUs: 1e12 };
  const [points] = await series.scan({ sources: [{ signals: [20], window, before: false, after: false }] });
  assert.deepEqual(points, { timesUs, values: new Float64Array(rowCount).fill(rounds - 1) });
  await store.close();
});
