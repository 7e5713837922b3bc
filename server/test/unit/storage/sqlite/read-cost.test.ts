/** The cost of a read: reported on request, without a change of the answer. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { limitDefaults } from '#model/limits';
import { openSqlite, type SqliteStore } from '#storage/sqlite/store';
import type { ReadCost, RollupRequest } from '#storage/store';
import { sealed } from '../../../support/sealed.ts';
import { silentLog as quiet } from '../../../support/world.ts';

const pointCount = 100_000;

let directory: string;
let store: SqliteStore;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-cost-'));
  const options = { directory, clock: { nowUs: () => 0 }, log: quiet, limits: limitDefaults };
  store = await openSqlite({ ...options, serving: true, readerCount: 2 });
  const timesUs = Float64Array.from({ length: pointCount }, (_, i) => i * 1e6);
  const values = timesUs.map((us) => us % 7);
  await store.series.append({ timesUs, signals: [1], values });
});
after(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

/** One bucket of everything, or many: `edgesUs` says where they begin and end. */
function requestOf(edgesUs: readonly number[], sources = 1): RollupRequest {
  const window = { startUs: 0, endUs: pointCount * 1e6 };
  const source = { signals: [1], window, statistics: ['avg'] as const, states: [], gapUs: 1 };
  const buckets = { edgesUs: Float64Array.from(edgesUs), stepUs: null };
  return { sources: Array(sources).fill(source), buckets, nowUs: 0 };
}

async function costOf(request: RollupRequest): Promise<ReadCost | null> {
  let cost: ReadCost | null = null;
  await store.series.rollup!(request, undefined, (read) => {
    cost = read;
  });
  return cost;
}

const whole = [0, pointCount * 1e6];

it('points of the log are read; of blocks none where their figures are enough, and all where they are not', async () => {
  assert.deepEqual(await costOf(requestOf(whole)), { blocks: 0, points: pointCount });
  await sealed(directory);
  assert.deepEqual(await costOf(requestOf(whole)), { blocks: 0, points: 0 });
  const fine = await costOf(requestOf(Array.from({ length: 1001 }, (_, i) => i * 100e6)));
  assert.equal(fine?.points, pointCount);
  assert.ok(fine.blocks > 1);
});

it('a rollup that threads share costs what each of them has read', async () => {
  const edgesUs = Array.from({ length: 1001 }, (_, i) => i * 100e6);
  assert.equal((await costOf(requestOf(edgesUs, 20)))?.points, 20 * pointCount);
});

it('a scan says what it read, also where the window begins and ends within a block', async () => {
  const costs: ReadCost[] = [];
  const window = { startUs: 1000e6, endUs: 1010e6 };
  const sources = [{ signals: [1], window, before: false, after: false }];
  const [points] = await store.series.scan({ sources }, undefined, (cost) => costs.push(cost));
  assert.equal(points.timesUs.length, 10);
  assert.equal(costs[0].blocks, 1);
  assert.ok(costs[0].points >= 10);
});
