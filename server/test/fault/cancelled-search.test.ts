/** Calls whose search for signals or items is slow: ending the call ends its search, and so does the limit on its work. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { limitDefaults } from '#model/limits';
import { openSqlite, type SqliteStore } from '#storage/sqlite/store';
import { adaAt, type Browser } from '../support/browser.ts';
import { attributes, item, signal } from '../support/resources.ts';
import { type ServiceUnderTest, startService } from '../support/service.ts';
import { silentLog as log } from '../support/world.ts';

const count = 2500;
const limits = { ...limitDefaults, patternWorkMax: 1e12 };
const times = { $gte: '2026-01-01T00:00:00Z', $lt: '2026-01-02T00:00:00Z' };

/** Matches nothing, and takes seconds over these descriptions. */
const slow = { description: { $regex: 'a[ab]{290}[!?]' } };
const quick = { name: { $regex: '^Pump 249\\d$' } };

let directory: string;
let store: SqliteStore;
let service: ServiceUnderTest;
let ada: Browser;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-cancelled-'));
  const options = {
    directory,
    clock: { nowUs: () => 0 },
    log,
    limits,
  };
  store = await openSqlite({ ...options, serving: true, readerCount: 1 });
  service = await startService({ meta: store.meta, series: store.series });
  ada = await adaAt(service);
  const description = Array.from({ length: 1000 }, (_, i) => ((i * 7919) % 101 < 50 ? 'a' : 'b')).join('');
  const named = (i: number) => attributes({ name: `Pump ${i}`, description });
  const numbers = Array.from({ length: count }, (_, i) => i);
  await store.meta.write(async (tx) => {
    await tx.signals.insert(
      numbers.map((i) => signal(service.integration, `input${i}`, { attributes: named(i) })),
    );
    await tx.items.insert(numbers.map((i) => item({ visible: true, attributes: named(i) })));
  });
});
after(async () => {
  await service.close();
  await store.close();
  await rm(directory, { recursive: true });
});

interface Running {
  id: number;
  method: string;
}

async function running(method: string): Promise<Running[]> {
  const calls = (await ada.result('console.calls.list')).running as Running[];
  return calls.filter((call) => call.method === method);
}

/** Looks until the method has as many running calls. */
async function untilRunning(method: string, wanted: number): Promise<Running[]> {
  for (let attempt = 0; attempt < 500; attempt++) {
    const calls = await running(method);
    if (calls.length === wanted) return calls;
    await wait(5);
  }
  return assert.fail(`there were never ${wanted} calls of ${method}`);
}

async function searchQuickly(): Promise<void> {
  const { result } = await service.call('service.selectItems', { query: { filter: quick } });
  assert.equal(result.data.length, 10);
}

/** Method → API version and parameters with a slow search. */
const calls: [string, string, () => object][] = [
  ['admin.selectSignals', '1.2', () => ({ integration: service.integration, query: { filter: slow } })],
  [
    'admin.selectSignals',
    '1.1beta1',
    () => ({ integration: service.integration, signals: { filter: slow } }),
  ],
  [
    'admin.deleteData',
    '1.2',
    () => ({
      integration: service.integration,
      query: { filter: slow },
      data: { filter: { times } },
      dryRun: true,
    }),
  ],
  ['service.selectItems', '1.2', () => ({ query: { filter: slow } })],
  ['service.selectItems', '1.1', () => ({ items: { filter: slow } })],
  ['service.dataFrame', '1.2', () => ({ query: { filter: slow } })],
  [
    'service.evaluate',
    '1.2',
    () => ({ groups: [{ alias: 'a', filter: slow }], data: { filter: { times }, rollup: 'PT1H' } }),
  ],
];

describe('calls with a slow search', { timeout: 120_000 }, () => {
  for (const [method, version, params] of calls) {
    it(`R14b ${method} of ${version} ends when an administrator cancels it`, async () => {
      const answer = service.call(method, params(), { version });
      const [call] = await untilRunning(method, 1);
      await ada.result('console.calls.cancel', { id: call.id });
      const { error } = await answer;
      assert.deepEqual([error?.code, error?.message], [-32015, 'An administrator has cancelled this call']);
    });
  }

  it('R14b a search beyond the limit on its work is -32602 with the limit', async () => {
    limits.patternWorkMax = 1_000_000;
    const { error } = await service.call('service.selectItems', { query: { filter: slow } });
    limits.patternWorkMax = 1e12;
    assert.equal(error?.code, -32602);
    assert.match(
      error.message,
      /would look at too much text: characters times size of the pattern may be 1000000 in all/,
    );
  });

  it('R14b clients that leave take their searches with them, and the next search has the thread to itself', async () => {
    const gone = new AbortController();
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'service.selectItems',
      params: { query: { filter: slow } },
    });
    const headers = {
      authorization: service.authorization,
      'content-type': 'application/json',
      'x-api-version': '1.2',
    };
    const left = Array.from({ length: 3 }, () =>
      fetch(`${service.url}/v1/rpc`, { method: 'POST', headers, body, signal: gone.signal }),
    );
    const ended = Promise.allSettled(left);
    await untilRunning('service.selectItems', 3);
    gone.abort();
    assert.ok((await ended).every(({ status }) => status === 'rejected'));
    await untilRunning('service.selectItems', 0);
    await searchQuickly();
  });
});
