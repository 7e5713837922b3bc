/** Lettered statements about authentication (A): what this implementation decides. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basicAuthorization, readJson } from '../../support/http.ts';
import { serviceOfFile, testApiUrl } from '../../support/service.ts';
import { testAct } from '../../support/world.ts';
import { errorOf, resultOf } from './plant.ts';

const service = await serviceOfFile({ limits: { tokenRequestsPerMinute: 3, wrongLoginsPerMinute: 3 } });

function askToken(client: { id: string; secret: string }): Promise<Response> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: client.id,
    client_secret: client.secret,
    audience: testApiUrl,
  });
  return fetch(`${service.url}/v1/oauth/token`, { method: 'POST', body });
}

test('A1a a token allows what it was issued for, and of that only what is granted now', async () => {
  const { integration, identity, client } = service;
  const { access_token } = await readJson(await askToken(client));
  const bearer = { authorization: `Bearer ${access_token}` };
  await resultOf(service, 'service.selectItems', {}, bearer);
  await identity.revokeGrant(testAct, integration, 'service');
  await service.settle();
  assert.equal((await errorOf(service, 'service.selectItems', {}, bearer)).code, -32003);
  const narrow = (await readJson(await askToken(client))).access_token;
  await identity.grant(testAct, integration, 'service');
  await service.settle();
  await resultOf(service, 'service.selectItems', {}, bearer);
  assert.equal(
    (await errorOf(service, 'service.selectItems', {}, { authorization: `Bearer ${narrow}` })).code,
    -32003,
  );
});

test('A1a a credential with an end date is refused from then on', async () => {
  const { integration, identity, clock } = service;
  const endsAtMs = clock.nowUs() / 1000 + 60_000;
  const { secret } = await identity.createCredential(testAct, integration, 'basic-auth', 'short', endsAtMs);
  const options = { authorization: basicAuthorization(integration, secret) };
  assert.equal((await service.post('[]', options)).status, 200);
  clock.advance(60);
  assert.equal((await service.post('[]', options)).status, 401);
});

test('A2a wrong secrets count for the client at its address, and too many are 429', async () => {
  const wrong = { id: service.client.id, secret: 'wrong' };
  for (let i = 0; i < 3; i++) assert.equal((await askToken(wrong)).status, 401);
  const refused = await askToken(wrong);
  assert.equal(refused.status, 429);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  assert.equal((await readJson(refused)).error, 'temporarily_unavailable');
});

test('A5 admin and service are granted, integration is not', async () => {
  const { identity } = service;
  const { id } = await identity.createIntegration(testAct, 'Plain', []);
  const { secret } = await identity.createCredential(testAct, id, 'basic-auth', '');
  const options = { authorization: basicAuthorization(id, secret) };
  const insert = { integration: id, data: { times: [], series: {} } };
  await resultOf(service, 'integration.insert', insert, options);
  for (const [method, grant, params] of [
    ['admin.selectSignals', 'admin', { integration: id }],
    ['service.selectItems', 'service', {}],
  ] as const) {
    assert.equal((await errorOf(service, method, params, options)).code, -32003);
    await identity.grant(testAct, id, grant);
    await resultOf(service, method, params, options);
  }
});
