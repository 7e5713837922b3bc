/** What every SeriesStore promises about deleting points and about its figures (storage/store.ts), as one suite for all of them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SeriesStore } from '#storage/store';
import { batchOf, readAll } from './series-store.ts';
import { openForSuite, type UnderTest } from './under-test.ts';

const everything = { startUs: -(2 ** 53), endUs: 2 ** 53 };

/** So many points a signal that a store which keeps blocks makes several of them. */
const manyCount = 60_000;

/** A batch of many points of signals: at 1000, 1001 …, each the signal's number more than its place. */
function many(...signals: number[]) {
  const timesUs = Float64Array.from({ length: manyCount }, (_, i) => 1000 + i);
  const values = Float64Array.from(
    { length: manyCount * signals.length },
    (_, at) => Math.sin(at) + signals[Math.floor(at / manyCount)],
  );
  return { timesUs, signals, values };
}

/** Waits until the store has put what it has into blocks, if it has blocks. */
async function settled(store: SeriesStore): Promise<void> {
  const deadlineMs = performance.now() + 20_000;
  while (performance.now() < deadlineMs) {
    const { logBytes = 0 } = (await store.figures?.()) ?? {};
    if (logBytes < 100_000) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail('the log was not sealed in time');
}

/** Declares the suite for one kind of store. */
export function seriesDeletionContract(name: string, underTest: () => UnderTest<SeriesStore>): void {
  describe(`SeriesStore contract, deletion: ${name}`, () => {
    let store: SeriesStore;
    const kind = openForSuite(underTest(), (opened) => {
      store = opened;
    });

    it('R15 points of a window go, those around it stay, and are counted before and after', async () => {
      await store.append(batchOf([10, 20, 30, 40], [1, 1, 2, 3, 4], [2, null, 2, null, 4], [3, 1, 2, 3, 4]));
      const window = { startUs: 20, endUs: 40 };
      assert.deepEqual(await store.countPoints([1, 2, 99], window), [2, 1, 0]);
      assert.deepEqual(await store.deletePoints([1, 2, 99], window), [2, 1, 0]);
      assert.deepEqual(await readAll(store, 1), [
        [10, 1],
        [40, 4],
      ]);
      assert.deepEqual(await readAll(store, 2), [[40, 4]]);
      assert.equal((await readAll(store, 3)).length, 4);
      assert.deepEqual(await store.countPoints([1, 2, 99], window), [0, 0, 0]);
      assert.deepEqual(await store.deletePoints([1, 2, 99], window), [0, 0, 0]);
    });

    it('R15 points at both ends of time are counted, read and deleted', async () => {
      const whole = { startUs: -(2 ** 53), endUs: 2 ** 53 + 2 };
      await store.append(batchOf([-(2 ** 53), 0, 2 ** 53], [90, 1, 2, 3]));
      assert.deepEqual(await store.countPoints([90], whole), [3]);
      const sources = [{ signals: [90], window: whole, before: false, after: false }];
      const [{ timesUs }] = await store.scan({ sources });
      assert.deepEqual([...timesUs], [-(2 ** 53), 0, 2 ** 53]);
      assert.deepEqual(await store.deletePoints([90], whole), [3]);
      assert.deepEqual(await store.countPoints([90], whole), [0]);
    });

    it('R15 an empty window, and no signals, delete nothing', async () => {
      await store.append(batchOf([10], [4, 1]));
      assert.deepEqual(await store.deletePoints([4], { startUs: 10, endUs: 10 }), [0]);
      assert.deepEqual(await store.deletePoints([4], { startUs: 20, endUs: 5 }), [0]);
      assert.deepEqual(await store.countPoints([4], { startUs: 20, endUs: 5 }), [0]);
      assert.deepEqual(await store.deletePoints([], everything), []);
      assert.deepEqual(await readAll(store, 4), [[10, 1]]);
    });

    it('R15 what is appended afterwards is there, at the same times too', async () => {
      await store.append(batchOf([10, 20], [5, 1, 2]));
      await store.deletePoints([5], everything);
      await store.append(batchOf([20, 30], [5, 22, 33]));
      assert.deepEqual(await readAll(store, 5), [
        [20, 22],
        [30, 33],
      ]);
    });

    it('R15 a value that was overwritten does not come back, and counts once', async () => {
      await store.append(batchOf([10, 20], [6, 1, 2]));
      await store.append(batchOf([10, 20], [6, 11, 22]));
      assert.deepEqual(await store.deletePoints([6], { startUs: 0, endUs: 15 }), [1]);
      assert.deepEqual(await readAll(store, 6), [[20, 22]]);
    });

    it('R15 what was stored longer ago is deleted in the same way: blocks as a whole, cut, and under newer points', async () => {
      await store.append(many(10, 11, 12));
      await settled(store);
      await store.append(batchOf([999, 1005, 30_000, 90_000], [10, 7, 8, 9, 10]));
      const window = { startUs: 1003, endUs: 50_000 };
      assert.deepEqual(await store.countPoints([10, 11], window), [48_997, 48_997]);
      assert.deepEqual(await store.deletePoints([10, 11], window), [48_997, 48_997]);
      const left = await readAll(store, 10);
      assert.equal(left.length, 3 + 11_000 + 2);
      assert.deepEqual(left[0], [999, 7]);
      assert.deepEqual(
        left.slice(3, 5).map(([timeUs]) => timeUs),
        [1002, 50_000],
      );
      assert.deepEqual(left.at(-1), [90_000, 10]);
      assert.equal((await readAll(store, 11)).length, 3 + 11_000);
      assert.equal((await readAll(store, 12)).length, manyCount);
      assert.deepEqual(await store.deletePoints([10, 11], window), [0, 0]);
    });

    it('R15 a window in a gap between points changes nothing', async () => {
      await store.append(batchOf([100, 200, 900], [13, 1, 2, 3]));
      assert.deepEqual(await store.deletePoints([13], { startUs: 201, endUs: 899 }), [0]);
      assert.equal((await readAll(store, 13)).length, 3);
    });

    it('R15 writers go on meanwhile, and lose nothing that they write outside', async () => {
      await store.append(many(20));
      const written: number[] = [];
      let isDone = false;
      const writing = (async () => {
        for (let i = 0; !isDone || i < 20; i++) {
          await store.append(batchOf([1e6 + i], [20, i], [21, i]));
          written.push(i);
        }
      })();
      for (let from = 1000; from < 1000 + manyCount; from += 6000) {
        const window = { startUs: from, endUs: from + 5000 };
        assert.deepEqual(await store.deletePoints([20], window), [5000]);
        assert.deepEqual(await store.countPoints([20], window), [0]);
      }
      isDone = true;
      await writing;
      const found = await readAll(store, 20);
      assert.equal(found.length, 10_000 + written.length);
      assert.deepEqual(
        found.slice(10_000),
        written.map((i) => [1e6 + i, i]),
      );
      assert.equal((await readAll(store, 21)).length, written.length);
    });

    it('R15 a thousand signals are deleted in one call', async () => {
      const signals = Array.from({ length: 1500 }, (_, i) => 5000 + i);
      const values = Float64Array.from({ length: 3000 }, (_, i) => i);
      await store.append({ timesUs: Float64Array.of(1, 2), signals, values });
      const counts = await store.deletePoints(signals, { startUs: 2, endUs: 3 });
      assert.deepEqual(new Set(counts), new Set([1]));
      assert.equal(counts.length, 1500);
      assert.deepEqual(await readAll(store, 5777), [[1, 777 * 2]]);
    });

    it('lists the signals that have points', async () => {
      const stored = await store.storedSignals();
      assert.ok(stored.includes(12));
      assert.ok(!stored.includes(99));
    });

    it('gives the sizes of signals, in the order asked for', async () => {
      await store.append(batchOf([1, 2, 3], [60, 1, 2, 3], [61, 1, null, 3]));
      const [unknown, two, three, same] = await store.sizes([99, 61, 60, 60]);
      assert.deepEqual(unknown, { points: 0, bytes: 0 });
      assert.ok(two.points === 2 || two.points === 3, 'an empty value may count until the log is sealed');
      assert.equal(three.points, 3);
      assert.ok(three.bytes > 0 && three.bytes <= 16 * 3);
      assert.deepEqual(same, three);
      await store.deletePoints([60], { startUs: 2, endUs: 3 });
      assert.equal((await store.sizes([60]))[0].points, 2);
      await store.deleteSignals([60]);
      assert.deepEqual(await store.sizes([60]), [{ points: 0, bytes: 0 }]);
      await assert.rejects(store.sizes([61], AbortSignal.abort()));
    });

    it('R15 a deletion is still there when the store is opened again', async () => {
      await store.append(batchOf([1, 2, 3], [50, 1, 2, 3]));
      await store.deletePoints([50], { startUs: 2, endUs: 3 });
      store = await kind.reopen();
      assert.deepEqual(await readAll(store, 50), [
        [1, 1],
        [3, 3],
      ]);
      assert.equal((await readAll(store, 11)).length, 3 + 11_000);
    });
  });
}
