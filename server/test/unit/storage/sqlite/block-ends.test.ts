/** What lies exactly at the ends of blocks, buckets and windows: in the one or in the other, never in both and never in none. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { limitDefaults } from '#model/limits';
import type { Window } from '#model/window';
import { BucketTally } from '#storage/sqlite/bucket-tally';
import { databasePath } from '#storage/sqlite/paths';
import { openSqlite, type SqliteStore } from '#storage/sqlite/store';
import { sealed } from '../../../support/sealed.ts';
import { silentLog as quiet } from '../../../support/world.ts';

/** The sums of buckets that begin at these times, of a block of two points: 1 at 10 and 2 at 19; null: its points are needed. */
function tallied(window: Window, ...edgesUs: number[]): number[] | null {
  const source = { signals: [1], window, statistics: ['sum'] as const, states: [], gapUs: Infinity };
  const tally = new BucketTally(source, { edgesUs: Float64Array.from(edgesUs), stepUs: null });
  const entry = {
    ...{ firstUs: 10, lastUs: 19, first: 1, last: 2, count: 2, sum: 3, sumLow: 0, min: 1, max: 2, m2: 0.5 },
    ...{ bytes: 1, block: 1, crc: 0 },
  };
  return tally.addEntry(entry) ? [...(tally.finish().get('sum') ?? [])] : null;
}

describe('Q4 a block is answered from the directory', () => {
  const all = { startUs: 0, endUs: 100 };

  it('where one bucket holds its first point and its last', () => {
    assert.deepEqual(tallied(all, 0, 10, 20, 30), [Number.NaN, 3, Number.NaN]);
    assert.deepEqual(tallied(all, 10, 20), [3]);
    assert.equal(tallied(all, 10, 19, 30), null);
    assert.equal(tallied(all, 0, 11, 20), null);
    assert.equal(tallied(all, 11, 30), null);
    assert.equal(tallied(all, 0, 19), null);
  });

  it('where the window holds both', () => {
    assert.deepEqual(tallied({ startUs: 10, endUs: 20 }, 0, 30), [3]);
    assert.equal(tallied({ startUs: 11, endUs: 20 }, 0, 30), null);
    assert.equal(tallied({ startUs: 10, endUs: 19 }, 0, 30), null);
  });
});

/** Enough points to be sealed at once, 10 µs apart, each 1. */
const count = 100_000;
const lastUs = 10 * (count - 1);

describe('sealed blocks from 0 to a last point', () => {
  let directory: string;
  let store: SqliteStore;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tidemark-ends-'));
    const options = { directory, clock: { nowUs: () => 0 }, log: quiet, limits: limitDefaults };
    store = await openSqlite({ ...options, serving: true, readerCount: 1 });
    const timesUs = Float64Array.from({ length: count }, (_, i) => 10 * i);
    await store.series.append({ timesUs, signals: [1], values: new Float64Array(count).fill(1) });
    await sealed(directory);
  });
  after(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });

  const scan = async (startUs: number, endUs: number) => {
    const source = { signals: [1], window: { startUs, endUs }, before: true, after: true };
    const [{ timesUs }] = await store.series.scan({ sources: [source] });
    return [...timesUs];
  };

  it("Q13 a point at the window's start is not before it, one at its end is after it", async () => {
    assert.deepEqual(await scan(lastUs, lastUs + 10), [lastUs - 10, lastUs]);
    assert.deepEqual(await scan(lastUs + 1, lastUs + 10), [lastUs]);
    assert.deepEqual(await scan(lastUs - 15, lastUs), [lastUs - 20, lastUs - 10, lastUs]);
    assert.deepEqual(await scan(lastUs, lastUs), [lastUs - 10, lastUs]);
    assert.deepEqual(await scan(-10, 0), [0]);
    assert.deepEqual(await scan(-10, 1), [0, 10]);
    assert.deepEqual(await scan(0, 5), [0, 10], 'nothing is before the first point of all');
  });

  it('Q13 a window that begins or ends where a block does has the neighbours in the other block', async () => {
    const db = new DatabaseSync(databasePath(directory), { readOnly: true });
    const rows = db.prepare('select first_us from series_directory order by first_us').all();
    db.close();
    const firstsUs = rows.map(({ first_us }) => Number(first_us)).filter((us) => us > 0);
    assert.ok(firstsUs.length > 0, 'there is more than one block');
    for (const us of firstsUs) {
      assert.deepEqual(await scan(us, us + 5), [us - 10, us, us + 10]);
      assert.deepEqual(await scan(us - 15, us), [us - 20, us - 10, us]);
      assert.deepEqual(await scan(us - 10, us - 5), [us - 20, us - 10, us]);
    }
  });

  it('L3 as many points as may be read are read, also where the window ends at the last one of a block', async () => {
    const read = async (valuesMax: number) => {
      const source = { signals: [1], window: { startUs: 0, endUs: lastUs }, before: false, after: false };
      const [{ timesUs }] = await store.series.scan({ sources: [source], valuesMax });
      return timesUs.length;
    };
    assert.equal(await read(count - 1), count - 1);
    await assert.rejects(read(count - 2), /more than 99998 points/);
  });

  it('R9 a point of the log replaces the first or last one of a block, also where one bucket holds the block', async () => {
    const window = { startUs: -100, endUs: lastUs + 100 };
    const source = { signals: [1], window, statistics: ['sum', 'count'] as const, states: [], gapUs: 1 };
    const buckets = { edgesUs: Float64Array.of(window.startUs, window.endUs), stepUs: null };
    const sums = async () => {
      const [{ statistics }] = (await store.series.rollup?.({ sources: [source], buckets, nowUs: 0 })) ?? [];
      return [statistics.get('sum')?.[0], statistics.get('count')?.[0]];
    };
    const write = (timeUs: number, value: number) =>
      store.series.append({ timesUs: Float64Array.of(timeUs), signals: [1], values: Float64Array.of(value) });
    assert.deepEqual(await sums(), [count, count]);
    await write(lastUs, 30);
    assert.deepEqual(await sums(), [count + 29, count]);
    await write(0, 10);
    assert.deepEqual(await sums(), [count + 38, count]);
    await write(-1, 1);
    await write(lastUs + 1, 1);
    assert.deepEqual(await sums(), [count + 40, count + 2]);
  });
});
