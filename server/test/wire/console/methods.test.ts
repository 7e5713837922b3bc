/** The methods console.*: who may call them, and what they do, through the whole service. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Browser, consoleOfFile } from '../../support/browser.ts';
import { readJson } from '../../support/http.ts';
import { goodPassword } from '../../support/people.ts';

const { service, ada, vic } = await consoleOfFile();

interface Described {
  name: string;
  'x-scope'?: string;
  'x-role'?: string;
}

async function described(version: string): Promise<Described[]> {
  const document = await readJson(await fetch(`${service.url}/openrpc.json?version=${version}`));
  return document.methods;
}

/** The names of all methods of the console. */
async function consoleMethods(): Promise<Described[]> {
  return (await described('1.2')).filter(({ name }) => name.startsWith('console.'));
}

test('W9 the console has its methods in 1.2 only', async () => {
  assert.ok((await consoleMethods()).length >= 25);
  for (const version of ['1.0', '1.1beta1', '1.1beta2', '1.1'])
    assert.deepEqual(
      (await described(version)).filter(({ name }) => name.startsWith('console.')),
      [],
    );
});

test('A5a no integration may call the console, whatever its grants', async () => {
  for (const { name } of await consoleMethods()) {
    const { error } = await service.call(name, {}, { version: '1.2' });
    assert.equal(error?.code, -32003, name);
  }
});

test('A5a a viewer may read, and change only what belongs to the viewer', async () => {
  for (const { name, 'x-role': role } of await consoleMethods()) {
    const { error } = await vic.call(name, { unknown: 1 });
    assert.equal(error?.code, role === 'viewer' ? -32602 : -32003, name);
  }
  assert.equal(
    (await vic.call('admin.selectSignals', { integration: service.integration })).error,
    undefined,
  );
  assert.equal((await vic.call('service.selectItems')).error, undefined);
  const refused = [
    'admin.publishSignals',
    'admin.annotateSignals',
    'integration.insert',
    'integration.saveSignals',
  ];
  for (const name of refused) assert.equal((await vic.call(name)).error?.code, -32003, name);
});

test('A5a an administrator may use every namespace but that of integrations', async () => {
  const { integration } = service;
  assert.equal((await ada.call('admin.publishSignals', { integration, itemsBySignal: {} })).error, undefined);
  assert.equal((await ada.call('integration.saveSignals', { integration, inputs: {} })).error?.code, -32003);
});

test('A5a people are made, changed and removed', async () => {
  service.clock.advance(1);
  const { id } = await ada.result('console.people.create', {
    name: 'Bob',
    password: goodPassword,
    role: 'viewer',
  });
  const bob = new Browser(service.url);
  await bob.signIn('bob');
  assert.deepEqual(
    (await ada.result('console.people.list')).people.map(({ name, role }: { name: string; role: string }) => [
      name,
      role,
    ]),
    [
      ['Ada', 'admin'],
      ['Vic', 'viewer'],
      ['Bob', 'viewer'],
    ],
  );
  assert.equal((await ada.result('console.people.update', { id, role: 'admin' })).role, 'admin');
  await service.settle();
  assert.equal((await bob.session()).person?.role, 'admin');
  await ada.result('console.people.update', { id, password: 'another good password' });
  await service.settle();
  assert.equal((await bob.session()).status, 'anonymous');
  const taken = await ada.call('console.people.create', {
    name: 'BOB',
    password: goodPassword,
    role: 'viewer',
  });
  assert.equal(taken.error?.code, -32009);
  const weak = await ada.call('console.people.create', { name: 'Eve', password: 'short', role: 'viewer' });
  assert.deepEqual(weak.error?.data.params, { password: ['must be 12 to 256 characters, got 5'] });
  assert.deepEqual(await ada.result('console.people.delete', { id }), {});
  assert.equal((await ada.call('console.people.delete', { id })).error?.code, -32602);
});

test('A5a people change their own password, and see and end their own sessions; administrators those of all', async () => {
  const other = new Browser(service.url);
  await other.signIn('Vic');
  await service.settle();
  const { sessions } = await vic.result('console.sessions.list');
  assert.deepEqual(
    sessions.map(({ person, current }: { person: { name: string }; current: boolean }) => [
      person.name,
      current,
    ]),
    [
      ['Vic', true],
      ['Vic', false],
    ],
  );
  const all = (await ada.result('console.sessions.list')).sessions;
  const mine = all.find(({ person }: { person: { name: string } }) => person.name === 'Ada');
  assert.equal((await vic.call('console.sessions.revoke', { id: mine.id })).error?.code, -32602);
  await vic.result('console.sessions.revoke', { id: sessions[1].id });
  await service.settle();
  assert.equal((await other.session()).status, 'anonymous');
  const wrong = await vic.call('console.password.change', {
    current: 'wrong',
    next: 'another good password',
  });
  assert.deepEqual(wrong.error?.data.params, { current: ['is not your password'] });
  await vic.result('console.password.change', { current: goodPassword, next: 'another good password' });
  await other.signIn('Vic', 'another good password');
});

test('A4 an integration is made, gets credentials that work, and goes with all that is its own', async () => {
  const { id } = await ada.result('console.integrations.create', { name: 'Line 2', grants: ['service'] });
  const made = await ada.result('console.credentials.create', {
    integration: id,
    type: 'basic-auth',
    label: 'PLC',
  });
  assert.deepEqual(Object.keys(made.file), ['apiUrl', 'integration', 'credentials']);
  assert.equal(made.file.apiUrl, 'http://tidemark.test/v1/');
  const { clientId, clientSecret } = made.file.credentials;
  assert.equal(clientId, id);
  const call = (secret: string) => {
    const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
    const data = { times: ['2026-03-01T10:00:00Z'], series: { a: [1], b: [2] } };
    return service.call('integration.insert', { integration: id, data }, { authorization });
  };
  assert.ok((await call(clientSecret)).result);
  const rotated = await ada.result('console.credentials.rotate', { id: made.credential.id, overlap: 'PT1H' });
  assert.equal(rotated.credential.label, 'PLC');
  assert.ok((await call(clientSecret)).result, 'both work while they overlap');
  service.clock.advance(3601);
  await assert.rejects(call(clientSecret), /HTTP 401/);
  assert.ok((await call(rotated.file.credentials.clientSecret)).result);
  const { credentials } = await vic.result('console.credentials.list', { integration: id });
  assert.equal(JSON.stringify(credentials).includes(clientSecret), false);
  assert.deepEqual(
    credentials.map(({ label }: { label: string }) => label),
    ['PLC', 'PLC'],
  );
  await ada.result('console.integrations.rename', { id, name: 'Line two' });
  await ada.result('console.integrations.grant', { id, grant: 'admin' });
  await ada.result('console.integrations.revoke', { id, grant: 'service' });
  await service.settle();
  const listed = (await vic.result('console.integrations.list')).integrations.find(
    (one: { id: string }) => one.id === id,
  );
  assert.deepEqual(
    [listed.name, listed.grants, listed.signals, listed.credentials, listed.pointsToday, listed.plan],
    ['Line two', ['admin'], 2, 2, 6, 'default'],
  );
  assert.match(listed.lastSeenAt, /^2026-03-01T/);
  assert.deepEqual(await ada.result('console.integrations.delete', { id, dryRun: true }), {
    signals: 2,
    credentials: 2,
  });
  assert.ok((await call(rotated.file.credentials.clientSecret)).result, 'a dry run deletes nothing');
  assert.deepEqual(await ada.result('console.integrations.delete', { id }), { signals: 2, credentials: 2 });
  await service.settle();
  await assert.rejects(call(rotated.file.credentials.clientSecret), /HTTP 401/);
  assert.equal((await ada.call('console.integrations.delete', { id })).error?.code, -32602);
});

test('E2 an unknown ID is reported at its parameter', async () => {
  const id = 'cbpmaq6rpn52969vfl00';
  const calls: [method: string, params: Record<string, unknown>, at: string][] = [
    ['console.people.update', { id, role: 'viewer' }, 'id'],
    ['console.people.delete', { id }, 'id'],
    ['console.sessions.revoke', { id }, 'id'],
    ['console.integrations.rename', { id, name: 'x' }, 'id'],
    ['console.integrations.grant', { id, grant: 'admin' }, 'id'],
    ['console.integrations.delete', { id, dryRun: true }, 'id'],
    ['console.credentials.create', { integration: id, type: 'basic-auth' }, 'integration'],
    ['console.credentials.rotate', { id }, 'id'],
    ['console.credentials.revoke', { id }, 'id'],
  ];
  for (const [method, params, at] of calls) {
    const { error } = await ada.call(method, params);
    assert.deepEqual([error?.code, Object.keys(error?.data.params ?? {})], [-32602, [at]], method);
  }
});

test('A5 the console is no grant that an integration could be given', async () => {
  const { error } = await ada.call('console.integrations.grant', {
    id: service.integration,
    grant: 'console',
  });
  assert.deepEqual(Object.keys(error?.data.params ?? {}), ['grant']);
});

test('a credential with a wrong expiry or overlap is refused at its path', async () => {
  const credential = { integration: service.integration, type: 'basic-auth', label: '' };
  const late = await ada.call('console.credentials.create', { ...credential, expiresAt: 'tomorrow' });
  assert.deepEqual(Object.keys(late.error?.data.params ?? {}), ['expiresAt']);
  const { credential: made } = await ada.result('console.credentials.create', credential);
  for (const overlap of ['P1M', '-PT1H', 'soon']) {
    const { error } = await ada.call('console.credentials.rotate', { id: made.id, overlap });
    assert.deepEqual(Object.keys(error?.data.params ?? {}), ['overlap'], overlap);
  }
  await ada.result('console.credentials.revoke', { id: made.id });
});

/** Saves signals and gives their IDs. */
async function saveSignals(signalsByInput: Record<string, object>): Promise<string[]> {
  const { integration } = service;
  const { result } = await service.call('integration.saveSignals', { integration, signalsByInput });
  return Object.keys(signalsByInput).map((input) => result.signalsByInput[input].id);
}

test('the newest point of signals, null where there is none', async () => {
  const ids = await saveSignals({ 's/full': {}, 's/empty': {} });
  const data = { times: ['2026-03-01T10:00:00Z', '2026-03-01T09:00:00.25Z'], series: { 's/full': [7, 8] } };
  await service.call('integration.insert', { integration: service.integration, data });
  const { byId } = await vic.result('console.signals.status', { ids: [...ids, 'cbpmaq6rpn52969vfl00'] });
  assert.deepEqual(byId, { [ids[0]]: { lastTime: '2026-03-01T10:00:00Z', lastValue: 7 }, [ids[1]]: null });
  const { error } = await vic.call('console.signals.status', { ids: Array(201).fill(ids[0]) });
  assert.deepEqual(Object.keys(error?.data.params ?? {}), ['ids']);
});

test('the size of signals, nothing where there is no point', async () => {
  const ids = await saveSignals({ 's/three': {}, 's/none': {} });
  const times = ['2026-03-01T10:00:00Z', '2026-03-01T11:00:00Z', '2026-03-01T12:00:00Z'];
  const data = { times, series: { 's/three': [7, 8, 9] } };
  await service.call('integration.insert', { integration: service.integration, data });
  const { byId } = await vic.result('console.signals.sizes', { ids: [...ids, 'cbpmaq6rpn52969vfl00'] });
  assert.deepEqual(byId, { [ids[0]]: { points: 3, bytes: 48 }, [ids[1]]: { points: 0, bytes: 0 } });
  const { error } = await vic.call('console.signals.sizes', { ids: Array(201).fill(ids[0]) });
  assert.deepEqual(Object.keys(error?.data.params ?? {}), ['ids']);
});

test('R10 published signals show what has changed since: nothing, the signal, the item', async () => {
  const { integration } = service;
  const [id] = await saveSignals({ 'p/level': { name: 'Level', engUnit: 'm' } });
  const state = async () => (await vic.result('console.publish.status', { ids: [id] })).byId[id];
  assert.deepEqual(await state(), { state: 'unpublished', item: null, isItemEdited: false, differs: [] });
  const apply = (item: object) =>
    ada.result('console.publish.apply', { integration, itemsBySignal: { [id]: item } });
  const { itemsBySignal } = await apply({ name: 'Tank level', engUnit: 'm', visible: true });
  const item = itemsBySignal[id].id;
  assert.deepEqual(await state(), { state: 'in-sync', item, isItemEdited: false, differs: ['name'] });
  await saveSignals({ 'p/level': { name: 'Level', engUnit: 'mm' } });
  assert.deepEqual(await state(), {
    state: 'signal-changed',
    item,
    isItemEdited: false,
    differs: ['name', 'engUnit'],
  });
  await apply({ name: 'Tank level', engUnit: 'mm' });
  assert.equal((await state()).state, 'in-sync');
  await service.call('admin.publishSignals', {
    integration,
    itemsBySignal: { [id]: { name: 'X', engUnit: 'mm' } },
  });
  assert.deepEqual(await state(), { state: 'item-edited', item, isItemEdited: true, differs: ['name'] });
  const unknown = await ada.call('console.publish.apply', {
    integration,
    itemsBySignal: { cbpmaq6rpn52969vfl00: {} },
  });
  assert.equal(unknown.error?.code, -32602);
});

test('R10 of what another program has published, the younger one has changed', async () => {
  const { integration } = service;
  const [id] = await saveSignals({ 'p/other': { name: 'A' } });
  const state = async () => (await vic.result('console.publish.status', { ids: [id] })).byId[id].state;
  await service.call('admin.publishSignals', { integration, itemsBySignal: { [id]: { name: 'A' } } });
  assert.equal(await state(), 'in-sync');
  service.clock.advance(1);
  await saveSignals({ 'p/other': { name: 'B' } });
  assert.equal(await state(), 'signal-changed');
});

test('the overview, usage, health and configuration have their figures', async () => {
  await service.settle();
  const overview = await vic.result('console.overview');
  assert.deepEqual(
    [overview.version, overview.uptimeS, overview.memoryBytes, overview.integrations],
    ['0.0.0', 3600, 1e8, 1],
  );
  assert.equal(overview.points.days.length, 7);
  assert.equal(overview.points.days[6].day, '2026-03-01');
  assert.equal(overview.points.days[6].points, overview.points.today);
  assert.equal(overview.store.bytes, 4096);
  const { rows } = await vic.result('console.usage', { integration: service.integration, days: 1 });
  assert.deepEqual([rows.length, rows[0].day, rows[0].points], [1, '2026-03-01', 5]);
  assert.deepEqual(await vic.result('console.health'), { checks: [{ name: 'store', problem: null }] });
  const [{ id, isThis, state }, ...others] = (await vic.result('console.nodes')).nodes;
  assert.deepEqual([id, isThis, others], ['', true, []]);
  assert.deepEqual(state.checks, [{ name: 'store', problem: null }]);
  assert.equal((await ada.result('console.config')).rows[0].name, 'port');
});

test('L4a the audit is read from its end, page by page, with the names of the actors', async () => {
  const first = (await vic.result('console.audit.list', { limit: 2 })).rows;
  const second = (await vic.result('console.audit.list', { limit: 2, before: first[1].seq })).rows;
  const seqs = [...first, ...second].map(({ seq }: { seq: number }) => seq);
  assert.deepEqual(
    seqs,
    [0, 1, 2, 3].map((n) => seqs[0] - n),
  );
  const at = first[1].time;
  const [since, until] = await Promise.all([
    vic.result('console.audit.list', { from: at, limit: 1000 }),
    vic.result('console.audit.list', { until: at, limit: 1000 }),
  ]);
  assert.ok(since.rows.length > 0 && since.rows.every(({ time }: { time: string }) => time >= at));
  assert.ok(until.rows.every(({ time }: { time: string }) => time < at));
  const whole = await vic.result('console.audit.list', { limit: 1000 });
  assert.equal(since.rows.length + until.rows.length, whole.rows.length);
  const { error } = await vic.call('console.audit.list', { from: 'monday' });
  assert.deepEqual(Object.keys(error?.data.params ?? {}), ['from']);
  const { rows } = await vic.result('console.audit.list', { filter: { action: 'integration.rename' } });
  assert.deepEqual(
    [rows.length, rows[0].actorName, rows[0].change.name, rows[0].origin],
    [1, 'Ada', ['Line 2', 'Line two'], '127.0.0.1'],
  );
  assert.deepEqual(Object.keys(rows[0]).sort(), [
    'action',
    'actor',
    'actorName',
    'change',
    'origin',
    'seq',
    'target',
    'targetName',
    'time',
  ]);
});
