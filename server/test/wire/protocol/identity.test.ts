/** Credentials, tokens and grants of the whole service, end to end. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { basicAuthorization, readJson } from '../../support/http.ts';
import { newIntegration, type ServiceUnderTest, startService, testApiUrl } from '../../support/service.ts';
import { testAct } from '../../support/world.ts';

let service: ServiceUnderTest;
before(async () => {
  service = await startService();
});
after(() => service.close());

/** Asks for a token. */
async function tokenFor(client: { id: string; secret: string }, audience = testApiUrl): Promise<Response> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: client.id,
    client_secret: client.secret,
    audience,
  });
  return fetch(`${service.url}/v1/oauth/token`, { method: 'POST', body });
}

test('A2 a token is given for client credentials, and calls are made with it', async () => {
  const body = await readJson(await tokenFor(service.client));
  assert.deepEqual(Object.keys(body), ['access_token', 'scope', 'expires_in', 'token_type']);
  assert.equal(body.scope, 'invoke:integration,invoke:admin,invoke:service');
  assert.equal(body.expires_in, 7200);
  const params = { integration: service.integration, signalsByInput: { a: {} } };
  const { result } = await service.call('integration.saveSignals', params, {
    authorization: `${body.token_type} ${body.access_token}`,
  });
  assert.equal(result.signalsByInput.a.created, true);
});

test('A1 a token carries its claims where a client can decode them', async () => {
  const { access_token: token } = await readJson(await tokenFor(service.client, testApiUrl.slice(0, -1)));
  const claims = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString());
  assert.equal(claims.sub, `${service.client.id}@clients`);
  assert.equal(claims.integration, service.integration);
  assert.equal(claims.exp - claims.iat, 7200);
});

test('A2 a wrong secret and a foreign audience are refused', async () => {
  const wrong = await tokenFor({ ...service.client, secret: 'x' });
  assert.deepEqual([wrong.status, (await readJson(wrong)).error], [401, 'invalid_client']);
  const foreign = await tokenFor(service.client, 'http://elsewhere/v1/');
  assert.deepEqual([foreign.status, (await readJson(foreign)).error], [400, 'invalid_target']);
});

test('A3 what is not granted is not permitted, and so is another integration', async () => {
  const other = await newIntegration(service.identity, []);
  const { authorization } = other;
  const refused = await service.call('service.selectItems', {}, { authorization, version: '1.2' });
  assert.deepEqual([refused.error?.code, refused.error?.message], [-32003, 'Operation not permitted']);
  const params = { integration: service.integration, signalsByInput: {} };
  const foreign = await service.call('integration.saveSignals', params, { authorization });
  assert.equal(foreign.error?.code, -32003);
});

test('A1 a token that was changed, or has expired, is not accepted', async () => {
  const { access_token: token } = await readJson(await tokenFor(service.client));
  const call = (authorization: string) =>
    service.post('{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}', { authorization });
  assert.equal((await call(`Bearer ${token}`)).status, 200);
  const [header, payload, signature] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const forged = Buffer.from(JSON.stringify({ ...claims, exp: claims.exp + 1 })).toString('base64url');
  const none = Buffer.from('{"alg":"none"}').toString('base64url');
  for (const wrong of [
    `${header}.${forged}.${signature}`,
    `${none}.${payload}.`,
    `${header}.${payload}`,
    'x'.repeat(10_000),
  ]) {
    const response = await call(`Bearer ${wrong}`);
    assert.equal(response.status, 401);
    assert.match(response.headers.get('www-authenticate') ?? '', /error="invalid_token"/);
  }
  service.clock.advance(7201);
  assert.equal((await call(`Bearer ${token}`)).status, 401);
});

test('A1 A1b a password that a connection has proved is refused there once it is disabled or revoked, and so is another one', async () => {
  const { authorization, integration } = await newIntegration(service.identity, []);
  const wrong = basicAuthorization(integration, 'wrong');
  const connection = new Agent({ keepAlive: true, maxSockets: 1 });
  const ports = new Set<number | undefined>();
  const post = async (header: string) => {
    const { status, port } = await postOver(connection, header);
    ports.add(port);
    return status;
  };
  assert.deepEqual(
    [await post(authorization), await post(wrong), await post(authorization)],
    [200, 401, 200],
  );
  await service.identity.setDisabled(testAct, integration, true);
  await service.settle();
  assert.equal(await post(authorization), 401);
  await service.identity.setDisabled(testAct, integration, false);
  await service.settle();
  assert.equal(await post(authorization), 200);
  for (const { id } of await service.identity.listCredentials(integration))
    await service.identity.revokeCredential(testAct, id);
  await service.settle();
  assert.equal(await post(authorization), 401);
  assert.equal(ports.size, 1);
  connection.destroy();
});

/** Makes a call over the connection of an agent: its status, and the port of the client. */
async function postOver(agent: Agent, authorization: string) {
  const headers = { authorization, 'content-type': 'application/json' };
  const sent = request(`${service.url}/v1/rpc`, { agent, method: 'POST', headers });
  sent.end('{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}');
  const [response]: IncomingMessage[] = await once(sent, 'response');
  const port = response.socket.localPort;
  await buffer(response);
  return { status: response.statusCode, port };
}
