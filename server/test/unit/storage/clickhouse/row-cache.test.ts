/** What is remembered of points in ClickHouse: never older than the writes that had begun when a read began. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { RecentChanges } from '#storage/clickhouse/recent-changes';
import { RowCache, type RowShape, type Rows } from '#storage/clickhouse/row-cache';
import type { PointChangesSince, TimeRange, WriteNumbers } from '#storage/coordination';

const points: RowShape = { name: 'points', columnCount: 2, edgeBefore: (us) => us, edgeAfter: (us) => us };

/** Buckets of ten. */
const tens: RowShape = {
  name: 'tens',
  columnCount: 2,
  edgeBefore: (us) => Math.floor(us / 10) * 10,
  edgeAfter: (us) => Math.ceil(us / 10) * 10,
};

/** A server with one signal, whose writes become visible after they have begun. */
class World {
  readonly values = new Map<number, number>();
  readonly #told: { number: number; range: TimeRange }[] = [];
  #pending: { range: TimeRange; value: number } | null = null;
  reads = 0;
  readonly numbers: Pick<WriteNumbers, 'changes'> = {
    changes: async (since): Promise<PointChangesSince> => ({
      place: `${this.#told.length}`,
      // One that was told before may be told again.
      changed: since === null ? null : this.#told.slice(Math.max(0, Number(since) - 1)),
      open: this.#pending === null ? [] : [this.#pending.range],
    }),
  };

  begin(range: TimeRange, value: number): void {
    this.end();
    this.#pending = { range, value };
    this.#told.push({ number: this.#told.length + 1, range });
  }

  end(): void {
    if (this.#pending === null) return;
    const { range, value } = this.#pending;
    for (let us = range.firstUs; us <= range.lastUs; us++) this.values.set(us, value);
    this.#pending = null;
  }

  /** The points of a window, or the sums of its tens. */
  rows(shape: RowShape, startUs: number, endUs: number): Rows {
    const found = new Map<number, number>();
    for (let us = startUs; us < endUs; us++) {
      const value = this.values.get(us);
      const at = shape.edgeBefore(us);
      if (value !== undefined) found.set(at, (found.get(at) ?? 0) + value);
    }
    return [Float64Array.from(found.keys()), Float64Array.from(found.values())];
  }
}

const time = fc.integer({ min: -40, max: 60 });
const range = fc.tuple(time, fc.nat(25)).map(([firstUs, width]) => ({ firstUs, lastUs: firstUs + width }));
const step = fc.oneof(
  fc.record({ kind: fc.constant('begin' as const), range, value: fc.integer({ min: 1, max: 99 }) }),
  fc.record({ kind: fc.constant('end' as const) }),
  fc.record({ kind: fc.constant('read' as const), range, isPoints: fc.boolean() }),
);

it('R9 a read of remembered rows gives what a read of all rows gives, whatever was written before and meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.constantFrom(2_000, 1e6), async (steps, bytes) => {
      const world = new World();
      const changes = new RecentChanges(world.numbers as WriteNumbers);
      const cache = new RowCache(changes, bytes);
      for (const one of steps) {
        if (one.kind === 'begin') world.begin(one.range, one.value);
        else if (one.kind === 'end') world.end();
        else {
          const shape = one.isPoints ? points : tens;
          const [startUs, endUs] = [one.range.firstUs, one.range.lastUs];
          const request = { signals: [7], window: { startUs, endUs }, look: await changes.look() };
          const found = await cache.read(shape, request, async (_, gap, take) =>
            take(7, world.rows(shape, gap.startUs, gap.endUs)),
          );
          assert.deepEqual(found.get(7), world.rows(shape, startUs, endUs));
        }
      }
    }),
    { numRuns: 2000 },
  );
});

it('R9 a window that moves on is read only where it is new, and of what has changed only that', async () => {
  const world = new World();
  const changes = new RecentChanges(world.numbers as WriteNumbers);
  const cache = new RowCache(changes, 1e6);
  const read = async (startUs: number, endUs: number) => {
    const gaps: number[][] = [];
    const request = { signals: [7], window: { startUs, endUs }, look: await changes.look() };
    await cache.read(points, request, async (_, gap, take) => {
      gaps.push([gap.startUs, gap.endUs]);
      take(7, world.rows(points, gap.startUs, gap.endUs));
    });
    return gaps;
  };
  assert.deepEqual(await read(0, 100), [[0, 100]]);
  assert.deepEqual(await read(20, 100), []);
  assert.deepEqual(await read(20, 120), [[100, 120]]);
  world.begin({ firstUs: 110, lastUs: 115 }, 1);
  assert.deepEqual(await read(20, 120), [[110, 120]], 'under way');
  assert.deepEqual(await read(20, 120), [[110, 120]], 'still under way');
  world.end();
  assert.deepEqual(await read(20, 120), [[110, 120]], 'has ended');
  assert.deepEqual(await read(20, 120), []);
});

it('R9 reads that wait share one look, which begins after all of them', async () => {
  let asked = 0;
  const numbers = {
    changes: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return { place: `${++asked}`, changed: [], open: [] };
    },
  };
  const changes = new RecentChanges(numbers as unknown as WriteNumbers);
  const first = changes.look();
  await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([first, changes.look(), changes.look(), changes.look()]);
  assert.equal(asked, 2);
});
