/** console.instance.update, console.retention.*, console.sizes, .plans.list and .calls.*: through the whole service. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayOf, emptyTally } from '#model/usage';
import { adaAt, consoleOfFile } from '../../support/browser.ts';
import { startService } from '../../support/service.ts';
import { testAct } from '../../support/world.ts';

const { service, ada, vic } = await consoleOfFile();

const acts = async (action: string) =>
  (await ada.result('console.audit.list', { filter: { action } })).rows as {
    target: string;
    change: unknown;
  }[];

test('L4a name, colour and time zone of the instance change, with a row in the audit', async () => {
  const choice = { name: 'Plant 2', color: '#2266aa' };
  assert.equal((await vic.call('console.instance.update', choice)).error?.code, -32003);
  const after = await ada.result('console.instance.update', choice);
  assert.deepEqual(after, { name: 'Plant 2', color: '#2266aa', timeZone: 'UTC' });
  await ada.result('console.instance.update', { timeZone: 'Europe/Oslo' });
  await ada.result('console.instance.update', { name: 'Plant 2' });
  const { instance } = await vic.session();
  assert.deepEqual([instance.name, instance.timeZone], ['Plant 2', 'Europe/Oslo']);
  assert.deepEqual(
    (await acts('instance.set')).map(({ change }) => change),
    [{ timeZone: ['UTC', 'Europe/Oslo'] }, { color: ['', '#2266aa'], name: ['Tidemark', 'Plant 2'] }],
  );
  const wrong = [
    [{ name: '' }, 'name'],
    [{ color: 'red' }, 'color'],
    [{ timeZone: 'Mars/Olympus' }, 'timeZone'],
  ] as const;
  for (const [params, path] of wrong) {
    const { error } = await ada.call('console.instance.update', params);
    assert.deepEqual(Object.keys(error?.data.params ?? {}), [path]);
  }
});

test('L5 rules are made, looked at before they are, changed and removed, with rows in the audit', async () => {
  const { integration } = service;
  const times = ['2026-02-27T12:00:00Z', '2026-02-28T12:00:00Z', '2026-03-01T11:00:00Z'];
  const data = { times, series: { a: [1, 2, 3], b: [1, null, null] } };
  await service.call('integration.insert', { integration, data });
  const rules = async () => (await vic.result('console.retention.list')).rules;
  const preview = async (params: object = {}) =>
    (await vic.result('console.retention.preview', params)).rules.map((rule: Record<string, unknown>) => [
      rule.scope,
      rule.keep,
      rule.affected,
      rule.points,
    ]);
  assert.deepEqual([await rules(), await preview()], [[], []]);
  assert.deepEqual(await preview({ scope: 'all', keep: 'P1D' }), [['all', 'P1D', 2, 2]]);
  assert.deepEqual(await rules(), [], 'a preview makes no rule');
  const set = { scope: 'all', keep: 'PT12H' };
  assert.equal((await vic.call('console.retention.set', set)).error?.code, -32003);
  await ada.result('console.retention.set', set);
  const own = `integration:${integration}`;
  await ada.result('console.retention.set', { scope: own, keep: 'forever' });
  assert.deepEqual(await preview(), [
    ['all', 'PT12H', 0, 0],
    [own, 'forever', 0, 0],
  ]);
  assert.deepEqual(await preview({ scope: own }), [['all', 'PT12H', 2, 3]], 'as if it were removed');
  await ada.result('console.retention.remove', { scope: own });
  assert.deepEqual(await rules(), [set]);
  assert.deepEqual(
    [(await acts('retention.set')).length, (await acts('retention.remove'))[0].target],
    [2, own],
  );
});

test('L5 what is no rule is refused at its path', async () => {
  const wrong = [
    ['console.retention.set', { scope: 'some', keep: 'P1D' }, 'scope'],
    ['console.retention.set', { scope: 'label:site=', keep: 'P1D' }, 'scope'],
    ['console.retention.set', { scope: 'integration:cbpmaq6rpn52969vfl00', keep: 'P1D' }, 'scope'],
    ['console.retention.set', { scope: 'all', keep: 'soon' }, 'keep'],
    ['console.retention.set', { scope: 'all', keep: 'PT1M' }, 'keep'],
    ['console.retention.preview', { scope: 'all', keep: 'PT1M' }, 'keep'],
    ['console.retention.remove', { scope: 'label:a=b' }, 'scope'],
  ] as const;
  for (const [method, params, path] of wrong) {
    const { error } = await ada.call(method, params);
    assert.deepEqual(Object.keys(error?.data.params ?? {}), [path], `${method} ${JSON.stringify(params)}`);
  }
});

test('sizes by integration and of the largest signals; it is too early for a forecast', async () => {
  const { integration } = service;
  const sizes = await vic.result('console.sizes');
  assert.deepEqual(sizes.total, { points: 4, bytes: 64 });
  assert.deepEqual(sizes.integrations, [{ integration, points: 4, bytes: 64 }]);
  assert.deepEqual(
    sizes.largest.map(({ input, name, points }: Record<string, unknown>) => [input, name, points]),
    [
      ['a', 'a', 3],
      ['b', 'b', 1],
    ],
  );
  assert.equal(sizes.forecast, null);
});

test('a forecast is made of the days before, what a point takes, and the rule for all signals', async () => {
  const old = await startService();
  try {
    const browser = await adaAt(old);
    const { integration } = old;
    const data = { times: [0], series: { a: [1] } };
    await old.call('integration.insert', { integration, data });
    const [{ number }] = await old.meta.signals.byInput(integration, ['a']);
    const timesUs = Float64Array.from({ length: 2 ** 20 - 1 }, (_, row) => row + 1);
    await old.series.append({ timesUs, signals: [number], values: timesUs });
    const tally = { ...emptyTally(), points: 2 ** 20 };
    const today = dayOf(old.clock.nowUs());
    const rows = [1, 2, 3].map((back) => ({ integration, day: today - back, tally }));
    await old.meta.write((tx) => tx.usage.add(rows));
    const forecast = async () => (await browser.result('console.sizes')).forecast;
    const expected = { bytesPerDay: 4096, freeBytes: 1e9, daysLeft: 1e9 / 4096, keptBytes: null };
    assert.deepEqual(await forecast(), expected);
    await browser.result('console.retention.set', { scope: 'all', keep: 'P30D' });
    assert.deepEqual(await forecast(), { ...expected, daysLeft: null, keptBytes: 30 * 4096 });
  } finally {
    await old.close();
  }
});

test('L4 plans are listed with their limits', async () => {
  const rates = new Map([['integration.insert', { perSecond: 10, burst: 50 }]]);
  const limits = { signalsMax: 5, itemsMax: null, pointsPerDayMax: 1000, isHard: false };
  await service.plans.create(testAct, { name: 'small', ...limits, rates });
  const { plans } = await vic.result('console.plans.list');
  assert.deepEqual(plans[1], {
    name: 'small',
    ...limits,
    integrations: 0,
    rates: { 'integration.insert': '10/s,burst=50' },
  });
  assert.equal(plans.length, 2);
});

test('calls that run are listed with who makes them; what has ended cannot be cancelled', async () => {
  const { running, slow } = await vic.result('console.calls.list');
  assert.deepEqual(
    running.map((call: { method: string; caller: { name: string; kind: string } }) => [
      call.method,
      call.caller.name,
      call.caller.kind,
    ]),
    [['console.calls.list', 'Vic', 'person']],
  );
  assert.deepEqual(slow, []);
  assert.equal((await vic.call('console.calls.cancel', { id: running[0].id })).error?.code, -32003);
  const { error } = await ada.call('console.calls.cancel', { id: running[0].id });
  assert.deepEqual(Object.keys(error?.data.params ?? {}), ['id']);
});

test('the overview shows queues and how long calls take', async () => {
  const { queues, durations } = await vic.result('console.overview');
  assert.deepEqual(queues, { requests: 1, running: 0, waiting: 0, queueBytes: 2, logBytes: 3, sealLagS: 4 });
  assert.ok(durations.change.count > 10 && durations.change.maxMs >= durations.change.medianMs);
  assert.equal(durations.insert.count, 1);
});
