/** The client against servers with scripted answers: tokens, retries, errors, cancellation. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  Client,
  type ClientOptions,
  type Credentials,
  ServiceError,
  type StoredToken,
  type TokenStore,
} from '../src/client.ts';
import { done, FastEnvironment, fault, type Reply, type Seen, startScript } from './support.ts';

const basic: Credentials = { type: 'basic-auth', clientId: 'me', clientSecret: 's:é' };
const byToken: Credentials = { type: 'client-credentials', clientId: 'client', clientSecret: 'a b&c' };

/** Runs a client against a script, and gives what the server has seen and how long the client has paused. */
async function withClient(
  reply: (seen: Seen, count: number) => Reply | null,
  work: (client: Client, environment: FastEnvironment) => Promise<void>,
  options: Partial<ClientOptions> = {},
) {
  const server = await startScript(reply);
  const environment = new FastEnvironment();
  const client = new Client({ apiUrl: server.apiUrl, credentials: basic, environment, ...options });
  try {
    await work(client, environment);
    return { seen: server.seen, pausesMs: environment.pausesMs };
  } finally {
    await server.close();
  }
}

/** The error of a call that must fail. */
async function failure(call: Promise<unknown>): Promise<ServiceError> {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof ServiceError, String(error));
    return error;
  }
  return assert.fail('the call went well');
}

test('a call has its version, its content and its credentials in UTF-8', async () => {
  const { seen } = await withClient(
    () => done,
    async (client) => {
      assert.deepEqual(await client.callAny('service.selectItems', { query: {} }), { done: true });
      await client.withVersion('1.1').callAny('service.selectItems');
    },
  );
  const [first, second] = seen;
  assert.equal(first.path, '/v1/rpc');
  assert.equal(first.headers.authorization, `Basic ${Buffer.from('me:s:é').toString('base64')}`);
  assert.deepEqual([first.headers['x-api-version'], second.headers['x-api-version']], ['1.2', '1.1']);
  const body = { jsonrpc: '2.0', id: 1, method: 'service.selectItems', params: { query: {} } };
  assert.deepEqual(JSON.parse(first.body), body);
});

test('A2 a token is kept by the program where it gives a store, and dropped there when it is refused', async () => {
  const saved: (StoredToken | null)[] = [];
  const tokens: TokenStore = {
    load: async () => ({ token: 'old', lifeMs: 3_600_000 }),
    save: async (one) => {
      saved.push(one);
    },
  };
  const { seen } = await withClient(
    ({ path, headers }) =>
      path === '/v1/oauth/token'
        ? token('new')
        : headers.authorization === 'Bearer old'
          ? { status: 401 }
          : done,
    async (client) => {
      await client.callAny('a');
    },
    { credentials: byToken, tokens },
  );
  assert.deepEqual(
    seen.map(({ path }) => path),
    ['/v1/rpc', '/v1/oauth/token', '/v1/rpc'],
  );
  assert.deepEqual(saved, [null, { token: 'new', lifeMs: 7_200_000 }]);
});

test('A1 a redirect is an answer, not followed', async () => {
  const { seen } = await withClient(
    () => ({ status: 307, headers: { location: '/elsewhere' } }),
    async (client) => assert.equal((await failure(client.callAny('a'))).status, 307),
  );
  assert.equal(seen.length, 1);
});

test('E3 each further attempt is reported to the program', async () => {
  const reported: [string, number][] = [];
  await withClient(
    (_, count) => (count === 1 ? { status: 503, headers: { 'retry-after': '2' } } : done),
    async (client) => {
      await client.callAny('a');
    },
    { onRetry: (error, pauseMs) => reported.push([error.message, pauseMs]) },
  );
  assert.deepEqual(
    reported.map(([message, pauseMs]) => [message, pauseMs >= 2000]),
    [['HTTP 503: Service Unavailable', true]],
  );
});

const token = (name: string, expiresInS = 7200): Reply => ({
  body: { access_token: name, scope: 'invoke:service', expires_in: expiresInS, token_type: 'Bearer' },
});

test('A2 a token is asked for once, by calls at the same time too, and kept until shortly before it expires', async () => {
  let tokens = 0;
  const { seen } = await withClient(
    ({ path }) => (path === '/v1/oauth/token' ? token(`t${++tokens}`) : done),
    async (client, environment) => {
      await Promise.all(['a', 'b', 'c'].map((method) => client.callAny(method)));
      environment.advance(7_169_000);
      await client.callAny('d');
      environment.advance(1_000);
      await client.withVersion('1.0').callAny('e');
      await client.callAny('f');
    },
    { credentials: byToken },
  );
  assert.equal(tokens, 2);
  const [asked] = seen;
  assert.equal(asked.headers['content-type'], 'application/x-www-form-urlencoded;charset=UTF-8');
  const form = new URLSearchParams(asked.body);
  assert.deepEqual(
    [form.get('grant_type'), form.get('client_id'), form.get('client_secret')],
    ['client_credentials', 'client', 'a b&c'],
  );
  assert.match(form.get('audience') ?? '', /^http:\/\/127\.0\.0\.1:\d+\/v1\/$/);
  const used = seen.filter(({ path }) => path === '/v1/rpc').map(({ headers }) => headers.authorization);
  assert.deepEqual(used, [...Array(4).fill('Bearer t1'), 'Bearer t2', 'Bearer t2']);
});

test('a kept token that is refused is replaced, once; a new one that is refused ends the call', async () => {
  let tokens = 0;
  const isGood = { t2: true } as Record<string, boolean>;
  const { seen } = await withClient(
    ({ path, headers }) => {
      if (path === '/v1/oauth/token') return token(`t${++tokens}`);
      return isGood[headers.authorization?.slice(7) ?? ''] ? done : { status: 401, body: { detail: 'over' } };
    },
    async (client) => {
      assert.deepEqual(await client.callAny('a'), { done: true });
      delete isGood.t2;
      const error = await failure(client.callAny('b'));
      assert.deepEqual([error.kind, error.status, error.message], ['http', 401, 'HTTP 401: over']);
    },
    { credentials: byToken },
  );
  assert.equal(tokens, 3);
  assert.equal(seen.filter(({ path }) => path === '/v1/rpc').length, 4);
});

test('a refused client gets the reason, without further attempts', async () => {
  const refusal = { error: 'invalid_client', error_description: 'unknown client' };
  const { seen } = await withClient(
    () => ({ status: 401, body: refusal }),
    async (client) => {
      const error = await failure(client.callAny('a'));
      assert.deepEqual([error.status, error.message, error.method], [401, 'HTTP 401: unknown client', '']);
    },
    { credentials: byToken },
  );
  assert.equal(seen.length, 1);
});

test('a session sends its CSRF token while there is one, and no credentials', async () => {
  let csrf: string | undefined;
  const credentials: Credentials = { type: 'session', csrfToken: () => csrf };
  const { seen } = await withClient(
    () => done,
    async (client) => {
      await client.callAny('a');
      csrf = 'proof';
      await client.callAny('b');
    },
    { credentials },
  );
  assert.deepEqual(
    seen.map(({ headers }) => [headers['x-csrf-token'], headers.authorization]),
    [
      [undefined, undefined],
      ['proof', undefined],
    ],
  );
});

test('a fault is an error with code, parameters and trace', async () => {
  const params = { 'data.times': ['required'], '': ['odd'] };
  await withClient(
    () => fault(-32602, 'Invalid params', { params }),
    async (client) => {
      const error = await failure(client.callAny('integration.insert'));
      assert.deepEqual(
        [error.kind, error.code, error.status, error.method],
        ['rpc', -32602, 200, 'integration.insert'],
      );
      assert.deepEqual([error.params, error.trace], [params, 'a'.repeat(32)]);
      assert.equal(error.message, 'Invalid params; data.times: required; params: odd');
    },
  );
});

const uncertain: Reply = { status: 503, body: { detail: 'no answer', uncertain: true } };

const attempts: [title: string, method: string, first: Reply, count: number][] = [
  ['what is overloaded', 'integration.insert', { status: 503 }, 2],
  ['what comes too often', 'console.people.create', { status: 429 }, 2],
  ['a fault that says so', 'integration.insert', fault(-32015), 2],
  ['a lost answer to an insert', 'integration.insert', { cut: 'before' }, 2],
  ['an answer that breaks off', 'service.dataFrame', { ...done, cut: 'within' }, 2],
  ['a proxy without service', 'service.dataFrame', { status: 502 }, 2],
  ['a lost answer to something that is to be made once', 'console.people.create', { cut: 'before' }, 1],
  ['a proxy that lost something of this kind', 'console.credentials.rotate', { status: 504 }, 1],
  ['a fault that says so, of this kind', 'console.people.create', fault(-32015), 1],
  ['a lost answer to looking at the console', 'console.people.list', { cut: 'before' }, 2],
  ['a commit that was not answered', 'integration.insert', uncertain, 2],
  ['a commit of this kind that was not answered', 'console.people.create', uncertain, 1],
  ['a wrong parameter', 'integration.insert', fault(-32602), 1],
  ['a bug of ours', 'integration.insert', fault(-32603), 1],
  ['no permission', 'integration.insert', { status: 403 }, 1],
];

for (const [title, method, first, count] of attempts) {
  test(`another attempt or none: ${title}`, async () => {
    const { seen } = await withClient(
      (_seen, n) => (n === 1 ? first : done),
      async (client) => {
        if (count === 1) await failure(client.callAny(method));
        else assert.deepEqual(await client.callAny(method), { done: true });
      },
    );
    assert.equal(seen.length, count);
  });
}

test('pauses double up to a ceiling, and attempts have an end', async () => {
  const { seen, pausesMs } = await withClient(
    () => ({ status: 503, body: { detail: 'draining', trace: 'b'.repeat(32) } }),
    async (client) => {
      const error = await failure(client.callAny('a'));
      assert.deepEqual([error.message, error.trace], ['HTTP 503: draining', 'b'.repeat(32)]);
    },
  );
  assert.deepEqual([seen.length, pausesMs], [5, [187.5, 375, 750, 1500]]);
});

test('the service says how long to wait: in seconds, or until a date; for too long there is no waiting', async () => {
  const date = 'Sun, 01 Mar 2026 12:00:00 GMT';
  const until = 'Sun, 01 Mar 2026 12:00:07 GMT';
  const headers: Record<string, string>[] = [
    { 'retry-after': '2' },
    { 'retry-after': until, date },
    { 'retry-after': 'soon' },
    { 'retry-after': '31' },
  ];
  const { pausesMs } = await withClient(
    (_seen, n) => ({ status: 429, headers: headers[n - 1] }),
    async (client) => {
      assert.equal((await failure(client.callAny('a'))).retryAfterMs, 31_000);
    },
  );
  assert.deepEqual(pausesMs, [2125, 7125, 750]);
});

test('a caller can end a call: before it, during it, in a pause', async () => {
  const reason = new Error('changed my mind');
  await withClient(
    () => null,
    async (client) => {
      await assert.rejects(client.callAny('a', {}, { signal: AbortSignal.abort(reason) }), reason);
      const controller = new AbortController();
      const call = client.callAny('a', {}, { signal: controller.signal });
      setTimeout(() => controller.abort(reason), 20);
      await assert.rejects(call, reason);
    },
  );
  const server = await startScript(() => ({ status: 503 }));
  const client = new Client({ apiUrl: server.apiUrl, credentials: basic, retry: { firstMs: 20_000 } });
  const controller = new AbortController();
  const call = client.callAny('a', {}, { signal: controller.signal });
  setTimeout(() => controller.abort(reason), 50);
  await assert.rejects(call, reason);
  await server.close();
});

test('an attempt that takes too long is given up, and repeated where that is safe', async () => {
  const { seen } = await withClient(
    () => null,
    async (client) => {
      const error = await failure(client.callAny('console.people.create'));
      assert.deepEqual([error.kind, error.status], ['timeout', null]);
      assert.match(error.message, /within 40 ms$/);
      assert.equal((await failure(client.callAny('a'))).kind, 'timeout');
    },
    { timeoutMs: 40 },
  );
  assert.equal(seen.length, 6);
});

test('an answer that is not JSON is of no use, and is not asked for again', async () => {
  await withClient(
    () => ({ body: '<html>' }),
    async (client) => assert.equal((await failure(client.callAny('integration.insert'))).kind, 'form'),
  );
});
