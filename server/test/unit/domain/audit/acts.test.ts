/** Every administrative act leaves its row in the audit, without secrets, and acts that fail or change nothing leave none (L4a). */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { everyRow } from '#domain/audit/record';
import type { Identity } from '#domain/identity/identity';
import { PlanCache } from '#domain/plans/plan-cache';
import { Plans } from '#domain/plans/plans';
import { Signals } from '#domain/signals/signals';
import { unlimitedPlan } from '#model/plan';
import { type IdentityParts, openIdentity } from '../../../support/identity.ts';
import { newId, query } from '../../../support/resources.ts';
import { testAct } from '../../../support/world.ts';

let meta: IdentityParts['meta'];
let clock: IdentityParts['clock'];
let identity: Identity;
let plans: Plans;
let planCache: PlanCache;
let signals: Signals;

beforeEach(async () => {
  const opened = await openIdentity(5);
  identity = opened.identity;
  const { ids, log } = opened.parts;
  ({ meta, clock } = opened.parts);
  planCache = new PlanCache(meta, log);
  plans = new Plans({ meta, clock, cache: planCache });
  signals = new Signals({ meta, clock, ids });
});

afterEach(async () => {
  await identity.close();
  await planCache.close();
  signals.close();
});

/** The rows since the first key: action, target and change. */
async function acts(): Promise<[string, string, unknown][]> {
  const rows = await meta.audit.list({ ...everyRow, afterSeq: 1, limit: 1000 });
  for (const { actor, origin } of rows) assert.deepEqual([actor, origin], ['cli:test', 'test']);
  return rows.map(({ action, target, change }) => [action, target, JSON.parse(change)]);
}

it('L4a the first signing key is an act of the service', async () => {
  const [first] = await meta.audit.list({ ...everyRow, limit: 1 });
  const [key] = await meta.signingKeys.all();
  assert.deepEqual([first.actor, first.origin, first.action], ['service', 'service', 'key.tend']);
  assert.deepEqual(JSON.parse(first.change), { created: [key.id], deleted: [] });
});

it('L4a integrations: made, renamed, granted, put on a plan, deleted', async () => {
  const { id } = await identity.createIntegration(testAct, 'plant', ['service']);
  await identity.renameIntegration(testAct, id, 'Plant');
  await identity.renameIntegration(testAct, id, 'Plant');
  await identity.grant(testAct, id, 'admin');
  await identity.grant(testAct, id, 'admin');
  await identity.revokeGrant(testAct, id, 'service');
  await plans.create(testAct, unlimitedPlan('small'));
  await plans.assign(testAct, id, 'small');
  await plans.assign(testAct, id, 'small');
  await signals.numbers(id, ['a', 'b']);
  await identity.deleteIntegration(testAct, id);
  assert.deepEqual(await acts(), [
    [
      'integration.create',
      id,
      { name: [null, 'plant'], grants: [null, ['service']], plan: [null, 'default'] },
    ],
    ['integration.rename', id, { name: ['plant', 'Plant'] }],
    ['integration.grant', id, { grants: [['service'], ['service', 'admin']] }],
    ['integration.revoke', id, { grants: [['service', 'admin'], ['admin']] }],
    ['plan.create', 'small', { isHard: [null, true] }],
    ['plan.assign', id, { plan: ['default', 'small'] }],
    [
      'integration.delete',
      id,
      { name: ['Plant', null], grants: [['admin'], null], plan: ['small', null], signals: [2, 0] },
    ],
  ]);
});

it('L4a credentials and keys: made, rotated, revoked, and no secret of them', async () => {
  const { id: integration } = await identity.createIntegration(testAct, 'plant', []);
  const first = await identity.createCredential(testAct, integration, 'basic-auth', 'laptop');
  const second = await identity.rotateCredential(testAct, first.credential.id, 3_600_000);
  await identity.revokeCredential(testAct, first.credential.id);
  await identity.rotateSigningKey(testAct);
  const keys = await meta.signingKeys.all();
  const type = [null, 'basic-auth'];
  assert.deepEqual((await acts()).slice(1), [
    [
      'credential.create',
      first.credential.id,
      { integration: [null, integration], label: [null, 'laptop'], type },
    ],
    [
      'credential.rotate',
      first.credential.id,
      { expiresAt: [null, '2026-03-01T13:00:00.000Z'], successor: [null, second.credential.id] },
    ],
    [
      'credential.revoke',
      first.credential.id,
      {
        integration: [integration, null],
        label: ['laptop', null],
        type: ['basic-auth', null],
        expiresAt: ['2026-03-01T13:00:00.000Z', null],
      },
    ],
    ['key.rotate', 'key', { created: [keys[1].id], deleted: [] }],
  ]);
  const text = JSON.stringify(await meta.audit.list({ ...everyRow, limit: 1000 }));
  const secrets = [first, second].flatMap(({ secret, credential }) => [secret, credential.secretSha256]);
  for (const secret of [...secrets, ...keys.map(({ secret }) => secret)]) assert.ok(!text.includes(secret));
});

it('L4a plans: made, changed, deleted', async () => {
  const rates = new Map([['integration.insert', { perSecond: 1, burst: 2 }]]);
  await plans.create(testAct, { ...unlimitedPlan('small'), signalsMax: 10, rates });
  await plans.set(testAct, 'small', (before) => ({
    ...before,
    signalsMax: 20,
    rates: new Map(),
    isHard: false,
  }));
  await plans.set(testAct, 'small', (before) => before);
  await plans.delete(testAct, 'small');
  const rate = { perSecond: 1, burst: 2 };
  assert.deepEqual(await acts(), [
    [
      'plan.create',
      'small',
      { signalsMax: [null, 10], isHard: [null, true], 'rates.integration.insert': [null, rate] },
    ],
    [
      'plan.set',
      'small',
      { signalsMax: [10, 20], isHard: [true, false], 'rates.integration.insert': [rate, null] },
    ],
    ['plan.delete', 'small', { signalsMax: [20, null], isHard: [false, null] }],
  ]);
});

it('L4a signals: published, connected, disconnected, annotated; saving and inserting are no acts', async () => {
  const mine = newId();
  const saved = await signals.save(
    mine,
    new Map([['a', { name: 'A', labels: new Map([['site', ['n']]]) }]]),
    {
      createOnly: false,
    },
  );
  await signals.numbers(mine, ['b']);
  const id = saved.get('a')?.id ?? '';
  const publish = (name: string) =>
    signals.publish(testAct, mine, new Map([[id, { name }]]), { createOnly: false });
  const item = (await publish('A')).get(id)?.id ?? '';
  await publish('B');
  await publish('B');
  const really = { dryRun: false };
  await signals.connect(testAct, mine, query(), null, { dryRun: true });
  await signals.connect(testAct, mine, query(), null, really);
  await signals.annotate(testAct, mine, [{ id, annotations: new Map([['k', 'v']]) }], really);
  const plain = { sourceType: [null, 'measurement'], valueType: [null, 'numeric'] };
  assert.deepEqual(await acts(), [
    [
      'signals.publish',
      mine,
      { items: { [item]: { name: [null, 'A'], ...plain } }, signals: { [id]: { item: [null, item] } } },
    ],
    ['signals.publish', mine, { items: { [item]: { name: ['A', 'B'] } } }],
    ['signals.disconnect', mine, { signals: { [id]: { item: [item, null] } } }],
    ['signals.annotate', mine, { signals: { [id]: { 'annotations.k': [null, 'v'] } } }],
  ]);
});

it('L4a a call that changes many resources leaves a row for each hundred', async () => {
  const mine = newId();
  const inputs = Array.from({ length: 120 }, (_, i) => `s${i}`);
  const made = await signals.numbers(mine, inputs);
  await signals.publish(testAct, mine, new Map(made.map(({ id }) => [id, {}])), { createOnly: false });
  const sizes = (await acts()).map(([, , change]) =>
    Object.values(change as object).reduce((sum, part) => sum + Object.keys(part).length, 0),
  );
  assert.deepEqual(sizes, [100, 100, 40]);
});

it('L4a an act that fails leaves no row', async () => {
  const { id } = await identity.createIntegration(testAct, 'plant', []);
  const count = (await acts()).length;
  await assert.rejects(identity.renameIntegration(testAct, newId(), 'x'));
  await assert.rejects(identity.createCredential(testAct, newId(), 'basic-auth', ''));
  await assert.rejects(plans.assign(testAct, id, 'unknown'));
  await assert.rejects(plans.delete(testAct, 'default'));
  await assert.rejects(signals.publish(testAct, id, new Map([[newId(), {}]]), { createOnly: false }));
  assert.equal((await acts()).length, count);
});
