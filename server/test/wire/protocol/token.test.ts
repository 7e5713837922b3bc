/** The token endpoint on the wire. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  basicAuthorization,
  type HttpUnderTest,
  readJson,
  startHttp,
  testIntegration,
} from '../../support/http.ts';
import { FixedClock } from '../../support/world.ts';

let http: HttpUnderTest;
before(async () => {
  http = await startHttp({
    methods: [],
    limits: { tokenRequestsBurst: 1000, wrongLoginsPerMinute: 1000 },
  });
});
after(() => http.close());

const good = {
  grant_type: 'client_credentials',
  client_id: 'client',
  client_secret: 's:e+c%r e',
  audience: 'http://api/v1/',
};

/** Posts a form, or any other body. */
function ask(
  form: Record<string, string> | string,
  headers: Record<string, string> = {},
  at = http,
): Promise<Response> {
  const body = typeof form === 'string' ? form : new URLSearchParams(form).toString();
  return fetch(`${at.url}/v1/oauth/token`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });
}

/** Checks an error answer of RFC 6749. */
async function checkError(response: Response, status: number, error: string): Promise<void> {
  const body = await readJson(response);
  assert.deepEqual([response.status, body.error], [status, error], body.error_description);
  assert.deepEqual(Object.keys(body), ['error', 'error_description']);
  assert.match(body.error_description, /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  assert.equal(response.headers.get('content-type'), 'application/json');
  assert.equal(response.headers.get('cache-control'), 'no-store');
}

/** A form without one of its fields. */
function without(name: keyof typeof good): Record<string, string> {
  return Object.fromEntries(Object.entries(good).filter(([key]) => key !== name));
}

test('A2 a token for a form body, with exactly four members', async () => {
  const response = await ask(good);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('cache-control'), 'no-store');
  assert.deepEqual(await readJson(response), {
    access_token: 'aaa.bbb.ccc',
    scope: 'invoke:integration,invoke:service',
    expires_in: 7200,
    token_type: 'Bearer',
  });
});

test('A2 id and secret as HTTP Basic, form-encoded or not', async () => {
  const form = { grant_type: 'client_credentials', audience: good.audience };
  const encoded = basicAuthorization('client', 's%3Ae%2Bc%25r+e');
  assert.equal((await ask(form, { authorization: encoded })).status, 200);
  assert.equal((await ask({ ...form, client_id: 'client' }, { authorization: encoded })).status, 200);
});

test('A2 both forms at once are an invalid request', async () => {
  const authorization = basicAuthorization('client', 's%3Ae%2Bc%25r+e');
  await checkError(await ask(good, { authorization }), 400, 'invalid_request');
  await checkError(
    await ask({ ...without('client_secret'), client_id: 'other' }, { authorization }),
    400,
    'invalid_request',
  );
});

test('A2 a missing, repeated or wrong parameter, or a body that is no form', async () => {
  for (const name of ['grant_type', 'client_id', 'client_secret'] as const) {
    await checkError(await ask(without(name)), 400, 'invalid_request');
    const twice = `${new URLSearchParams(good)}&${name}=x`;
    await checkError(await ask(twice), 400, 'invalid_request');
  }
  await checkError(await ask({ ...good, grant_type: 'password' }), 400, 'unsupported_grant_type');
  await checkError(await ask('a"\\ü=1&a"\\ü=2'), 400, 'invalid_request');
  await checkError(
    await ask(JSON.stringify(good), { 'content-type': 'application/json' }),
    400,
    'invalid_request',
  );
  await checkError(await ask(''), 400, 'invalid_request');
});

test('A2 a foreign audience is an invalid target', async () => {
  await checkError(await ask({ ...good, audience: 'http://other/v1/' }), 400, 'invalid_target');
});

test('A2 a wrong client or secret is 401 with a challenge', async () => {
  const responses = [
    await ask({ ...good, client_secret: 'x' }),
    await ask({ ...good, client_id: 'x' }),
    await ask({ grant_type: 'client_credentials' }, { authorization: basicAuthorization('client', 'x') }),
    await ask({ grant_type: 'client_credentials' }, { authorization: 'Bearer x' }),
  ];
  for (const response of responses) {
    assert.match(response.headers.get('www-authenticate') ?? '', /^Basic realm=/);
    await checkError(response, 401, 'invalid_client');
  }
});

test('A2 audience and resource may be absent, and each may name this service', async () => {
  const bare = without('audience');
  for (const form of [bare, { ...bare, audience: '' }, { ...bare, resource: good.audience }])
    assert.equal((await ask(form)).status, 200);
  const twice = new URLSearchParams({ ...good, resource: good.audience });
  twice.append('resource', good.audience);
  assert.equal((await ask(twice.toString())).status, 200);
  twice.append('resource', 'http://other/v1/');
  await checkError(await ask(twice.toString()), 400, 'invalid_target');
});

test('A2 twenty tokens at once, then one a second, for each client', async () => {
  const stopwatch = new FixedClock();
  const strict = await startHttp({ methods: [], stopwatch });
  try {
    for (let i = 0; i < 20; i++) {
      const given = await ask(good, {}, strict);
      assert.equal(given.status, 200);
      assert.equal(given.headers.get('ratelimit-policy'), '"token";q=20;w=20');
      assert.equal(given.headers.get('ratelimit'), `"token";r=${19 - i};t=${i === 19 ? 1 : i + 1}`);
      assert.equal(given.headers.get('retry-after'), null);
    }
    const refused = await ask(good, {}, strict);
    assert.equal(refused.headers.get('retry-after'), '1');
    assert.equal(refused.headers.get('ratelimit'), '"token";r=0;t=1');
    await checkError(refused, 429, 'temporarily_unavailable');
    stopwatch.advance(1);
    assert.equal((await ask(good, {}, strict)).status, 200);
    await checkError(await ask(good, {}, strict), 429, 'temporarily_unavailable');
  } finally {
    await strict.close();
  }
});

test('A2 a client waits after ten wrong secrets, an address after thirty, whether the clients exist or not', async () => {
  const idsOf: [number, (i: number) => string][] = [
    [10, () => 'client'],
    [10, () => 'unknown'],
    [30, (i) => `client${i}`],
  ];
  for (const [count, idOf] of idsOf) {
    const strict = await startHttp({ methods: [], stopwatch: new FixedClock() });
    const wrong = (i: number) => ask({ ...good, client_id: idOf(i), client_secret: 'x' }, {}, strict);
    try {
      for (let i = 0; i < count; i++) await checkError(await wrong(i), 401, 'invalid_client');
      const refused = await wrong(count);
      assert.equal(refused.headers.get('retry-after'), '60');
      assert.equal(refused.headers.get('ratelimit-policy'), '"login";q=10;w=60');
      assert.equal(refused.headers.get('ratelimit'), '"login";r=0;t=60');
      await checkError(refused, 429, 'temporarily_unavailable');
      // Other clients of the address are concerned only by what all of them sent.
      const other = await ask(good, {}, strict);
      assert.equal(other.status, count === 30 || idOf(0) === 'client' ? 429 : 200);
    } finally {
      await strict.close();
    }
  }
});

test('A2 L4e a secret that was right from an address passes while others are wrong there', async () => {
  const strict = await startHttp({ methods: [], stopwatch: new FixedClock() });
  const body = '{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}';
  const basic = async (user: string, password: string) =>
    (await strict.post(body, { authorization: basicAuthorization(user, password) })).status;
  try {
    assert.equal((await ask(good, {}, strict)).status, 200);
    assert.equal(await basic(testIntegration, 'sesame'), 200);
    for (let i = 0; i < 110; i++) await basic(i < 20 ? testIntegration : `user${i}`, 'x');
    assert.equal(await basic(testIntegration, 'x'), 429);
    assert.equal(await basic('newcomer', 'x'), 429);
    assert.equal(await basic(testIntegration, 'sesame'), 200);
    assert.equal((await ask(good, {}, strict)).status, 200);
  } finally {
    await strict.close();
  }
});

test('A2a wrong secrets of both ways count together: for a name at its address, and for the address', async () => {
  const strict = await startHttp({ methods: [] });
  const body = '{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}';
  const basic = async (user: string) =>
    (await strict.post(body, { authorization: basicAuthorization(user, 'x') })).status;
  const token = (id: string) => ask({ ...good, client_id: id, client_secret: 'x' }, {}, strict);
  try {
    for (let i = 0; i < 5; i++) assert.equal(await basic('client'), 401);
    for (let i = 0; i < 5; i++) await checkError(await token('client'), 401, 'invalid_client');
    await checkError(await ask(good, {}, strict), 429, 'temporarily_unavailable');
    assert.deepEqual([await basic('client'), await basic('another')], [429, 401]);
    for (let i = 0; i < 89; i++) assert.equal(await basic(`user${i}`), 401);
    assert.equal(await basic('one more'), 429);
  } finally {
    await strict.close();
  }
});

test('A2 a form of more than 16 KiB is 413', async () => {
  assert.equal((await ask({ ...good, padding: 'x'.repeat(17_000) })).status, 413);
});
