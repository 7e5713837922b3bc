/** How much the columns of running reads may take together: a large one waits, a small one and the first do not. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ReadMemory } from '#domain/query/read-memory';
import type { Rollup } from '#model/rollup';
import { ask, evaluation, of, Plant } from './plant.ts';

const mebibyte = 1024 * 1024;

function memoryOf(mebibytes: number): ReadMemory {
  return new ReadMemory({ readsBytesMax: mebibytes * mebibyte });
}

/** Takes, and says when it has. */
function taking(memory: ReadMemory, bytes: number, signal?: AbortSignal) {
  const place = memory.enter();
  const state = { has: false, place, done: Promise.resolve() };
  state.done = place.take(bytes, signal).then(() => {
    state.has = true;
  });
  return state;
}

suite('memory of reads', () => {
  test('E3b what fits has its place at once, what does not waits in order until others leave', async () => {
    const memory = memoryOf(10);
    const reads = [4, 4, 4, 5].map((count) => taking(memory, count * mebibyte));
    await turn();
    assert.deepEqual(
      reads.map(({ has }) => has),
      [true, true, false, false],
    );
    reads[0].place.leave();
    await turn();
    assert.deepEqual([reads[2].has, reads[3].has], [true, false]);
    reads[1].place.leave();
    await turn();
    assert.ok(reads[3].has);
    assert.equal(memory.takenBytes, 9 * mebibyte);
    for (const { place } of reads.slice(2)) place.leave();
    assert.equal(memory.takenBytes, 0);
  });

  test('E3b a small one passes by those that wait, and one alone always fits', async () => {
    const memory = memoryOf(10);
    const large = taking(memory, 100 * mebibyte);
    const waiting = taking(memory, 5 * mebibyte);
    const small = taking(memory, mebibyte / 8);
    await turn();
    assert.deepEqual([large.has, waiting.has, small.has], [true, false, true]);
    large.place.leave();
    await turn();
    assert.ok(waiting.has);
  });

  test('E3 one that is given up while it waits leaves its turn to the next', async () => {
    const memory = memoryOf(10);
    const first = taking(memory, 6 * mebibyte);
    const controller = new AbortController();
    const second = taking(memory, 9 * mebibyte, controller.signal);
    const third = taking(memory, 3 * mebibyte);
    const refused = assert.rejects(second.done, /gone/);
    await turn();
    assert.ok(!third.has);
    controller.abort(new Error('gone'));
    await refused;
    assert.ok(third.has);
    second.place.leave();
    first.place.leave();
    third.place.leave();
    assert.equal(memory.takenBytes, 0);
  });

  test('E3b large evaluations are read one after the other, and give back what they had when they fail', async () => {
    const plant = new Plant();
    const item = await plant.item({}, [['2026-01-01T00:00:00Z', 1]]);
    let running = 0;
    let most = 0;
    let failing = false;
    const rollup = async (request: { sources: readonly unknown[]; buckets: { edgesUs: Float64Array } }) => {
      most = Math.max(most, ++running);
      await turn();
      running--;
      if (failing) throw new Error('no disk');
      const values = new Float64Array(request.buckets.edgesUs.length - 1);
      return request.sources.map(
        (): Rollup => ({ statistics: new Map([['avg', values]]), states: new Map() }),
      );
    };
    const query = plant.query({ readsBytesMax: mebibyte }, rollup);
    const day = evaluation(ask('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', 'PT1S'), [of(item, 'a')]);
    const hour = evaluation(ask('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', 'PT1H'), [of(item, 'a')]);
    await Promise.all(Array.from({ length: 5 }, () => query.evaluate(day)));
    assert.equal(most, 1);
    await Promise.all(Array.from({ length: 5 }, () => query.evaluate(hour)));
    assert.ok(most > 1, 'small ones run side by side');
    failing = true;
    await assert.rejects(query.evaluate(day), /no disk/);
    assert.equal(query.takenBytes, 0);
  });
});
