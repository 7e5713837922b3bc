/** Sizes of everything: by integration, the largest first, and counted once for all who ask. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Sizes } from '#domain/overview/sizes';
import type { SignalSize } from '#storage/store';
import { MemoryMetaStore } from '../../../memory-store/meta-store.ts';
import { MemorySeriesStore } from '../../../memory-store/series-store.ts';
import { newId, signal } from '../../../support/resources.ts';
import { FixedClock } from '../../../support/world.ts';

class CountedStore extends MemorySeriesStore {
  countings = 0;

  override sizes(signals: readonly number[]): Promise<SignalSize[]> {
    this.countings++;
    return super.sizes(signals);
  }
}

test('integrations and signals come with the largest first; who has nothing is left out of the largest', async () => {
  const [meta, series] = [new MemoryMetaStore(), new CountedStore()];
  const [small, large] = [newId(), newId()];
  const made = await meta.write((tx) =>
    tx.signals.insert([signal(small, 'a'), signal(large, 'b'), signal(large, 'c'), signal(large, 'empty')]),
  );
  for (const [i, count] of [2, 5, 1].entries()) {
    const timesUs = Float64Array.from({ length: count }, (_, row) => row);
    await series.append({ timesUs, signals: [made[i].number], values: timesUs });
  }
  const sizes = new Sizes({ meta, series, stopwatch: new FixedClock() });
  const [first, second] = await Promise.all([sizes.ofAll(), sizes.ofAll()]);
  assert.deepEqual(first, second);
  assert.deepEqual(first.total, { points: 8, bytes: 128 });
  assert.deepEqual(
    first.integrations.map(({ integration, points }) => [integration, points]),
    [
      [large, 6],
      [small, 2],
    ],
  );
  assert.deepEqual(
    first.largest.map(({ signal: { attributes }, points }) => [attributes.name, points]),
    [
      ['b', 5],
      ['a', 2],
      ['c', 1],
    ],
  );
  assert.ok((await sizes.ofAll()).ageS >= 0);
  assert.equal(series.countings, 1, 'concurrent calls, and later ones within five minutes, share one count');
});

test('a count that fails is begun again by who asks next', async () => {
  const [meta, series] = [new MemoryMetaStore(), new MemorySeriesStore()];
  const sizes = new Sizes({ meta, series, stopwatch: new FixedClock() });
  const owners = meta.signals.owners;
  meta.signals.owners = () => Promise.reject(new Error('disk trouble'));
  await assert.rejects(sizes.ofAll(), /disk trouble/);
  meta.signals.owners = owners;
  assert.deepEqual((await sizes.ofAll()).total, { points: 0, bytes: 0 });
});
