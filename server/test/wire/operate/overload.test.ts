/** More requests than the service can process: which are rejected at once, which are served, and that everything is given back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Caller } from '#model/caller';
import type { Authenticator, TokenIssuer } from '#protocol/authenticator';
import {
  basicAuthorization,
  fixedAuthenticator,
  type HttpTestOptions,
  type HttpUnderTest,
  readJson,
  startHttp,
} from '../../support/http.ts';
import { RawClient } from '../../support/raw-client.ts';
import { frameOf, Loads } from './loads.ts';

/** Accepts any password: the user name is the integration. */
const anyPassword: Authenticator & TokenIssuer = {
  ...fixedAuthenticator(),
  authenticateBasic: (user): Caller => ({
    integration: user,
    credential: user,
    grants: new Set(['integration', 'admin', 'service']),
  }),
};

async function withHttp(
  options: Partial<HttpTestOptions>,
  run: (http: HttpUnderTest, loads: Loads) => Promise<void>,
) {
  const loads = new Loads();
  const http = await startHttp({ methods: loads.methods, authenticator: anyPassword, ...options });
  try {
    await run(http, loads);
  } finally {
    loads.open();
    await http.close();
  }
}

function as(who: string) {
  return { authorization: basicAuthorization(who, 'x') };
}

function headOf(body: string, who: string): string {
  const { authorization } = as(who);
  return `POST /v1/rpc HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\ncontent-length: ${body.length}\r\n\r\n`;
}

function bodyOf(method: string, params: object = {}): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
}

async function until(isSo: () => boolean): Promise<void> {
  for (let i = 0; i < 500 && !isSo(); i++) await wait(10);
  assert.ok(isSo());
}

async function assertOverloaded(response: Response): Promise<void> {
  assert.equal(response.status, 503);
  assert.equal(response.headers.get('retry-after'), '2');
  assert.match((await readJson(response)).detail, /^Try again: /);
}

test('E3b reads above the lane wait, those above the queue are 503 at once, and metadata is not held up', async () => {
  const limits = { readsMax: 4, readsWaitingMax: 3 };
  await withHttp({ limits }, async (http, loads) => {
    const reads = Array.from({ length: 6 }, () => http.post(bodyOf('service.read'), as('flood')));
    await until(() => loads.running === 3 && http.load.lanes[0].waitingCount === 3);
    await assertOverloaded(await http.post(bodyOf('service.read'), as('flood')));
    assert.equal((await http.post(bodyOf('admin.change'), as('flood'))).status, 200);
    const calm = http.post(bodyOf('service.read'), as('calm'));
    await until(() => loads.running === 4);
    loads.open();
    for (const response of await Promise.all([...reads, calm])) assert.equal(response.status, 200);
  });
});

test('E3b, W3 in a batch an overloaded call is -32015 and the others are answered', async () => {
  await withHttp({ limits: { readsMax: 1, readsWaitingMax: 0 } }, async (http, loads) => {
    const first = http.post(bodyOf('service.read'), as('a'));
    await until(() => loads.running === 1);
    const batch = `[${bodyOf('service.read')},${bodyOf('admin.change')}]`;
    const answers = await readJson(await http.post(batch, as('b')));
    assert.deepEqual(
      answers.map(({ error }: { error?: { code: number } }) => error?.code ?? 0),
      [-32015, 0],
    );
    loads.open();
    assert.equal((await first).status, 200);
  });
});

test('E3 a read whose client disconnects gives its place to the next, whether it runs or waits', async () => {
  await withHttp({ limits: { readsMax: 1, readsWaitingMax: 2 } }, async (http, loads) => {
    const [running, waiting] = [await RawClient.open(http.port), await RawClient.open(http.port)];
    for (const client of [running, waiting]) {
      const body = bodyOf('service.read');
      client.send(
        `POST /v1/rpc HTTP/1.1\r\nhost: x\r\nauthorization: ${as('a').authorization}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
    }
    await until(() => http.load.lanes[0].waitingCount === 1);
    waiting.cut();
    await until(() => http.load.lanes[0].waitingCount === 0);
    running.cut();
    await until(() => http.load.lanes[0].runningCount === 0);
    assert.equal(loads.running, 0);
  });
});

test('E3b an integration with too many calls in progress is 503 at once; another one is served', async () => {
  await withHttp({ limits: { requestsMax: 8, changesMax: 100 } }, async (http, loads) => {
    const held = Array.from({ length: 6 }, () => http.post(bodyOf('integration.hold'), as('flood')));
    await until(() => loads.running === 6);
    await assertOverloaded(await http.post(bodyOf('admin.change'), as('flood')));
    assert.equal((await http.post(bodyOf('admin.change'), as('calm'))).status, 200);
    loads.open();
    await Promise.all(held);
    assert.equal(http.load.requestCount, 0);
    assert.equal((await http.post(bodyOf('admin.change'), as('flood'))).status, 200);
  });
});

/** 15 % of this are bodies' part of the memory: one of 700 kB leaves too little for another. */
const memoryOfOneBody = { requestMemoryBytesMax: 16 * 1024 * 1024 };

test('E3b bodies share a bound: announced ones wait, others are 503, small ones pass, all is given back', async () => {
  await withHttp({ limits: memoryOfOneBody }, async (http, loads) => {
    const large = bodyOf('integration.hold', { texts: Array(20).fill('x'.repeat(100_000)) });
    const sending = await RawClient.open(http.port);
    sending.send(`${headOf(large, 'flood')}${large.slice(0, -1)}`);
    await until(() => http.load.takenBytes('body') === large.length);
    const waiting = [http.post(large, as('flood')), http.post(large, as('calm'))];
    await until(() => http.load.waitingCount('body') === 2);
    const stream = new Blob([large]).stream();
    const chunked = { method: 'POST', headers: as('calm'), body: stream, duplex: 'half' } as RequestInit;
    await assertOverloaded(await fetch(`${http.url}/v1/rpc`, chunked));
    assert.equal((await http.post(bodyOf('admin.change'), as('calm'))).status, 200);
    sending.send(large.slice(-1));
    await until(() => loads.running > 0);
    loads.open();
    for (const response of await Promise.all(waiting)) assert.equal(response.status, 200);
    sending.cut();
    await until(() => http.load.requestCount === 0);
    assert.deepEqual([http.load.takenBytes('body'), http.load.takenBytes('parsed')], [0, 0]);
  });
});

test('E3b memory for the inflated body is taken before a compressed body is inflated', async () => {
  await withHttp({ limits: memoryOfOneBody }, async (http, loads) => {
    const large = bodyOf('integration.hold', { texts: Array(20).fill('x'.repeat(100_000)) });
    const gzip = new Uint8Array(gzipSync(large));
    assert.ok(gzip.length < 10_000);
    const headers = { 'content-encoding': 'gzip' };
    const calls = Array.from({ length: 6 }, () => http.post(gzip, { ...as('flood'), headers }));
    await until(() => loads.running > 0);
    assert.ok(http.load.takenBytes('inflated') <= 0.15 * memoryOfOneBody.requestMemoryBytesMax);
    loads.open();
    for (const response of await Promise.all(calls)) assert.equal(response.status, 200);
    assert.equal(http.load.takenBytes('inflated'), 0);
  });
});

test('E3b of a large answer that its client does not read, a megabyte is held at most, and that for a moment', async () => {
  await withHttp({}, async (http) => {
    const slow = await RawClient.open(http.port);
    slow.stall();
    const body = bodyOf('service.frame', { rows: frameOf(8 * 1024 * 1024) });
    slow.send(`${headOf(body, 'slow')}${body}`);
    await until(() => http.load.takenBytes('answer') > 0);
    assert.ok(http.load.takenBytes('answer') < 1.25 * 1024 * 1024);
    await until(() => http.load.takenBytes('answer') < 256 * 1024);
    assert.equal((await http.post(bodyOf('service.frame'), as('slow'))).status, 200);
    slow.cut();
    await until(() => http.load.requestCount === 0);
    assert.equal(http.load.takenBytes('answer'), 0);
  });
});

test('E3b pipelined requests are answered one after the other, and a client that sends more than it reads is disconnected', async () => {
  await withHttp({}, async (http) => {
    const client = await RawClient.open(http.port);
    client.send('GET /livez HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(9));
    client.send('GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    assert.equal((await client.untilClosed()).match(/HTTP\/1\.1 200/g)?.length, 10);
    assert.equal(http.load.requestCount, 0);
    client.cut();
    const flood = await Promise.all(Array.from({ length: 20 }, () => RawClient.open(http.port)));
    for (const each of flood) {
      each.stall();
      each.send('GET /openrpc.json HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(1000));
    }
    await until(() => http.server.connectionCount() === 0);
    assert.equal(http.load.requestCount, 0);
    for (const each of flood) each.cut();
  });
});

test('E3b of 60 KiB of pipelined requests, hardly more are parsed than may be queued', async () => {
  await withHttp({}, async (http) => {
    let parsedCount = 0;
    http.server.server.on('request', () => parsedCount++);
    const client = await RawClient.open(http.port);
    client.stall();
    client.send('GET /openrpc.json HTTP/1.1\r\n\r\n'.repeat(2000));
    await until(() => parsedCount > 0 && http.server.connectionCount() === 0);
    // One under way, 16 that wait, one too many, and what else is in its slice.
    assert.ok(parsedCount <= 18 + 3, `${parsedCount} were parsed`);
    client.cut();
  });
});

test('E3b pipelined requests whose client disconnects give back what they held', async () => {
  await withHttp({}, async (http, loads) => {
    const client = await RawClient.open(http.port);
    const body = bodyOf('integration.hold');
    client.send(`${headOf(body, 'a')}${body}`.repeat(5));
    await until(() => loads.running === 1 && http.load.requestCount === 5);
    client.cut();
    await until(() => http.load.requestCount === 0);
    assert.equal(loads.running, 0);
  });
});

test('W3 of a batch whose client disconnects, no further call is begun', async () => {
  await withHttp({}, async (http, loads) => {
    const client = await RawClient.open(http.port);
    const calls = [bodyOf('integration.hold'), bodyOf('integration.hold')];
    const body = `[${calls.join(',')}]`;
    client.send(`${headOf(body, 'a')}${body}`);
    await until(() => loads.running === 1);
    client.cut();
    await until(() => http.load.requestCount === 0);
    assert.equal(loads.begunCount, 1);
  });
});

test('W3, E3b the answers of a batch are sent as they are ready', async () => {
  await withHttp({}, async (http, loads) => {
    const client = await RawClient.open(http.port);
    const body = `[${bodyOf('service.frame', { rows: 10_000 })},${bodyOf('integration.hold')}]`;
    client.send(`${headOf(body, 'a').replace('host: x', 'host: x\r\nconnection: close')}${body}`);
    await until(() => loads.running === 1 && client.receivedLength > 60_000);
    assert.equal(http.load.takenBytes('read'), 0);
    loads.open();
    assert.equal((await client.answer()).status, 200);
  });
});

test('E3b an address has its share of the connections; those beyond it are dropped', async () => {
  await withHttp({ limits: { connectionsMax: 20 } }, async (http) => {
    const clients = await Promise.all(Array.from({ length: 15 }, () => RawClient.open(http.port)));
    await until(() => http.server.connectionCount() === 15);
    const more = await Promise.all(Array.from({ length: 3 }, () => RawClient.open(http.port)));
    assert.deepEqual(await Promise.all(more.map((client) => client.untilClosed())), ['', '', '']);
    clients[0].send('GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    assert.equal((await clients[0].answer()).status, 200);
    for (const client of clients) client.cut();
    await until(() => http.server.connectionCount() === 0);
  });
});

test('E3b near the limit of connections, answers without credentials end theirs, others keep it', async () => {
  const limits = { connectionsMax: 20, integrationSharePercent: 100 };
  await withHttp({ limits }, async (http) => {
    const clients = await Promise.all(Array.from({ length: 19 }, () => RawClient.open(http.port)));
    await until(() => http.server.connectionCount() === 19);
    clients[0].send('GET /livez HTTP/1.1\r\nhost: x\r\n\r\n');
    assert.equal((await clients[0].answer()).headers.get('connection'), 'close');
    const body = bodyOf('admin.change');
    clients[1].send(`${headOf(body, 'calm')}${body}`);
    await until(() => clients[1].receivedLength > 0);
    for (const client of clients) client.cut();
    const text = await clients[1].untilClosed();
    assert.match(text, /^HTTP\/1\.1 200/);
    assert.doesNotMatch(text, /connection: close/i);
  });
});
