/** Slow, cut-off, malformed and stalled connections, and the end of the server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { basicHeader, type HttpTestOptions, type HttpUnderTest, startHttp } from '../../support/http.ts';
import { RawClient } from '../../support/raw-client.ts';
import { seen, testMethods } from './methods.ts';

/** Runs a test with a server of its own. */
async function withHttp(
  options: Partial<HttpTestOptions>,
  run: (http: HttpUnderTest) => Promise<void>,
): Promise<void> {
  const http = await startHttp({ methods: testMethods, ...options });
  try {
    await run(http);
  } finally {
    await http.close();
  }
}

/** The head of a call with a body of this length. */
function headOf(length: number, ...more: string[]): string {
  return [
    'POST /v1/rpc HTTP/1.1',
    'host: x',
    `authorization: ${basicHeader}`,
    'content-type: application/json',
    `content-length: ${length}`,
    ...more,
    '',
    '',
  ].join('\r\n');
}

/** A whole call. */
function requestOf(method: string, params: object = {}, ...more: string[]): string {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  return headOf(body.length, ...more) + body;
}

/** Waits until something is so, a few seconds at most. */
async function until(isSo: () => boolean): Promise<void> {
  for (let i = 0; i < 500 && !isSo(); i++) await wait(10);
  assert.ok(isSo());
}

test('E3 a request that does not arrive in time is 408, with a trace', async () => {
  await withHttp({ limits: { requestTimeoutMs: 200 } }, async (http) => {
    for (const text of ['POST /v1/rpc HTTP/1.1\r\nhost: x\r\n', `${headOf(100)}{"jsonrpc"`]) {
      const client = await RawClient.open(http.port);
      client.send(text);
      const answer = await client.answer();
      assert.equal(answer.status, 408);
      assert.match(answer.headers.get('traceparent') ?? '', /^00-/);
      assert.equal(JSON.parse(answer.body).trace, answer.headers.get('traceparent')?.split('-')[1]);
    }
  });
});

test('W7 what is not HTTP is 400, headers without end are 431, odd methods 405 or 404, all with a trace', async () => {
  await withHttp({}, async (http) => {
    const texts: [string, number][] = [
      ['hello\r\n\r\n', 400],
      ['POST /v1/rpc HTTP/1.1\r\nhost: x\r\ncontent-length: nan\r\n\r\n', 400],
      ['POST /v1/rpc HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n', 400],
      ['GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n', 400],
      ['PROPFIND /v1/rpc HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n', 405],
      ['LOCK /x HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n', 404],
      ['GET /x HTTP/1.1\r\nhost: x\r\nexpect: magic\r\nconnection: close\r\n\r\n', 404],
      ['GET /x HTTP/1.1\r\nhost: x\r\nupgrade: magic\r\nconnection: upgrade, close\r\n\r\n', 404],
      ['GET http://[x/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n', 400],
      [`GET /healthz HTTP/1.1\r\nhost: x\r\nbig: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ];
    for (const [text, status] of texts) {
      const client = await RawClient.open(http.port);
      client.send(text);
      const answer = await client.answer();
      assert.equal(answer.status, status, text.slice(0, 60));
      assert.match(answer.headers.get('traceparent') ?? '', /^00-/);
      assert.equal(answer.headers.get('content-type'), 'application/problem+json');
    }
  });
});

test('E3 a client that breaks off in its request leaves no trace of an error', async () => {
  await withHttp({}, async (http) => {
    for (const text of ['POST /v1', headOf(100), `${headOf(100)}{"jsonrpc":"2.0"`]) {
      const client = await RawClient.open(http.port);
      client.send(text);
      await wait(20);
      client.cut();
    }
    assert.ok((await http.call('service.echo')).result);
    assert.deepEqual(
      http.log.lines.filter(({ level }) => level === 'error'),
      [],
    );
  });
});

test('E3 a call whose client has gone is aborted', async () => {
  await withHttp({}, async (http) => {
    const before = seen.aborts;
    const client = await RawClient.open(http.port);
    client.send(requestOf('service.slowly', { ms: 60_000 }));
    await wait(50);
    client.cut();
    await until(() => seen.aborts === before + 1);
    assert.deepEqual(
      http.log.lines.filter(({ level }) => level === 'error'),
      [],
    );
  });
});

test('E3 a client that stops reading a long answer is cut off; others are served meanwhile', async () => {
  await withHttp({ limits: { requestTimeoutMs: 1500 } }, async (http) => {
    const client = await RawClient.open(http.port);
    client.stall();
    client.send(requestOf('service.frame', { rows: 1_000_000 }));
    const others = Array.from({ length: 20 }, () => http.call('service.echo'));
    assert.equal((await Promise.all(others)).length, 20);
    await wait(2500);
    client.resume();
    const text = await client.untilClosed();
    assert.ok(!text.endsWith('0\r\n\r\n'), 'the answer is broken off, visibly');
  });
});

test('E3 a body over the limit is answered although the client still sends', async () => {
  await withHttp({ limits: { bodyBytesMax: 1024 } }, async (http) => {
    const client = await RawClient.open(http.port);
    client.send(`${headOf(100_000, 'connection: close')}${'x'.repeat(50_000)}`);
    await wait(100);
    client.send('x'.repeat(50_000));
    assert.equal((await client.answer()).status, 413);
  });
});

test('W5 calls that are sent one behind the other on a connection are answered in order', async () => {
  await withHttp({}, async (http) => {
    const client = await RawClient.open(http.port);
    client.send(
      requestOf('service.slowly', { ms: 50 }) + requestOf('service.echo', { limit: 7 }, 'connection: close'),
    );
    const text = await client.untilClosed();
    assert.ok(text.indexOf('"done"') < text.indexOf('"limit":7'));
  });
});

test('E3 closing lets a running call end, refuses new ones, and ends idle connections', async () => {
  const http = await startHttp({ methods: testMethods });
  const idle = await RawClient.open(http.port);
  idle.send('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
  const busy = await RawClient.open(http.port);
  busy.send(requestOf('service.slowly', { ms: 200 }));
  await wait(50);
  const closed = http.close(5000);
  assert.equal((await idle.answer()).status, 200);
  const answer = await busy.answer();
  assert.equal(answer.headers.get('connection'), 'close');
  assert.equal(JSON.parse(answer.body).result, 'done');
  await closed;
  await assert.rejects(RawClient.open(http.port));
});

test('E3 a call that arrives while the server drains is 503', async () => {
  const http = await startHttp({ methods: testMethods });
  const client = await RawClient.open(http.port);
  const request = requestOf('service.echo');
  client.send(request.slice(0, 40));
  await wait(50);
  const closed = http.close(5000);
  await wait(50);
  client.send(request.slice(40));
  const answer = await client.answer();
  assert.equal(answer.status, 503);
  assert.equal(answer.headers.get('retry-after'), '5');
  await closed;
});

test('E3 closing cuts off what does not end in time', async () => {
  const http = await startHttp({ methods: testMethods });
  const client = await RawClient.open(http.port);
  client.send(requestOf('service.slowly', { ms: 60_000 }));
  await wait(50);
  await http.close(100);
  assert.equal(await client.untilClosed(), '');
});
