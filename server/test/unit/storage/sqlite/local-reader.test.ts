/** Small reads on the thread that asks: those for which an iteration of the event loop has no time wait for the next one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { limitDefaults } from '#model/limits';
import { LocalReader } from '#storage/sqlite/local-reader';
import { openSqlite } from '#storage/sqlite/store';
import { temporaryDirectory } from '../../../support/directory.ts';
import { stoppedClock as clock, silentLog as log } from '../../../support/world.ts';

const window = { startUs: 0, endUs: 100 };
const small = {
  kind: 'scan',
  request: { sources: [{ signals: [1], window, before: false, after: false }] },
} as const;

/** Reads more than one iteration has time for. */
const readsMax = 1_000_000;

test('a small read that has no time in this iteration of the event loop is answered in a later one', async (t) => {
  const directory = await temporaryDirectory(t);
  const store = await openSqlite({ directory, clock, log, limits: limitDefaults });
  await store.series.append({ timesUs: Float64Array.of(1, 2), signals: [1], values: Float64Array.of(3, 4) });
  await store.close();
  const reader = new LocalReader({ directory, textCharactersMax: limitDefaults.resourceCharactersMax });
  t.after(() => reader.close());
  // The first ones compile the code, and may be given up.
  for (let i = 0; i < 100; i++) {
    await reader.answer(small);
    await nextIteration();
  }

  let waiting: ReturnType<typeof reader.answer<typeof small>>;
  for (let i = 0; i < readsMax && !(waiting instanceof Promise); i++) waiting = reader.answer(small);
  assert.ok(waiting instanceof Promise, 'it waits, and is not given up');
  const answer = await waiting;
  assert.deepEqual([...(answer?.found[0].values ?? [])], [3, 4]);
});
