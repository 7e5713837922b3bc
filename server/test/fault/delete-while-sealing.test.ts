/** One process deletes points while another one writes and seals, and the space that becomes free is given back. */
import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import { limitDefaults } from '#model/limits';
import { openForReading, openForWriting } from '#storage/sqlite/connection';
import { encodeRow } from '#storage/sqlite/log-row';
import { LogWriter } from '#storage/sqlite/log-writer';
import { databasePath } from '#storage/sqlite/paths';
import { SealWriter } from '#storage/sqlite/seal-writer';
import { Sealer } from '#storage/sqlite/sealer';
import { openSqlite } from '#storage/sqlite/store';
import type { SeriesStore } from '#storage/store';
import { temporaryDirectory } from '../support/directory.ts';
import { sealed } from '../support/sealed.ts';
import { stoppedClock as clock, silentLog as log } from '../support/world.ts';

async function newDirectory(t: TestContext): Promise<string> {
  const directory = await temporaryDirectory(t);
  return directory;
}

const open = (directory: string, serving: boolean) =>
  openSqlite({ directory, clock, log, limits: limitDefaults, serving });

const signals = [1, 2, 3, 4];

/** Rows of the batch of a number, a microsecond apart; values that do not compress. */
const rowCount = 10_000;

function batchOf(number: number) {
  const timesUs = Float64Array.from({ length: rowCount }, (_, i) => number * rowCount + i);
  const values = Float64Array.from({ length: rowCount * signals.length }, (_, i) =>
    Math.sin(number * 1e6 + i),
  );
  return { timesUs, signals, values };
}

/** Batches that are stored meanwhile, at most: on a busy machine deletions take seconds, in which many more would arrive. */
const storedMax = 300;

async function countAll(series: SeriesStore, startUs = 0, endUs = 2 ** 53): Promise<number[]> {
  return series.countPoints(signals, { startUs, endUs });
}

test('R15 a command deletes points while a service stores and seals others; neither loses any', async (t) => {
  const directory = await newDirectory(t);
  const service = await open(directory, true);
  t.after(service.close);
  const command = await open(directory, false);
  t.after(command.close);
  let stored = 0;
  let isDone = false;
  const writing = (async () => {
    while ((!isDone && stored < storedMax) || stored < 120) await service.series.append(batchOf(stored++));
  })();
  let deleted = 0;
  for (let part = 0; part < 10; part++) {
    while (stored < part + 30) await new Promise((resolve) => setTimeout(resolve, 5));
    const window = { startUs: part * rowCount + 100, endUs: (part + 1) * rowCount };
    const counts = await command.series.deletePoints(signals, window);
    assert.deepEqual(counts, [9900, 9900, 9900, 9900]);
    assert.deepEqual(await countAll(service.series, window.startUs, window.endUs), [0, 0, 0, 0]);
    deleted += 9900;
  }
  isDone = true;
  await writing;
  assert.deepEqual(await countAll(service.series), new Array(4).fill(stored * rowCount - deleted));
  await command.close();
  await service.close();
  const again = await open(directory, false);
  assert.deepEqual(await countAll(again.series), new Array(4).fill(stored * rowCount - deleted));
  await again.close();
});

/** Deletes most points with a command, and asserts that the file becomes much smaller. */
async function assertGivenBack(directory: string): Promise<void> {
  const path = databasePath(directory);
  const before = (await stat(path)).size;
  const { series, close } = await open(directory, false);
  await series.deletePoints(signals, { startUs: 0, endUs: 19 * rowCount });
  await close();
  const after = (await stat(path)).size;
  assert.ok(after < before / 3, `${before} bytes before, ${after} after`);
}

test('R15 the space of deleted points is given back to the file system', async (t) => {
  const directory = await newDirectory(t);
  const filled = await open(directory, false);
  for (let number = 0; number < 20; number++) await filled.series.append(batchOf(number));
  await sealed(directory);
  await filled.close();
  await assertGivenBack(directory);
});

test('R15 so is that of rows of the log that were sealed by a process that ended before it deleted them', async (t) => {
  const directory = await newDirectory(t);
  const [db, readDb] = [openForWriting(directory), openForReading(directory)];
  for (let number = 0; number < 20; number++) {
    const { buffer, headBytes } = encodeRow(batchOf(number))!;
    new LogWriter(db).append([buffer], [headBytes]);
  }
  const [sealer, writer] = [new Sealer(readDb), new SealWriter(db)];
  while (sealer.look(true).isDue) {
    for (let step = sealer.step(); step !== null; step = sealer.step()) writer.apply(step);
  }
  readDb.close();
  db.close();
  await assertGivenBack(directory);
});
