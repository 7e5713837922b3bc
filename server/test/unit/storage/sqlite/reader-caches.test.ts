/** The caches of a reader hold nothing that no later request can use, and nothing of another snapshot. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openForReading, openForWriting } from '#storage/sqlite/connection';
import { Directory } from '#storage/sqlite/directory';
import { encodeRow } from '#storage/sqlite/log-row';
import { LogWriter } from '#storage/sqlite/log-writer';
import { SealWriter } from '#storage/sqlite/seal-writer';
import { Sealer, sealLimits } from '#storage/sqlite/sealer';
import { prepareScan } from '#storage/sqlite/series-reader';
import { SharedIndex, SnapshotReader } from '#storage/sqlite/snapshot';
import { temporaryDirectory } from '../../../support/directory.ts';

const window = { startUs: 0, endUs: 1e6 };
const everything = { sources: [{ signals: [1], window, before: false, after: false }] };

/** Bytes of one decoded point. */
const pointBytes = 16;

test('rows of the log are forgotten when they are sealed, and a block that grows replaces its earlier version', async (t) => {
  const { directory, append, seal } = await openStore(t);
  const shared = new SharedIndex(1e6, 1e6);
  const reader = new SnapshotReader(openForReading(directory), shared);
  t.after(() => reader.close());
  const count = () => {
    reader.begin();
    const pieces = prepareScan(reader, shared.head, everything)(Number.POSITIVE_INFINITY);
    let piece = pieces.next();
    while (piece.done !== true) piece = pieces.next();
    reader.end();
    return piece.value[0].timesUs.length;
  };

  for (let part = 1; part <= 3; part++) {
    append(timesFrom(part * 100, 10));
    assert.equal(count(), part * 10);
    assert.ok(shared.rows.size > 0);
    seal();
    assert.equal(count(), part * 10);
    assert.equal(shared.rows.size, 0);
    assert.equal(shared.blocks.cache.size, part * 10 * pointBytes);
  }
});

test('entries of the directory are those of the snapshot, for any window and whatever was read before', async (t) => {
  const { directory, append, seal } = await openStore(t);
  const shared = new SharedIndex(0, 0);
  const [old, reader] = [0, 1].map(() => new SnapshotReader(openForReading(directory), shared));
  const [oldDb, newDb] = [0, 1].map(() => openForReading(directory));
  t.after(() => {
    for (const one of [old, reader, oldDb, newDb]) one.close();
  });
  append(timesFrom(1000, 18_000));
  seal();
  old.begin();
  oldDb.exec('begin');
  const asked = (known: Directory, fresh: Directory) => {
    let blocks = 0;
    for (const [startUs, endUs] of windows) {
      const entries = known.within(1, startUs, endUs);
      assert.deepEqual(entries, fresh.within(1, startUs, endUs), `${startUs} to ${endUs}`);
      blocks = Math.max(blocks, entries.length);
    }
    return blocks;
  };
  const before = asked(old.directory, new Directory(oldDb));
  assert.ok(before > 2);

  append(timesFrom(20_000, 18_000));
  seal();
  reader.begin();
  const after = asked(reader.directory, new Directory(newDb));
  assert.ok(after > before);
  assert.equal(asked(old.directory, new Directory(oldDb)), before);
  assert.equal(asked(reader.directory, new Directory(newDb)), after);
});

/** Each is within what is known after the one before, or goes beyond that on one side. */
const windows = [
  [13_000, 13_001],
  [13_000, 17_000],
  [17_000, 30_000],
  [8000, 9000],
  [8000, 40_000],
  [30_000, 40_000],
  [0, 8000],
  [0, 40_000],
  [3000, 3001],
] as const;

function timesFrom(startUs: number, length: number): Float64Array {
  return Float64Array.from({ length }, (_, i) => startUs + i);
}

/** A store with one signal, whose values are square roots: few of them fit into a block. */
async function openStore(t: TestContext) {
  const directory = await temporaryDirectory(t);
  const [db, sealDb] = [openForWriting(directory), openForReading(directory)];
  t.after(() => {
    for (const one of [db, sealDb]) one.close();
  });
  const sealer = new Sealer(sealDb, { ...sealLimits, idleRows: 1 });
  const writer = new SealWriter(db);
  const append = (timesUs: Float64Array) => {
    const { buffer, headBytes } = encodeRow({ timesUs, signals: [1], values: timesUs.map(Math.sqrt) })!;
    new LogWriter(db).append([buffer], [headBytes]);
  };
  const seal = () => {
    sealer.look(true);
    for (let step = sealer.step(); step !== null; step = sealer.step()) assert.ok(writer.apply(step));
  };
  return { directory, append, seal };
}
