/** Transactions beside another writer of the file. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { beginTransaction, openForWriting } from '#storage/sqlite/connection';
import { databasePath } from '#storage/sqlite/paths';

/** Writes all the time, in transactions of 20 ms: what a service on a slow disk does that has many clients. */
const otherWriter = `
  const { DatabaseSync } = require('node:sqlite');
  const { parentPort, workerData } = require('node:worker_threads');
  const db = new DatabaseSync(workerData, { timeout: 30_000 });
  const never = new Int32Array(new SharedArrayBuffer(4));
  for (let count = 0; ; count++) {
    db.exec('begin immediate');
    if (count === 0) parentPort.postMessage('begun');
    Atomics.wait(never, 0, 0, 20);
    db.exec('commit');
  }
`;

test('a command gets its transaction beside a service that writes all the time', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'tidemark-begin-'));
  const db = openForWriting(directory);
  const other = new Worker(otherWriter, { eval: true, workerData: databasePath(directory) });
  t.after(async () => {
    await other.terminate();
    db.close();
    rmSync(directory, { recursive: true });
  });
  await once(other, 'message');

  // It throws when it has waited for too long.
  for (let i = 0; i < 3; i++) {
    beginTransaction(db);
    assert.ok(db.isTransaction);
    db.exec('commit');
  }
});
