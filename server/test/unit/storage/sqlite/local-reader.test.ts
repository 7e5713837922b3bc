/** Small reads on the thread that asks: those for which an iteration of the event loop has no time wait for the next one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { limitDefaults } from '#model/limits';
import { LocalReader } from '#storage/sqlite/local-reader';
import type { CallResults } from '#storage/sqlite/messages';
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

/** Iterations until one is full without a long read: memory may be collected in any. */
const triesMax = 50;

type Answer = ReturnType<LocalReader['answer']>;

/** Reads in one iteration until a read waits; undefined when one was given up before. */
function fillIteration(reader: LocalReader): Answer {
  for (let i = 0; i < readsMax; i++) {
    const answer = reader.answer(small);
    if (answer === undefined || answer instanceof Promise) return answer;
  }
  return undefined;
}

/** The first reads compile the code, and may be given up; those after one that took long lower the average again. */
async function readSome(reader: LocalReader): Promise<void> {
  for (let i = 0; i < 100; i++) {
    await reader.answer(small);
    await nextIteration();
  }
}

test('a small read that has no time in this iteration of the event loop is answered in a later one', async (t) => {
  const directory = await temporaryDirectory(t);
  const store = await openSqlite({ directory, clock, log, limits: limitDefaults });
  await store.series.append({ timesUs: Float64Array.of(1, 2), signals: [1], values: Float64Array.of(3, 4) });
  await store.close();
  const reader = new LocalReader({ directory, textCharactersMax: limitDefaults.resourceCharactersMax });
  t.after(() => reader.close());
  let waiting: Answer;
  for (let i = 0; i < triesMax && waiting === undefined; i++) {
    await readSome(reader);
    waiting = fillIteration(reader);
  }
  assert.ok(waiting instanceof Promise, 'it waits, and is not given up');
  const { found } = (await waiting) as CallResults['scan'];
  assert.deepEqual([...found[0].values], [3, 4]);
});

test('a row of the log that takes long to decode is left to reader threads, and other reads of its kind are answered', async (t) => {
  const directory = await temporaryDirectory(t);
  const store = await openSqlite({ directory, clock, log, limits: limitDefaults });
  const timesUs = Float64Array.from({ length: 100_000 }, (_, i) => i);
  await store.series.append({ timesUs, signals: [2], values: timesUs });
  await store.series.append({ timesUs: Float64Array.of(1, 2), signals: [1], values: Float64Array.of(3, 4) });
  await store.close();
  const reader = new LocalReader({ directory, textCharactersMax: limitDefaults.resourceCharactersMax });
  t.after(() => reader.close());
  const source = { ...small.request.sources[0], signals: [2] };
  const large = { kind: 'scan', request: { sources: [source] } } as const;
  let answer: Answer;
  for (let i = 0; i < triesMax && answer === undefined; i++) {
    await readSome(reader);
    assert.equal(await reader.answer(large), undefined);
    await nextIteration();
    answer = await reader.answer(small);
  }
  assert.deepEqual([...(answer as CallResults['scan']).found[0].values], [3, 4]);
});
