/** The plan of a slow read in the log: what it was about, in counts and times, and nothing that a client has named. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Observation } from '#observe/observation';
import { type ServiceUnderTest, startService } from '../../support/service.ts';
import { KeptLog } from '../../support/world.ts';

const log = new KeptLog();
let service: ServiceUnderTest;
let item: string;

before(async () => {
  // Every call is slow.
  const observation = new Observation({ version: '1', limits: { slowCallMs: 0 }, log });
  service = await startService({ observation });
  const { integration } = service;
  const data = { times: ['2026-02-01T00:00:00Z', '2026-02-01T01:00:00Z'], series: { 'secret-key': [1, 2] } };
  const inserted = await service.call('integration.insert', { integration, data });
  const signal = inserted.result.signalsByInput['secret-key'].id;
  const itemsBySignal = { [signal]: { name: 'Secret name' } };
  const published = await service.call('admin.publishSignals', { integration, itemsBySignal });
  item = published.result.itemsBySignal[signal].id;
});

after(() => service.close());

const times = { $gte: '2026-02-01T00:00:00Z', $lt: '2026-02-02T00:00:00Z' };

async function planOf(method: string, params: object): Promise<unknown> {
  log.lines.length = 0;
  await service.call(method, params, { version: '1.2' });
  const slow = log.lines.find(({ message }) => message === 'slow call');
  assert.equal(slow?.level, 'warn');
  assert.equal(slow?.fields?.method, method);
  assert.doesNotMatch(JSON.stringify(log.lines), /secret|Secret|alias-of-mine/);
  return slow?.fields?.plan;
}

test('E4 a data frame has items, window, rollup and the size of its answer', async () => {
  const plan = await planOf('service.dataFrame', {
    query: { filter: { id: item } },
    data: { filter: { times }, rollup: 'PT1H', timeZone: 'Europe/Oslo' },
  });
  assert.deepEqual(plan, {
    items: 1,
    groups: 0,
    calculations: 0,
    from: '2026-02-01T00:00:00Z',
    before: '2026-02-02T00:00:00Z',
    rollup: 'PT1H',
    timeZone: 'Europe/Oslo',
    last: 0,
    signals: 1,
    buckets: 24,
    rows: 2,
    series: 5,
  });
});

test('E4 an evaluation that is refused has its plan too, without the size that there is not', async () => {
  const plan = (await planOf('service.evaluate', {
    items: [{ id: item, alias: 'alias-of-mine', aggregation: 'avg' }],
    calculations: [{ formula: 'nothing + 1', alias: 'b' }],
    data: { filter: { times }, rollup: 'P1M' },
  })) as Record<string, unknown>;
  const { items, calculations, rollup, rows } = plan;
  assert.deepEqual([items, calculations, rollup, rows], [1, 1, 'P1M', undefined]);
});

test('E4 what is no read has no plan', async () => {
  assert.equal(await planOf('service.selectItems', {}), undefined);
});
