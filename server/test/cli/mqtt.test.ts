/** `tidemark serve` with a broker: what is refused before it starts, and why it cannot listen. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { Mosquitto } from '../support/mosquitto.ts';
import { serve, temporaryDirectory, tidemark, until } from './process.ts';

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

test('M6 --mqtt-url: what is refused before the service starts, never showing the password', async (t) => {
  const directory = await temporaryDirectory(t);
  const refusal = async (...args: string[]) => {
    const { code, stderr } = await tidemark([
      'serve',
      '--data',
      join(directory, 'data'),
      '--port',
      '0',
      ...args,
    ]);
    assert.notEqual(code, 0);
    assert.ok(!stderr.includes('hidden-word'), stderr);
    return stderr;
  };
  const url = 'mqtt://user:hidden-word@127.0.0.1';
  assert.match(await refusal('--mqtt-url', 'http://hidden-word'), /begins with mqtt:\/\//);
  assert.match(await refusal('--mqtt-url', 'mqtt://127.0.0.1'), /mqtt:\/\/USER:PASSWORD@HOST:PORT/);
  assert.match(await refusal('--mqtt-url', `${url}/topic`), /mqtt:\/\/USER:PASSWORD@HOST:PORT/);
  assert.match(await refusal('--mqtt-url', url, '--mqtt-port', '0'), /leave out --mqtt-port/);
  assert.match(await refusal('--mqtt-url', url, '--mqtt-ca', 'x'), /does not begin with mqtts/);
  assert.match(
    await refusal('--mqtt-url', url.replace('mqtt', 'mqtts'), '--mqtt-ca', 'x'),
    /--mqtt-ca: cannot read x/,
  );
  assert.match(await refusal('--mqtt-ca', 'x'), /--mqtt-ca is set without --mqtt-url/);
});

test('M6 M6c the address of the broker comes from a file; the log tells the link, and not the password', async (t) => {
  const broker = await Mosquitto.start(t);
  if (broker === null) return;
  const directory = await temporaryDirectory(t);
  const file = join(directory, 'mqtt-url');
  await writeFile(file, `${broker.ownUrl}\n`);
  const service = await serve(t, join(directory, 'data'), ['--mqtt-url-file', file]);
  const says = (words: RegExp) => until(() => words.test(service.output.stdout), 60_000);
  assert.ok(await says(/connected to the broker/), service.output.stdout);
  await broker.stop();
  assert.ok(await says(/the broker cannot be used now/), service.output.stdout);
  assert.equal(await service.stop(), 0);
  assert.ok(!service.output.stdout.includes('own-password'));
});
