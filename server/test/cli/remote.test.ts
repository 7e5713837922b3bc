/** Calling a service over HTTP: what is tried again, and what is not. Against a real server that answers as told. */
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Remote, RemoteError } from '#cli/remote';
import { CommandError } from '#cli/usage';
import type { CredentialsFile } from '#domain/identity/credentials-file';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

interface Rig {
  remote: Remote;
  /** The requests that came, as `METHOD path authorization`. */
  seen: string[];
  waitsMs: number[];
}

/** A server that gives the answers in turn, the last one for ever. */
async function open(
  t: TestContext,
  answers: Answer[],
  type: CredentialsFile['credentials']['type'] = 'basic-auth',
): Promise<Rig> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? '-'}`);
      answers[Math.min(seen.length, answers.length) - 1](request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
  const credentials = { apiUrl, integration: 'i', credentials: { type, clientId: 'i', clientSecret: 's' } };
  const waitsMs: number[] = [];
  const remote = new Remote({ credentials, waitMs: 1, onWait: (_, waitMs) => waitsMs.push(waitMs) });
  return { remote, seen, waitsMs };
}

function say(status: number, body: object, headers: Record<string, string> = {}): Answer {
  return (_, response) =>
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
}

const result = say(200, { jsonrpc: '2.0', id: 1, result: { ok: true } });
const token = (text: string, expiresInS: number) =>
  say(200, { access_token: text, token_type: 'Bearer', expires_in: expiresInS });
const basic = `Basic ${Buffer.from('i:s').toString('base64')}`;

test('A1 basic credentials are sent as such', async (t) => {
  const { remote, seen } = await open(t, [result]);
  assert.deepEqual(await remote.call('m', {}), { ok: true });
  assert.deepEqual(seen, [`POST /v1/rpc ${basic}`]);
});

test('A2 a token is fetched once and kept until it ends', async (t) => {
  const { remote, seen } = await open(t, [token('T', 3600), result], 'client-credentials');
  await remote.call('m', {});
  await remote.call('m', {});
  assert.deepEqual(seen, ['POST /v1/oauth/token -', 'POST /v1/rpc Bearer T', 'POST /v1/rpc Bearer T']);
});

test('A2 a token whose time is up is renewed before it is sent', async (t) => {
  const { remote, seen } = await open(
    t,
    [token('A', 0), result, token('B', 0), result],
    'client-credentials',
  );
  await remote.call('m', {});
  await remote.call('m', {});
  assert.deepEqual(
    seen.map((line) => line.split(' ').at(-1)),
    ['-', 'A', '-', 'B'],
  );
});

test('A3 a kept token that is refused is renewed once; a fresh one that is refused is an error', async (t) => {
  const refused = say(401, { title: 'Unauthorized' });
  const { remote, seen } = await open(
    t,
    [token('A', 3600), result, refused, token('B', 3600), result, refused, token('C', 3600), refused],
    'client-credentials',
  );
  await remote.call('m', {});
  await remote.call('m', {});
  assert.equal(seen.length, 5);
  await assert.rejects(remote.call('m', {}), (error) => error instanceof RemoteError && error.status === 401);
});

test('E3 429 and 503 are tried again after the time that they name', async (t) => {
  const { remote, waitsMs } = await open(t, [
    say(429, {}, { 'Retry-After': '0' }),
    say(503, {}, { 'Retry-After': '1' }),
    result,
  ]);
  assert.deepEqual(await remote.call('m', {}), { ok: true });
  assert.deepEqual(waitsMs, [0, 1000]);
});

test('E1 try again is tried again with waits that double', async (t) => {
  const busy = say(200, { jsonrpc: '2.0', id: 1, error: { code: -32015, message: 'Try again' } });
  const { remote, waitsMs } = await open(t, [busy, busy, busy, result]);
  assert.deepEqual(await remote.call('m', {}), { ok: true });
  assert.deepEqual(waitsMs, [1, 2, 4]);
});

test('E3 a connection that breaks, before or in the middle of an answer, is tried again', async (t) => {
  const drop: Answer = (request) => request.socket.destroy();
  const half: Answer = (request, response) => {
    response.writeHead(200, { 'Content-Length': '1000' });
    response.write('{');
    setImmediate(() => request.socket.destroy());
  };
  const { remote, waitsMs } = await open(t, [drop, half, result]);
  assert.deepEqual(await remote.call('m', {}), { ok: true });
  assert.equal(waitsMs.length, 2);
});

test('E3 after ten attempts it gives up and says why', async (t) => {
  const { remote, seen } = await open(t, [say(503, { title: 'Service Unavailable', detail: 'draining' })]);
  await assert.rejects(
    remote.call('m', {}),
    (error) =>
      error instanceof CommandError && /503: draining; gave up after 10 attempts/.test(error.message),
  );
  assert.equal(seen.length, 10);
});

test('E3 a service that asks to wait for an hour is not waited for', async (t) => {
  const { remote, seen } = await open(t, [say(503, {}, { 'Retry-After': '3600' })]);
  await assert.rejects(remote.call('m', {}), /asks to wait 3600 s/);
  assert.equal(seen.length, 1);
});

test('E2 a refusal is not tried again, and names the parameters', async (t) => {
  const error = {
    code: -32602,
    message: 'Invalid params',
    data: { trace: 't', params: { 'data.times.0': ['must be'] } },
  };
  const { remote, seen } = await open(t, [say(200, { jsonrpc: '2.0', id: 1, error })]);
  await assert.rejects(
    remote.call('m', {}),
    (e) => e instanceof RemoteError && /Invalid params; data.times.0: must be/.test(e.message),
  );
  assert.equal(seen.length, 1);
});

test('A2 a wrong secret is an error that says so, without the secret', async (t) => {
  const refused = say(401, { error: 'invalid_client', error_description: 'wrong client secret' });
  const { remote, seen } = await open(t, [refused], 'client-credentials');
  await assert.rejects(remote.call('m', {}), /answered 401: wrong client secret$/);
  assert.equal(seen.length, 1);
});

test('W5 an answer of another form is no service of ours', async (t) => {
  const page: Answer = (_, response) => response.end('<html>');
  const { remote } = await open(t, [page]);
  await assert.rejects(remote.call('m', {}), /is no Tidemark service/);
});

test('A1 credentials are not carried along a redirect', async (t) => {
  const { remote, seen } = await open(t, [say(307, {}, { Location: '/elsewhere' })]);
  await assert.rejects(remote.call('m', {}), /answered 307/);
  assert.equal(seen.length, 1);
});
