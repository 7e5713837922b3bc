/** integration.insert over the wire, in every version (R3, R9). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Case, mustSucceed, runCases } from './cases.ts';
import { logger, nobody, owner, startPlant } from './plant.ts';

const method = 'integration.insert';

function insert(times: unknown, series: unknown, version = '1.1') {
  return { method, version, params: { integration: owner, data: { times, series } } };
}

/** What was stored, read back through an item. */
const readBack = {
  method: 'service.dataFrame',
  params: { data: { filter: { times: { $gte: '2026-03-01T00:00:00Z', $lt: '2026-03-02T00:00:00Z' } } } },
};

const publish = {
  method: 'admin.publishSignals',
  params: (id: (name: string) => string) => ({ integration: owner, itemsBySignal: { [id('a')]: {} } }),
};

const t = (minute: number) => `2026-03-01T00:0${minute}:00Z`;

const versions: Case[] = ['1.0', '1.1beta1', '1.1beta2', '1.1', '1.2'].map((version) => ({
  title: `R9 unknown inputs create signals in ${version}`,
  ...insert([t(0)], { a: [1], b: [null] }, version),
}));

runCases('insert', [
  ...versions,
  { title: 'R9 known inputs do not', given: [insert([t(0)], { a: [1] })], ...insert([t(1)], { a: [1] }) },
  {
    title: 'R9 what is stored: any order, the later row wins, null leaves what is there',
    given: [
      insert([t(2), t(0), t(1), t(0)], { a: [2, 5, 1, 0] }),
      insert([t(1), t(2), t(3)], { a: [null, 22, null] }),
      publish,
    ],
    ...readBack,
  },
  {
    title: 'R3 integer UNIX seconds, and RFC 3339 with offset and fraction, as Telegraf sends them',
    given: [insert([1772323200, '2026-03-01T01:00:00.0000015+01:00'], { a: [1, 2] }), publish],
    ...readBack,
  },
  { title: 'R9 no row is no error', ...insert([], { a: [] }) },
  { title: 'R9 no series is no error', ...insert([t(0)], {}) },
  { title: 'E2 a series of another length', ...insert([t(0), t(1)], { a: [1], b: [1, 2] }) },
  {
    title: 'R3 times that are none',
    ...insert(['now', 1.5, null, '2300-01-01T00:00:00Z'], { a: [1, 2, 3, 4] }),
  },
  {
    title: 'R9 values that are no finite numbers',
    ...insert([t(0), t(1), t(2)], { a: ['1', true, {}], b: [1, 2, 3] }),
  },
  { title: 'R9 series that are no arrays', ...insert([t(0)], { a: 1, b: null }) },
  { title: 'R9 keys that are none', ...insert([t(0)], { 'a b': [1], '': [1] }) },
  { title: 'E2 no frame', method, params: { integration: owner } },
  { title: 'E2 an empty frame', method, params: { integration: owner, data: {} } },
  { title: 'E2 null where arrays belong', ...insert(null, null) },
  { title: 'E2 arrays in place of objects', ...insert({}, []) },
  { title: 'A3 another integration', ...insert([t(0)], { a: [1] }), as: logger },
  {
    title: 'A3 an integration that there is not',
    method,
    params: { integration: nobody, data: { times: [], series: {} } },
  },
  {
    title: 'A5 needs no grant but its own namespace',
    method,
    params: { integration: logger, data: { times: [t(0)], series: { a: [1] } } },
    as: logger,
  },
]);

test('R9 all or nothing: of a refused frame no signal is made and no point is stored', async () => {
  const plant = await startPlant();
  try {
    await mustSucceed(plant, insert([t(0)], { a: [1] }));
    await mustSucceed(plant, publish);
    for (const wrong of [
      { a: [2], 'not good': [1] },
      { a: [2], good: ['x'] },
      { a: [2], good: [1, 2] },
    ]) {
      assert.equal((await plant.call(insert([t(0)], wrong))).result, undefined);
    }
    const query = { total: true, limit: 0 };
    const all = await mustSucceed(plant, {
      method: 'admin.selectSignals',
      params: { integration: owner, query },
    });
    assert.equal((all as { meta: { total: number } }).meta.total, 1);
    const frame = (await mustSucceed(plant, readBack)) as { data: { series: Record<string, number[]> } };
    assert.deepEqual(Object.values(frame.data.series), [[1]]);
  } finally {
    await plant.close();
  }
});

test('R9 each of thousands of signals is answered, whether it is new or known', async () => {
  const plant = await startPlant();
  try {
    const keys = Array.from({ length: 9000 }, (_, i) => `k${i}`);
    const insertAll = () => insert([t(0)], Object.fromEntries(keys.map((key) => [key, [1]])));
    const idsOf = (result: unknown, created: boolean) => {
      const { signalsByInput } = result as {
        signalsByInput: Record<string, { id: string; created: boolean }>;
      };
      assert.deepEqual(Object.keys(signalsByInput), keys);
      for (const summary of Object.values(signalsByInput)) assert.equal(summary.created, created);
      return Object.values(signalsByInput).map(({ id }) => id);
    };
    const ids = idsOf(await mustSucceed(plant, insertAll()), true);
    assert.equal(new Set(ids).size, keys.length);
    assert.deepEqual(idsOf(await mustSucceed(plant, insertAll()), false), ids);
  } finally {
    await plant.close();
  }
});
