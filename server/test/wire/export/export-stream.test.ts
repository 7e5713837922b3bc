/** `GET /v1/export` of more points than one read: it ends with its client, fails aloud, and keeps to its plan. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Ending, signalOf } from '#model/ending';
import type { Points } from '#model/frame';
import { unlimitedPlan } from '#model/plan';
import type { ScanRequest } from '#storage/store';
import { MemorySeriesStore } from '../../memory-store/series-store.ts';
import { type ServiceUnderTest, startService } from '../../support/service.ts';
import { testAct } from '../../support/world.ts';

const pointCount = 60_000;

/** A store whose reads of points with a limit can be held up, or fail, after some of them. */
class WatchedStore extends MemorySeriesStore {
  /** Called with each read that an export does for a piece. */
  onRead: (count: number, signal: AbortSignal) => Promise<void> = async () => {};
  /** What was read. */
  readonly found: Points[] = [];
  #readCount = 0;

  override async scan(request: ScanRequest, ending?: Ending) {
    const points = await super.scan(request, ending);
    this.found.push(...points);
    const signal = signalOf(ending);
    if (request.valuesMax !== undefined && signal !== undefined) await this.onRead(++this.#readCount, signal);
    return points;
  }
}

/** A service with one signal that has many points, all at once. */
async function serviceWithPoints(series = new WatchedStore()): Promise<ServiceUnderTest> {
  const service = await startService({ series });
  const { integration } = service;
  const startS = Date.parse('2026-01-01T00:00:00Z') / 1000;
  const times = Array.from({ length: pointCount }, (_, row) => startS + row);
  const data = { times, series: { flow: times.map((_, row) => row / 8) } };
  await service.call('integration.insert', { integration, data });
  return service;
}

function get(
  { url, authorization }: ServiceUnderTest,
  query: string,
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(`${url}/v1/export?${query}`, { headers: { authorization }, signal });
}

test('X1a many pieces have together every point, once and in order, and their memory is freed', async (t) => {
  const series = new WatchedStore();
  const service = await serviceWithPoints(series);
  t.after(() => service.close());
  for (const form of ['long', 'wide']) {
    const text = await (await get(service, `format=csv&form=${form}&signals=*`)).text();
    const rows = text.split('\r\n').slice(1, -1);
    assert.equal(rows.length, pointCount);
    const values = rows.map((row) => Number(row.slice(row.lastIndexOf(',') + 1)));
    assert.ok(values.every((value, row) => value === row / 8));
    const used = series.found.filter(({ timesUs }) => timesUs.length < pointCount);
    assert.ok(used.filter(({ values }) => values.length === 0).length >= 2);
    for (const { timesUs, values } of used) assert.ok(timesUs.length + values.length < 1000);
  }
});

test('X1a a client that leaves ends the read', async (t) => {
  const series = new WatchedStore();
  const service = await serviceWithPoints(series);
  t.after(() => service.close());
  const begun = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  series.onRead = async (count, signal) => {
    if (count < 4) return;
    begun.resolve();
    await new Promise((end) => signal.addEventListener('abort', end, { once: true }));
    aborted.resolve();
    signal.throwIfAborted();
  };
  const client = new AbortController();
  const response = await get(service, 'format=csv&signals=*', client.signal);
  assert.equal(response.status, 200);
  const rest = response.text().catch(() => 'left');
  await begun.promise;
  client.abort();
  await aborted.promise;
  assert.equal(await rest, 'left');
});

test('X1a an export that fails breaks its connection', async (t) => {
  const series = new WatchedStore();
  const service = await serviceWithPoints(series);
  t.after(() => service.close());
  series.onRead = async (count) => {
    if (count >= 4) throw new Error('the disk is gone');
  };
  const response = await get(service, 'format=csv&signals=*');
  assert.equal(response.status, 200);
  await assert.rejects(response.text());
});

test('X7 an export counts as a call of service.dataFrame', async (t) => {
  const service = await serviceWithPoints();
  t.after(() => service.close());
  const rates = new Map([['service.dataFrame', { perSecond: 0.001, burst: 2 }]]);
  await service.plans.create(testAct, { ...unlimitedPlan('small'), rates, isHard: true });
  await service.plans.assign(testAct, service.integration, 'small');
  const statuses = [];
  for (let i = 0; i < 3; i++) {
    const response = await get(service, 'format=jsonl&signals=*&limit=1');
    statuses.push(response.status);
    await response.text();
  }
  assert.deepEqual(statuses, [200, 200, 429]);
});
