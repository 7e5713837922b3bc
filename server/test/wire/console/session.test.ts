/** The console's sessions over HTTP: cookies, CSRF, origins, throttling, set-up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adaAt, Browser } from '../../support/browser.ts';
import { readJson } from '../../support/http.ts';
import { goodPassword } from '../../support/people.ts';
import { type ServiceTestOptions, type ServiceUnderTest, startService } from '../../support/service.ts';

async function withService(
  work: (service: ServiceUnderTest) => Promise<void>,
  options: ServiceTestOptions = {},
) {
  const service = await startService(options);
  try {
    await work(service);
  } finally {
    await service.close();
  }
}

test('A5d first run: every client sees the state; the code sets the service up, and signs in', () =>
  withService(async (service) => {
    const browser = new Browser(service.url);
    const instance = { name: 'Tidemark', color: '', timeZone: 'UTC' };
    assert.deepEqual(await browser.session(), { status: 'setup', baseUrl: 'http://tidemark.test', instance });
    const body = { name: 'Ada', password: goodPassword, instanceName: 'Plant 1', timeZone: 'Europe/Oslo' };
    const wrong = await browser.send('POST', 'console/setup', { ...body, code: 'guess' });
    assert.deepEqual(
      [wrong.status, wrong.headers.get('www-authenticate')],
      [401, 'Session realm="tidemark"'],
    );
    const short = await browser.send('POST', 'console/setup', {
      ...body,
      code: service.signIns.setupCode(),
      password: 'short',
    });
    assert.equal(short.status, 400);
    assert.deepEqual((await readJson(short)).params, { password: ['must be 12 to 256 characters, got 5'] });
    const signedIn = await browser.setUp({ ...body, code: service.signIns.setupCode() });
    assert.equal(signedIn.status, 'signed-in');
    assert.deepEqual(signedIn.instance, {
      name: 'Plant 1',
      color: '',
      timeZone: 'Europe/Oslo',
      version: '0.0.0',
    });
    assert.deepEqual([signedIn.person?.name, signedIn.person?.role], ['Ada', 'admin']);
    assert.match(signedIn.person?.id ?? '', /^[a-v0-9]{20}$/);
    assert.deepEqual(Object.keys(signedIn.person ?? {}), ['id', 'name', 'role']);
    const again = await browser.send('POST', 'console/setup', { ...body, code: 'anything' });
    assert.equal(again.status, 409);
    assert.equal((await new Browser(service.url).session()).status, 'anonymous');
  }));

test('A5b the cookie is out of reach for scripts and other sites, and lasts as long as the session', () =>
  withService(async (service) => {
    const browser = await adaAt(service);
    const response = await browser.send('POST', 'console/session', { name: 'Ada', password: goodPassword });
    const cookie = response.headers.get('set-cookie') ?? '';
    assert.match(
      cookie,
      /^tidemark_session_80=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/,
    );
    assert.equal(response.headers.get('cache-control'), 'no-store');
  }));

test('A5b behind TLS and a prefix the cookie says so, and is bound to both', () =>
  withService(
    async (service) => {
      await adaAt(service);
      const url = `${service.url}/signals`;
      const response = await new Browser(url).send('POST', 'console/session', {
        name: 'Ada',
        password: goodPassword,
      });
      const cookie = response.headers.get('set-cookie') ?? '';
      assert.match(cookie, /^tidemark_session_8443=.*; Path=\/signals\/; .*; Secure$/);
    },
    { baseUrl: 'https://plant.example:8443/signals' },
  ));

test('A5c a call needs the cookie and the CSRF token of the same session', () =>
  withService(async (service) => {
    const ada = await adaAt(service);
    const other = new Browser(service.url);
    await other.signIn('Ada');
    const call = (cookie: string, token: string | null) =>
      fetch(`${service.url}/v1/rpc`, {
        method: 'POST',
        headers: {
          cookie,
          'x-api-version': '1.2',
          'content-type': 'application/json',
          ...(token === null ? {} : { 'x-csrf-token': token }),
        },
        body: '{"jsonrpc":"2.0","id":1,"method":"console.sessions.list"}',
      });
    assert.equal((await call(ada.cookie, ada.csrfToken)).status, 200);
    assert.equal((await call(ada.cookie, null)).status, 403);
    assert.equal((await call(ada.cookie, other.csrfToken)).status, 403);
    assert.equal((await call(ada.cookie, `${ada.csrfToken}x`)).status, 403);
    assert.equal((await call(ada.cookie, 'é'.repeat(ada.csrfToken.length / 2))).status, 403);
    const [name] = ada.cookie.split('=');
    const forged = await call(`${name}=${'x'.repeat(43)}`, ada.csrfToken);
    assert.deepEqual(
      [forged.status, forged.headers.get('www-authenticate')],
      [401, 'Session realm="tidemark"'],
    );
    assert.equal((await call('other=1', null)).headers.get('www-authenticate')?.includes('Basic'), true);
  }));

test('A5c credentials in the header Authorization win over a cookie, and need no CSRF token', () =>
  withService(async (service) => {
    const ada = await adaAt(service);
    const { authorization, integration } = service;
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'integration.saveSignals',
      params: { integration, inputs: {} },
    };
    const response = await ada.send('POST', 'v1/rpc', body, { authorization });
    assert.deepEqual(Object.keys((await readJson(response)).result), ['signalsByInput']);
  }));

const origins: [title: string, headers: Record<string, string>, status: number][] = [
  ['no word of it', {}, 200],
  ['the configured origin', { origin: 'http://tidemark.test' }, 200],
  ['another origin', { origin: 'http://evil.test' }, 403],
  ['an opaque origin', { origin: 'null' }, 403],
  ['a page of ours', { 'sec-fetch-site': 'same-origin', origin: 'http://proxy.test' }, 200],
  ['a page of the same site', { 'sec-fetch-site': 'same-site' }, 403],
  ['a page of another site', { 'sec-fetch-site': 'cross-site', origin: 'http://tidemark.test' }, 403],
];

test('A5c requests from other origins are refused, to sign in and to call', () =>
  withService(async (service) => {
    const ada = await adaAt(service);
    for (const [title, headers, status] of origins) {
      const credentials = { name: 'Ada', password: goodPassword };
      const signIn = await new Browser(service.url).send('POST', 'console/session', credentials, headers);
      assert.equal(signIn.status, status, title);
      const call = { jsonrpc: '2.0', id: 1, method: 'console.sessions.list' };
      const all = { ...headers, 'x-csrf-token': ada.csrfToken, 'x-api-version': '1.2' };
      assert.equal((await ada.send('POST', 'v1/rpc', call, all)).status, status, title);
    }
    const own = { origin: service.url };
    assert.equal(
      (await ada.send('POST', 'console/session', { name: 'Ada', password: goodPassword }, own)).status,
      200,
    );
  }));

test('what is no JSON object with texts is refused', () =>
  withService(async (service) => {
    const send = (body: string, type = 'application/json') =>
      fetch(`${service.url}/console/session`, { method: 'POST', body, headers: { 'content-type': type } });
    assert.equal((await send('name=Ada', 'application/x-www-form-urlencoded')).status, 415);
    assert.equal((await send('{"name":"Ada"', 'text/plain')).status, 415);
    assert.equal((await send('{')).status, 400);
    assert.equal((await send('[]')).status, 400);
    const missing = await send('{"name":"Ada","password":1}');
    assert.deepEqual([missing.status, (await readJson(missing)).params], [400, { password: ['required'] }]);
    assert.equal((await send(JSON.stringify({ name: 'a'.repeat(20_000), password: 'b' }))).status, 413);
  }));

test('A5e a wrong password is 401 without a hint at what is wrong; too many are 429 with the time to wait', () =>
  withService(async (service) => {
    const ada = await adaAt(service);
    const attempt = (name: string, password: string) =>
      ada.send('POST', 'console/session', { name, password });
    const [wrong, unknown] = [await attempt('Ada', 'wrong'), await attempt('Eve', 'wrong')];
    const texts = [await readJson(wrong), await readJson(unknown)].map(({ detail }) => detail);
    assert.deepEqual([wrong.status, unknown.status, texts[0]], [401, 401, texts[1]]);
    for (let n = 0; n < 4; n++) await attempt('Ada', 'wrong');
    const throttled = await attempt('Ada', goodPassword);
    assert.deepEqual([throttled.status, throttled.headers.get('retry-after')], [429, '1']);
    assert.equal((await ada.session()).status, 'signed-in', 'who is in stays in');
  }));

test('A5c signing out needs the CSRF token, ends the session, and takes the cookie away', () =>
  withService(async (service) => {
    const ada = await adaAt(service);
    const { cookie } = ada;
    assert.equal((await ada.send('DELETE', 'console/session')).status, 403);
    const out = await ada.send('DELETE', 'console/session', undefined, { 'x-csrf-token': ada.csrfToken });
    assert.deepEqual([out.status, ada.cookie], [204, '']);
    assert.match(out.headers.get('set-cookie') ?? '', /^tidemark_session_80=; .*Max-Age=0/);
    ada.cookie = cookie;
    await service.settle();
    assert.equal((await ada.session()).status, 'anonymous');
    assert.equal((await ada.send('DELETE', 'console/session')).status, 204, 'once more does no harm');
  }));

test('A5b after the end of a session the answer says so, and removes the cookie', () =>
  withService(async (service) => {
    const ada = await adaAt(service);
    service.clock.advance(12 * 3600);
    await assert.rejects(ada.call('console.sessions.list'), /HTTP 401.*The session is over/);
    assert.equal((await ada.session()).status, 'anonymous');
    assert.equal(ada.cookie, '');
  }));

test('E3 other methods on these paths are 405 and say what there is', () =>
  withService(async (service) => {
    const response = await fetch(`${service.url}/console/session`, { method: 'PUT' });
    assert.deepEqual([response.status, response.headers.get('allow')], [405, 'GET, HEAD, POST, DELETE']);
  }));
