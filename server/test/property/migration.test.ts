/** The copy of points between any two stores, and the parts into which it divides them. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { type Part, partsOf } from '#domain/migration/parts';
import { copyPoints } from '#domain/migration/points';
import { lowerBound } from '#model/lower-bound';
import type { Rollup } from '#model/rollup';
import type { Batch, RollupRequest } from '#storage/store';
import { MemorySeriesStore } from '../memory-store/series-store.ts';
import { KeptLog } from '../support/world.ts';

/** The memory store, which can also count points in buckets. */
class CountingStore extends MemorySeriesStore {
  async rollup({ sources, buckets }: RollupRequest): Promise<Rollup[]> {
    const found = await this.scan({
      sources: sources.map(({ signals, window }) => ({ signals, window, before: false, after: false })),
    });
    return found.map(({ timesUs }) => {
      const starts = Array.from(buckets.edgesUs, (us) => lowerBound(timesUs, us));
      const counts = Float64Array.from(starts.slice(1), (end, i) => end - starts[i] || Number.NaN);
      return { statistics: new Map([['count' as const, counts]]), states: new Map() };
    });
  }
}

const signals = [1, 2, 3, 5];
const dayUs = 86_400e6;
const everything = { startUs: Number.NEGATIVE_INFINITY, endUs: Number.POSITIVE_INFINITY };

/** Times close together, some days apart, and many years apart. */
const times = fc
  .tuple(fc.constantFrom(1, 1000, 40 * dayUs, 2000 * dayUs), fc.integer({ min: -50, max: 50 }))
  .map(([stepUs, i]) => stepUs * i);
const values = fc.constantFrom(0, -0, 1, 2.5, 5e-324, -1e300);
const batches = fc.array(
  fc.tuple(fc.constantFrom(...signals, 7), fc.uniqueArray(times, { maxLength: 60 }), values).map(
    ([signal, some, value]): Batch => ({
      signals: [signal],
      timesUs: Float64Array.from(some).sort(),
      values: Float64Array.from(some, (us) => value + (us % 3)),
    }),
  ),
  { maxLength: 8 },
);

async function storeOf(all: readonly Batch[]): Promise<CountingStore> {
  const store = new CountingStore();
  for (const batch of all) await store.append(batch);
  return store;
}

const pointsOf = (store: CountingStore, window = everything, some = signals) =>
  store.scan({ sources: some.map((signal) => ({ signals: [signal], window, before: false, after: false })) });

it('after a copy the points of the signals are equal, whatever was there; a second copy changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(batches, batches, async (wanted, present) => {
      const [source, target] = [await storeOf(wanted), await storeOf(present)];
      const others = await pointsOf(target, everything, [7]);
      const done: number[] = [];
      const options = {
        ...{ source, target, log: new KeptLog(), onPoints: () => {} },
        onDone: async (signal: number) => void done.push(signal),
      };
      await copyPoints(signals, options);
      assert.deepEqual(await pointsOf(target), await pointsOf(source));
      assert.deepEqual(await pointsOf(target, everything, [7]), others);
      const again = await copyPoints(signals, options);
      const count = (await pointsOf(source)).reduce((sum, { timesUs }) => sum + timesUs.length, 0);
      assert.deepEqual(again, { points: count, changed: 0 });
      assert.deepEqual(done, [5, 5]);
    }),
    { numRuns: 150 },
  );
});

/** The parts of each signal, in the order of time. */
function windowsOf(parts: readonly Part[], signal: number) {
  return parts
    .filter((part) => part.signals.includes(signal))
    .map(({ window }) => window)
    .sort((a, b) => a.startUs - b.startUs);
}

it('parts have all time of each signal once, and few points', async () => {
  await fc.assert(
    fc.asyncProperty(batches, fc.integer({ min: 1, max: 40 }), async (all, pointsMax) => {
      const store = await storeOf(all);
      const counts = (await pointsOf(store)).map(({ timesUs }) => timesUs.length);
      const parts: Part[] = [];
      for await (const part of partsOf(store, signals, counts, pointsMax)) parts.push(part);
      for (const signal of signals) {
        const windows = windowsOf(parts, signal);
        const edges = windows.flatMap(({ startUs, endUs }) => [startUs, endUs]);
        const inner = edges.slice(1, -1);
        assert.deepEqual([edges[0], edges.at(-1)], [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]);
        for (let i = 0; i < inner.length; i += 2) assert.equal(inner[i], inner[i + 1]);
      }
      for (const { signals, window } of parts) {
        const points = await pointsOf(store, window, [...signals]);
        const count = points.reduce((sum, { timesUs }) => sum + timesUs.length, 0);
        assert.ok(count <= pointsMax, `${count} points, at most ${pointsMax}`);
      }
    }),
    { numRuns: 150 },
  );
});
