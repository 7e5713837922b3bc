/** What an operator configures: who can reach the service, secrets from files, and a configuration that is read again. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { newCertificate, writeCertificate } from '../support/certificate.ts';
import { serve, temporaryDirectory, tidemark, until } from './process.ts';

async function placeOf(t: TestContext) {
  const directory = await temporaryDirectory(t);
  return { directory, data: join(directory, 'data'), config: join(directory, 'tidemark.json') };
}

test('L1 a public address needs TLS, a trusted proxy, or a word that it does not', async (t) => {
  const { data } = await placeOf(t);
  for (const host of ['0.0.0.0', '::', '192.0.2.1', 'signals.example.com']) {
    for (const command of [
      ['serve', '--data', data, '--port', '0'],
      ['config', 'check'],
    ]) {
      const { code, stdout, stderr } = await tidemark([...command, '--host', host]);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(
        stderr,
        /^tidemark: --host \S+ can be reached .*--tls-cert .*--trust-proxy.*--insecure\n$/,
      );
    }
  }
  for (const more of [['--insecure'], ['--trust-proxy', '10.0.0.0/8,uniquelocal']]) {
    const { code, stderr } = await tidemark(['config', 'check', '--host', '0.0.0.0', ...more]);
    assert.deepEqual([code, stderr], [0, '']);
  }
});

test('L1 serve with TLS says https, answers there, and takes a new certificate with SIGHUP', async (t) => {
  const { directory, data } = await placeOf(t);
  const first = newCertificate('first');
  const { certPath, keyPath } = await writeCertificate(directory, first);
  const service = await serve(t, data, ['--tls-cert', certPath, '--tls-key', keyPath]);
  assert.match(service.url, /^https:/);
  assert.equal(await statusOf(`${service.url}/healthz`, first.cert), 200);
  const second = newCertificate('second');
  await writeCertificate(directory, second);
  service.child.kill('SIGHUP');
  const isTaken = async () => (await statusOf(`${service.url}/healthz`, second.cert)) === 200;
  assert.ok(await until(isTaken, 10_000));
  assert.equal(await service.stop(), 0);
});

/** The status over TLS for a client that trusts only this certificate; 0 when it does not trust what it meets. */
function statusOf(url: string, ca: string): Promise<number> {
  return new Promise((resolve) => {
    const call = request(url, { ca, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    call.on('error', () => resolve(0));
    call.end();
  });
}

test('L1 a certificate that cannot be used, and half a pair, are wrong usage', async (t) => {
  const { directory } = await placeOf(t);
  const { certPath, keyPath } = await writeCertificate(directory, newCertificate('x'));
  await writeFile(keyPath, 'nonsense');
  const wrong = await tidemark(['config', 'check', '--tls-cert', certPath, '--tls-key', keyPath]);
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /cannot use the TLS key .*key\.pem/);
  const half = await tidemark(['config', 'check', '--tls-cert', certPath]);
  assert.equal(half.code, 2);
  assert.match(half.stderr, /--tls-cert and --tls-key must be set together/);
});

test('A4 the metrics token comes from a file or the environment, and config print hides it', async (t) => {
  const { directory, data } = await placeOf(t);
  const token = 'sixteen-or-more-characters';
  const file = join(directory, 'token');
  await writeFile(file, `${token}\n`);
  const ways: [string[], Record<string, string>][] = [
    [['--metrics-token-file', file], {}],
    [[], { TIDEMARK_METRICS_TOKEN_FILE: file }],
    [[], { TIDEMARK_METRICS_TOKEN: token }],
  ];
  for (const [args, env] of ways) {
    const { code, stdout } = await tidemark(['config', 'print', ...args], { env });
    assert.equal(code, 0);
    assert.match(stdout, /metricsToken +\(hidden\)/);
    assert.ok(!stdout.includes(token));
  }
  const service = await serve(t, data, ['--metrics-token-file', file]);
  assert.equal((await fetch(`${service.url}/metrics`)).status, 401);
  const headers = { authorization: `Bearer ${token}` };
  assert.equal((await fetch(`${service.url}/metrics`, { headers })).status, 200);
  assert.equal(await service.stop(), 0);
  assert.ok(!(service.output.stdout + service.output.stderr).includes(token));
});

test('A4 a secret that cannot be read or is too short is refused without being shown', async (t) => {
  const { directory } = await placeOf(t);
  const missing = await tidemark(['config', 'check', '--metrics-token-file', join(directory, 'none')]);
  assert.match(missing.stderr, /--metrics-token-file: cannot read .*none: no such file/);
  const short = await tidemark(['config', 'check'], { env: { TIDEMARK_METRICS_TOKEN: 'short' } });
  assert.deepEqual([missing.code, short.code], [2, 2]);
  assert.match(short.stderr, /^tidemark: TIDEMARK_METRICS_TOKEN must be 16 to 1024 characters/);
  assert.ok(!short.stderr.includes('short'));
});

test('L1 SIGHUP applies log level and live limits, logs what needs a restart, and keeps the old ones when they are invalid', async (t) => {
  const { data, config } = await placeOf(t);
  await writeFile(config, JSON.stringify({ logLevel: 'info', limits: { batchCallsMax: 3 } }));
  const service = await serve(t, data, ['--config', config]);
  const isLogged = (text: string) => until(() => service.output.stdout.includes(text), 5000);
  const next = {
    logLevel: 'debug',
    demo: true,
    limits: { batchCallsMax: 1, resourceCharactersMax: 5_000_000 },
  };
  await writeFile(config, JSON.stringify(next));
  service.child.kill('SIGHUP');
  assert.ok(await isLogged('"taken":["logLevel","limits.batchCallsMax"]'));
  assert.ok(await isLogged('"needRestart":["demo","limits.resourceCharactersMax"]'));
  await fetch(`${service.url}/livez`);
  assert.ok(await isLogged('"route":"/livez"'));
  await writeFile(config, '{"limits":{"batchCallMax":1}}');
  service.child.kill('SIGHUP');
  assert.ok(await isLogged('did you mean'));
  assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
  assert.equal(await service.stop(), 0);
});

test('L1 metrics on their own address, and readiness of a real store', async (t) => {
  const { data } = await placeOf(t);
  const service = await serve(t, data, ['--base-url', 'https://signals.example.com']);
  assert.equal((await fetch(`${service.url}/metrics`)).status, 403);
  const ready = await fetch(`${service.url}/readyz?verbose`);
  assert.deepEqual(await ready.json(), {
    status: 'ok',
    checks: { service: 'ok', store: 'ok', disk: 'ok' },
  });
  assert.equal(await service.stop(), 0);
});

test('L1 a configuration file that is not JSON is reported without quoting it', async (t) => {
  const path = join(await temporaryDirectory(t), 'config.json');
  await writeFile(path, '{"metricsToken": "a-secret-of-the-file",}');
  const { code, stderr } = await tidemark(['config', 'check', '--config', path]);
  assert.equal(code, 2);
  assert.match(stderr, /^tidemark: cannot read the configuration file .*: not valid JSON.*\n$/);
  assert.doesNotMatch(stderr, /secret/);
});

test('tidemark help lists the commands, and explains one', async () => {
  const all = await tidemark(['help']);
  assert.deepEqual([all.code, all.stderr], [0, '']);
  assert.match(all.stdout, /^ {2}import /m);
  const one = await tidemark(['import', 'help', 'csv']);
  assert.equal(one.code, 0, one.stderr);
  assert.match(one.stdout, /--time-format/);
});
