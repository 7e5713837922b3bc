/** What every sequence of batches promises (SeriesChanges of storage/store.ts), as one suite for all stores that have one. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ChangePosition, SeriesChanges, SeriesStore } from '#storage/store';
import { batchOf, pairs } from './series-store.ts';
import { openForSuite, type UnderTest } from './under-test.ts';

type Event = Record<number, [number, number][]>;

/** All events after a place, each as signal → pairs, and the place after them; null when the store cannot tell. */
export async function eventsSince(
  changes: SeriesChanges,
  place: ChangePosition,
  ...signals: number[]
): Promise<{ events: Event[]; position: ChangePosition } | null> {
  const events: Event[] = [];
  for (let position = place; ; ) {
    const found = await changes.since(position, new Set(signals));
    if (found === null) return null;
    const points = found.batches.map((batch) => batch.points.map((some) => [some.signal, pairs(some)]));
    events.push(...points.map((some): Event => Object.fromEntries(some)));
    position = found.position;
    if (!found.hasMore) return { events, position };
  }
}

/** Declares the suite for one kind of store. */
export function seriesChangesContract(name: string, underTest: () => UnderTest<SeriesStore>): void {
  describe(`SeriesChanges contract: ${name}`, () => {
    const kind = underTest();
    let store: SeriesStore;
    let changes: SeriesChanges;
    const use = (opened: SeriesStore) => {
      store = opened;
      assert.ok(store.changes !== undefined);
      changes = store.changes;
    };
    openForSuite(kind, use);

    it('N2 each batch is there once, in the order of its acknowledgement, late points and overwrites too', async () => {
      const start = await changes.now();
      await store.append(batchOf([10, 20], [1, 1, 2], [2, 3, null]));
      await store.append(batchOf([20], [3, 9]));
      await store.append(batchOf([5, 20], [1, 7, 8]));
      const found = await eventsSince(changes, start, 1, 2);
      // Of several servers one may have dropped what the third batch has overwritten.
      const isDropped = store.mayStoreInPart === true && found?.events[0][1].length === 1;
      assert.deepEqual(found?.events, [
        {
          1: [[10, 1], ...(isDropped ? [] : [[20, 2]])],
          2: [[10, 3]],
        },
        {
          1: [
            [5, 7],
            [20, 8],
          ],
        },
      ]);
      assert.deepEqual(found?.position, await changes.now());
      assert.deepEqual((await eventsSince(changes, found.position, 1, 2, 3))?.events, []);
    });

    it('N2 from every place the rest follows, in pieces of any size, also after the store was opened again', async () => {
      const start = await changes.now();
      for (let i = 0; i < 10; i++) await store.append(batchOf([100 + i], [i % 2 === 0 ? 4 : 5, i]));
      const places = [start];
      for (
        let found = await changes.since(start, new Set([4]));
        found !== null && found.batches.length > 0;
      ) {
        places.push(...found.batches.map(({ position }) => position));
        found = found.hasMore ? await changes.since(found.position, new Set([4])) : null;
      }
      assert.equal(places.length, 6);
      use(await kind.reopen());
      for (const [i, place] of places.entries()) {
        const expected = [0, 2, 4, 6, 8].slice(i).map((value) => ({ 4: [[100 + value, value]] }));
        assert.deepEqual((await eventsSince(changes, place, 4))?.events, expected);
      }
    });

    it('N2 a large batch comes whole, with a place after each of its parts', async () => {
      const start = await changes.now();
      const times = Array.from({ length: 30_000 }, (_, i) => i);
      await store.append(batchOf(times, [6, ...times], [7, ...times]));
      const found = await changes.since(start, new Set([6, 7]));
      assert.ok(found !== null);
      for (const { position } of [...found.batches.slice(0, 3), { position: start }]) {
        const rest = await eventsSince(changes, position, 6);
        const part = await changes.since(start, new Set([6, 7]));
        const before = part?.batches.filter(
          (batch) => batch.position.row > 0 && batch.position.row <= position.row,
        );
        const skipped = before?.reduce((sum, { points }) => sum + points[0].values.length, 0) ?? 0;
        const values = rest?.events.flatMap((event) => event[6].map(([, value]) => value)) ?? [];
        if (position.row > 0 || position === start)
          assert.deepEqual(values, times.slice(position === start ? 0 : skipped));
      }
    });

    it('N2 a place of another store, or of the future, is not known', async () => {
      const now = await changes.now();
      assert.equal(await changes.since({ ...now, seq: now.seq + 1 }, new Set([1])), null);
      assert.equal(await changes.since({ ...now, mark: now.mark + 1 }, new Set([1])), null);
    });

    it('N2 after a deletion the places before it are not known, or what follows is without the points that it deleted', async () => {
      await store.append(batchOf([10], [8, 1]));
      const before = await changes.now();
      await store.append(batchOf([20, 30], [8, 2, 3]));
      await store.deletePoints([8], { startUs: 15, endUs: 25 });
      const rest = await eventsSince(changes, before, 8);
      if (rest !== null) assert.deepEqual(rest.events, [{ 8: [[30, 3]] }]);
      const now = await changes.now();
      await store.append(batchOf([40], [8, 4]));
      assert.deepEqual((await eventsSince(changes, now, 8))?.events, [{ 8: [[40, 4]] }]);
    });

    it('N1 a listener is called after an append, until its subscription ends', async () => {
      const heard = Promise.withResolvers<void>();
      const end = changes.subscribe(() => heard.resolve());
      await store.append(batchOf([10], [9, 1]));
      await heard.promise;
      end();
    });
  });
}
