/** Sealing goes in steps of bounded size, and appends go between them. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { limitDefaults } from '#model/limits';
import { openForReading, openForWriting } from '#storage/sqlite/connection';
import { encodeRow } from '#storage/sqlite/log-row';
import { LogWriter } from '#storage/sqlite/log-writer';
import { databasePath } from '#storage/sqlite/paths';
import { SealWriter } from '#storage/sqlite/seal-writer';
import { Sealer, sealLimits } from '#storage/sqlite/sealer';
import { openSqlite } from '#storage/sqlite/store';
import type { Batch } from '#storage/store';
import { temporaryDirectory } from '../../../support/directory.ts';
import { sealed } from '../../../support/sealed.ts';
import { stoppedClock as clock, silentLog as log } from '../../../support/world.ts';

async function newDirectory(t: TestContext): Promise<string> {
  const directory = await temporaryDirectory(t);
  return directory;
}

/** Values that do not compress. */
function batchOf(signalCount: number, rows: number): Batch {
  return {
    timesUs: Float64Array.from({ length: rows }, (_, i) => i * 1000),
    signals: Array.from({ length: signalCount }, (_, k) => k + 1),
    values: Float64Array.from({ length: signalCount * rows }, (_, i) => Math.sin(i)),
  };
}

const bounds: [string, Partial<typeof sealLimits>, number][] = [
  ['points', { stepPoints: 20_000 }, 10],
  ['bytes of blocks', { stepBytes: 100_000 }, 10],
  ['blocks', { stepBlocks: 4 }, 10],
];
for (const [what, limit, stepsLeast] of bounds) {
  test(`a step ends at so many ${what}, but for the signal that it has begun`, async (t) => {
    const directory = await newDirectory(t);
    const [db, readDb] = [openForWriting(directory), openForReading(directory)];
    const [signalCount, rows] = [40, 5000];
    const { buffer, headBytes } = encodeRow(batchOf(signalCount, rows))!;
    new LogWriter(db).append([buffer], [headBytes]);
    const limits = { ...sealLimits, idleRows: 1, ...limit };
    const sealer = new Sealer(readDb, limits);
    const writer = new SealWriter(db);
    assert.ok(sealer.look(true).isDue);
    let stepCount = 0;
    for (let step = sealer.step(); step !== null; step = sealer.step()) {
      stepCount++;
      const signals = new Set(step.added.map(({ signal }) => signal)).size;
      assert.ok((signals - 1) * rows < limits.stepPoints, `${signals} signals`);
      const bytesOfOne = step.data.byteLength / Math.max(1, signals);
      assert.ok(step.data.byteLength < limits.stepBytes + bytesOfOne, `${step.data.byteLength} bytes`);
      assert.ok(step.added.length < limits.stepBlocks + 4, `${step.added.length} blocks`);
      assert.ok(writer.apply(step));
    }
    readDb.close();
    db.close();
    assert.ok(stepCount >= stepsLeast, `${stepCount} steps`);
  });
}

test('R9 appends are acknowledged while a long log is sealed', { timeout: 120_000 }, async (t) => {
  const directory = await newDirectory(t);
  const { series, close } = await openSqlite({ directory, clock, log, limits: limitDefaults, serving: true });
  await series.append(batchOf(60, 50_000));
  const isSealing = async () => ((await series.figures?.())?.sealLagS ?? 0) > 0;
  for (let i = 0; i < 1000 && !(await isSealing()); i++) await wait(5);
  assert.ok(await isSealing(), 'sealing has begun');
  let appendCount = 0;
  while (await isSealing()) {
    await series.append({ timesUs: Float64Array.of(appendCount), signals: [99], values: Float64Array.of(1) });
    appendCount++;
  }
  assert.ok(appendCount > 0, 'an append was acknowledged before sealing had ended');
  assert.deepEqual(await series.countPoints([99], { startUs: 0, endUs: 1e9 }), [appendCount]);
  await close();
});

test('R9 sealing that failed is tried again, though nothing more comes', { timeout: 60_000 }, async (t) => {
  const directory = await newDirectory(t);
  const { series, close } = await openSqlite({ directory, clock, log, limits: limitDefaults, serving: true });
  const db = new DatabaseSync(databasePath(directory));
  const damage = db.prepare('update series_state set row_check = row_check + ?');
  damage.run(1);
  for (let i = 0; i < 600; i++) {
    await series.append({ timesUs: Float64Array.of(i), signals: [1], values: Float64Array.of(i) });
  }
  const failures = async () => (await series.figures?.())!.sealFailureCount;
  while ((await failures()) === 0) await wait(20);
  damage.run(-1);
  db.close();
  await sealed(directory);
  await close();
});
