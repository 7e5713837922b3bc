/** `tidemark serve` with a broker: what is refused before it starts, and why it cannot listen. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory, tidemark } from './process.ts';

test('M1a passwords do not leave this machine over plain TCP, and MQTT over TLS needs a certificate', async (t) => {
  const data = join(await temporaryDirectory(t), 'data');
  const serving = ['serve', '--data', data, '--port', '0'];
  const open = await tidemark([
    ...serving,
    '--host',
    '0.0.0.0',
    '--trust-proxy',
    'loopback',
    '--mqtt-port',
    '0',
  ]);
  assert.match(open.stderr, /--mqtt-port with --host 0\.0\.0\.0: .*--mqtts-port.*--insecure/s);
  const bare = await tidemark([...serving, '--mqtts-port', '0']);
  assert.match(bare.stderr, /--mqtts-port needs a certificate/);
  assert.ok(open.code !== 0 && bare.code !== 0);
});

test('M1 a port of the broker that is in use is named', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const data = join(await temporaryDirectory(t), 'data');
  const failed = await tidemark(['serve', '--data', data, '--port', '0', '--mqtt-port', String(port)]);
  assert.notEqual(failed.code, 0);
  assert.match(failed.stderr, new RegExp(`port ${port} of 127\\.0\\.0\\.1 is in use.*--mqtt-port`));
});
