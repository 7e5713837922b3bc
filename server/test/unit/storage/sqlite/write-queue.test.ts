/** Which work shares a transaction of the writer, and that small work does not wait for all large work. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type QueuedWork, smallBytesMax, WriteQueue } from '#storage/sqlite/write-queue';

interface Work extends QueuedWork {
  name: number;
}

function queueOf(works: readonly Omit<Work, 'name'>[]): WriteQueue<Work> {
  const queue = new WriteQueue<Work>();
  works.forEach((work, name) => {
    queue.add({ ...work, name });
  });
  return queue;
}

function groupsOf(queue: WriteQueue<Work>): Work[][] {
  const groups: Work[][] = [];
  while (!queue.isEmpty) groups.push(queue.take());
  return groups;
}

const namesOf = (groups: readonly Work[][]) => groups.map((group) => group.map(({ name }) => name));

const large = { bytes: 1_500_000, isAlone: false };
const small = { bytes: 100, isAlone: false };
const alone = { bytes: 0, isAlone: true };

test('groups of small and of large work take turns, and large ones are bounded in bytes', () => {
  const groups = groupsOf(queueOf([large, large, small, large, small]));
  assert.deepEqual(namesOf(groups), [[0], [2, 4], [1], [3]]);
});

test('small work that comes while large work waits is next but one', () => {
  const queue = queueOf([large, large, large]);
  assert.deepEqual(namesOf([queue.take()]), [[0]]);
  queue.add({ ...small, name: 3 });
  assert.deepEqual(namesOf(groupsOf(queue)), [[3], [1], [2]]);
});

test('work that runs alone is neither overtaken nor overtakes', () => {
  const groups = groupsOf(queueOf([large, small, alone, small, large]));
  assert.deepEqual(namesOf(groups), [[0], [1], [2], [4], [3]]);
});

test('all work is taken once; of the same size in its order, and never across work that runs alone', () => {
  const work = fc.record({
    bytes: fc.constantFrom(0, 10, smallBytesMax, smallBytesMax + 1, 3_000_000),
    isAlone: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(work, { maxLength: 400 }), (works) => {
      const groups = groupsOf(queueOf(works));
      const taken = groups.flat();
      const names = taken.map(({ name }) => name);
      assert.deepEqual(
        names.toSorted((a, b) => a - b),
        works.map((_, name) => name),
      );
      for (const group of groups) assert.ok(group.length === 1 || !group.some(({ isAlone }) => isAlone));
      for (const isLarge of [false, true]) {
        const same = taken.filter(({ bytes }) => bytes > smallBytesMax === isLarge).map(({ name }) => name);
        assert.deepEqual(
          same,
          same.toSorted((a, b) => a - b),
        );
      }
      taken.forEach(({ isAlone, name }, at) => {
        if (isAlone) assert.equal(at, name);
      });
    }),
  );
});
