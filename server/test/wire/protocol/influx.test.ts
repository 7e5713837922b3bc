/** Programs that write to InfluxDB write here: client libraries unchanged, and requests as agents make them (I1, I2). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { HttpError, InfluxDB, Point, setLogger } from '@influxdata/influxdb-client';
import fc from 'fast-check';
import { InfluxDB as InfluxV1 } from 'influx';
import { readJson } from '../../support/http.ts';
import { serviceOfFile, startService } from '../../support/service.ts';
import { testAct } from '../../support/world.ts';

setLogger({ error() {}, warn() {} });
const service = await serviceOfFile();
const { url, integration } = service;
const token = `${integration}:${Buffer.from(service.authorization.slice(6), 'base64').toString().split(':')[1]}`;
const [, secret] = token.split(':');

/** Posts a body as InfluxDB 2 takes it. */
function write(
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
  path = '/api/v2/write',
) {
  return fetch(`${url}${path}`, {
    method: 'POST',
    body,
    headers: { authorization: `Token ${token}`, ...headers },
  });
}

/** Input key → time in µs → value, of all signals whose keys begin so. */
async function stored(prefix: string): Promise<Record<string, [number, number][]>> {
  const { result } = await service.call(
    'admin.selectSignals',
    { integration, query: { limit: 1000 } },
    { version: '1.2' },
  );
  const inputs: string[] = result.data.map(
    (signal: { attributes: { input: string } }) => signal.attributes.input,
  );
  const kept = inputs.filter((input) => input.startsWith(prefix)).sort();
  const numbers = await service.signals.numbers(integration, kept);
  const window = { startUs: -(2 ** 53), endUs: 2 ** 53 };
  const points = await service.series.scan({
    sources: numbers.map(({ number }) => ({ signals: [number], window, before: false, after: false })),
  });
  const rows = ({ timesUs, values }: (typeof points)[0]) =>
    [...timesUs].map((us, i): [number, number] => [us, values[i]]);
  return Object.fromEntries(kept.map((input, i) => [input, rows(points[i])]));
}

test('I2, I2b the client library of InfluxDB 2 writes unchanged', async () => {
  const influx = new InfluxDB({ url, token });
  const api = influx.getWriteApi('org', 'bucket', 'ns', { maxRetries: 0 });
  api.useDefaultTags({ site: 'Büro 1' });
  api.writePoint(
    new Point('c2')
      .tag('host', 'a b')
      .floatField('temp', 21.5)
      .intField('n', 7)
      .timestamp('1700000000123456000'),
  );
  api.writePoint(
    new Point('c2').tag('host', 'a b').booleanField('on', true).timestamp('1700000000123456000'),
  );
  await api.close();
  assert.deepEqual(await stored('c2'), {
    'c2/host:a+20b/site:B+C3+BCro+201#n': [[1_700_000_000_123_456, 7]],
    'c2/host:a+20b/site:B+C3+BCro+201#on': [[1_700_000_000_123_456, 1]],
    'c2/host:a+20b/site:B+C3+BCro+201#temp': [[1_700_000_000_123_456, 21.5]],
  });
  const failing = influx.getWriteApi('org', 'bucket', 'ms', { maxRetries: 0 });
  failing.writeRecord('c2 text="open"');
  const error = await failing.close().then(
    () => null,
    (error: unknown) => error,
  );
  assert.ok(error instanceof HttpError, String(error));
  assert.equal(error.statusCode, 400);
  assert.match(error.message, /needs a signal of the type enum/);
});

test('I2, I2b, I2d the client library of InfluxDB 1, which Node-RED uses, writes unchanged', async () => {
  const { hostname: host, port } = new URL(url);
  const influx = new InfluxV1({
    host,
    port: Number(port),
    database: 'home',
    username: integration,
    password: secret,
  });
  const [answer] = await influx.ping(5000);
  assert.equal(answer.online, true);
  await influx.createDatabase('home');
  assert.deepEqual(await influx.getDatabaseNames(), ['tidemark']);
  const timestamp = new Date('2024-01-01T00:00:00.001Z');
  await influx.writePoints([
    { measurement: 'c1', tags: { room: 'kitchen' }, fields: { temp: 20.25, ok: false }, timestamp },
  ]);
  assert.deepEqual(await stored('c1'), {
    'c1/room:kitchen#ok': [[timestamp.getTime() * 1000, 0]],
    'c1/room:kitchen#temp': [[timestamp.getTime() * 1000, 20.25]],
  });
  await assert.rejects(influx.writePoints([{ measurement: 'c1', fields: { s: 'text' } }]), /type enum/);
});

test('I1a new signals are named and labelled by their series', async () => {
  assert.equal((await write('new,ho\\ st=a,ho_st=b val=1 1000')).status, 204);
  const { result } = await service.call(
    'admin.selectSignals',
    { integration, query: { filter: { 'labels._measurement': 'new' } } },
    { version: '1.2' },
  );
  const [{ attributes }] = result.data;
  assert.equal(attributes.name, 'new val');
  assert.deepEqual(attributes.labels, { _field: ['val'], _measurement: ['new'], ho_st: ['a', 'b'] });
});

test('I2a strings are states of signals that have them, and refused elsewhere', async () => {
  const enumValues = { 0: 'closed', 1: 'open' };
  const signalsByInput = { 'door#state': { name: 'Door', valueType: 'enum', enumValues } };
  await service.call('integration.saveSignals', { integration, signalsByInput });
  const answer = await write('door state="open",value=1 1000\ndoor state="ajar" 2000\nnone s="x" 1000');
  assert.equal(answer.status, 400);
  const body = await readJson(answer);
  assert.equal(body.code, 'invalid');
  assert.equal(body.line, 2);
  assert.match(
    body.message,
    /^partial write: line 2: field 'state'.*no state of this name\ndropped=0 lines, 1 fields/,
  );
  assert.equal(answer.headers.get('x-tidemark-strings-left-out'), '1');
  assert.deepEqual(await stored('door'), { 'door#state': [[1, 1]], 'door#value': [[1, 1]] });
  assert.deepEqual(await stored('none'), {});
  const [recent] = await service.errors.list(integration);
  assert.deepEqual([recent.method, recent.code, recent.path], ['integration.insert', -32602, 'lines']);
  assert.doesNotMatch(JSON.stringify(recent), /ajar/);
});

test('I2 requests as Telegraf and Home Assistant make them', async () => {
  const telegraf = gzipSync(
    'tg,cpu=cpu-total,host=box usage_idle=97.5,usage_user=1.25 1700000010000000000\n' +
      'tg,host=box,name=net.eth0 bytes_recv=18446744i,drop_in=0i 1700000010000000000\n',
  );
  const agent = {
    'content-encoding': 'gzip',
    'content-type': 'text/plain; charset=utf-8',
    'user-agent': 'Telegraf/1.29.0 Go/1.21.5',
  };
  const path = '/api/v2/write?bucket=telegraf&org=home';
  assert.equal((await write(new Uint8Array(telegraf), agent, path)).status, 204);
  assert.deepEqual(await stored('tg/host'), {
    'tg/host:box/name:net.eth0#bytes_recv': [[1_700_000_010_000_000, 18446744]],
    'tg/host:box/name:net.eth0#drop_in': [[1_700_000_010_000_000, 0]],
  });
  const home =
    '°C,domain=sensor,entity_id=kitchen friendly_name_str="Kitchen",value=21.5 1700000010123456000';
  const v1 = `/write?db=home_assistant&u=${integration}&p=${secret}`;
  const answer = await fetch(`${url}${v1}`, { method: 'POST', body: home });
  assert.equal(answer.status, 204);
  assert.equal(answer.headers.get('x-tidemark-strings-left-out'), '1');
  assert.match(
    JSON.stringify(await service.errors.list(integration)),
    /a string needs a signal of the type enum/,
  );
  // An entity that is on or off: its state as a text and as a number, and attributes that are texts.
  const door =
    'binary_sensor.door,domain=binary_sensor,entity_id=door device_class_str="door",friendly_name_str="Door",state="on",value=1 1700000010123456000';
  const second = await fetch(`${url}${v1}`, { method: 'POST', body: door });
  assert.deepEqual([second.status, second.headers.get('x-tidemark-strings-left-out')], [204, '3']);
  assert.deepEqual(await stored('binary_sensor.door'), {
    'binary_sensor.door/domain:binary_sensor/entity_id:door#value': [[1_700_000_010_123_456, 1]],
  });
  const sun = await fetch(`${url}${v1}`, {
    method: 'POST',
    body: 'state,entity_id=sun state="above",icon="x" 1',
  });
  assert.equal(sun.status, 400);
  const { error } = await readJson(sun);
  assert.match(
    error,
    /^line 1: field 'state'.*\nline 1: field 'icon'.*\ndropped=0 lines, 2 fields; stored=0 points/,
  );
  assert.match(sun.headers.get('x-influxdb-error') ?? '', /^line 1: field/);
  assert.equal(Object.keys(await stored('+C2+B0C/domain:sensor/entity_id:kitchen#value')).length, 1);
  assert.equal((await write('')).status, 204);
});

test('I2b credentials in each form, and no others', async () => {
  const { client } = service;
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: client.id,
    client_secret: client.secret,
  });
  const { access_token: access } = await readJson(
    await fetch(`${url}/v1/oauth/token`, { method: 'POST', body: form }),
  );
  for (const authorization of [
    `Token ${token}`,
    `Bearer ${token}`,
    service.authorization,
    `Bearer ${access}`,
    `Token ${access}`,
  ])
    assert.equal((await write('auth v=1', { authorization }, '/write')).status, 204, authorization);
  for (const authorization of ['Token x', `Token ${integration}:wrong`, `Basic ${btoa('a:b')}`, 'nothing']) {
    const answer = await write('auth v=1', { authorization });
    assert.equal(answer.status, 401, authorization);
    assert.equal((await readJson(answer)).code, 'unauthorized');
  }
  assert.equal((await fetch(`${url}/api/v2/write`, { method: 'POST', body: 'auth v=1' })).status, 401);
});

test('I2c, I2d errors have the form of InfluxDB, and what clients ask is answered', async () => {
  const precision = await write('m v=1', {}, '/api/v2/write?precision=days');
  assert.deepEqual([precision.status, (await readJson(precision)).code], [400, 'invalid']);
  const coding = await write('m v=1', { 'content-encoding': 'gzip' });
  assert.deepEqual([coding.status, (await readJson(coding)).error], [400, 'The body is not valid gzip']);
  const ping = await fetch(`${url}/ping`);
  assert.deepEqual([ping.status, ping.headers.get('x-influxdb-version')], [204, '1.8.10']);
  assert.equal((await fetch(`${url}/ping`, { method: 'HEAD' })).status, 204);
  assert.equal((await readJson(await fetch(`${url}/health`))).status, 'pass');
  const select = await fetch(
    `${url}/query?q=${encodeURIComponent('SELECT * FROM m; CREATE DATABASE x')}&u=${integration}&p=${secret}`,
  );
  const { results } = await readJson(select);
  assert.match(results[0].error, /CREATE DATABASE and SHOW DATABASES only/);
  assert.deepEqual(results[1], { statement_id: 1 });
});

test('I2 permissions, rates, plans and records are those of integration.insert', async (t) => {
  const other = await startService({ limits: { newSignalsPerHourMax: 3, bodyBytesMax: 1024 } });
  t.after(() => other.close());
  const post = (body: string) =>
    fetch(`${other.url}/api/v2/write`, {
      method: 'POST',
      body,
      headers: { authorization: other.authorization },
    });
  assert.equal((await post(`m ${'v'.repeat(2000)}=1`)).status, 413);
  assert.equal((await post('m a=1,b=2,c=3')).status, 204);
  const refused = await post('m a=1,d=4');
  assert.equal(refused.status, 429);
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  const rates = new Map([['integration.insert', { perSecond: 0.001, burst: 1 }]]);
  await other.plans.set(testAct, 'default', (plan) => ({ ...plan, isHard: true, rates }));
  assert.equal((await post('m a=1')).status, 204);
  const limited = await post('m a=1');
  assert.deepEqual([limited.status, (await readJson(limited)).code], [429, 'too many requests']);
  assert.ok(Number(limited.headers.get('retry-after')) > 0);
  assert.ok(limited.headers.has('ratelimit'));
});

test('I2 long bodies that arrive together are stored whole, each value in its series', async () => {
  const fields = ['a', 'b', 'c'];
  const numberOf = (host: number, second: number, field: string) =>
    host * 1e6 + second * 10 + fields.indexOf(field);
  const bodies = [0, 1, 2, 3].map((part) => {
    const turned = [...fields.slice(part % 3), ...fields.slice(0, part % 3)];
    const lines = Array.from({ length: 3000 }, (_, i) => {
      const [host, second] = [part % 2 === 0 ? i % 50 : 49 - (i % 50), part * 60 + Math.floor(i / 50)];
      const values = turned.map((field) => `${field}=${numberOf(host, second, field)}`);
      return `long,host=h${host} ${values} ${second}`;
    });
    return lines.join('\n');
  });
  const answers = await Promise.all(
    bodies.map((body) => write(body, {}, '/api/v2/write?org=o&bucket=b&precision=s')),
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    [204, 204, 204, 204],
  );
  const found = Object.entries(await stored('long/'));
  assert.equal(found.length, 150);
  for (const [input, points] of found) {
    const [, host, field] = /h(\d+)#(.)/.exec(input) as unknown as string[];
    const expected = Array.from({ length: 240 }, (_, i) => [i * 1e6, numberOf(Number(host), i, field)]);
    assert.equal(JSON.stringify(points), JSON.stringify(expected), input);
  }
});

test('I2 no body makes the service fail', async () => {
  const pieces = fc.constantFrom(
    'm',
    ',',
    '=',
    ' ',
    '"',
    '\\',
    '\n',
    '\r',
    '1',
    'i',
    'u',
    '-',
    '.',
    'e9',
    'true',
    '#',
    '\0',
    'é',
    '\xff',
    '9'.repeat(20),
  );
  const bodies = fc.oneof(
    fc.array(pieces, { maxLength: 40 }).map((parts) => Buffer.from(parts.join(''), 'latin1')),
    fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
  );
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      const answer = await write(new Uint8Array(body));
      await answer.arrayBuffer();
      assert.ok(answer.status === 204 || answer.status === 400, String(answer.status));
    }),
    { numRuns: 150 },
  );
});
