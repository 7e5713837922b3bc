/** `tidemark health`: what container health checks and scripts go by. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { serve, temporaryDirectory, tidemark } from './process.ts';

test('E3 health is ok while the service runs, and fails when it has stopped', async (t) => {
  const data = join(await temporaryDirectory(t), 'data');
  const { url, stop } = await serve(t, data, ['--base-url', 'https://signals.example.com/tide']);
  const { port } = new URL(url);
  const ok = { code: 0, stdout: 'ok\n', stderr: '' };
  assert.deepEqual(await tidemark(['health'], { env: { TIDEMARK_PORT: port } }), ok);
  assert.deepEqual(await tidemark(['health', '--ready', '--port', port, '--host', '0.0.0.0']), ok);
  const { stdout } = await tidemark(['health', '--port', port, '--json']);
  assert.deepEqual(JSON.parse(stdout), { status: 'ok' });
  await stop();
  const { code, stderr } = await tidemark(['health', '--port', port]);
  assert.deepEqual([code, stderr], [1, `tidemark: no answer from http://127.0.0.1:${port}: ECONNREFUSED\n`]);
});

/** Another program, or a service that is not healthy. */
async function other(t: TestContext, body: string | null): Promise<string> {
  const server: Server = createServer((_, response) => {
    if (body !== null) response.writeHead(503).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return String((server.address() as AddressInfo).port);
}

const unwell: [string, string | null, RegExp][] = [
  [
    'a service that is not healthy',
    '{"status":"unavailable","reason":"draining"}',
    /is not healthy: draining/,
  ],
  ['another program', '<html></html>', /is not a Tidemark service: its answer has another form/],
  ['JSON of another program', 'null', /is not a Tidemark service: its answer has another form/],
  ['one that does not answer', null, /no answer from .*: none in 4 s/],
];

for (const [name, body, message] of unwell) {
  test(`E3 health fails with one line for ${name}`, async (t) => {
    const { code, stdout, stderr } = await tidemark(['health', '--port', await other(t, body)]);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, message);
    assert.match(stderr, /^tidemark: .*\n$/);
  });
}
