/** How far apart points are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Spacing, spacingOf } from '#domain/overview/spacing';
import { MemoryMetaStore } from '../../../memory-store/meta-store.ts';
import { MemorySeriesStore } from '../../../memory-store/series-store.ts';
import { newId, signal } from '../../../support/resources.ts';

const undeclared = { sampleIntervalUs: null, gapDetectionUs: null };
const secondsOf = (...seconds: number[]) => Float64Array.from(seconds, (second) => second * 1e6);

test('the median, the shortest and the longest time between points', () => {
  const figures = spacingOf(secondsOf(0, 63, 126, 187, 250), undeclared);
  assert.deepEqual(
    [figures.points, figures.medianUs, figures.leastUs, figures.mostUs],
    [5, 63e6, 61e6, 63e6],
  );
  assert.deepEqual([figures.fromUs, figures.toUs], [0, 250e6]);
  assert.deepEqual([figures.gapUs, figures.gapCount, figures.gaps], [189e6, 0, []]);
});

test('a gap is longer than declared, than three intervals, or than three medians', () => {
  const times = secondsOf(0, 10, 20, 55, 65, 200);
  const gaps = (declared: Partial<typeof undeclared> | object) =>
    spacingOf(times, { ...undeclared, ...declared }).gaps.map(({ startUs }) => startUs / 1e6);
  assert.deepEqual(gaps({}), [65, 20]);
  assert.deepEqual(gaps({ sampleIntervalUs: 20e6 }), [65]);
  assert.deepEqual(gaps({ sampleIntervalUs: 20e6, gapDetectionUs: 35e6 }), [65]);
  assert.deepEqual(gaps({ gapDetectionUs: 34e6 }), [65, 20]);
});

test('without points, or with one, there is nothing between them', () => {
  for (const times of [secondsOf(), secondsOf(7)]) {
    const { medianUs, gapUs, gapCount, points } = spacingOf(times, undeclared);
    assert.deepEqual([medianUs, gapUs, gapCount, points], [null, null, 0, times.length]);
  }
});

/** A store with one signal that has points at these times, µs. */
async function spacingAt(timesUs: Float64Array) {
  const meta = new MemoryMetaStore();
  const series = new MemorySeriesStore();
  const [{ id, number }] = await meta.write((tx) => tx.signals.insert([signal(newId(), 's')]));
  await series.append({ timesUs, signals: [number], values: new Float64Array(timesUs.length) });
  return (await new Spacing({ meta, series }).ofSignal(id, new AbortController().signal))!;
}

test('the newest thousand points are looked at, however dense or sparse they are', async () => {
  const dense = Float64Array.from({ length: 100_000 }, (_, i) => i * 10);
  const found = await spacingAt(dense);
  assert.deepEqual([found.points, found.toUs, found.medianUs], [1000, 999_990, 10]);
  const sparse = Float64Array.from({ length: 1500 }, (_, i) => i * 86_400e6);
  assert.deepEqual((await spacingAt(sparse)).medianUs, 86_400e6);
  assert.ok((await spacingAt(sparse)).points >= 250);
  assert.equal((await spacingAt(secondsOf(-1e9, 5))).points, 2);
});

test('a burst long ago behind a few points does not make the read long', async () => {
  const burst = Float64Array.from({ length: 30_000 }, (_, i) => i);
  const found = await spacingAt(Float64Array.from([...burst, 1e12, 1e12 + 60e6]));
  assert.ok(found.points >= 2 && found.points <= 1000);
  assert.equal(found.toUs, 1e12 + 60e6);
});
