/** Metrics, readiness and slow calls of a whole service. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { limitDefaults } from '#model/limits';
import { Observation } from '#observe/observation';
import { type MetricsAccess, metricsRoute } from '#transport/http/metrics';
import { createMetricsListener } from '#transport/http/metrics-listener';
import { type HttpTestOptions, type HttpUnderTest, readJson, startHttp } from '../../support/http.ts';
import { RawClient } from '../../support/raw-client.ts';
import { KeptLog, SeededRandom } from '../../support/world.ts';
import { testMethods } from '../protocol/methods.ts';

const token = 'a-token-of-some-length';

function observationOf(limits: { slowCallMs: number } = limitDefaults, log = new KeptLog()) {
  return new Observation({ version: '1.2.3', limits, log });
}

/** Runs a test against a server that shows its metrics to whom `access` says. */
async function withMetrics(
  access: MetricsAccess,
  options: Partial<HttpTestOptions>,
  run: (http: HttpUnderTest) => Promise<void>,
): Promise<void> {
  const observation = options.observation ?? observationOf();
  const route = metricsRoute(() => observation.metrics.render(), access);
  const http = await startHttp({ methods: testMethods, routes: [route], observation, ...options });
  try {
    await run(http);
  } finally {
    await http.close();
  }
}

const local: MetricsAccess = { token: null, without: 'local' };

/** The value of one line of the text. */
function figureOf(text: string, line: string): number {
  const found = text.split('\n').find((each) => each.startsWith(`${line} `));
  return Number(found?.slice(line.length + 1) ?? Number.NaN);
}

async function textOf({ url }: HttpUnderTest): Promise<string> {
  return (await fetch(`${url}/metrics`)).text();
}

test('E3 calls are counted by method, version and code, requests by route and status', async () => {
  await withMetrics(local, {}, async (http) => {
    await http.call('clarify.echo');
    await http.call('SERVICE.ECHO', {}, { version: '1.0' });
    await http.call('service.echo', { limit: -1 });
    await http.call('service.nothing');
    await http.post('{');
    await fetch(`${http.url}/nothing`);
    const response = await fetch(`${http.url}/metrics`);
    assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
    const text = await response.text();
    const calls = (method: string, version: string, code: number) =>
      figureOf(text, `tidemark_rpc_requests_total{method="${method}",version="${version}",code="${code}"}`);
    assert.equal(calls('service.echo', '1.1', 0), 1);
    assert.equal(calls('service.echo', '1.0', 0), 1);
    assert.equal(calls('service.echo', '1.1', -32602), 1);
    assert.equal(calls('unknown', '1.1', -32601), 1);
    assert.equal(calls('unknown', '1.1', -32700), 1);
    assert.equal(figureOf(text, 'tidemark_rpc_duration_seconds_count{method="service.echo"}'), 3);
    assert.equal(figureOf(text, 'tidemark_http_requests_total{route="/v1/rpc",status="200"}'), 5);
    assert.equal(figureOf(text, 'tidemark_http_requests_total{route="unknown",status="404"}'), 1);
    assert.ok(figureOf(text, 'tidemark_http_request_bytes_total') > 200);
    assert.ok(figureOf(text, 'tidemark_http_response_bytes_total') > 200);
    assert.ok(figureOf(text, 'process_resident_memory_bytes') > 1e6);
    assert.ok(text.includes('nodejs_eventloop_lag_p99_seconds'));
    assert.equal(figureOf(text, `tidemark_build_info{version="1.2.3",node="${process.version}"}`), 1);
  });
});

test('E3 no name that a client makes up becomes a label', async () => {
  await withMetrics(local, {}, async (http) => {
    for (let i = 0; i < 50; i++) {
      await http.call(`service.made-up-${i}`);
      await fetch(`${http.url}/made-up/${i}`);
      await fetch(`${http.url}/v1/rpc?made-up=${i}`, { method: 'PUT' });
    }
    assert.doesNotMatch(await textOf(http), /made-up/);
  });
});

test('E3 without a token only this machine sees metrics, and no page that a browser was sent to', async () => {
  await withMetrics(local, {}, async (http) => {
    assert.equal((await fetch(`${http.url}/metrics`)).status, 200);
    for (const headers of [
      { 'x-forwarded-for': '203.0.113.9' },
      { via: '1.1 proxy' },
      { forwarded: 'for=x' },
    ])
      assert.equal((await fetch(`${http.url}/metrics`, { headers })).status, 403);
    const rebound = await RawClient.open(http.port);
    rebound.send('GET /metrics HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n');
    assert.equal((await rebound.answer()).status, 403);
  });
  await withMetrics({ token: null, without: 'none' }, {}, async (http) => {
    assert.equal((await fetch(`${http.url}/metrics`)).status, 403);
  });
});

test('A3 with a token, metrics are not shown without it', async () => {
  await withMetrics({ token, without: 'local' }, {}, async (http) => {
    const ask = (authorization?: string) =>
      fetch(`${http.url}/metrics`, { headers: authorization === undefined ? {} : { authorization } });
    assert.equal((await ask(`Bearer ${token}`)).status, 200);
    for (const wrong of [undefined, `Bearer ${token}x`, 'Bearer x', `Basic ${token}`]) {
      const response = await ask(wrong);
      assert.equal(response.status, 401);
      assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer /);
    }
  });
});

test('E3 metrics can have a listener of their own, which serves nothing else', async () => {
  const { metrics } = observationOf();
  const world = { random: new SeededRandom(), log: new KeptLog() };
  const route = metricsRoute(() => metrics.render(), { token: null, without: 'all' });
  const listener = createMetricsListener(route, world);
  const port = await listener.listen('127.0.0.1', 0);
  const url = `http://127.0.0.1:${port}`;
  try {
    assert.match(await (await fetch(`${url}/metrics`)).text(), /tidemark_build_info/);
    assert.equal((await fetch(`${url}/v1/rpc`)).status, 404);
    const posted = await fetch(`${url}/metrics`, { method: 'POST' });
    assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD']);
  } finally {
    await listener.close();
  }
});

test('E3 readiness names what is wrong, part by part when asked, and does not hang with it', async () => {
  let problem: string | null = null;
  const readyChecks = [
    { name: 'disk', check: async () => problem },
    { name: 'store', check: async () => null },
  ];
  const http = await startHttp({ methods: testMethods, readyChecks });
  const ask = async (query = '') => {
    await wait(550); // An answer is kept for half a second.
    const response = await fetch(`${http.url}/readyz${query}`);
    return [response.status, await readJson(response)];
  };
  try {
    assert.deepEqual(await ask(), [200, { status: 'ok' }]);
    problem = '1 MiB free, at least 256 MiB wanted';
    assert.deepEqual(await ask(), [503, { status: 'unavailable', reason: `disk: ${problem}` }]);
    const [status, body] = await ask('?verbose');
    assert.equal(status, 503);
    assert.deepEqual(body.checks, { service: 'ok', disk: problem, store: 'ok' });
    assert.equal((await fetch(`${http.url}/healthz`)).status, 200);
  } finally {
    await http.close();
  }
  const stuck = [{ name: 'store', check: () => new Promise<null>(() => {}) }];
  const other = await startHttp({ methods: testMethods, readyChecks: stuck });
  try {
    const response = await fetch(`${other.url}/readyz`);
    assert.deepEqual(await readJson(response), {
      status: 'unavailable',
      reason: 'store: does not answer',
    });
  } finally {
    await other.close();
  }
});

test('E4 a slow call is in the log with its trace and without its parameters, a request only at debug', async () => {
  const log = new KeptLog();
  const observation = observationOf({ slowCallMs: 50 }, log);
  await withMetrics(local, { observation, log }, async (http) => {
    await http.call('service.slowly', { ms: 80 });
    await http.call('service.echo', { note: 'quiet' });
    const slow = log.lines.filter(({ message }) => message === 'slow call');
    assert.equal(slow.length, 1);
    const { trace, method, ms, code } = slow[0].fields ?? {};
    assert.match(String(trace), /^[0-9a-f]{32}$/);
    assert.deepEqual([method, code, Number(ms) >= 80], ['service.slowly', 0, true]);
    assert.equal(figureOf(await textOf(http), 'tidemark_rpc_slow_total{method="service.slowly"}'), 1);
    const requests = log.lines.filter(({ message }) => message === 'request');
    assert.ok(requests.length >= 2 && requests.every(({ level }) => level === 'debug'));
    assert.doesNotMatch(JSON.stringify(log.lines), /quiet|sesame/);
  });
});
