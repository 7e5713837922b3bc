/** console.calls.*: a read that lasts is seen and cancelled; what was slow is listed with its plan. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Ending, signalOf } from '#model/ending';
import type { Points } from '#model/frame';
import type { ScanRequest } from '#storage/store';
import { MemorySeriesStore } from '../../memory-store/series-store.ts';
import { adaAt, type Browser } from '../../support/browser.ts';
import { type ServiceUnderTest, startService } from '../../support/service.ts';

/** Its reads last until they are given up, while it is held. */
class HeldStore extends MemorySeriesStore {
  isHeld = false;

  override scan(request: ScanRequest, ending?: Ending): Promise<Points[]> {
    if (!this.isHeld) return super.scan(request, ending);
    const signal = signalOf(ending);
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
  }
}

const series = new HeldStore();
let service: ServiceUnderTest;
let ada: Browser;
let id: string;

before(async () => {
  // Every call is slow.
  service = await startService({ series, limits: { slowCallMs: 0, slowCallsKept: 3 } });
  ada = await adaAt(service);
  const { integration } = service;
  const data = { times: ['2026-02-28T00:00:00Z'], series: { a: [1] } };
  const inserted = await service.call('integration.insert', { integration, data });
  const signal = inserted.result.signalsByInput.a.id;
  const published = await service.call('admin.publishSignals', {
    integration,
    itemsBySignal: { [signal]: {} },
  });
  id = published.result.itemsBySignal[signal].id;
});
after(() => service.close());

interface Seen {
  id: number;
  method: string;
  caller: { id: string; kind: string; name: string };
  plan: Record<string, unknown> | null;
  code: number;
}

const read = () => service.call('service.dataFrame', { query: { filter: { id } } }, { version: '1.2' });

async function running(): Promise<Seen[]> {
  const all = (await ada.result('console.calls.list')).running as Seen[];
  return all.filter(({ method }) => method !== 'console.calls.list');
}

test('a read that lasts is seen with who makes it, and ends when it is cancelled', async () => {
  series.isHeld = true;
  const answer = read();
  let seen: Seen[] = [];
  for (let attempt = 0; attempt < 200 && seen[0]?.plan == null; attempt++) seen = await running();
  const [call] = seen;
  assert.deepEqual(
    [call.method, call.caller],
    ['service.dataFrame', { id: service.integration, kind: 'integration', name: 'Test' }],
  );
  assert.ok(call.plan, 'it has decided what to read');
  await ada.result('console.calls.cancel', { id: call.id });
  const { error } = await answer;
  assert.deepEqual([error?.code, error?.message], [-32015, 'An administrator has cancelled this call']);
  assert.deepEqual(await running(), []);
  series.isHeld = false;
  assert.ok((await read()).result);
});

test('what was slow is listed, the newest first, with its plan and how it ended', async () => {
  await read();
  await service.call('integration.saveSignals', { integration: 'x', signalsByInput: {} });
  const slow = (await ada.result('console.calls.list')).slow as Seen[];
  assert.deepEqual(
    slow.map(({ method, code }) => [method, code]),
    [
      ['integration.saveSignals', -32602],
      ['service.dataFrame', 0],
      ['service.dataFrame', 0],
    ],
  );
  assert.ok(slow[1].plan);
});
