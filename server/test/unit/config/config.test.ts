/** Configuration: which place wins, and what is refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, envOf, flagOf, limitEnvOf, resolveConfig, type Sources } from '#config';
import { limitDefaults } from '#model/limits';

function resolve(sources: Partial<Sources>) {
  return resolveConfig({ flags: {}, env: {}, file: null, ...sources });
}

function fileOf(content: unknown): Sources['file'] {
  return { path: 'tidemark.json', content };
}

function refuses(sources: Partial<Sources>, message: RegExp) {
  assert.throws(
    () => resolve(sources),
    (error) => error instanceof ConfigError && message.test(error.message),
  );
}

test('L1 without configuration every setting and limit has its default', () => {
  const { settings, limits, origins } = resolve({});
  assert.equal(settings.port, 8080);
  assert.equal(settings.host, '127.0.0.1');
  assert.equal(settings.data, './tidemark-data');
  assert.deepEqual(limits, limitDefaults);
  assert.deepEqual(new Set(origins.values()), new Set(['default']));
});

test('L1 a flag wins over the environment, the environment over the file, the file over the default', () => {
  const file = fileOf({
    port: 1,
    host: 'file',
    logLevel: 'warn',
    limits: { batchCallsMax: 3, selectLimitMax: 7 },
  });
  const env = { TIDEMARK_PORT: '2', TIDEMARK_HOST: 'env', TIDEMARK_LIMIT_BATCH_CALLS_MAX: '4' };
  const flags = { port: '3', limit: ['batchCallsMax=5'] };
  const { settings, limits, origins } = resolve({ flags, env, file });
  assert.deepEqual([settings.port, settings.host, settings.logLevel], [3, 'env', 'warn']);
  assert.deepEqual([limits.batchCallsMax, limits.selectLimitMax], [5, 7]);
  assert.deepEqual(
    ['port', 'host', 'logLevel', 'demo', 'limits.batchCallsMax', 'limits.selectLimitMax'].map((n) =>
      origins.get(n),
    ),
    ['flag', 'environment', 'file', 'default', 'flag', 'file'],
  );
});

test('L1 an empty environment variable counts as not set', () => {
  assert.equal(resolve({ env: { TIDEMARK_PORT: '' } }).settings.port, 8080);
});

test('L1 the names of flags and variables follow from the setting', () => {
  assert.deepEqual([flagOf('baseUrl'), envOf('baseUrl')], ['--base-url', 'TIDEMARK_BASE_URL']);
  assert.equal(limitEnvOf('bodyBytesMax'), 'TIDEMARK_LIMIT_BODY_BYTES_MAX');
});

test('L1 unknown names are refused in every place, with a suggestion', () => {
  refuses({ file: fileOf({ prot: 1 }) }, /unknown setting "prot" in tidemark.json; did you mean "port"\?/);
  refuses({ file: fileOf({ limits: { batchCallMax: 1 } }) }, /did you mean "batchCallsMax"\?/);
  refuses(
    { env: { TIDEMARK_PROT: '1' } },
    /"TIDEMARK_PROT" in the environment; did you mean "TIDEMARK_PORT"\?/,
  );
  refuses({ flags: { limit: ['bodyByteMax=1'] } }, /did you mean "bodyBytesMax"\?/);
  refuses({ file: fileOf({ __proto__x: 1 }) }, /unknown setting/);
});

test('L1 values outside their range or of another kind are refused with place, range and value', () => {
  refuses({ flags: { port: '65536' } }, /^--port must be a whole number from 0 to 65535, got "65536"$/);
  refuses({ flags: { port: '1e3' } }, /--port must be a whole number/);
  refuses({ env: { TIDEMARK_PORT: 'http' } }, /^TIDEMARK_PORT must be/);
  refuses({ file: fileOf({ port: 8080.5 }) }, /^"port" in tidemark.json must be/);
  refuses({ file: fileOf({ port: null }) }, /got null/);
  refuses({ file: fileOf({ host: 1 }) }, /"host" in tidemark.json must be a string, got 1/);
  refuses({ file: fileOf([]) }, /^tidemark.json must be a JSON object/);
  refuses(
    { flags: { logLevel: 'wran' } },
    /must be one of debug info warn error silent, got "wran"; did you mean "warn"/,
  );
  refuses({ env: { TIDEMARK_DEMO: 'yes' } }, /^TIDEMARK_DEMO must be true or false, got "yes"$/);
  refuses({ flags: { baseUrl: 'localhost:80' } }, /^--base-url must be an address like/);
  refuses({ flags: { namespace: 'a,,b' } }, /comma-separated/);
  refuses({ flags: { limit: ['batchCallsMax'] } }, /--limit must be NAME=VALUE/);
  refuses({ flags: { limit: ['batchCallsMax=0'] } }, /from 1 to 1000, got "0"/);
});

test('L1 what Kubernetes sets for a Service named tidemark is not ours', () => {
  const env = {
    TIDEMARK_SERVICE_HOST: '10.0.0.1',
    TIDEMARK_SERVICE_PORT: '8080',
    TIDEMARK_SERVICE_PORT_HTTP: '8080',
    TIDEMARK_PORT: 'tcp://10.0.0.1:8080',
    TIDEMARK_PORT_8080_TCP: 'tcp://10.0.0.1:8080',
    TIDEMARK_PORT_8080_TCP_ADDR: '10.0.0.1',
  };
  assert.equal(resolve({ env }).settings.port, 8080);
});

test('W8 the data-reading namespace is a list of names, the primary one first', () => {
  assert.deepEqual(resolve({}).settings.namespace, ['service', 'clarify']);
  assert.deepEqual(resolve({ env: { TIDEMARK_NAMESPACE: 'data, service' } }).settings.namespace, [
    'data',
    'service',
  ]);
  assert.deepEqual(resolve({ file: fileOf({ namespace: ['data'] }) }).settings.namespace, ['data']);
});

test('A4 a base URL loses its closing slashes', () => {
  assert.equal(
    resolve({ flags: { baseUrl: 'https://a.example/x//' } }).settings.baseUrl,
    'https://a.example/x',
  );
});

test('L1 a configuration cannot be changed', () => {
  const { settings, limits } = resolve({});
  assert.throws(() => Object.assign(settings, { port: 1 }), TypeError);
  assert.throws(() => Object.assign(limits, { batchCallsMax: 1 }), TypeError);
});
