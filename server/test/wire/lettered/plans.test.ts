/** Lettered statements about plans, rates and metering (L4): what this implementation decides. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Plan, unlimitedPlan } from '#model/plan';
import type { Tally } from '#model/usage';
import { basicAuthorization, type CallOptions, readJson } from '../../support/http.ts';
import { newIntegration, serviceOfFile } from '../../support/service.ts';
import { testAct } from '../../support/world.ts';
import { errorOf, resultOf } from './plant.ts';

const service = await serviceOfFile();
const guessed = await serviceOfFile({ limits: { wrongLoginsPerMinute: 3 } });
const { plans, identity, usage, clock, audit } = service;

let planCount = 0;

/** An integration on a plan of its own, and ways to call as it. */
async function held(limits: Partial<Plan>) {
  const { integration, authorization } = await newIntegration(identity, ['admin', 'service']);
  const plan = await plans.create(testAct, { ...unlimitedPlan(`plan-${planCount++}`), ...limits });
  await plans.assign(testAct, integration, plan.name);
  const insert = (series: Record<string, (number | null)[]>, times = ['2026-03-01T00:00:00Z']) => ({
    integration,
    data: { times, series },
  });
  const options: CallOptions = { authorization };
  const counted = async (): Promise<Partial<Tally>> => {
    await service.settle();
    const [row] = await usage.list(integration, 1);
    return Object.fromEntries(Object.entries(row?.tally ?? {}).filter(([, count]) => count !== 0));
  };
  const inputs = async (): Promise<string[]> => {
    const { data } = await resultOf(
      service,
      'admin.selectSignals',
      { integration, query: { sort: ['input'] } },
      { ...options, version: '1.2' },
    );
    return data.map((signal: { attributes: { input: string } }) => signal.attributes.input);
  };
  return { integration, authorization, plan, insert, options, counted, inputs };
}

const saves = (integration: string, ...inputs: string[]) => ({
  integration,
  signalsByInput: Object.fromEntries(inputs.map((input) => [input, { name: input }])),
});

test('L4 a hard plan refuses with what is exceeded, the limit and the value; nothing is created', async () => {
  const { integration, options, counted, inputs, plan, insert } = await held({ signalsMax: 2 });
  await resultOf(service, 'integration.saveSignals', saves(integration, 'a'), options);
  const refused = await errorOf(
    service,
    'integration.saveSignals',
    saves(integration, 'a', 'b', 'c'),
    options,
  );
  assert.deepEqual(
    [refused.code, refused.message],
    [-32015, `Plan limit reached: the plan "${plan.name}" allows 2 signals, this call would make it 3`],
  );
  assert.deepEqual(Object.keys(refused.data), ['trace']);
  const inserted = await errorOf(service, 'integration.insert', insert({ x: [1], y: [1] }), options);
  assert.match(inserted.message, /allows 2 signals, this call would make it 3/);
  assert.deepEqual(await inputs(), ['a']);
  await resultOf(service, 'integration.insert', insert({ x: [1] }), options);
  const { signals, points, rejected } = await counted();
  assert.deepEqual([signals, points, rejected], [2, 1, 2]);
});

test('L4 a soft plan allows what is above it, and meters how much it was', async () => {
  const { integration, options, counted, insert } = await held({
    signalsMax: 1,
    itemsMax: 0,
    pointsPerDayMax: 3,
    rates: new Map([['integration.insert', { perSecond: 0.001, burst: 1 }]]),
    isHard: false,
  });
  const saved = await resultOf(
    service,
    'integration.saveSignals',
    saves(integration, 'a', 'b', 'c'),
    options,
  );
  const itemsBySignal = { [saved.signalsByInput.a.id]: { name: 'A' } };
  await resultOf(service, 'admin.publishSignals', { integration, itemsBySignal }, options);
  await resultOf(service, 'integration.insert', insert({ a: [1], b: [2] }), options);
  await resultOf(service, 'integration.insert', insert({ a: [3], b: [4], c: [null] }), options);
  const { bytesIn, ...counts } = await counted();
  assert.ok(bytesIn !== undefined && bytesIn > 400, String(bytesIn));
  assert.deepEqual(counts, {
    points: 4,
    pointsOver: 1,
    requests: 4,
    requestsOver: 1,
    signals: 3,
    signalsOver: 2,
    items: 1,
    itemsOver: 1,
  });
});

test('L4 usage is metered without a plan too, each call of a batch, and bytes as they are after decompression', async () => {
  const { integration, authorization } = await newIntegration(identity, []);
  const call = { jsonrpc: '2.0', id: 1, method: 'integration.insert' };
  const params = { integration, data: { times: [1, 2], series: { a: [1, null], b: [2, 3] } } };
  const body = JSON.stringify([
    { ...call, params },
    { ...call, params },
  ]);
  assert.equal((await service.post(body, { authorization })).status, 200);
  await service.settle();
  const [{ tally }] = await usage.list(integration, 1);
  assert.deepEqual([tally.requests, tally.points, tally.signals, tally.bytesIn], [2, 6, 2, body.length]);
});

test('L4a the audit names the caller and the address of a call', async () => {
  const { integration, options } = await held({});
  const saved = await resultOf(service, 'integration.saveSignals', saves(integration, 'a'), options);
  const itemsBySignal = { [saved.signalsByInput.a.id]: {} };
  await resultOf(service, 'admin.publishSignals', { integration, itemsBySignal }, options);
  const [row] = await audit.list({ limit: 1 });
  const [credential] = await identity.listCredentials(integration);
  assert.deepEqual(
    [row.actor, row.origin, row.action, row.target],
    [`integration:${integration}/${credential.id}`, '127.0.0.1', 'signals.publish', integration],
  );
  assert.ok((await audit.verify()).ok);
});

test('L4b calls side by side cannot exceed a plan together', async () => {
  const { options, insert, inputs, counted } = await held({ signalsMax: 5 });
  const codes = await Promise.all(
    Array.from({ length: 20 }, async (_, i) => {
      const { error } = await service.call('integration.insert', insert({ [`s${i}`]: [i] }), options);
      return error?.code ?? 0;
    }),
  );
  assert.equal(codes.filter((code) => code === 0).length, 5);
  assert.equal(codes.filter((code) => code === -32015).length, 15);
  assert.equal((await inputs()).length, 5);
  assert.equal((await counted()).points, 5);
});

test('L4b a save that creates nothing costs nothing, also where the plan is full', async () => {
  const { integration, options, counted } = await held({ signalsMax: 2, itemsMax: 1 });
  const saved = await resultOf(service, 'integration.saveSignals', saves(integration, 'a', 'b'), options);
  const [a, b] = ['a', 'b'].map((input) => saved.signalsByInput[input].id as string);
  const publish = (id: string, name: string) => ({ integration, itemsBySignal: { [id]: { name } } });
  await resultOf(service, 'admin.publishSignals', publish(a, 'A'), options);
  await resultOf(service, 'integration.saveSignals', saves(integration, 'a', 'b'), options);
  await resultOf(service, 'admin.publishSignals', publish(a, 'A'), options);
  await resultOf(service, 'admin.publishSignals', publish(a, 'changed'), options);
  const { signals, items, rejected } = await counted();
  assert.deepEqual([signals, items, rejected], [2, 1, undefined]);
  const refused = await errorOf(service, 'admin.publishSignals', publish(b, 'B'), options);
  assert.match(refused.message, /allows 1 item, this call would make it 2/);
});

test('L4c the points of an insert fit into the day, or none is stored and no signal is made', async () => {
  const { options, insert, counted, inputs } = await held({ pointsPerDayMax: 4 });
  const times = ['2026-03-01T00:00:00Z', '2026-03-01T00:01:00Z'];
  await resultOf(service, 'integration.insert', insert({ a: [1, null], b: [2, 3] }, times), options);
  await service.settle();
  const refused = await errorOf(
    service,
    'integration.insert',
    insert({ a: [5, 5], c: [6, 6] }, times),
    options,
  );
  assert.equal(refused.code, -32015);
  assert.match(refused.message, /allows 4 points a day \(UTC\), this call would make it 7$/);
  assert.deepEqual(await inputs(), ['a', 'b']);
  await resultOf(service, 'integration.insert', insert({ c: [null, 1] }, times), options);
  const { points, rejected } = await counted();
  assert.deepEqual([points, rejected], [4, 1]);
  await resultOf(service, 'integration.insert', insert({ c: [null, null] }, times), options);
});

test('L4c points of an insert that fails are given back', async () => {
  const { options, insert, counted } = await held({ pointsPerDayMax: 4, signalsMax: 1 });
  await resultOf(service, 'integration.insert', insert({ a: [1] }), options);
  await errorOf(service, 'integration.insert', insert({ b: [1], c: [1], d: [1] }), options);
  await errorOf(service, 'integration.insert', insert({ 'no key': [1] }), options);
  await resultOf(service, 'integration.insert', insert({ a: [1] }), options);
  assert.equal((await counted()).points, 2);
});

test('L4d a call that comes too soon is 429, with the headers that say when to come back', async () => {
  const rates = new Map([['integration.insert', { perSecond: 0.5, burst: 2 }]]);
  const { options, insert, counted, plan } = await held({ rates });
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'Integration.Insert',
    params: insert({ a: [1] }),
  });
  const post = async () => (await service.post(body, options)).status;
  assert.deepEqual([await post(), await post(), await post()], [200, 200, 429]);
  clock.advance(1);
  const refused = await service.post(body, options);
  assert.deepEqual(
    ['retry-after', 'ratelimit-policy', 'ratelimit', 'content-type'].map((name) => refused.headers.get(name)),
    ['1', '"plan";q=2;w=4', '"plan";r=0;t=1', 'application/problem+json'],
  );
  const { status, title, detail, trace } = await readJson(refused);
  assert.deepEqual([status, title, trace.length], [429, 'Too Many Requests', 32]);
  const allowed = `the plan "${plan.name}" for integration.insert allows 30/min,burst=2`;
  assert.equal(detail, `Too many calls: ${allowed}; try again in 1 s`);
  clock.advance(1);
  assert.deepEqual([await post(), await post()], [200, 429]);
  const { requests, rejected, points } = await counted();
  assert.deepEqual([requests, rejected, points], [6, 3, 3]);
});

test('L4d where a rate applies every answer says how much of it is left; where none does, none', async () => {
  const rates = new Map([['integration.insert', { perSecond: 0.5, burst: 3 }]]);
  const { options, insert, integration, plan } = await held({ rates });
  const call = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });
  const rate = async (body: unknown) => {
    const { headers } = await service.post(JSON.stringify(body), options);
    return [headers.get('ratelimit-policy'), headers.get('ratelimit'), headers.get('retry-after')];
  };
  const inserting = call('integration.insert', insert({ a: [1] }));
  const saving = call('integration.saveSignals', saves(integration, 'b'));
  const policy = '"plan";q=3;w=6';
  assert.deepEqual(await rate(saving), [null, null, null]);
  assert.deepEqual(await rate(inserting), [policy, '"plan";r=2;t=2', null]);
  assert.deepEqual(await rate(call('integration.insert', {})), [policy, '"plan";r=1;t=4', null]);
  assert.deepEqual(await rate([saving, inserting, saving]), [policy, '"plan";r=0;t=2', null]);
  assert.deepEqual(await rate([saving, inserting]), [policy, '"plan";r=0;t=2', null]);
  assert.deepEqual(await rate(inserting), [policy, '"plan";r=0;t=2', '2']);
  await plans.set(testAct, plan.name, (before) => ({ ...before, isHard: false }));
  assert.deepEqual(await rate(inserting), [policy, '"plan";r=0;t=2', null]);
});

test('L4d in a batch it is -32015 of that call, and the others are answered', async () => {
  const rates = new Map([['integration.insert', { perSecond: 1, burst: 1 }]]);
  const { options, insert, integration } = await held({ rates });
  const call = { jsonrpc: '2.0', method: 'integration.insert', params: insert({ a: [1] }) };
  const save = { jsonrpc: '2.0', method: 'integration.saveSignals', params: saves(integration, 'b') };
  const batch = [
    { ...call, id: 1 },
    { ...call, id: 2 },
    { ...save, id: 3 },
  ];
  const response = await service.post(JSON.stringify(batch), options);
  assert.equal(response.status, 200);
  const [first, second, third] = await readJson(response);
  assert.ok(first.result !== undefined && third.result !== undefined);
  assert.equal(second.error.code, -32015);
  assert.match(second.error.message, /try again in 1 s$/);
});

test('L4d a method has one bucket under all of its names; other methods and integrations have theirs', async () => {
  const rates = new Map([['service.selectItems', { perSecond: 0.01, burst: 2 }]]);
  const { options, plan } = await held({ rates });
  const other = await newIntegration(identity, ['service']);
  await plans.assign(testAct, other.integration, plan.name);
  const status = async (method: string, authorization = options.authorization) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: {} });
    return (await service.post(body, { version: '1.2', authorization })).status;
  };
  assert.deepEqual(
    [
      await status('service.selectItems'),
      await status('clarify.items.select'),
      await status('service.selectItems'),
    ],
    [200, 200, 429],
  );
  assert.equal(await status('rpc.discover'), 200);
  assert.equal(await status('service.selectItems', other.authorization), 200);
});

test('L4d a notification that comes too soon is 429 as well', async () => {
  const rates = new Map([['integration.insert', { perSecond: 0.01, burst: 1 }]]);
  const { options, insert } = await held({ rates });
  const body = JSON.stringify({ jsonrpc: '2.0', method: 'integration.insert', params: insert({ a: [1] }) });
  const post = async () => (await service.post(body, options)).status;
  assert.deepEqual([await post(), await post()], [204, 429]);
});

test('L4f a change of a plan holds at once; a plan in use cannot be deleted, nor the default one', async () => {
  const { integration, options, plan } = await held({ signalsMax: 0 });
  const save = saves(integration, 'a');
  assert.equal((await errorOf(service, 'integration.saveSignals', save, options)).code, -32015);
  await assert.rejects(
    plans.delete(testAct, plan.name),
    /1 integration is assigned to .*; assign it to another/,
  );
  await assert.rejects(plans.delete(testAct, 'default'), /default plan cannot be deleted/);
  await plans.set(testAct, plan.name, (before) => ({ ...before, signalsMax: 1 }));
  await service.settle();
  await resultOf(service, 'integration.saveSignals', save, options);
  await plans.assign(testAct, integration, 'default');
  await service.settle();
  await resultOf(service, 'integration.saveSignals', saves(integration, 'b', 'c'), options);
  await plans.delete(testAct, plan.name);
});

test('L4f a change of the default plan applies to the integrations without another plan', async () => {
  const { integration, authorization } = await newIntegration(identity, []);
  await plans.set(testAct, 'default', (before) => ({ ...before, signalsMax: 1 }));
  await service.settle();
  const refused = await errorOf(service, 'integration.saveSignals', saves(integration, 'a', 'b'), {
    authorization,
  });
  assert.match(refused.message, /the plan "default" allows 1 signal,/);
  await plans.set(testAct, 'default', () => unlimitedPlan('default'));
  await service.settle();
  await resultOf(service, 'integration.saveSignals', saves(integration, 'a', 'b'), { authorization });
});

test('L4e after some wrong passwords a user name has to wait, others at the same address need not', async () => {
  const { integration, authorization } = guessed;
  const wrong = basicAuthorization(integration, 'wrong');
  const other = await newIntegration(guessed.identity, []);
  const post = (header: string) =>
    guessed.post('{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}', { authorization: header });
  for (let i = 0; i < 3; i++) assert.equal((await post(wrong)).status, 401);
  const refused = await post(wrong);
  assert.equal(refused.status, 429);
  const waitS = Number(refused.headers.get('retry-after'));
  assert.ok(waitS >= 1 && waitS <= 60, String(waitS));
  assert.equal(refused.headers.get('ratelimit-policy'), '"login";q=3;w=60');
  assert.equal(refused.headers.get('ratelimit'), `"login";r=0;t=${waitS}`);
  assert.equal((await post(authorization)).status, 429, 'the right password here, meanwhile');
  assert.equal((await post(other.authorization)).status, 200);
});

test('L4e an address that tries many user names has to wait with all of them', async () => {
  const post = (user: string, password: string) =>
    guessed.post('{}', { authorization: basicAuthorization(user, password) });
  const statuses = new Set<number>();
  for (let i = 0; i < 40; i++) statuses.add((await post(`user${i}`, 'x')).status);
  assert.deepEqual([...statuses], [401, 429]);
});
