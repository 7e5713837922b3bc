/** What the console does with signals: editing them, how they went, how far apart their points are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { consoleOfFile } from '../../support/browser.ts';

const { service, ada, vic } = await consoleOfFile();

/** Saves signals and gives their IDs. */
async function saveSignals(signalsByInput: Record<string, object>): Promise<string[]> {
  const { integration } = service;
  const { result } = await service.call('integration.saveSignals', { integration, signalsByInput });
  return Object.keys(signalsByInput).map((input) => result.signalsByInput[input].id);
}

async function insert(times: (string | number)[], series: Record<string, (number | null)[]>): Promise<void> {
  const { error } = await service.call('integration.insert', {
    integration: service.integration,
    data: { times, series },
  });
  assert.equal(error, undefined);
}

test('R8a an edit is previewed, made and reported, field by field; only by an administrator', async () => {
  const { integration } = service;
  const [a, b] = await saveSignals({
    'e/a': { engUnit: 'm', labels: { site: ['x'] }, sampleInterval: 'PT1M' },
    'e/b': { engUnit: 'mm' },
  });
  const params = {
    integration,
    query: { filter: { input: { $regex: '^e/' } }, sort: ['id'], total: true },
    change: { engUnit: 'mm', sampleInterval: null, labels: { site: null, area: ['1'] } },
  };
  assert.equal((await vic.call('console.signals.edit', params)).error?.code, -32003);
  const tried = await ada.result('console.signals.edit', { ...params, dryRun: true });
  assert.deepEqual(tried, {
    total: 2,
    selected: 2,
    last: b,
    edited: [
      {
        id: a,
        input: 'e/a',
        name: 'e/a',
        changes: {
          engUnit: ['m', 'mm'],
          sampleInterval: ['PT1M', null],
          'labels.site': [['x'], null],
          'labels.area': [null, ['1']],
        },
      },
      { id: b, input: 'e/b', name: 'e/b', changes: { 'labels.area': [null, ['1']] } },
    ],
  });
  const unit = async () =>
    (await ada.result('admin.selectSignals', { integration, query: { filter: { id: a } } })).data[0]
      .attributes.engUnit;
  assert.equal(await unit(), 'm');
  assert.deepEqual(await ada.result('console.signals.edit', params), tried);
  assert.equal(await unit(), 'mm');
  const { edited } = await ada.result('console.signals.edit', params);
  assert.deepEqual(edited, []);
});

test('R8a many signals are edited page by page, by ID', async () => {
  const { integration } = service;
  await saveSignals(Object.fromEntries(Array.from({ length: 7 }, (_, i) => [`many/${i}`, {}])));
  const seen: string[] = [];
  for (let last: string | null = ''; last !== null; ) {
    const filter = { input: { $regex: '^many/' }, description: '', id: { $gt: last } };
    const answer: { last: string | null; edited: { input: string }[] } = await ada.result(
      'console.signals.edit',
      { integration, query: { filter, sort: ['id'], limit: 3 }, change: { description: 'one of many' } },
    );
    seen.push(...answer.edited.map(({ input }) => input));
    last = answer.last;
  }
  assert.deepEqual(seen, ['many/0', 'many/1', 'many/2', 'many/3', 'many/4', 'many/5', 'many/6']);
});

test('R8a the faults of an edit are reported by path', async () => {
  const { integration } = service;
  const edit = async (change: object) =>
    (await ada.call('console.signals.edit', { integration, change })).error?.data.params ?? {};
  assert.deepEqual(await edit({ valueType: 'text', labels: { 'a b': ['x'] } }), {
    'change.valueType': ['must be one of numeric, enum, got "text"'],
    'change.labels.a b': ['the key must match ^[A-Za-z0-9\\-_/]{1,128}$'],
  });
  assert.deepEqual(Object.keys(await edit({ gapDetection: 'P1M', sampleInterval: '-PT1S' })), [
    'change.sampleInterval',
    'change.gapDetection',
  ]);
  assert.deepEqual(Object.keys(await edit({ input: 'x' })), ['change.input']);
});

test('trends have an average for each part, null where there is no point', async () => {
  const [id] = await saveSignals({ 't/a': {} });
  await insert(['2026-03-01T00:00:00Z', '2026-03-01T00:29:00Z', '2026-03-01T23:59:00Z'], {
    't/a': [1, 3, 7],
  });
  const params = { ids: [id], from: '2026-03-01T00:00:00Z', before: '2026-03-02T00:00:00Z' };
  const { byId } = await vic.result('console.signals.trends', params);
  assert.equal(byId[id].length, 48);
  assert.deepEqual([byId[id][0], byId[id][1], byId[id][47]], [2, null, 7]);
  const at = async (change: object) =>
    Object.keys(
      (await vic.call('console.signals.trends', { ...params, ...change })).error?.data.params ?? {},
    );
  assert.deepEqual(await at({ from: 'x', before: 'y' }), ['from', 'before']);
  assert.deepEqual(await at({ before: params.from }), ['before']);
  assert.deepEqual(await at({ before: '2026-05-01T00:00:00Z' }), ['before']);
  assert.deepEqual(await at({ ids: Array(51).fill(id) }), ['ids']);
});

test('the spacing of points, and where there are gaps', async () => {
  const [id, empty] = await saveSignals({ 'g/a': { sampleInterval: 'PT1M' }, 'g/empty': {} });
  await insert([0, 63, 126, 600, 663], { 'g/a': [1, 2, 3, 4, 5] });
  assert.deepEqual(await vic.result('console.signals.spacing', { id }), {
    points: 5,
    from: '1970-01-01T00:00:00Z',
    to: '1970-01-01T00:11:03Z',
    median: 'PT1M3S',
    least: 'PT1M3S',
    most: 'PT7M54S',
    gap: 'PT3M',
    gapCount: 1,
    gaps: [{ from: '1970-01-01T00:02:06Z', to: '1970-01-01T00:10:00Z' }],
  });
  const none = await vic.result('console.signals.spacing', { id: empty });
  assert.deepEqual([none.points, none.median, none.gap, none.gaps], [0, null, null, []]);
  const { error } = await vic.call('console.signals.spacing', { id: 'cbpmaq6rpn52969vfl00' });
  assert.deepEqual(Object.keys(error?.data.params ?? {}), ['id']);
});

test('R8a items are edited and have a newest point, whichever signal it is of', async () => {
  const { integration } = service;
  const ids = await saveSignals({ 'i/old': { name: 'Level' }, 'i/new': {} });
  await insert(['2026-03-01T00:00:00Z', '2026-03-01T01:00:00Z'], { 'i/old': [1, null], 'i/new': [null, 2] });
  const { itemsBySignal } = await ada.result('console.publish.apply', {
    integration,
    itemsBySignal: { [ids[0]]: { name: 'Level' } },
  });
  const item = itemsBySignal[ids[0]].id;
  const status = async () => (await vic.result('console.items.status', { ids: [item] })).byId[item];
  assert.deepEqual(await status(), { lastTime: '2026-03-01T00:00:00Z', lastValue: 1 });
  const query = { filter: { id: ids[1] } };
  await ada.result('admin.connectSignals', { integration, query, item });
  assert.deepEqual(await status(), { lastTime: '2026-03-01T01:00:00Z', lastValue: 2 });
  await ada.result('admin.disconnectSignals', { integration, query: { filter: { item } } });
  assert.equal(await status(), null);
  const params = { query: { filter: { id: item } }, change: { visible: true, engUnit: 'm' } };
  assert.equal((await vic.call('console.items.edit', params)).error?.code, -32003);
  assert.deepEqual((await ada.result('console.items.edit', params)).edited, [
    { id: item, name: 'Level', changes: { engUnit: ['', 'm'], visible: [false, true] } },
  ]);
});
