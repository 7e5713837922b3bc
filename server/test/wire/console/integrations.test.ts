/** console.integrations.disable, .enable and .errors, and where credentials were used: through the whole service. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Credential } from '#storage/meta-store';
import { until } from '../../cli/process.ts';
import { consoleOfFile } from '../../support/browser.ts';
import { basicAuthorization, readJson } from '../../support/http.ts';

const { service, ada, vic } = await consoleOfFile({ limits: { bodyBytesMax: 100_000 } });

test('M4d viewers see that there is no broker', async () => {
  const answer = await vic.result('console.integrations.broker', { id: service.integration });
  assert.deepEqual(answer, { broker: null, silentNodes: [] });
});

const me = async () => (await vic.result('console.integrations.list')).integrations[0];
const errors = async () =>
  (await vic.result('console.integrations.errors', { id: service.integration })).errors;

test('A1b a disabled integration is refused with words that say so, and the list shows it', async () => {
  const id = service.integration;
  assert.equal((await me()).disabledAt, null);
  assert.equal((await vic.call('console.integrations.disable', { id })).error?.code, -32003);
  await ada.result('console.integrations.disable', { id });
  await service.settle();
  assert.equal((await me()).disabledAt, '2026-03-01T12:00:00Z');
  const refused = await service.post('{}');
  assert.equal(refused.status, 401);
  assert.match((await readJson(refused)).detail, /^This integration is disabled/);
  const [error] = await errors();
  assert.deepEqual([error.code, error.method, error.count], [401, null, 1]);
  assert.match(error.message, /disabled/);
  await ada.result('console.integrations.enable', { id });
  await service.settle();
  assert.ok((await service.call('rpc.discover')).result);
  const unknown = await ada.call('console.integrations.disable', { id: 'cbpmaq6rpn52969vfl00' });
  assert.deepEqual(Object.keys(unknown.error?.data.params ?? {}), ['id']);
});

test('A5h errors are listed with path and trace, and never with what was sent', async () => {
  const { integration } = service;
  const data = { times: ['yesterday-s3cret'], series: { a: [1] } };
  service.clock.advance(1);
  const answer = await service.call('integration.insert', { integration, data });
  service.clock.advance(1);
  await service.call('integration.insert', { integration, data });
  service.clock.advance(1);
  await service.call('service.s3cret');
  service.clock.advance(1);
  await service.post('{"s3cret');
  service.clock.advance(1);
  await service.post('{}', { authorization: basicAuthorization(integration, 's3cret') });
  service.clock.advance(1);
  await service.post(JSON.stringify({ pad: 'x'.repeat(2e5) }));
  const seen = await errors();
  assert.deepEqual(
    seen.slice(0, 5).map((one: Record<string, unknown>) => [one.method, one.code, one.path, one.count]),
    [
      [null, 413, null, 1],
      [null, 401, null, 1],
      [null, -32700, null, 1],
      [null, -32601, null, 1],
      ['integration.insert', -32602, 'data.times.0', 2],
    ],
  );
  assert.ok(!JSON.stringify(seen).includes('s3cret'));
  assert.match(seen[4].trace, /^[0-9a-f]{32}$/);
  assert.notEqual(seen[4].trace, answer.error?.data.trace, 'the trace is that of the last');
  assert.match(seen[4].problem, /^must /);
  const { total } = await vic.result('console.integrations.errors', { id: service.integration });
  assert.equal(total, 7);
  const listed = await me();
  assert.deepEqual([listed.errors, listed.lastErrorAt], [7, '2026-03-01T12:00:06Z']);
});

test('an integration that is deleted leaves no errors behind', async () => {
  const { id } = await ada.result('console.integrations.create', { name: 'Short' });
  const made = await ada.result('console.credentials.create', { integration: id, type: 'basic-auth' });
  const { clientSecret } = made.file.credentials;
  await service.settle();
  await service.call('nothing.here', {}, { authorization: basicAuthorization(id, clientSecret) });
  const of = async () => (await ada.result('console.integrations.errors', { id })).errors.length;
  assert.equal(await of(), 1);
  await ada.result('console.integrations.delete', { id });
  assert.equal(await of(), 0);
});

/** The agents that the list of an integration's credentials shows once they are these: uses are written soon, not at once. */
async function agentsOnce(id: string, expected: readonly (string | null)[]): Promise<(string | null)[]> {
  const shown = async () => {
    const { credentials } = await vic.result('console.credentials.list', { integration: id });
    return credentials.map((one: Pick<Credential, 'lastUsedFrom'>) => one.lastUsedFrom?.userAgent ?? null);
  };
  await until(async () => isDeepStrictEqual(await shown(), expected), 30_000);
  return shown();
}

test('A4 the last use of a credential is shown with address and user agent', async () => {
  const { integration: id } = service;
  service.clock.advance(120);
  await service.call('rpc.discover', {}, { headers: { 'user-agent': 'Telegraf/1.30' } });
  const agents = ['Telegraf/1.30', null];
  assert.deepEqual(await agentsOnce(id, agents), agents);
  const { credentials } = await vic.result('console.credentials.list', { integration: id });
  assert.equal(credentials[0].lastUsedFrom.address, '127.0.0.1');
});

test('A4 a page in a browser names itself by X-Client-Name, and a connection test is not a program that was seen', async () => {
  const { id } = await ada.result('console.integrations.create', { name: 'Tested' });
  const made = await ada.result('console.credentials.create', { integration: id, type: 'basic-auth' });
  const authorization = basicAuthorization(id, made.file.credentials.clientSecret);
  const lastSeen = async () => {
    const { integrations } = await vic.result('console.integrations.list');
    return integrations.find((one: { id: string }) => one.id === id).lastSeenAt;
  };
  const seenAfter = async (headers: Record<string, string>, agent: string) => {
    await service.call('rpc.discover', {}, { authorization, headers });
    assert.deepEqual(await agentsOnce(id, [agent]), [agent]);
    await service.settle();
    return lastSeen();
  };
  const browser = { 'user-agent': 'Firefox/150', 'x-client-name': 'connection-test' };
  assert.equal(await seenAfter(browser, 'connection-test Firefox/150'), null);
  const now = await seenAfter({ 'user-agent': 'curl/8' }, 'curl/8');
  assert.match(now, /^2026-03-01T/);
  await ada.result('console.credentials.revoke', { id: made.credential.id });
  assert.equal(await lastSeen(), now);
});
