/** The caches of a reader hold nothing that no later request can use. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openForReading, openForWriting } from '#storage/sqlite/connection';
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
  const directory = await temporaryDirectory(t);
  const [db, sealDb] = [openForWriting(directory), openForReading(directory)];
  const shared = new SharedIndex(1e6, 1e6);
  const reader = new SnapshotReader(openForReading(directory), shared);
  const sealer = new Sealer(sealDb, { ...sealLimits, idleRows: 1 });
  const writer = new SealWriter(db);
  const append = (startUs: number) => {
    const timesUs = Float64Array.from({ length: 10 }, (_, i) => startUs + i);
    const { buffer, headBytes } = encodeRow({ timesUs, signals: [1], values: timesUs })!;
    new LogWriter(db).append([buffer], [headBytes]);
  };
  const seal = () => {
    sealer.look(true);
    for (let step = sealer.step(); step !== null; step = sealer.step()) assert.ok(writer.apply(step));
  };
  const count = () => {
    reader.begin();
    const pieces = prepareScan(reader, shared.head, everything)(Number.POSITIVE_INFINITY);
    let piece = pieces.next();
    while (piece.done !== true) piece = pieces.next();
    reader.end();
    return piece.value[0].timesUs.length;
  };

  for (let part = 1; part <= 3; part++) {
    append(part * 100);
    assert.equal(count(), part * 10);
    assert.ok(shared.rows.size > 0);
    seal();
    assert.equal(count(), part * 10);
    assert.equal(shared.rows.size, 0);
    assert.equal(shared.blocks.cache.size, part * 10 * pointBytes);
  }
  reader.close();
  sealDb.close();
  db.close();
});
