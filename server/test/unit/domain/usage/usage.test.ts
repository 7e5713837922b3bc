/** Metering (L4): counted in memory, added to the store in the background. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { Usage } from '#domain/usage/usage';
import { dayOf, emptyTally, printDay } from '#model/usage';
import { XidSource } from '#model/xid';
import type { MetaWrites } from '#storage/meta-store';
import { soleCoordination } from '#threads/coordination';
import { MemoryMetaStore } from '../../../memory-store/meta-store.ts';
import { newId } from '../../../support/resources.ts';
import { FixedClock, KeptLog, SeededRandom } from '../../../support/world.ts';

/** A store whose disk can be full, and whose answers can be lost. */
class FailingStore extends MemoryMetaStore {
  isFull = false;
  losesAnswers = false;

  override async write<T>(work: (tx: MetaWrites) => Promise<T>): Promise<T> {
    if (this.isFull) throw new Error('disk full');
    const result = await super.write(work);
    if (this.losesAnswers) throw new Error('connection lost');
    return result;
  }
}

let meta: FailingStore;
let clock: FixedClock;
let log: KeptLog;
let usage: Usage;
const mine = newId();
/** Each that is opened has another name. */
const random = new SeededRandom();

const open = () => {
  const coordination = soleCoordination(clock);
  const ids = new XidSource(clock, random);
  const limits = { usageDaysMax: 3 };
  return Usage.open({ meta, clock, log, coordination, ids, limits, flushMs: 3_600_000 });
};

beforeEach(async () => {
  meta = new FailingStore();
  clock = new FixedClock('2026-03-01T23:59:50Z');
  log = new KeptLog();
  usage = await open();
});

afterEach(() => usage.close());

const stored = async () =>
  (await meta.usage.list(null, 0)).map(({ day, tally }) => [printDay(day), tally.points, tally.requests]);

it('L4 what is counted is added to the store, once', async () => {
  usage.tally(mine).points += 5;
  usage.tally(mine).requests++;
  await usage.flush();
  await usage.flush();
  assert.deepEqual(await stored(), [['2026-03-01', 5, 1]]);
  usage.tally(mine).points += 2;
  assert.equal(usage.pointsToday(mine), 7);
  await usage.flush();
  assert.deepEqual(await stored(), [['2026-03-01', 7, 1]]);
  assert.equal(usage.pointsToday(mine), 7);
});

it('L4 a day ends at midnight UTC; what was counted before belongs to it', async () => {
  usage.tally(mine).points += 5;
  clock.advance(20);
  assert.equal(usage.pointsToday(mine), 0);
  usage.tally(mine).points += 1;
  await usage.flush();
  assert.deepEqual(await stored(), [
    ['2026-03-01', 5, 0],
    ['2026-03-02', 1, 0],
  ]);
});

it('L4 counts come back after a start, and those of other processes with the next addition', async () => {
  usage.tally(mine).points += 5;
  await usage.close();
  usage = await open();
  assert.equal(usage.pointsToday(mine), 5);
  const other = { integration: mine, day: dayOf(clock.nowUs()), tally: { ...emptyTally(), points: 100 } };
  await meta.write((tx) => tx.usage.add([other]));
  usage.tally(mine).points += 1;
  await usage.flush();
  assert.equal(usage.pointsToday(mine), 106);
});

it('L4 counts that cannot be stored are kept, also over midnight, and stored once', async () => {
  meta.isFull = true;
  usage.tally(mine).points += 5;
  await usage.flush();
  assert.equal(usage.pointsToday(mine), 5);
  assert.deepEqual(
    log.lines.map(({ level }) => level),
    ['warn'],
  );
  usage.tally(mine).points += 1;
  clock.advance(20);
  usage.tally(mine).requests += 3;
  await usage.flush();
  meta.isFull = false;
  await usage.flush();
  await usage.flush();
  assert.deepEqual(await stored(), [
    ['2026-03-01', 6, 0],
    ['2026-03-02', 0, 3],
  ]);
});

it('L4 counts of which the store does not say that it has them are stored once, also over midnight', async () => {
  meta.losesAnswers = true;
  for (let i = 0; i < 3; i++) {
    usage.tally(mine).points += 5;
    await usage.flush();
    assert.equal(usage.pointsToday(mine), 5 * (i + 1));
  }
  clock.advance(20);
  usage.tally(mine).requests += 3;
  await usage.flush();
  meta.losesAnswers = false;
  await usage.flush();
  await usage.flush();
  assert.deepEqual(await stored(), [
    ['2026-03-01', 15, 0],
    ['2026-03-02', 0, 3],
  ]);
});

it('L4 what is counted while others are on their way is neither lost nor counted twice', async () => {
  usage.tally(mine).points += 5;
  const flushing = usage.flush();
  usage.tally(mine).points += 2;
  assert.equal(usage.pointsToday(mine), 7);
  await flushing;
  assert.equal(usage.pointsToday(mine), 7);
  await usage.flush();
  assert.deepEqual(await stored(), [['2026-03-01', 7, 0]]);
});

it('L4c points that were not stored are taken back from the day that they were counted on', async () => {
  const day = usage.today();
  usage.tally(mine).points += 5;
  usage.takeBack(mine, day, 2, 0);
  assert.equal(usage.pointsToday(mine), 3);
  clock.advance(20);
  usage.takeBack(mine, day, 1, 0);
  assert.equal(usage.pointsToday(mine), 0);
  await usage.flush();
  assert.deepEqual(await stored(), [['2026-03-01', 2, 0]]);
});

it('L4 days that are too old are forgotten', async () => {
  for (let day = 0; day < 5; day++) {
    usage.tally(mine).requests++;
    await usage.flush();
    clock.advance(86_400);
  }
  await usage.flush();
  assert.deepEqual(
    (await usage.list(mine, 100)).map(({ day }) => printDay(day)),
    ['2026-03-04', '2026-03-05'],
  );
  assert.deepEqual(
    (await usage.list(null, 2)).map(({ day }) => printDay(day)),
    ['2026-03-05'],
  );
});
