/** The memory of requests: what fits is had at once, large ones wait in turn, small ones and the first one do not. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Hold } from '#load/hold';
import { MemoryPool } from '#load/memory';
import { Overload } from '#load/overload';
import { NumberTables } from '#threads/number-table';

const mebibyte = 1024 * 1024;
const never = new AbortController().signal;

/** Of so many MiB for large requests; one client may have all of it. */
function poolOf(mebibytes: number, waitingMax = 10, sharePercent = 100): MemoryPool {
  const requestMemoryBytesMax = (mebibytes * mebibyte * 8) / 7;
  const limits = {
    requestMemoryBytesMax,
    memoryWaitingMax: waitingMax,
    integrationSharePercent: sharePercent,
  };
  return new MemoryPool(1, limits, new NumberTables(), 'read');
}

/** Takes, and says when it has. */
function taking(pool: MemoryPool, client: string, mebibytes: number, signal = never) {
  const hold = new Hold(pool, client, () => signal);
  const state = { has: false, hold, done: Promise.resolve() };
  state.done = Promise.resolve(hold.take(mebibytes * mebibyte)).then(() => {
    state.has = true;
  });
  return state;
}

function having(takes: readonly { has: boolean }[]): boolean[] {
  return takes.map(({ has }) => has);
}

suite('memory', () => {
  test('E3b what fits is had at once, what does not waits in order until others leave', async () => {
    const pool = poolOf(10);
    const takes = [4, 4, 4, 5].map((mebibytes) => taking(pool, 'a', mebibytes));
    await turn();
    assert.deepEqual(having(takes), [true, true, false, false]);
    takes[0].hold.leave();
    await turn();
    assert.deepEqual(having(takes), [true, true, true, false]);
    takes[1].hold.leave();
    await turn();
    assert.deepEqual(having(takes), [true, true, true, true]);
    assert.equal(pool.takenBytes, 9 * mebibyte);
    for (const { hold } of takes) hold.leave();
    assert.deepEqual([pool.takenBytes, pool.waitingCount], [0, 0]);
  });

  test('E3b a small one does not wait behind large ones, and one alone always fits', async () => {
    const pool = poolOf(10);
    const takes = [taking(pool, 'a', 9), taking(pool, 'a', 5), taking(pool, 'a', 1 / 16)];
    await turn();
    assert.deepEqual(having(takes), [true, false, true]);
    for (const { hold } of takes) hold.leave();
    await turn();
    const huge = taking(pool, 'b', 100);
    await turn();
    assert.ok(huge.has);
  });

  test('E3b clients take turns, and one that has its share does not keep others waiting', async () => {
    const pool = poolOf(10, 10, 50);
    const takes = [
      taking(pool, 'flood', 5),
      taking(pool, 'flood', 5),
      taking(pool, 'flood', 5),
      taking(pool, 'calm', 4),
    ];
    await turn();
    assert.deepEqual(having(takes), [true, false, false, false]);
    const later = taking(pool, 'third', 1 / 16);
    await turn();
    assert.ok(later.has);
    takes[0].hold.leave();
    await turn();
    assert.deepEqual(having(takes), [true, true, false, true]);
  });

  test('E3b when too many wait, the newest of the client with the most is refused', async () => {
    const pool = poolOf(10, 2);
    const takes = ['flood', 'flood', 'flood'].map((client) => taking(pool, client, 8));
    const refused = assert.rejects(takes[2].done, Overload);
    await assert.rejects(taking(pool, 'flood', 8).done, Overload);
    const calm = taking(pool, 'calm', 8);
    await refused;
    assert.equal(pool.waitingCount, 2);
    takes[0].hold.leave();
    await turn();
    takes[1].hold.leave();
    await turn();
    assert.ok(calm.has);
  });

  test('E3b one that is given up while it waits leaves its turn to the next', async () => {
    const pool = poolOf(10);
    const first = taking(pool, 'a', 6);
    const controller = new AbortController();
    const second = taking(pool, 'b', 9, controller.signal);
    const third = taking(pool, 'c', 3);
    const refused = assert.rejects(second.done, /gone/);
    await turn();
    assert.deepEqual(having([first, third]), [true, false]);
    controller.abort(new Error('gone'));
    await refused;
    await turn();
    assert.ok(third.has);
    for (const { hold } of [first, second, third]) hold.leave();
    assert.equal(pool.takenBytes, 0);
  });

  test('E3b what is granted after its request has ended is given back at once', async () => {
    const pool = poolOf(10);
    const first = taking(pool, 'a', 8);
    const second = taking(pool, 'b', 8);
    second.hold.leave();
    first.hold.leave();
    await second.done;
    assert.equal(pool.takenBytes, 0);
  });
});
