/**
 * A service of four threads. Each request has a connection of its own, which the system gives to any of the threads: what one
 * thread has answered all others know, and what is counted is counted once.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Service, startService } from '#main';
import { type Limits, limitDefaults } from '#model/limits';
import { unlimitedPlan } from '#model/plan';
import { systemClock, systemRandom, systemStopwatch } from '#system-environment';
import { basicAuthorization } from '../../support/http.ts';
import { silentLog as quiet, testAct } from '../../support/world.ts';

const threadCount = 4;

/** Rounds of the tests in which connections alternate. */
const rounds = Number(process.env.THREAD_ROUNDS ?? 150);

/** Tests send many wrong passwords from one address. */
const limits = { ...limitDefaults, wrongLoginsPerMinute: 10_000 };

let directory: string;
let service: Service;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-threads-'));
  const options = { directory, host: '127.0.0.1', port: 0, baseUrl: null, namespaces: ['service'] };
  const environment = { clock: systemClock, stopwatch: systemStopwatch, random: systemRandom, log: quiet };
  service = await startService({ ...options, limits, version: '0', threads: threadCount }, environment);
});
after(async () => {
  await service.close();
  await rm(directory, { recursive: true, force: true });
});

interface Answer {
  status: number;
  body: { result?: never; error?: { code: number; message: string } };
}

interface Client {
  integration: string;
  authorization: string;
  credential: string;
}

async function newClient(): Promise<Client> {
  const { identity } = service.domain;
  const { id: integration } = await identity.createIntegration(testAct, 'Plant', ['admin', 'service']);
  const { credential, secret } = await identity.createCredential(testAct, integration, 'basic-auth', '');
  return {
    integration,
    authorization: basicAuthorization(integration, secret),
    credential: credential.id,
  };
}

/** Sends one request over a new connection. */
function send(path: string, headers: Record<string, string> = {}, body?: string): Promise<[number, string]> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const sent = request(`${service.url}${path}`, { method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve([response.statusCode ?? 0, text]));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function call(authorization: string, method: string, params: object): Promise<Answer> {
  const headers = { authorization, 'content-type': 'application/json', 'x-api-version': '1.2' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const [status, text] = await send('/v1/rpc', headers, body);
  return { status, body: text === '' ? {} : JSON.parse(text) };
}

async function result<T>(client: Client, method: string, params: object): Promise<T> {
  const { status, body } = await call(client.authorization, method, params);
  assert.deepEqual([status, body.error], [200, undefined], JSON.stringify(body));
  return body.result as unknown as T;
}

/** Takes a configuration in which these limits differ. */
function reload(changed: Partial<Limits>): Promise<void> {
  const reloadable = { auditKeepDays: 0, metricsToken: null, logLevel: 'info' } as const;
  return service.reload({ limits: { ...limits, ...changed }, ...reloadable });
}

/** Sends so many at the same time. */
function together<T>(count: number, one: (i: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => one(i)));
}

test('all threads serve, and the metrics are those of all', async () => {
  await together(200, () => send('/livez'));
  const [, text] = await send('/metrics');
  assert.match(text, /^tidemark_http_requests_total\{route="\/livez",status="200"\} 200$/m);
  assert.match(text, /^tidemark_build_info\{[^}]+\} 1$/m);
  const threads = [...text.matchAll(/^tidemark_event_loop_delay_seconds\{thread="(\d)",quantile="0.99"\}/gm)];
  assert.deepEqual(threads.map(([, thread]) => thread).sort(), ['0', '1', '2', '3']);
  const longest = [...text.matchAll(/^tidemark_event_loop_iteration_seconds_max\{thread="\d"\} (\S+)$/gm)];
  assert.equal(longest.length, 4);
  for (const [, seconds] of longest) assert.ok(Number(seconds) > 0 && Number(seconds) < 60, seconds);
});

test('R8, R9 a signal and its points are known over every connection as soon as they are acknowledged', async () => {
  const client = await newClient();
  const { integration } = client;
  for (let round = 0; round < rounds; round++) {
    const input = `signal-${round}`;
    const time = new Date(Date.UTC(2026, 0, 1) + round * 1000).toISOString();
    const data = { times: [time], series: { [input]: [round] } };
    const inserted = await result<{ signalsByInput: Record<string, { id: string; created: boolean }> }>(
      client,
      'integration.insert',
      { integration, data },
    );
    const { id, created } = inserted.signalsByInput[input];
    assert.equal(created, true);
    const signals = { query: { filter: { id } } };
    const found = await result<{ signals: Record<string, { input: string }> }>(
      client,
      'admin.selectSignals',
      {
        integration,
        ...signals,
      },
    );
    assert.equal(JSON.stringify(found).includes(input), true, `round ${round}`);
    const again = await result<{ signalsByInput: Record<string, { id: string; created: boolean }> }>(
      client,
      'integration.insert',
      { integration, data },
    );
    assert.deepEqual(again.signalsByInput[input], { id, created: false });
  }
});

test('L4e wrong passwords count together, whichever thread sees them', async () => {
  const { integration } = await newClient();
  const params = { integration, signalsByInput: {} };
  const wrong = basicAuthorization(integration, 'wrong');
  const statuses: number[] = [];
  await reload({ wrongLoginsPerMinute: 10 });
  for (let i = 0; i < 30; i++) statuses.push((await call(wrong, 'integration.saveSignals', params)).status);
  await reload({});
  assert.deepEqual(
    [statuses.filter((status) => status === 401).length, statuses.filter((status) => status === 429).length],
    [10, 20],
  );
});

test('A1 a new credential is accepted over every connection, and a revoked one over none', async () => {
  for (let round = 0; round < rounds; round++) {
    const client = await newClient();
    const { integration, authorization } = client;
    const ask = () => call(authorization, 'integration.saveSignals', { integration, signalsByInput: {} });
    assert.deepEqual(
      (await together(3, ask)).map(({ status }) => status),
      [200, 200, 200],
      `round ${round}`,
    );
    await service.domain.identity.revokeCredential(testAct, client.credential);
    assert.deepEqual(
      (await together(3, ask)).map(({ status }) => status),
      [401, 401, 401],
      `round ${round}`,
    );
  }
});

test('L4a a rate of a plan is that of all threads', async () => {
  const client = await newClient();
  const rates = new Map([['integration.saveSignals', { perSecond: 0.001, burst: 7 }]]);
  await service.domain.plans.create(testAct, { ...unlimitedPlan('slow'), isHard: true, rates });
  await service.domain.plans.assign(testAct, client.integration, 'slow');
  const params = { integration: client.integration, signalsByInput: {} };
  const answers = await together(60, () => call(client.authorization, 'integration.saveSignals', params));
  const admitted = answers.filter(({ status, body }) => status === 200 && body.error === undefined);
  assert.equal(admitted.length, 7);
});

test('L4c a daily limit of points is that of all threads', async () => {
  const client = await newClient();
  await service.domain.plans.create(testAct, {
    ...unlimitedPlan('small'),
    isHard: true,
    pointsPerDayMax: 25,
  });
  await service.domain.plans.assign(testAct, client.integration, 'small');
  const { integration } = client;
  const answers = await together(60, (i) => {
    const data = { times: [new Date(Date.UTC(2026, 1, 1) + i * 1000).toISOString()], series: { a: [i] } };
    return call(client.authorization, 'integration.insert', { integration, data });
  });
  assert.equal(answers.filter(({ body }) => body.error === undefined).length, 25);
});

test('A5h errors are listed together, whichever thread has seen them', async () => {
  const client = await newClient();
  await together(40, () =>
    call(client.authorization, 'integration.insert', { integration: client.integration, data: 7 }),
  );
  const [error] = await service.domain.errors.list(client.integration);
  assert.equal(error.count, 40);
  assert.equal((await service.domain.errors.sums()).get(client.integration)?.count, 40);
});

test('L4 usage is that of all threads', async () => {
  const client = await newClient();
  const params = { integration: client.integration, signalsByInput: {} };
  await together(50, () => call(client.authorization, 'integration.saveSignals', params));
  const requests = async () => {
    const rows = await service.domain.usage.list(client.integration, 1);
    return rows.reduce((sum, { tally }) => sum + tally.requests, 0);
  };
  for (let i = 0; i < 200 && (await requests()) < 50; i++) await new Promise((done) => setTimeout(done, 25));
  assert.equal(await requests(), 50);
});

test('a new configuration is that of all threads', async () => {
  const client = await newClient();
  await reload({ bodyBytesMax: 2048 });
  const body = JSON.stringify({ text: 'x'.repeat(3000) });
  const headers = { authorization: client.authorization, 'content-type': 'application/json' };
  const answers = await together(30, () => send('/v1/rpc', headers, body));
  await reload({});
  assert.deepEqual(new Set(answers.map(([status]) => status)), new Set([413]));
});
