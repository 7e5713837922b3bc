/** What `tidemark check` finds: nothing in a sound store, and the place of every byte that is not as it was written. */
import assert from 'node:assert/strict';
import { cp, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { limitDefaults } from '#model/limits';
import { pageBytes } from '#storage/sqlite/schema';
import { openSqlite } from '#storage/sqlite/store';
import { checkFile } from '../support/file-check.ts';
import { integration, item, signal } from '../support/resources.ts';
import { sealed, statsOf } from '../support/sealed.ts';
import { stoppedClock as clock, silentLog as log } from '../support/world.ts';

/** A store with blocks of two signals, and a batch in the log that no block has. */
async function fill(directory: string): Promise<void> {
  const { meta, series, close } = await openSqlite({ directory, clock, log, limits: limitDefaults });
  const owner = integration();
  const shown = item();
  await meta.write(async (tx) => {
    await tx.integrations.insert(owner);
    await tx.items.insert([shown]);
    await tx.signals.insert([signal(owner.id, 'a', { item: shown.id }), signal(owner.id, 'b')]);
  });
  const rows = 120_000;
  await series.append({
    timesUs: Float64Array.from({ length: rows }, (_, i) => i * 1000),
    signals: [1, 2],
    values: Float64Array.from({ length: 2 * rows }, (_, i) => ((i * 7919) % 10_007) / 8),
  });
  await sealed(directory);
  await series.deletePoints([1], { startUs: 5_000_000, endUs: 6_000_000 });
  assert.ok(statsOf(directory).blocks > 2);
  await series.append({
    timesUs: Float64Array.of(1, 2),
    signals: [2],
    values: Float64Array.of(0.123, 4.567),
  });
  await close();
}

describe('check', () => {
  let root: string;
  let sound: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'tidemark-damage-'));
    await fill(join(root, 'store'));
    sound = join(root, 'store', 'tidemark.db');
  });
  after(() => rm(root, { recursive: true }));

  /** A copy of the store, changed. */
  const copied = async (change: (path: string) => Promise<void> | void) => {
    const path = join(root, 'copy.db');
    await cp(sound, path);
    await change(path);
    return path;
  };

  /** Flips a bit in the middle of these bytes, which are in the file once. */
  const flip = (sql: string) => async (path: string) => {
    const db = new DatabaseSync(path, { readOnly: true });
    const [bytes] = Object.values(db.prepare(sql).get()!) as [Uint8Array];
    db.close();
    const file = await readFile(path);
    const part = bytes.subarray(0, Math.min(bytes.length, 300));
    const at = file.indexOf(part);
    assert.ok(at > 0 && file.indexOf(part, at + 1) === -1, 'the bytes are in the file once');
    const handle = await open(path, 'r+');
    await handle.write(Uint8Array.of(file[at + (part.length >> 1)] ^ 4), 0, 1, at + (part.length >> 1));
    await handle.close();
  };

  const sql = (text: string) => (path: string) => {
    const db = new DatabaseSync(path);
    db.exec(text);
    db.close();
  };

  it('finds nothing in a sound store, and counts what there is', async () => {
    const { problems, notes, signals, points, logPoints, logRows, blocks } = await checkFile(sound);
    assert.deepEqual({ problems, notes }, { problems: [], notes: [] });
    const counts = { signals: 2, points: 239_000, logPoints: 2, logRows: 1 };
    assert.deepEqual({ signals, points, logPoints, logRows }, counts);
    assert.ok(blocks >= 4);
  });

  it('names the block with a flipped bit, and its signal', async () => {
    const path = await copied(
      flip(
        'select data from series_block b join series_directory d on d.block = b.id where signal = 2 order by first_us limit 1',
      ),
    );
    const { problems } = await checkFile(path);
    assert.match(problems.join('\n'), /^block \d+ of signal 2 is damaged: its checksum differs/);
    assert.equal(problems.length, 1);
  });

  it('names the row of the log with a flipped bit', async () => {
    const { problems } = await checkFile(
      await copied(flip('select data from series_log order by seq desc limit 1')),
    );
    assert.equal(problems.length, 1);
    assert.match(problems[0], /row 2 of series_log cannot be read, its checksum differs/);
  });

  const changes: [string, string, RegExp][] = [
    [
      'a block that is missing',
      'delete from series_block where id = (select min(id) from series_block)',
      /block \d+ of signal \d is missing/,
    ],
    [
      'an entry that is missing',
      'delete from series_directory where signal = 1 and first_us = 0',
      /block \d+ is in no directory entry/,
    ],
    [
      'a count that is not that of the points',
      'update series_directory set count = count + 1 where signal = 1 and first_us = 0',
      /block \d+ of signal 1: its row of series_directory differs from its checksum/,
    ],
    [
      'a sum that is not that of the points',
      'update series_directory set sum = sum * 1.001 where signal = 2 and first_us = 0',
      /block \d+ of signal 2: its row of series_directory differs from its checksum/,
    ],
    [
      'blocks that overlap',
      'update series_directory set last_us = 1e12 where signal = 2 and first_us = 0',
      /begins before the one before it ends/,
    ],
    [
      'a block number that will be given again',
      'update series_state set next_block = 1',
      /the next block is 1, there is \d+ already/,
    ],
    [
      'an entry whose neighbour is missing',
      'delete from series_directory where signal = 2 and first_us = (select min(first_us) from series_directory where signal = 2 and first_us > 0)',
      /block \d+ of signal 2: a row of series_directory before it is missing/,
    ],
    [
      'sums of a signal that are not those of its blocks',
      'update series_signal set points = points + 1 where signal = 1',
      /signal 1: .*series_signal/,
    ],
    [
      'a state that differs',
      'update series_state set cycle_signal = 1',
      /series_state in tidemark.db is damaged/,
    ],
    [
      'a note that differs',
      'insert into series_deleted values (9, 1, 0)',
      /series_deleted in tidemark.db is damaged/,
    ],
    ['a batch that is missing', 'delete from series_log', /rows of series_log are missing between 1 and 3/],
    ['sealing ahead of the log', 'update series_state set cycle_seq = 99', /cycle through 99, last row 2/],
    [
      'a signal without an integration',
      'delete from integration',
      /2 signals belong to an integration that does not exist/,
    ],
    ['a signal that feeds nothing', 'delete from item', /1 signals feed an item that does not exist/],
    [
      'a number that will be given again',
      'update sequence set next = 2',
      /1 signals have a number that is yet to be given/,
    ],
  ];
  for (const [title, statement, message] of changes) {
    it(`names ${title}`, async () => {
      assert.match((await checkFile(await copied(sql(statement)))).problems.join('\n'), message);
    });
  }

  it('L5b notes the points of signals that are gone, which do no harm', async () => {
    const { problems, notes } = await checkFile(await copied(sql("delete from signal where input = 'a'")));
    assert.deepEqual(problems, []);
    assert.deepEqual(notes, [
      '1 signal that is gone still has points; "tidemark retention run" deletes them',
    ]);
  });

  it('names damaged pages, and goes on with the other parts', async () => {
    const path = await copied(async (copy) => {
      const db = new DatabaseSync(copy, { readOnly: true });
      const { rootpage } = db.prepare("select rootpage from sqlite_schema where name = 'item'").get()!;
      db.close();
      const handle = await open(copy, 'r+');
      await handle.write(new Uint8Array(200).fill(0xa5), 0, 200, (Number(rootpage) - 1) * pageBytes);
      await handle.close();
    });
    const { problems, points } = await checkFile(path);
    assert.match(problems.join('\n'), /^pages: .*page/m);
    assert.equal(points, 239_000);
  });

  it('says in one line that a file is none of its own, or is not there', async () => {
    await assert.rejects(checkFile(import.meta.filename), /is damaged or not a store of this program/);
    await assert.rejects(checkFile(join(root, 'none.db')), /cannot be opened/);
  });
});
