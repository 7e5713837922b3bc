/** Deleting points: what is selected, what the audit says of it, and what happens when the store refuses. */
import assert from 'node:assert/strict';
import { beforeEach, it } from 'node:test';
import { everyRow } from '#domain/audit/record';
import { Deletion } from '#domain/deletion/deletion';
import { AppError } from '#model/error';
import type { Signal } from '#model/signal';
import { batchOf, readAll } from '../../../contract/series-store.ts';
import { MemoryMetaStore } from '../../../memory-store/meta-store.ts';
import { MemorySeriesStore } from '../../../memory-store/series-store.ts';
import { newId, query, signal } from '../../../support/resources.ts';
import { FixedClock, testAct } from '../../../support/world.ts';

const integration = newId();
const second = 1e6;
const times = { fromUs: 0, beforeUs: 2 * second };
let meta: MemoryMetaStore;
let series: MemorySeriesStore;
let deletion: Deletion;
let signals: Signal[];

beforeEach(async () => {
  meta = new MemoryMetaStore();
  series = new MemorySeriesStore();
  deletion = new Deletion({ meta, series, clock: new FixedClock() });
  const made = [signal(integration, 'a'), signal(integration, 'b'), signal(newId(), 'a')];
  signals = await meta.write((tx) => tx.signals.insert(made));
  await series.append(batchOf([0, second, 2 * second], [1, 1, 2, 3], [2, null, null, 3], [3, 1, 2, 3]));
});

const remove = (dryRun = false) =>
  deletion.deletePoints(testAct, { integration, query: query(), times }, { dryRun });

const rows = async () => meta.audit.list({ ...everyRow, limit: 10 });

it('R15a the audit has the actor, the time range, and the points of each signal that had some', async () => {
  const [a, b] = signals;
  assert.deepEqual([...(await remove())].sort(), [[a.id, 2] as const, [b.id, 0] as const].sort());
  const [row, ...others] = await rows();
  assert.deepEqual(others, []);
  const { actor, action, target, change } = row;
  assert.deepEqual([actor, action, target], ['cli:test', 'data.delete', integration]);
  const bounds = { from: '1970-01-01T00:00:00Z', before: '1970-01-01T00:00:02Z' };
  assert.deepEqual(JSON.parse(change), { ...bounds, pointsBySignal: { [a.id]: 2 } });
  assert.equal((await readAll(series, 3)).length, 3, 'another integration keeps its own');
});

it('R15a dry runs, and deletions of nothing, leave no row', async () => {
  await remove(true);
  await remove();
  await remove();
  assert.equal((await rows()).length, 1);
});

it('R15a points do not go without their row', async () => {
  const refusing = new Error('no row');
  meta.write = () => Promise.reject(refusing);
  await assert.rejects(remove(), refusing);
  assert.equal((await readAll(series, 1)).length, 3);
});

it('R15a when the store refuses, the row says what was to go, and the call can be repeated', async () => {
  const deletePoints = series.deletePoints.bind(series);
  series.deletePoints = () => Promise.reject(new AppError('try-again', 'busy'));
  await assert.rejects(remove(), { kind: 'try-again' });
  series.deletePoints = deletePoints;
  assert.equal((await remove()).get(signals[0].id), 2);
  assert.equal((await rows()).length, 2);
});
