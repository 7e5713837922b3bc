/** One damaged block costs its own signal, and of that only what lies there: everything else is read, written and sealed. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { limitDefaults } from '#model/limits';
import { databasePath } from '#storage/sqlite/paths';
import { openSqlite, type SqliteStore } from '#storage/sqlite/store';
import type { SeriesStore } from '#storage/store';
import { temporaryDirectory } from '../support/directory.ts';
import { sealed, statsOf } from '../support/sealed.ts';
import { FixedClock, KeptLog } from '../support/world.ts';

const signals = [1, 2, 3];
const hurt = 2;

/** Enough of all signals for several blocks each, and for sealing to begin. */
const rowCount = 60_000;

/** What is stored first, 10 µs apart; hard to compress. */
const first = {
  timesUs: Float64Array.from({ length: rowCount }, (_, i) => i * 10),
  signals,
  values: Float64Array.from({ length: rowCount * signals.length }, (_, i) => Math.sin(i % rowCount)),
};

/** What comes later: between all the points of before, and after them. */
const second = {
  timesUs: Float64Array.from({ length: rowCount }, (_, i) => i * 20 + 5),
  signals,
  values: new Float64Array(rowCount * signals.length).fill(7),
};

const everything = { startUs: 0, endUs: 1e9 };

async function open(t: TestContext, directory: string): Promise<SqliteStore & { log: KeptLog }> {
  const log = new KeptLog();
  const store = await openSqlite({ directory, clock: new FixedClock(), log, limits: limitDefaults });
  // The threads of a store that a failed test leaves open would keep the file from ending.
  let closed: Promise<void> | null = null;
  const close = () => {
    closed ??= store.close();
    return closed;
  };
  t.after(close);
  return { ...store, close, log };
}

/** The second block of the hurt signal. */
function secondBlock(directory: string): { block: number; first_us: number; last_us: number } {
  const db = new DatabaseSync(databasePath(directory), { readOnly: true });
  const found = db.prepare(
    'select block, first_us, last_us from series_directory where signal = ? order by first_us',
  );
  const [, entry] = found.all(hurt) as { block: number; first_us: number; last_us: number }[];
  db.close();
  return entry;
}

/** Flips a bit of a block, or flips it back. */
function flip(directory: string, block: number): void {
  const db = new DatabaseSync(databasePath(directory));
  const { data } = db.prepare('select data from series_block where id = ?').get(block) as {
    data: Uint8Array;
  };
  data[1000] ^= 16;
  db.prepare('update series_block set data = ? where id = ?').run(data, block);
  db.close();
}

/** A store with a damaged block. */
async function damaged(t: TestContext) {
  const directory = await temporaryDirectory(t);
  const { series, close } = await open(t, directory);
  await series.append(first);
  await sealed(directory);
  await close();
  const entry = secondBlock(directory);
  flip(directory, entry.block);
  const named = new RegExp(
    `block ${entry.block} of signal ${hurt} in tidemark.db is damaged: its checksum differs`,
  );
  return { directory, entry, named };
}

function scan(series: SeriesStore, signal: number, startUs = everything.startUs, endUs = everything.endUs) {
  const source = { signals: [signal], window: { startUs, endUs }, before: false, after: false };
  return series.scan({ sources: [source] }).then(([points]) => points);
}

/** The points that one signal must have in a time range, after both. */
function expected(startUs: number, endUs: number): [number, number][] {
  const all = new Map<number, number>();
  for (const { timesUs, values } of [first, second])
    for (const [i, timeUs] of timesUs.entries()) all.set(timeUs, values[i]);
  return [...all].filter(([timeUs]) => timeUs >= startUs && timeUs < endUs).sort(([a], [b]) => a - b);
}

async function assertPoints(
  series: SeriesStore,
  signal: number,
  startUs: number,
  endUs: number,
): Promise<void> {
  const { timesUs, values } = await scan(series, signal, startUs, endUs);
  assert.deepEqual(
    Array.from(timesUs, (timeUs, i) => [timeUs, values[i]]),
    expected(startUs, endUs),
  );
}

/** Resolves when the log has so many rows. */
async function untilLogRows(directory: string, count: number): Promise<void> {
  for (let i = 0; i < 300 && statsOf(directory).logRows !== count; i++) await wait(100);
  assert.equal(statsOf(directory).logRows, count);
}

test('R9 all other signals are sealed; of its own what falls into it stays in the log, and is there once it is sound', async (t) => {
  const { directory, entry, named } = await damaged(t);
  const { series, close, log } = await open(t, directory);
  await series.append(second);
  await series.append({ timesUs: Float64Array.of(5), signals, values: Float64Array.of(7, 7, 7) });
  // The two rows are sealed, and what is stranded is one.
  await untilLogRows(directory, 1);
  const { logBytes } = statsOf(directory);
  const strandedCount = (entry.last_us - entry.first_us) / 20;
  assert.ok(logBytes < strandedCount * 8 * 1.1 + 200, `${logBytes} bytes for ${strandedCount} points`);

  for (const signal of [1, 3]) await assertPoints(series, signal, everything.startUs, everything.endUs);
  await assertPoints(series, hurt, 0, entry.first_us);
  await assertPoints(series, hurt, entry.last_us + 1, everything.endUs);
  await assert.rejects(scan(series, hurt), named);
  await assert.rejects(scan(series, hurt, entry.first_us + 100, entry.first_us + 200), named);
  // A bucket that swallows the block could be answered by its entry in the directory, were there nothing in the log.
  await assert.rejects(series.countPoints([hurt], everything), named);
  assert.deepEqual(await series.countPoints([1, 3], everything), new Array(2).fill(expected(0, 1e9).length));

  const errors = log.lines.filter(({ level }) => level === 'error');
  assert.equal(errors.length, 1, JSON.stringify(errors));
  assert.match(String(errors[0].fields?.error), named);
  const { damagedBlockCount, sealFailureCount } = (await series.figures?.())!;
  assert.deepEqual({ damagedBlockCount, sealFailureCount }, { damagedBlockCount: 1, sealFailureCount: 0 });
  await close();

  flip(directory, entry.block);
  const again = await open(t, directory);
  for (const signal of signals)
    await assertPoints(again.series, signal, everything.startUs, everything.endUs);
  await again.close();
});

test('R15 it can be deleted as a whole with what is stranded in it; a cut of it names it', async (t) => {
  const { directory, entry, named } = await damaged(t);
  const { series, close } = await open(t, directory);
  await series.append(second);
  await untilLogRows(directory, 1);
  const cut = { startUs: 0, endUs: entry.first_us + 100 };
  await assert.rejects(series.deletePoints([hurt], cut), named);
  const whole = { startUs: entry.first_us, endUs: entry.last_us + 1 };
  const [count] = await series.deletePoints([hurt], whole);
  assert.ok(count >= (entry.last_us - entry.first_us) / 10, `${count} points`);
  assert.equal((await scan(series, hurt, whole.startUs, whole.endUs)).timesUs.length, 0);
  await assertPoints(series, hurt, 0, whole.startUs);
  await assertPoints(series, hurt, whole.endUs, everything.endUs);
  await close();
});

test('R9 a sound block in the place of another one is found, with what differs', async (t) => {
  const directory = await temporaryDirectory(t);
  const { series, close } = await open(t, directory);
  await series.append({ timesUs: first.timesUs, signals: [1], values: first.values.subarray(0, rowCount) });
  await series.append({ timesUs: first.timesUs, signals: [2], values: second.values.subarray(0, rowCount) });
  await sealed(directory);
  await close();
  const db = new DatabaseSync(databasePath(directory));
  db.exec(`update series_block set data = (select data from series_block where id = 
      (select block from series_directory where signal = 1 and first_us = 0))
    where id = (select block from series_directory where signal = 2 and first_us = 0)`);
  db.close();
  const again = await open(t, directory);
  await assert.rejects(
    scan(again.series, 2),
    /block \d+ of signal 2 in tidemark\.db is damaged: bytes is \d+, not \d+ as in the directory; it holds/,
  );
  assert.equal((await scan(again.series, 1)).timesUs.length, rowCount);
  await again.close();
});
