/** The write-ahead log is copied into the file by another thread than the writer's. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Checkpoints, mayCheckpointBesideCommits } from '#storage/sqlite/checkpoints';
import { openForReading, openForWriting } from '#storage/sqlite/connection';
import { temporaryDirectory } from '../../../support/directory.ts';

test('the log is copied when enough of it is not in the file, while others read and write', async (t) => {
  const directory = await temporaryDirectory(t);
  const writer = openForWriting(directory);
  const observer = openForWriting(directory);
  const reader = openForReading(directory);
  const checkpoints = new Checkpoints(directory);
  t.after(() => {
    for (const each of [checkpoints, reader, observer, writer]) each.close();
  });
  const left = () => {
    const { log, checkpointed } = observer.prepare('pragma wal_checkpoint(noop)').get()!;
    return Number(log) - Number(checkpointed);
  };
  writer.exec('create table big (data blob)');
  const insert = writer.prepare('insert into big values (zeroblob(26000000))');
  insert.run();
  const before = left();
  checkpoints.runIfDue();
  assert.ok(before > 0);
  assert.equal(left(), before);
  reader.exec('begin');
  assert.equal(reader.prepare('select count(*) as count from big').get()!.count, 1);
  insert.run();
  writer.exec('begin immediate');
  insert.run();
  checkpoints.runIfDue();
  // What came after the reader's state stays in the log until that ends.
  assert.ok(left() > 0);
  reader.exec('commit');
  checkpoints.runIfDue();
  assert.equal(left(), 0);
  writer.exec('commit');
  assert.equal(reader.prepare('select count(*) as count from big').get()!.count, 3);
});

test('checkpoints are left to commits where SQLite may lose pages otherwise', () => {
  const versions = ['3.46.1', '3.50.4', '3.51.2', '3.51.3', '3.51.10', '3.53.4', '4.0.0'];
  const safe = versions.filter(mayCheckpointBesideCommits);
  assert.deepEqual(safe, ['3.51.3', '3.51.10', '3.53.4', '4.0.0']);
});
