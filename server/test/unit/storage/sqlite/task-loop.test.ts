/** The order in which a reader thread works on its requests. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { TaskLoop } from '#storage/sqlite/task-loop';

/** A loop whose slices are written down: a task's ID for each slice that it has. */
function open() {
  const loop = new TaskLoop();
  const slices: number[] = [];
  const failures: unknown[] = [];
  const add = (id: number, isLong: boolean) =>
    loop.add({ id, work: work(id, isLong), done() {}, failed: (error) => failures.push(error) });
  function* work(id: number, isLong: boolean): Generator<void, void, void> {
    do {
      if (slices.at(-1) !== id) slices.push(id);
      yield;
    } while (isLong);
  }
  return { loop, slices, failures, add };
}

test('a new task has its first slice before others have another one', async () => {
  const { loop, slices, add } = open();
  for (const id of [1, 2, 3]) add(id, true);
  while (slices.length < 3) await nextIteration();
  add(4, false);
  while (slices.length < 5) await nextIteration();
  assert.deepEqual(slices.slice(0, 5), [1, 2, 3, 4, 1]);
  for (const id of [1, 2, 3]) loop.cancel(id, new Error('over'));
});

test('new tasks do not keep an older one from going on', async () => {
  const { loop, slices, add } = open();
  add(1, true);
  while (slices.length < 1) await nextIteration();
  for (let id = 2; id <= 12; id++) add(id, false);
  while (!slices.includes(12)) await nextIteration();
  assert.deepEqual(slices.slice(0, 13), [1, 2, 3, 4, 1, 5, 6, 7, 8, 1, 9, 10, 11]);
  loop.cancel(1, new Error('over'));
});

test('a cancelled task fails with the reason, whether it has begun or not', async () => {
  const { loop, slices, failures, add } = open();
  add(1, true);
  add(2, true);
  loop.cancel(2, 'early');
  while (slices.length < 1) await nextIteration();
  loop.cancel(1, 'late');
  await nextIteration();
  assert.deepEqual([failures, slices], [['early', 'late'], [1]]);
});
