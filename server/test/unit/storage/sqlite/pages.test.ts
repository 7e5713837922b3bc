/** How many pages of the file blocks take: hardly more than their bytes. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { openForReading, openForWriting } from '#storage/sqlite/connection';
import { encodeRow } from '#storage/sqlite/log-row';
import { LogWriter } from '#storage/sqlite/log-writer';
import { pageBytes } from '#storage/sqlite/schema';
import { SealWriter } from '#storage/sqlite/seal-writer';
import { Sealer, sealLimits } from '#storage/sqlite/sealer';
import { SeededRandom } from '../../../support/world.ts';

const signals = Array.from({ length: 12 }, (_, k) => k + 1);

/** Steps of up to a fifth up or down, to two decimals: about 24,000 of them fill a page. */
function walk(count: number): Float64Array {
  const random = new SeededRandom().bytes(count);
  let hundredths = 5000;
  return Float64Array.from(random, (byte) => {
    hundredths += (byte % 41) - 20;
    return hundredths / 100;
  });
}

/** Appends a part of the random walk to each signal. */
function append(log: LogWriter, column: Float64Array, from: number): void {
  const rows = column.length;
  const timesUs = Float64Array.from({ length: rows }, (_, i) => (from + i) * 1e6);
  const values = new Float64Array(rows * signals.length);
  for (const k of signals.keys()) values.set(column, k * rows);
  const { buffer, headBytes } = encodeRow({ timesUs, signals, values })!;
  log.append([buffer], [headBytes]);
}

/** Stores a walk in so many turns, each of which is sealed; the file. */
async function fill(t: TestContext, rowCount: number, turns: number): Promise<DatabaseSync> {
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-pages-'));
  const [db, readDb] = [openForWriting(directory), openForReading(directory)];
  t.after(async () => {
    db.close();
    await rm(directory, { recursive: true });
  });
  const [log, seal] = [new LogWriter(db), new SealWriter(db)];
  const sealer = new Sealer(readDb, { ...sealLimits, idleRows: 1 });
  const column = walk(rowCount);
  const rows = rowCount / turns;
  for (let turn = 0; turn < turns; turn++) {
    append(log, column.subarray(turn * rows, (turn + 1) * rows), turn * rows);
    assert.ok(sealer.look(true).isDue);
    for (let step = sealer.step(); step !== null; step = sealer.step()) assert.ok(seal.apply(step));
    while (seal.trim());
  }
  readDb.close();
  return db;
}

/** The bytes of the pages that contain blocks, the bytes of the blocks, and the number of blocks. */
function occupied(db: DatabaseSync): { pages: number; bytes: number; blocks: number } {
  const found = db.prepare(
    `select count(*) as blocks, sum(bytes) as bytes, ${pageBytes} * (select count(*) from dbstat
       where name = 'series_block' and pagetype <> 'internal') as pages from series_directory`,
  );
  const { pages, bytes, blocks } = found.get()!;
  return { pages: Number(pages), bytes: Number(bytes), blocks: Number(blocks) };
}

test('what is left over of each signal shares pages with that of others', async (t) => {
  const { pages, bytes, blocks } = occupied(await fill(t, 30_000, 1));
  assert.equal(blocks, 24);
  // With a page for each, the leftovers alone would make it three fifths more.
  assert.ok(pages < bytes * 1.1, `${bytes} bytes of blocks in pages of ${pages}`);
});

test('signals that grow by little end in full pages', async (t) => {
  const { pages, bytes } = occupied(await fill(t, 119_000, 17));
  assert.ok(pages < bytes * 1.1, `${bytes} bytes of blocks in pages of ${pages}`);
});
