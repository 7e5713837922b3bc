/** The client against the whole service: the types hold, tokens and sessions work, what the README shows is true. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Browser } from '../../server/test/support/browser.ts';
import { goodPassword } from '../../server/test/support/people.ts';
import { type ServiceUnderTest, startService, testApiUrl } from '../../server/test/support/service.ts';
import { testAct } from '../../server/test/support/world.ts';
import { Client, ServiceError } from '../src/client.ts';
import { type Environment, systemEnvironment } from '../src/environment.ts';
import { toColumns } from '../src/frame.ts';

let service: ServiceUnderTest;
before(async () => {
  service = await startService();
});
after(() => service.close());

/** Tokens name the address that is configured; the service listens on another one. */
const environment: Environment = {
  ...systemEnvironment,
  fetch: (url: string, init: RequestInit) =>
    systemEnvironment.fetch(url.replace('http://tidemark.test', service.url), init),
};

/** A client with the credentials file of the service's integration. */
function clientWithToken(): Client {
  const { id: clientId, secret: clientSecret } = service.client;
  const credentials = { type: 'client-credentials', clientId, clientSecret } as const;
  return Client.fromFile(
    { apiUrl: testApiUrl, integration: service.integration, credentials },
    { environment },
  );
}

test('A2 signals are saved, published, filled and read with a token', async () => {
  const client = clientWithToken();
  const { integration } = service;
  const { signalsByInput } = await client.call('integration.saveSignals', {
    integration,
    signalsByInput: { 'tank/level': { name: 'Level', engUnit: 'm' } },
  });
  const { id } = signalsByInput['tank/level'];
  const { itemsBySignal } = await client.call('admin.publishSignals', {
    integration,
    itemsBySignal: { [id]: {} },
  });
  const item = itemsBySignal[id].id;
  const times = ['2026-03-01T10:00:00.000001Z', '2026-03-01T11:00:00Z'];
  await client.call('integration.insert', {
    integration,
    data: { times, series: { 'tank/level': [1, null] } },
  });
  const { data } = await client.call('service.dataFrame', {
    query: { filter: { id: item } },
    data: { filter: { times: { $gte: '2026-03-01T00:00:00Z', $lt: '2026-03-02T00:00:00Z' } } },
  });
  assert.ok(!Array.isArray(data));
  const columns = toColumns(data);
  assert.deepEqual([columns.timesUs[0] % 1e6, columns.series.get(item)?.[0]], [1, 1]);
});

test('R6 another version has other types', async () => {
  const client = clientWithToken().withVersion('1.1beta1');
  const { signals } = await client.call('admin.selectSignals', {
    integration: service.integration,
    signals: { include: true },
  });
  assert.ok(Object.values(signals ?? {}).every((signal) => typeof signal.meta.contentHash === 'string'));
});

test('E2 a fault says what is wrong where', async () => {
  const call = clientWithToken().call('integration.insert', {
    integration: service.integration,
    data: { times: ['2026-03-01T10:00:00Z'], series: { a: [1, 2] } },
  });
  await assert.rejects(call, (error) => {
    assert.ok(error instanceof ServiceError);
    assert.deepEqual(error.params, { 'data.series.a': ['not same length as times'] });
    return error.code === -32602;
  });
});

test('a browser calls with its session', async () => {
  const browser = new Browser(service.url);
  await browser.setUp({ code: service.signIns.setupCode(), name: 'Ada', password: goodPassword });
  const client = new Client({
    apiUrl: `${service.url}/v1/`,
    credentials: { type: 'session', csrfToken: () => browser.csrfToken },
    environment: {
      ...systemEnvironment,
      // A browser adds the cookie by itself.
      fetch: (url, init) =>
        systemEnvironment.fetch(url, {
          ...init,
          headers: { ...(init.headers as object), cookie: browser.cookie },
        }),
    },
  });
  const { integrations } = await client.call('console.integrations.list', {});
  assert.deepEqual(
    integrations.map(({ id }) => id),
    [service.integration],
  );
});

test('the examples in the README work unchanged, one after the other', async () => {
  const text = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const example = [...text.matchAll(/```ts\n(.*?)```/gs)].map(([, block]) => block).join('');
  assert.match(example, /insertArrow/);
  const { integration } = service;
  const { credential, secret } = await service.identity.createCredential(
    testAct,
    integration,
    'basic-auth',
    '',
  );
  const credentials = { type: credential.type, clientId: integration, clientSecret: secret };
  const file = { apiUrl: `${service.url}/v1/`, integration, credentials };
  // Below the package, whose name the example imports.
  const directory = await mkdtemp(fileURLToPath(new URL('example-', import.meta.url)));
  try {
    await writeFile(join(directory, 'credentials.json'), JSON.stringify(file));
    await writeFile(join(directory, 'example.ts'), example);
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ['example.ts'], { cwd: directory, timeout: 20_000 });
    assert.equal(stdout, '2026-03-01T10:00:00.000Z\n21.5\n');
  } finally {
    await rm(directory, { recursive: true });
  }
});
