/** While the processors are busy sealing waits, as long as the log is short and for some time at most. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openForReading, openForWriting } from '#storage/sqlite/connection';
import { encodeRow } from '#storage/sqlite/log-row';
import { LogWriter } from '#storage/sqlite/log-writer';
import { SealWriter } from '#storage/sqlite/seal-writer';
import { Sealer, sealLimits } from '#storage/sqlite/sealer';
import { temporaryDirectory } from '../../../support/directory.ts';
import { type LocalSealing, LocalStore, turns } from '../../../support/local-store.ts';
import { statsOf } from '../../../support/sealed.ts';

const batchAt = (timeUs: number) => ({
  timesUs: Float64Array.of(timeUs),
  signals: [1, 2],
  values: Float64Array.of(timeUs, -timeUs),
});

/** A process with so many rows in its log, in which every call has been handled, or many were. */
async function afterRows(t: TestContext, count: number, sealing: LocalSealing) {
  const directory = await temporaryDirectory(t);
  const store = await LocalStore.open(directory, true, sealing);
  t.after(() => store.kill());
  const handle = async () => {
    for (let i = 0; i < 100; i++) {
      await turns();
      for (const { role } of store.waiting) await store.deliver(role);
    }
  };
  const appends = Array.from({ length: count }, (_, i) => store.series.append(batchAt(i)));
  await handle();
  await Promise.all(appends);
  return { handle, pointsInBlocks: () => statsOf(directory).blockPoints };
}

test('points stay in the log while the processors are busy, and are sealed afterwards', async (t) => {
  let isBusy = true;
  const { handle, pointsInBlocks } = await afterRows(t, 3, { isBusy: async () => isBusy });
  assert.equal(pointsInBlocks(), 0);
  isBusy = false;
  await handle();
  assert.equal(pointsInBlocks(), 6);
});

test('a long log is sealed though the processors are busy', async (t) => {
  const { pointsInBlocks } = await afterRows(t, 4, { isBusy: async () => true });
  assert.equal(pointsInBlocks(), 8);
});

test('sealing waits for some time at most', async (t) => {
  const { pointsInBlocks } = await afterRows(t, 3, { isBusy: async () => true, waitMs: 0 });
  assert.equal(pointsInBlocks(), 6);
});

test('a cycle that has begun does not wait', async (t) => {
  const directory = await temporaryDirectory(t);
  const [db, readDb] = [openForWriting(directory), openForReading(directory)];
  t.after(() => {
    readDb.close();
    db.close();
  });
  const { buffer, headBytes } = encodeRow(batchAt(1))!;
  new LogWriter(db).append([buffer], [headBytes]);
  const limits = { ...sealLimits, dueRows: 1, worthwhilePoints: 0, stepBlocks: 1 };
  const sealer = new Sealer(readDb, limits);
  const waiting = sealer.look(false, true);
  assert.deepEqual([waiting.isDue, waiting.isWaiting, sealer.step()], [true, true, null]);
  assert.equal(sealer.look(false).isWaiting, false);
  assert.ok(new SealWriter(db).apply(sealer.step()!));
  const resumed = sealer.look(false, true);
  assert.deepEqual([resumed.isDue, resumed.isWaiting], [true, false]);
  assert.notEqual(sealer.step(), null);
});
