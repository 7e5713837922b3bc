/** The writer thread: what fails in a group for a reason of its own does not fail the others. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { encodeRow } from '#storage/sqlite/log-row';
import type { WriterCall } from '#storage/sqlite/messages';
import { databasePath } from '#storage/sqlite/paths';
import { workerStarter } from '#storage/sqlite/thread';
import { temporaryDirectory } from '../../../support/directory.ts';

function appendOf(value: number): WriterCall {
  const batch = { timesUs: Float64Array.of(value), signals: [1], values: Float64Array.of(value) };
  const { buffer, headBytes } = encodeRow(batch)!;
  return { kind: 'append', buffers: [buffer], headBytes: [headBytes] };
}

test('R9 work of one group that fails is refused by itself, and the others of the group are stored', async (t) => {
  const directory = await temporaryDirectory(t);
  const options = { directory, serving: false, fileBytesMax: Infinity, textCharactersMax: 1e6 };
  const writer = await workerStarter(options)('writer');
  // While a transaction is open work queues, so all of this becomes one group.
  await writer.call({ kind: 'transact', steps: [{ sql: 'select 1', params: [] }], end: 'open' });
  const entry = { signal: 1, firstUs: 0, block: 1, count: 1, bytes: 1, row: [null] };
  const step = {
    ...{ step: 0, cycleSeq: 0, cycleSignal: 0, isFinished: false, nextBlock: 2, setAside: [] },
    ...{ removed: [], added: [entry], columns: [], stranded: [], damage: [], data: new ArrayBuffer(1) },
  };
  const work = [writer.call(appendOf(1)), writer.call({ kind: 'seal', step }), writer.call(appendOf(2))];
  const settled = Promise.allSettled(work);
  await writer.call({ kind: 'commit' });
  assert.deepEqual(
    (await settled).map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  await writer.call({ kind: 'close' });
  const db = new DatabaseSync(databasePath(directory), { readOnly: true });
  const { rows, step: steps } = db
    .prepare('select (select count(*) from series_log) as rows, step from series_state')
    .get()!;
  db.close();
  assert.deepEqual([rows, steps], [2, 0]);
});
