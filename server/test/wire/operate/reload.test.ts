/** A configuration that is read again: each limit that is said to be taken holds for the next call, without a restart. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Service, startService } from '#main';
import { isLive, type Limits, limitDefaults, limitTable } from '#model/limits';
import { systemClock, systemRandom, systemStopwatch } from '#system-environment';
import { basicAuthorization, readJson } from '../../support/http.ts';
import { RawClient } from '../../support/raw-client.ts';
import { silentLog as quiet, testAct } from '../../support/world.ts';

let directory: string;
let service: Service;
/** Of an integration that may do everything. */
let integration: string;
let authorization: string;
let client: { id: string; secret: string };

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-reload-'));
  const options = { directory, host: '127.0.0.1', port: 0, baseUrl: null, namespaces: ['service'] };
  const world = { clock: systemClock, stopwatch: systemStopwatch, random: systemRandom, log: quiet };
  // The runtime looks for late requests four times in this time.
  const limits = { ...limitDefaults, requestTimeoutMs: 1000 };
  service = await startService({ ...options, limits, version: '0' }, world);
  const { identity } = service.domain;
  ({ id: integration } = await identity.createIntegration(testAct, 'Plant', ['admin', 'service']));
  const basic = await identity.createCredential(testAct, integration, 'basic-auth', '');
  authorization = basicAuthorization(integration, basic.secret);
  const made = await identity.createCredential(testAct, integration, 'client-credentials', '');
  client = { id: made.credential.id, secret: made.secret };
});
after(async () => {
  await service.close();
  await rm(directory, { recursive: true, force: true });
});

/** Takes a configuration in which these differ from the defaults. */
function reload(
  limits: Partial<Limits>,
  more: { metricsToken?: string; auditKeepDays?: number } = {},
): Promise<void> {
  const { metricsToken = null, auditKeepDays = 0 } = more;
  const reloadable = { metricsToken, auditKeepDays, logLevel: 'info' } as const;
  return service.reload({ limits: { ...limitDefaults, ...limits }, ...reloadable });
}

function post(body: unknown, header = authorization): Promise<Response> {
  const headers = {
    authorization: header,
    'x-api-version': '1.2',
    'content-type': 'application/json',
  };
  return fetch(`${service.url}/v1/rpc`, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** What is wrong with the parameters of a call; null when nothing is. */
async function problem(method: string, params: object): Promise<string | null> {
  const response = await post({ jsonrpc: '2.0', id: 1, method, params });
  assert.equal(response.status, 200, await response.clone().text());
  const { error } = await readJson(response);
  if (error === undefined) return null;
  return JSON.stringify(error.data?.params ?? error.message);
}

function askToken(secret = client.secret): Promise<Response> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: client.id,
    client_secret: secret,
    audience: `${service.url}/v1/`,
  });
  return fetch(`${service.url}/v1/oauth/token`, { method: 'POST', body });
}

test('L1 all limits but one are taken by a running service', () => {
  const fixed = (Object.keys(limitTable) as (keyof Limits)[]).filter((name) => !isLive(name));
  assert.deepEqual(fixed, ['resourceCharactersMax']);
});

/** Parameters of service.evaluate with one calculation. */
function computing(formula: string): object {
  const times = { $gte: '2024-01-01T00:00:00Z', $lt: '2024-01-02T00:00:00Z' };
  const data = { filter: { times }, rollup: 'PT1H' };
  return { items: [], calculations: [{ alias: 'a', formula }], data };
}

/** Limit → a value, a call that it forbids and the default allows, and what the refusal says. */
const refused: [keyof Limits, number, string, () => object, RegExp][] = [
  [
    'selectLimitMax',
    5,
    'admin.selectSignals',
    () => ({ integration, query: { limit: 6 } }),
    /at most 5, got 6/,
  ],
  ['itemsLimitMax', 3, 'service.dataFrame', () => ({ query: { limit: 4 } }), /at most 3, got 4/],
  [
    'calculationsMax',
    1,
    'service.evaluate',
    () => ({ items: [], calculations: ['a', 'b'].map((alias) => ({ alias, formula: '1' })) }),
    /at most 1 entries, got 2/,
  ],
  ['formulaCharactersMax', 3, 'service.evaluate', () => computing('1 + 1'), /at most 3 characters, got 5/],
  ['formulaLevelsMax', 2, 'service.evaluate', () => computing('((((1))))'), /levels/],
  [
    'filterLevelsMax',
    1,
    'service.selectItems',
    () => ({ query: { filter: { $and: [{ $and: [{ name: 'a' }] }] } } }),
    /at most 1 levels/,
  ],
  [
    'filterTermsMax',
    1,
    'service.selectItems',
    () => ({ query: { filter: { name: 'a', id: 'b' } } }),
    /at most 1 terms/,
  ],
  [
    'patternCharactersMax',
    2,
    'service.selectItems',
    () => ({ query: { filter: { name: { $regex: 'abc' } } } }),
    /at most 2 characters, got 3/,
  ],
  [
    'patternSizeMax',
    20,
    'service.selectItems',
    () => ({ query: { filter: { name: { $regex: 'a{20}' } } } }),
    /size of 20 in all, got 65/,
  ],
  ['sortKeysMax', 1, 'service.selectItems', () => ({ query: { sort: ['id', 'name'] } }), /at most 1 keys/],
  [
    'offsetBucketsMax',
    1,
    'service.evaluate',
    () => ({
      ...computing('b'),
      items: [{ id: 'dc025obmvjet1huuv31g', alias: 'b', aggregation: 'avg', lead: 2 }],
    }),
    /from -1 to 1, got 2/,
  ],
];

for (const [name, value, method, params, words] of refused) {
  test(`L1 ${name} holds for the next call, and is as it was after another reload`, async () => {
    const usual = await problem(method, params());
    await reload({ [name]: value });
    const narrow = await problem(method, params());
    await reload({});
    assert.match(narrow ?? '', words);
    assert.notEqual(narrow, usual);
    assert.equal(await problem(method, params()), usual);
  });
}

test('L1, A2 how long tokens last and how often they and wrong secrets may come', async () => {
  await reload({ tokenTtlS: 61, tokenRequestsBurst: 2, tokenRequestsPerMinute: 1 });
  const { expires_in, access_token } = await readJson(await askToken());
  assert.equal(expires_in, 61);
  const claims = JSON.parse(Buffer.from(access_token.split('.')[1], 'base64url').toString());
  assert.equal(claims.exp - claims.iat, 61);
  assert.deepEqual([(await askToken()).status, (await askToken()).status], [200, 429]);
  await reload({ wrongLoginsPerMinute: 1 });
  assert.deepEqual([(await askToken('x')).status, (await askToken('x')).status], [401, 429]);
  await reload({ tokenRequestsPerMinute: 1_000_000 });
  assert.equal((await askToken()).status, 200);
});

test('L1 how many connections there may be, and how long a request may take', async () => {
  const port = Number(new URL(service.url).port);
  await reload({ requestTimeoutMs: 300 });
  const slow = await RawClient.open(port);
  slow.send('POST /v1/rpc HTTP/1.1\r\nhost: x\r\n');
  assert.equal((await slow.answer()).status, 408);
  // The connections of the tests before are open still.
  const open = await RawClient.open(port);
  await reload({ connectionsMax: 1 });
  assert.equal(await (await RawClient.open(port)).untilClosed(), '');
  await reload({});
  open.send('GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  assert.equal((await open.answer()).status, 200);
});

test('L1 the token of the metrics changes without a restart', async () => {
  const status = async (token: string) => {
    const headers: Record<string, string> = token === '' ? {} : { authorization: `Bearer ${token}` };
    return (await fetch(`${service.url}/metrics`, { headers })).status;
  };
  assert.deepEqual([await status(''), await status('one-that-is-long')], [200, 200]);
  await reload({}, { metricsToken: 'one-that-is-long' });
  assert.deepEqual([await status(''), await status('one-that-is-long')], [401, 200]);
  await reload({}, { metricsToken: 'another-that-is-long' });
  assert.deepEqual([await status('one-that-is-long'), await status('another-that-is-long')], [401, 200]);
  await reload({});
  assert.equal(await status(''), 200);
});
