/** console.signals.silent and .byAge through the whole service. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Browser, vicAt } from '../../support/browser.ts';
import { type ServiceUnderTest, startService } from '../../support/service.ts';

let service: ServiceUnderTest;
let vic: Browser;
before(async () => {
  service = await startService();
  vic = await vicAt(service);
  const { integration } = service;
  await service.call('integration.saveSignals', {
    integration,
    signalsByInput: { flow: { name: 'Flow', gapDetection: 'PT5M' }, idle: { name: 'Idle' } },
  });
  const data = { times: ['2026-03-01T11:00:00Z'], series: { flow: [1], level: [2] } };
  await service.call('integration.insert', { integration, data });
});
after(() => service.close());

test('A5i a viewer sees how many signals are silent, and since when their integration is', async () => {
  assert.deepEqual(await vic.result('console.signals.silent'), {
    asOf: '2026-03-01T12:00:00Z',
    signals: 3,
    silent: 1,
    integrations: [
      { integration: service.integration, signals: 3, silent: 1, lastTime: '2026-03-01T11:00:00Z' },
    ],
  });
});

test('A5i silent signals are listed with the gap that they exceed', async () => {
  const { total, signals } = await vic.result('console.signals.byAge', { isSilentOnly: true });
  assert.equal(total, 1);
  const { id: _id, ...flow } = signals[0];
  assert.deepEqual(flow, {
    integration: service.integration,
    name: 'Flow',
    input: 'flow',
    lastTime: '2026-03-01T11:00:00Z',
    gap: 'PT5M',
    isSilent: true,
  });
  const filter = { input: { $in: ['level', 'idle'] } };
  const named = async (params: object) =>
    (await vic.result('console.signals.byAge', params)).signals.map((one: { input: string }) => one.input);
  assert.deepEqual(await named({ filter }), ['level', 'idle']);
  assert.deepEqual(await named({ olderThan: 'PT1H', limit: 1, skip: 1 }), ['level']);
  assert.deepEqual(await named({ youngerThan: 'PT1H' }), []);
});

test('E2 what is wrong with an age or a filter is reported at its parameter', async () => {
  const paramsOf = async (params: object) =>
    Object.keys((await vic.call('console.signals.byAge', params)).error?.data.params ?? {});
  assert.deepEqual(await paramsOf({ olderThan: 'P1M', youngerThan: 'soon' }), ['olderThan', 'youngerThan']);
  assert.deepEqual(await paramsOf({ filter: { nothing: 1 } }), ['query.filter.nothing']);
});

test('A5j the history of a signal that is not published is shown to a viewer', async () => {
  const [{ id }] = (await vic.result('console.signals.byAge', { filter: { input: 'flow' } })).signals;
  const { from, before, parts, newest } = await vic.result('console.signals.history', {
    ids: [id],
    range: 'P1D',
  });
  assert.deepEqual([from, before, parts.length], ['2026-02-28T12:00:00Z', '2026-03-01T12:00:00Z', 240]);
  assert.deepEqual(newest, [{ time: '2026-03-01T11:00:00Z', value: 1 }]);
  assert.deepEqual(parts[0], { time: from, count: 0, min: null, max: null, avg: null, last: null });
  assert.deepEqual(parts[230], { time: '2026-03-01T11:00:00Z', count: 1, min: 1, max: 1, avg: 1, last: 1 });
  for (const range of ['P1M', 'PT0S', 'P9999D']) {
    const { error } = await vic.call('console.signals.history', { ids: [id], range });
    assert.deepEqual(Object.keys(error?.data.params ?? {}), ['range']);
  }
});
