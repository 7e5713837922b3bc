/** A time range of a signal: equal parts, and the newest points whatever their density. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { History } from '#domain/overview/history';
import { dayUs, hourUs, minuteUs } from '#model/duration';
import { MemoryMetaStore } from '../../../memory-store/meta-store.ts';
import { MemorySeriesStore } from '../../../memory-store/series-store.ts';
import { newId, signal } from '../../../support/resources.ts';
import { FixedClock } from '../../../support/world.ts';

let meta: MemoryMetaStore;
let series: MemorySeriesStore;
let clock: FixedClock;
let history: History;
const ended = AbortSignal.timeout(60_000);

beforeEach(() => {
  [meta, series, clock] = [new MemoryMetaStore(), new MemorySeriesStore(), new FixedClock()];
  history = new History({ meta, series, clock });
});

/** A signal with a point of value i at each of these ages, µs. */
async function add(agesUs: readonly number[]): Promise<string> {
  const [{ id, number }] = await meta.write((tx) => tx.signals.insert([signal(newId(), 'x')]));
  const timesUs = Float64Array.from(agesUs, (us) => clock.nowUs() - us).sort();
  await series.append({ timesUs, signals: [number], values: timesUs.map((_, i) => i) });
  return id;
}

test('A5j a range has 240 parts that end at the present, with the extremes of each', async () => {
  const id = await add(Array.from({ length: 24 * 60 }, (_, i) => (i + 1) * minuteUs));
  const { window, parts, newest } = await history.ofSignals([id], dayUs, ended);
  assert.deepEqual([window.startUs, window.endUs], [clock.nowUs() - dayUs, clock.nowUs()]);
  assert.equal(parts.length, 240);
  assert.deepEqual(parts[0], { startUs: window.startUs, count: 6, min: 0, max: 5, avg: 2.5, last: 5 });
  assert.equal(
    parts.reduce((sum, { count }) => sum + count, 0),
    1440,
  );
  assert.equal(newest.length, 50);
  assert.deepEqual([newest[0], newest[49].value], [{ timeUs: clock.nowUs() - minuteUs, value: 1439 }, 1390]);
});

test('A5j a range without points ends with the newest point, before the present or after it', async () => {
  const old = await add([400 * dayUs, 300 * dayUs]);
  const { window, newest } = await history.ofSignals([old], hourUs, ended);
  assert.equal(window.endUs, clock.nowUs() - 300 * dayUs + 1);
  assert.deepEqual(
    newest.map(({ value }) => value),
    [1],
  );
  const coming = await add([-2 * hourUs, -hourUs]);
  assert.equal(
    (await history.ofSignals([coming], hourUs, ended)).window.endUs,
    clock.nowUs() + 2 * hourUs + 1,
  );
});

test('A5j the newest points are found where most points are in one part, the first or the last', async () => {
  const dense = Array.from({ length: 20_000 }, (_, i) => i);
  const late = await add(dense.map((i) => hourUs + i));
  const { newest } = await history.ofSignals([late], 240 * dayUs, ended);
  assert.deepEqual([newest.length, newest[0].value, newest[49].value], [50, 19_999, 19_950]);
  const early = await add([...dense.map((i) => 239.5 * dayUs + i), hourUs, 2 * hourUs]);
  const spread = (await history.ofSignals([early], 240 * dayUs, ended)).newest;
  assert.deepEqual(
    spread.map(({ value }) => value),
    Array.from({ length: 50 }, (_, i) => 20_001 - i),
  );
});

test('A5j several signals are read as one; a signal without points has none; an unknown one is an error', async () => {
  const [a, b, empty] = [await add([hourUs]), await add([2 * hourUs]), await add([])];
  const { newest, parts } = await history.ofSignals([a, b], dayUs, ended);
  assert.equal(newest.length, 2);
  assert.equal(parts.filter(({ count }) => count > 0).length, 2);
  const nothing = await history.ofSignals([empty], dayUs, ended);
  assert.deepEqual([nothing.newest, nothing.window.endUs], [[], clock.nowUs()]);
  await assert.rejects(history.ofSignals([newId()], dayUs, ended), /no signal has the ID/);
});
