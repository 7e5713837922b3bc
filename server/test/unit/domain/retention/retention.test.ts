/** Rules of retention and their execution, over memory stores. */
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { everyRow } from '#domain/audit/record';
import { Retention } from '#domain/retention/retention';
import { dayUs, parseDuration } from '#model/duration';
import { parseScope } from '#model/retention';
import type { Integration } from '#storage/meta-store';
import { batchOf, readAll } from '../../../contract/series-store.ts';
import { MemoryMetaStore } from '../../../memory-store/meta-store.ts';
import { MemorySeriesStore } from '../../../memory-store/series-store.ts';
import { integration, signal } from '../../../support/resources.ts';
import { FixedClock, KeptLog, testAct } from '../../../support/world.ts';

/** Midnight before the clock's noon. */
const today = Date.parse('2026-03-01T00:00:00Z') * 1000;

/** Points one, two … five days before midnight. */
const days = [5, 4, 3, 2, 1].map((count) => today - count * dayUs);

describe('Retention', () => {
  const clock = new FixedClock();
  let meta: MemoryMetaStore;
  let series: MemorySeriesStore;
  let retention: Retention;
  let plant: Integration;

  /** Signals with a point on each of five days; those of the second integration have a label. */
  beforeEach(async () => {
    meta = new MemoryMetaStore();
    series = new MemorySeriesStore();
    retention = new Retention({ meta, series, clock, log: new KeptLog() });
    plant = integration();
    const other = integration();
    await meta.write(async (tx) => {
      for (const one of [plant, other]) await tx.integrations.insert(one);
      const plain = signal(plant.id, 'a');
      const attributes = { ...plain.attributes, labels: new Map([['site', ['x']]]) };
      await tx.signals.insert([plain, signal(other.id, 'b', { attributes })]);
    });
    await series.append(batchOf(days, [1, 1, 2, 3, 4, 5], [2, 1, 2, 3, 4, 5]));
  });

  const set = (scope: string, keep: string | null) =>
    retention.set(testAct, {
      scope: parseScope(scope),
      keep: keep === null ? null : parseDuration(keep),
    });

  const run = async (dryRun = false) => {
    const { outcomes, orphans } = await retention.run(testAct, { dryRun });
    return [...outcomes.map(({ signals, affected, points }) => [signals, affected, points]), orphans];
  };

  const acts = async () =>
    (await meta.audit.list({ ...everyRow, limit: 100 })).map(
      ({ action, target, change }) => `${action} ${target} ${change}`,
    );

  it('L5 without rules everything stays', async () => {
    assert.deepEqual(await run(), [0]);
    assert.equal((await readAll(series, 1)).length, 5);
  });

  it('L5 what is older than the rule says goes, and is counted by a dry run before', async () => {
    await set('all', 'PT60H');
    assert.deepEqual(await run(true), [[2, 2, 6], 0]);
    assert.equal((await readAll(series, 1)).length, 5);
    assert.deepEqual(await run(), [[2, 2, 6], 0]);
    assert.deepEqual(await readAll(series, 1), [
      [days[3], 4],
      [days[4], 5],
    ]);
    assert.deepEqual(await run(), [[2, 0, 0], 0]);
  });

  it('L5 one rule applies to each signal, and a rule may keep everything', async () => {
    await set('all', 'PT60H');
    await set('label:site=x', null);
    assert.deepEqual(await run(), [[1, 1, 3], [1, 0, 0], 0]);
    assert.equal((await readAll(series, 2)).length, 5);
  });

  it('L5 what no rule keeps of any signal goes at once, the rest signal by signal', async () => {
    const calls: unknown[] = [];
    const deleteBefore = series.deleteBefore.bind(series);
    const deletePoints = series.deletePoints.bind(series);
    series.deleteBefore = async (beforeUs) => {
      calls.push(['all', (today - beforeUs) / dayUs]);
      await deleteBefore(beforeUs);
    };
    series.deletePoints = async (signals, window) => {
      if (Number.isFinite(window.startUs)) calls.push([...signals, (today - window.endUs) / dayUs]);
      return deletePoints(signals, window);
    };
    await series.append(batchOf([today - 6 * dayUs], [77, 1]));
    await set('all', 'P4D');
    await set('label:site=x', 'P2D');
    assert.deepEqual(await run(), [[1, 1, 2], [1, 1, 4], 1]);
    assert.deepEqual(calls, [
      ['all', 3.5],
      [2, 1.5],
    ]);
    assert.equal((await readAll(series, 1)).length, 3);
    assert.equal((await readAll(series, 2)).length, 1);
    await set('label:site=x', null);
    await set('all', 'P2D');
    calls.length = 0;
    await run();
    assert.deepEqual(calls, [[1, 1.5]]);
  });

  it('L4a rules and what goes under them are in the audit; runs that delete nothing are not', async () => {
    await set(`integration:${plant.id}`, 'P1D');
    await set(`integration:${plant.id}`, 'PT60H');
    await run(true);
    await run();
    await run();
    await retention.remove(testAct, { kind: 'integration', integration: plant.id });
    assert.deepEqual(await acts(), [
      `retention.set integration:${plant.id} {"keep":[null,"P1D"]}`,
      `retention.set integration:${plant.id} {"keep":["P1D","PT60H"]}`,
      `retention.run integration:${plant.id} {"before":"2026-02-27T00:00:00Z","points":3,"signals":1}`,
      `retention.remove integration:${plant.id} {"keep":["PT60H",null]}`,
    ]);
  });

  it('L5b points that a deleted signal left behind go with the next run', async () => {
    await series.append(batchOf([1], [77, 1]));
    assert.deepEqual(await run(true), [1]);
    assert.equal((await readAll(series, 77)).length, 1);
    assert.deepEqual(await run(), [1]);
    assert.deepEqual(await readAll(series, 77), []);
    assert.equal((await readAll(series, 1)).length, 5);
    assert.deepEqual(await acts(), ['retention.sweep all {"signals":1}']);
  });

  it('L5 rules of unknown integrations, and those that keep less than an hour, are refused', async () => {
    await assert.rejects(set('integration:none', 'P1D'), /unknown integration none/);
    await assert.rejects(set('all', 'PT59M'), { params: { keep: ['must be at least PT1H, got PT59M'] } });
    await assert.rejects(set('all', '-P1D'), { kind: 'invalid-params' });
    await assert.rejects(retention.remove(testAct, { kind: 'all' }), /no rule for all/);
  });
});
