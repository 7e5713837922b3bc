/** What every SeriesStore promises (storage/store.ts), as one suite for all of them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readRollups } from '#domain/query/read';
import type { Points } from '#model/frame';
import { freeMemory } from '#model/free-memory';
import { rollUp } from '#model/rollup';
import { statistics } from '#model/statistic';
import type { Batch, ScanSource, SeriesStore, Source } from '#storage/store';
import { openForSuite, type UnderTest } from './under-test.ts';

/** A batch out of times and columns `[signal, ...values]`; null is a hole. */
export function batchOf(timesUs: number[], ...columns: [number, ...(number | null)[]][]): Batch {
  return {
    timesUs: Float64Array.from(timesUs),
    signals: columns.map(([signal]) => signal),
    values: Float64Array.from(
      columns.flatMap(([, ...values]) => values),
      (value) => value ?? Number.NaN,
    ),
  };
}

/** Everything of a source, as pairs. */
export async function readAll(store: SeriesStore, ...signals: number[]): Promise<[number, number][]> {
  return pairs(await scanOne(store, signals, { startUs: -(2 ** 53), endUs: 2 ** 53 }));
}

/** A run as `[time, value]` pairs. */
export function pairs({ timesUs, values }: Points): [number, number][] {
  return Array.from(timesUs, (timeUs, row) => [timeUs, values[row]]);
}

async function scanOne(
  store: SeriesStore,
  signals: Source,
  window: ScanSource['window'],
  edges: { before?: boolean; after?: boolean } = {},
): Promise<Points> {
  const source = { signals, window, before: false, after: false, ...edges };
  const [points] = await store.scan({ sources: [source] });
  return points;
}

/** Declares the suite for one kind of store. */
export function seriesStoreContract(name: string, underTest: () => UnderTest<SeriesStore>): void {
  describe(`SeriesStore contract: ${name}`, () => {
    let store: SeriesStore;
    const kind = openForSuite(underTest(), (opened) => {
      store = opened;
    });

    it('R9 gives back what was appended, in order of time', async () => {
      await store.append(batchOf([10, 20, 30], [1, 1.5, -0.25, 3]));
      assert.deepEqual(await readAll(store, 1), [
        [10, 1.5],
        [20, -0.25],
        [30, 3],
      ]);
    });

    it('R9 the last append wins at a time, and others stay', async () => {
      await store.append(batchOf([10, 20, 30], [2, 1, 2, 3]));
      await store.append(batchOf([20, 25], [2, 22, 25]));
      assert.deepEqual(await readAll(store, 2), [
        [10, 1],
        [20, 22],
        [25, 25],
        [30, 3],
      ]);
    });

    it('R9 null leaves what is stored untouched', async () => {
      await store.append(batchOf([10, 20], [3, 1, 2]));
      await store.append(batchOf([10, 20, 30], [3, null, 5, null], [4, null, null, 7]));
      assert.deepEqual(await readAll(store, 3), [
        [10, 1],
        [20, 5],
      ]);
      assert.deepEqual(await readAll(store, 4), [[30, 7]]);
    });

    it('R9 a batch without any value is accepted and changes nothing', async () => {
      await store.append(batchOf([10, 20], [5, null, null]));
      await store.append(batchOf([], [5]));
      assert.deepEqual(await readAll(store, 5), []);
    });

    it('R9 points may come in any order of time', async () => {
      for (const timeUs of [50, 10, 40, 20, 30, 10]) await store.append(batchOf([timeUs], [6, timeUs * 2]));
      assert.deepEqual(
        await readAll(store, 6),
        [10, 20, 30, 40, 50].map((timeUs) => [timeUs, timeUs * 2]),
      );
    });

    it('R3 keeps single microseconds, negative times and the ends of the range', async () => {
      const end = 2 ** 53 - 1;
      const timesUs = [-end, -1_000_001, -1, 0, 1, 1_700_000_000_000_001, end];
      await store.append({
        timesUs: Float64Array.from(timesUs),
        signals: [7],
        values: Float64Array.from(timesUs, (_, i) => i),
      });
      assert.deepEqual(
        await readAll(store, 7),
        timesUs.map((timeUs, i) => [timeUs, i]),
      );
    });

    it('R9 keeps each finite number bit by bit', async () => {
      const values = [-0, 5e-324, -5e-324, Number.MAX_VALUE, 2 ** 53 + 2, 0.1 + 0.2, 1 / 3, 1e21, 1e-7];
      const timesUs = Float64Array.from(values, (_, i) => i);
      await store.append({ timesUs, signals: [8], values: Float64Array.from(values) });
      const read = (await readAll(store, 8)).map(([, value]) => value);
      for (const [i, value] of values.entries()) assert.ok(Object.is(read[i], value), `${value}`);
    });

    it('Q1 a window is half-open, and an empty one gives nothing', async () => {
      await store.append(batchOf([10, 20, 30], [9, 1, 2, 3]));
      const inside = await scanOne(store, [9], { startUs: 10, endUs: 30 });
      assert.deepEqual(pairs(inside), [
        [10, 1],
        [20, 2],
      ]);
      assert.deepEqual(pairs(await scanOne(store, [9], { startUs: 30, endUs: 10 })), []);
      assert.deepEqual(pairs(await scanOne(store, [9], { startUs: 20, endUs: 20 })), []);
    });

    it('Q13 the nearest points before and after the window are given when asked for', async () => {
      await store.append(batchOf([10, 20, 30, 40], [10, 1, 2, 3, 4]));
      await store.append(batchOf([15, 20, 40], [10, null, 22, 44]));
      const window = { startUs: 25, endUs: 35 };
      assert.deepEqual(pairs(await scanOne(store, [10], window, { before: true, after: true })), [
        [20, 22],
        [30, 3],
        [40, 44],
      ]);
      assert.deepEqual(
        pairs(await scanOne(store, [10], { startUs: 10, endUs: 41 }, { before: true, after: true })),
        [
          [10, 1],
          [20, 22],
          [30, 3],
          [40, 44],
        ],
      );
      assert.deepEqual(
        pairs(await scanOne(store, [10], { startUs: 12, endUs: 13 }, { before: true, after: true })),
        [
          [10, 1],
          [20, 22],
        ],
      );
    });

    it('Q14 a source of several signals is their union, the last one listed wins', async () => {
      await store.append(batchOf([10, 20], [11, 1, 2]));
      await store.append(batchOf([20, 30], [12, 22, 33]));
      await store.append(batchOf([20], [11, 2.5]));
      const expected = [
        [10, 1],
        [20, 22],
        [30, 33],
      ];
      assert.deepEqual(await readAll(store, 11, 12), expected);
      const window = { startUs: 25, endUs: 26 };
      assert.deepEqual(pairs(await scanOne(store, [11, 12], window, { before: true, after: true })), [
        [20, 22],
        [30, 33],
      ]);
      assert.deepEqual((await readAll(store, 12, 11))[1], [20, 2.5]);
    });

    it('answers in the order of the sources, unknown signals with nothing', async () => {
      await store.append(batchOf([1], [13, 13], [14, 14]));
      const window = { startUs: 0, endUs: 10 };
      const source = (signal: number) => ({ signals: [signal], window, before: true, after: true });
      const found = await store.scan({ sources: [14, 999_999, 13, 14].map(source) });
      assert.deepEqual(found.map(pairs), [[[1, 14]], [], [[1, 13]], [[1, 14]]]);
      assert.deepEqual(await store.scan({ sources: [] }), []);
    });

    it('columns may come in any order of their signals', async () => {
      await store.append(batchOf([1, 2], [17, 1, 2], [15, 3, 4], [16, 5, 6]));
      assert.deepEqual(
        (await readAll(store, 15)).map(([, value]) => value),
        [3, 4],
      );
      assert.deepEqual(
        (await readAll(store, 17)).map(([, value]) => value),
        [1, 2],
      );
    });

    it('a read that starts after an append has resolved sees it, with many appends under way', async () => {
      const work = Array.from({ length: 8 }, async (_, worker) => {
        for (let round = 0; round < 20; round++) {
          await store.append(batchOf([round], [20 + worker, round * worker]));
          const read = await readAll(store, 20 + worker);
          assert.deepEqual(read.at(-1), [round, round * worker]);
        }
      });
      await Promise.all(work);
    });

    it('a read sees each batch whole or not at all', async () => {
      let done = false;
      const writing = (async () => {
        for (let round = 0; round < 60; round++)
          await store.append(batchOf([0, 1], [30, round, round], [31, round, round]));
        done = true;
      })();
      const window = { startUs: 0, endUs: 10 };
      while (!done) {
        const sources = [30, 31].map((signal) => ({
          signals: [signal],
          window,
          before: false,
          after: false,
        }));
        const values = (await store.scan({ sources })).flatMap((points) => [...points.values]);
        assert.equal(new Set(values).size <= 1, true, values.join());
      }
      await writing;
    });

    it('a rollup of many signals sees each batch whole or not at all', async () => {
      const signals = Array.from({ length: 40 }, (_, i) => 200 + i);
      const write = (round: number) =>
        store.append({ timesUs: Float64Array.of(round), signals, values: new Float64Array(40).fill(round) });
      await write(0);
      const writing = (async () => {
        for (let round = 1; round < 80; round++) await write(round);
      })();
      const window = { startUs: 0, endUs: 100 };
      const buckets = { edgesUs: Float64Array.of(0, 100), stepUs: 100 };
      const sources = signals.map((signal) => ({
        ...{ signals: [signal], window, states: [], gapUs: Infinity },
        statistics: ['last', 'count'] as const,
      }));
      let newest = 0;
      while (newest < 79) {
        const rollups = await readRollups({ series: store }, { sources, buckets, nowUs: 0 });
        const [last, ...others] = new Set(rollups.map(({ statistics }) => statistics.get('last')![0]));
        assert.deepEqual(others, [], `also saw ${last}`);
        assert.ok(last >= newest);
        newest = last;
      }
      await writing;
    });

    it('takes 100,000 signals', async () => {
      const signals = Array.from({ length: 100_000 }, (_, i) => 1000 + i * 2);
      const values = Float64Array.from({ length: 200_000 }, (_, i) => i / 2);
      await store.append({ timesUs: Float64Array.of(5, 6), signals, values });
      await store.append({ timesUs: Float64Array.of(6, 7), signals, values });
      assert.deepEqual(await readAll(store, 1000 + 99_999 * 2), [
        [5, 99_999],
        [6, 99_999],
        [7, 99_999.5],
      ]);
      assert.deepEqual(await readAll(store, 1001), []);
    });

    it('forgets deleted signals, and takes new points of them', async () => {
      await store.append(batchOf([1, 2], [40, 1, 2], [41, 3, 4]));
      await store.deleteSignals([40, 424_242]);
      await store.deleteSignals([]);
      assert.deepEqual(await readAll(store, 40), []);
      assert.equal((await readAll(store, 41)).length, 2);
      await store.append(batchOf([2], [40, 9]));
      assert.deepEqual(await readAll(store, 40), [[2, 9]]);
    });

    it('Q6 Q10 a rollup is what rollUp makes of a scan', async () => {
      await store.append(
        batchOf([5, 10, 20, 30, 40, 60], [60, 1, 2, 3, 4, 5, 6], [61, 9, null, 1, null, 7, 8]),
      );
      const buckets = { edgesUs: Float64Array.of(0, 15, 30, 45), stepUs: 15 };
      const window = { startUs: 8, endUs: 42 };
      for (const signals of [[60], [60, 61], [62]]) {
        const source = {
          signals,
          window,
          statistics,
          states: 'seen',
          gapUs: Infinity,
        } as const;
        const [rollup] = await readRollups({ series: store }, { sources: [source], buckets, nowUs: 41 });
        const points = await scanOne(store, signals, window, { before: true, after: true });
        assert.deepEqual(rollup, rollUp(points, source, buckets, 41));
      }
    });

    it('Q10 a state holds until the next point of the source, after the window and in the future too', async () => {
      await store.append(batchOf([10, 30, 100], [70, 1, 2, 1], [71, 4, null, null], [72, 3, 3, null]));
      const buckets = { edgesUs: Float64Array.of(0, 20, 40, 60), stepUs: 20 };
      const secondsOf = async (signals: number[], endUs: number, nowUs: number) => {
        const want = { statistics: [], states: 'seen', gapUs: Infinity } as const;
        const source = { signals, window: { startUs: 0, endUs }, ...want };
        const [{ states }] = await readRollups({ series: store }, { sources: [source], buckets, nowUs });
        return [...states].map(([state, column]) =>
          [state, ...column].map((value) => Math.round(value * 1e6)),
        );
      };
      for (const nowUs of [0, 35, 1000]) {
        const found = await secondsOf([70], 60, nowUs);
        assert.deepEqual(
          found,
          [
            [1e6, 10, 10, 0],
            [2e6, 0, 10, 20],
          ],
          `now ${nowUs}`,
        );
      }
      // A shorter window changes nothing in the buckets that it still covers.
      assert.deepEqual(await secondsOf([70], 40, 0), [
        [1e6, 10, 10, Number.NaN],
        [2e6, 0, 10, Number.NaN],
      ]);
      assert.deepEqual(await secondsOf([70], 31, 0), [
        [1e6, 10, 10, Number.NaN],
        [2e6, 0, 1, Number.NaN],
      ]);
      // The newest point of all: until now, or without end where it lies in the future.
      assert.deepEqual(await secondsOf([71], 60, 25), [[4e6, 10, 5, Number.NaN]]);
      assert.deepEqual(await secondsOf([71], 60, 9), [[4e6, 10, 20, 20]]);
      // Of two signals the points of either end a state; at 30 the second one wins.
      assert.deepEqual(await secondsOf([70, 72], 60, 0), [[3e6, 10, 20, 20]]);
    });

    it('an aborted scan is rejected with the reason', async () => {
      const reason = new Error('the caller has gone');
      const request = {
        sources: [{ signals: [1], window: { startUs: 0, endUs: 9 }, before: false, after: false }],
      };
      await assert.rejects(store.scan(request, AbortSignal.abort(reason)), reason);
    });

    it('arrays that nothing else uses can be freed, and a scan after that gives the same', async () => {
      const timesUs = Array.from({ length: 3000 }, (_, row) => row * 10);
      await store.append(batchOf(timesUs, [60, ...timesUs.map((us) => us / 3)]));
      await store.append(batchOf([5, 15], [60, 1, 2]));
      const expected = await readAll(store, 60);
      assert.equal(expected.length, 3002);
      const source = { signals: [60], window: { startUs: 0, endUs: 30_000 }, before: true, after: true };
      for (let time = 0; time < 3; time++) {
        const [one, same] = await store.scan({ sources: [source, source] });
        for (const points of [one, same]) assert.deepEqual(pairs(points), expected);
        if (store.givesArraysAlone) {
          for (const array of [one.timesUs, one.values]) freeMemory(array);
          assert.equal(one.values.length, 0);
          assert.deepEqual(pairs(same), expected);
        }
        if (time === 1) store = await kind.reopen();
      }
    });

    it('keeps everything when it is opened again', async () => {
      await store.append(batchOf([1, 2], [50, 1, 2]));
      await store.append(batchOf([2], [50, 3]));
      await store.deleteSignals([1]);
      store = await kind.reopen();
      assert.deepEqual(await readAll(store, 50), [
        [1, 1],
        [2, 3],
      ]);
      assert.deepEqual(await readAll(store, 1), []);
      await store.append(batchOf([3], [50, 4]));
      assert.equal((await readAll(store, 50)).length, 3);
    });
  });
}
