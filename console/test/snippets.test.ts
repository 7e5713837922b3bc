/** The snippets that pages show, run unchanged with the programs that they are for, against a real service. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client, type CredentialsFile, systemEnvironment } from '@tidemark/client';
import mqttLibrary from 'mqtt';
import { findTool } from '../../server/test/support/machine-tools.ts';
import type { Snippet } from '../src/pages/integrations/snippet.ts';
import { snippetsFor } from '../src/pages/integrations/snippets.ts';
import { ada } from './support/people.ts';
import { type RunningService, startService } from './support/service.ts';

const run = promisify(execFile);
const types = ['client-credentials', 'basic-auth'] as const;

let service: RunningService;
let session: Client;
let cookie: string;
before(async () => {
  service = await startService(['--mqtt-port', '0']);
  const response = await fetch(`${service.url}/console/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: service.setupCode, ...ada }),
  });
  assert.equal(response.status, 200);
  [cookie = ''] = response.headers.get('set-cookie')?.split(';') ?? [];
  const { csrfToken } = (await response.json()) as { csrfToken: string };
  session = new Client({
    apiUrl: `${service.url}/v1/`,
    credentials: { type: 'session', csrfToken: () => csrfToken },
    version: '1.2',
    environment: { ...systemEnvironment, fetch: fetchWithCookie },
  });
});
after(() => service?.stop());

const fetchWithCookie: typeof fetch = (url, init) => {
  const headers = new Headers(init?.headers);
  headers.set('cookie', cookie);
  return fetch(url, { ...init, headers });
};

/** An integration of its own, with a credential. */
async function newFile(type: (typeof types)[number]): Promise<CredentialsFile> {
  const { id } = (await session.callAny('console.integrations.create', { name: type })) as { id: string };
  const made = await session.callAny('console.credentials.create', { integration: id, type });
  return (made as { file: CredentialsFile }).file;
}

function snippet(file: CredentialsFile, id: string): Snippet {
  const found = snippetsFor(file).find((one) => one.id === id);
  assert.ok(found, `there is no snippet ${id}`);
  return found;
}

/** The newest value of each signal, by input key. */
async function latest({ integration }: CredentialsFile): Promise<Record<string, number>> {
  const { data } = (await session.callAny('admin.selectSignals', { integration })) as {
    data: { id: string; attributes: { input: string } }[];
  };
  const { byId } = (await session.callAny('console.signals.status', { ids: data.map(({ id }) => id) })) as {
    byId: Record<string, { lastValue: number } | null>;
  };
  return Object.fromEntries(
    data.map(({ id, attributes }) => [attributes.input, byId[id]?.lastValue ?? Number.NaN]),
  );
}

for (const type of types) {
  test(`curl, with ${type}`, async (t) => {
    if (findTool(t, 'curl') === null) return;
    const file = await newFile(type);
    const { stdout } = await run('sh', ['-c', snippet(file, 'curl').code]);
    assert.ok('demo/temperature' in JSON.parse(stdout).result.signalsByInput, stdout);
    assert.deepEqual(await latest(file), { 'demo/temperature': 21.5 });
  });

  test(`Python, with ${type}`, async (t) => {
    if (findTool(t, 'python3') === null) return;
    const file = await newFile(type);
    await run('python3', ['-c', snippet(file, 'python').code]);
    assert.deepEqual(await latest(file), { 'demo/temperature': 21.5 });
  });
}

/** The code for the broker's usual port, with the port that it has here. */
function mqttCode(file: CredentialsFile, id: string): string {
  return snippet(file, id).code.replace('1883', String(service.mqttPort));
}

test('MQTT with mosquitto_pub', async (t) => {
  if (findTool(t, 'mosquitto_pub') === null) return;
  const file = await newFile('basic-auth');
  await run('sh', ['-c', mqttCode(file, 'mqtt')]);
  assert.deepEqual(await latest(file), { 'demo/temperature': 21.5 });
});

test('MQTT with paho', async (t) => {
  // Debian's: another one that comes first in the PATH does not have its packages.
  const python = '/usr/bin/python3';
  const has = await run(python, ['-c', 'import paho.mqtt.client']).catch((error: unknown) => error);
  if (has instanceof Error) {
    assert.notEqual(process.env.MACHINE_TOOLS, 'required', has.message);
    return t.skip('python3-paho-mqtt is not installed on this machine');
  }
  const file = await newFile('basic-auth');
  await run(python, ['-c', mqttCode(file, 'mqtt-python')]);
  assert.deepEqual(await latest(file), { 'demo/temperature': 21.5 });
});

test('MQTT with the package mqtt of Node', async (t) => {
  const file = await newFile('basic-auth');
  // Where its import is found.
  const shots = join(import.meta.dirname, 'shots');
  await mkdir(shots, { recursive: true });
  const folder = await mkdtemp(join(shots, 'mqtt-'));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'publish.mjs'), mqttCode(file, 'mqtt-node'));
  await run(process.execPath, [join(folder, 'publish.mjs')]);
  assert.deepEqual(await latest(file), { 'demo/temperature': 21.5 });
});

/** Publishes as a program does that cannot be run here; resolves when the value is stored. */
async function publishAs(login: { user: string; password: string }, topic: string, payload: string) {
  const client = await mqttLibrary.connectAsync(`mqtt://127.0.0.1:${service.mqttPort}`, {
    username: login.user,
    password: login.password,
  });
  await client.publishAsync(topic, payload, { qos: 1 });
  await client.endAsync();
}

test('Arduino: what the program connects with and publishes is accepted', async () => {
  const file = await newFile('basic-auth');
  const { code } = snippet(file, 'arduino');
  assert.match(code, /PubSubClient mqtt\("127\.0\.0\.1", 1883, network\);/);
  const [, user = '', password = ''] = /connect\("board-1", "(.+)", "(.+)"\)/.exec(code) ?? [];
  const [, topic = '', value = ''] = /publish\("(.+)", String\(([\d.]+)\)/.exec(code) ?? [];
  // String(21.5) of Arduino has two digits.
  await publishAs({ user, password }, topic, Number(value).toFixed(2));
  assert.deepEqual(await latest(file), { 'demo/temperature': 21.5 });
});

test('Telegraf: a field, in the topic and with the payload of its layout, is accepted', async () => {
  const file = await newFile('basic-auth');
  const { code } = snippet(file, 'telegraf-mqtt');
  const setting = (name: string) => new RegExp(`^  ${name} = ["'](.*)["']$`, 'm').exec(code)?.[1] ?? '';
  const topic = setting('topic').replace('{{ .PluginName }}', 'cpu').replace('{{ .Tag "host" }}', 'pi');
  assert.equal(setting('layout'), 'field');
  const login = { user: setting('username'), password: setting('password') };
  await publishAs(login, `${topic}/usage_idle`, '97.52066115703');
  assert.deepEqual(await latest(file), { 'cpu/pi/usage_idle': 97.52066115703 });
});

test('Telegraf’s output always reads the credentials file: its Basic login would go elsewhere', async () => {
  for (const type of types) {
    const { code } = snippet(await newFile(type), 'telegraf');
    const keys = [...code.matchAll(/^ {2}(\w+) = /gm)].map(([, key]) => key);
    assert.deepEqual(keys, ['credentials_file', 'timeout', 'id_tags', 'percpu', 'totalcpu']);
  }
});

test('Node-RED: the flow is one, and its function makes a call that is accepted', async () => {
  const file = await newFile('basic-auth');
  const flow = JSON.parse(snippet(file, 'node-red').code) as {
    id: string;
    func?: string;
    wires: string[][];
    url?: string;
  }[];
  const ids = new Set(flow.map(({ id }) => id));
  assert.ok(flow.every(({ wires }) => wires.flat().every((id) => ids.has(id))));
  const { func } = flow.find(({ func }) => func !== undefined)!;
  const { url } = flow.find(({ url }) => url !== undefined)!;
  const script = `const work = (msg) => { ${func} }; console.log(JSON.stringify(work({ payload: 19.5 })))`;
  const { stdout } = await run(process.execPath, ['-e', script]);
  const { headers, payload } = JSON.parse(stdout) as { headers: Record<string, string>; payload: object };
  const response = await fetch(url!, { method: 'POST', headers, body: JSON.stringify(payload) });
  assert.equal(response.status, 200);
  assert.deepEqual(await latest(file), { 'demo/temperature': 19.5 });
});

test('mosquitto carries the topics of a broker over, each a signal', async (t) => {
  const mosquitto = findTool(t, 'mosquitto');
  if (mosquitto === null || findTool(t, 'mosquitto_pub') === null || findTool(t, 'curl') === null) return;
  const port = await startBroker(t, mosquitto);
  const file = await newFile('client-credentials');
  const code = snippet(file, 'mosquitto').code.replace('YOUR_BROKER', `127.0.0.1 -p ${port}`);
  const bridge = spawn('sh', ['-c', code], { detached: true, stdio: 'ignore' });
  t.after(() => bridge.pid !== undefined && process.kill(-bridge.pid));
  const publish = (topic: string, value: string) =>
    run('mosquitto_pub', ['-h', '127.0.0.1', '-p', String(port), '-t', topic, '-m', value]);
  for (let attempt = 0; attempt < 100; attempt++) {
    await publish('plant/pump/pressure', '4.25').catch(() => undefined);
    await publish('plant/pump/flow', '12').catch(() => undefined);
    const found = await latest(file);
    if (found['plant/pump/pressure'] === 4.25 && found['plant/pump/flow'] === 12) return;
    await wait(100);
  }
  assert.fail('no point came through');
});

/** A broker on a port of its own, until the test ends. */
async function startBroker(t: TestContext, mosquitto: string): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-broker-'));
  const config = join(folder, 'mosquitto.conf');
  await writeFile(config, `listener ${port} 127.0.0.1\nallow_anonymous true\n`);
  const broker = spawn(mosquitto, ['-c', config], { stdio: 'ignore' });
  t.after(async () => {
    broker.kill();
    await rm(folder, { recursive: true });
  });
  return port;
}

test('I2 Telegraf and Home Assistant, with their settings, write as to InfluxDB', async () => {
  const file = await newFile('basic-auth');
  const setting = (code: string, name: string) =>
    new RegExp(`${name} ?[=:] \\[?"?([^"\\]\\n]+)`).exec(code)?.[1] ?? '';
  const telegraf = snippet(file, 'telegraf-influx').code;
  const home = snippet(file, 'home-assistant').code;
  const writes = [
    [setting(telegraf, 'urls'), setting(telegraf, 'token'), 'cpu,host=a usage_idle=97.5'],
    [
      `http://${setting(home, 'host')}:${setting(home, 'port')}`,
      setting(home, 'token'),
      '°C,entity_id=k value=21.5,icon_str="x"',
    ],
  ] as const;
  assert.equal(setting(home, 'ssl'), 'false');
  for (const [url, token, body] of writes) {
    const answer = await fetch(`${url}/api/v2/write?org=any&bucket=any`, {
      method: 'POST',
      headers: { Authorization: `Token ${token}`, 'Content-Type': 'text/plain; charset=utf-8' },
      body,
    });
    assert.equal(answer.status, 204, await answer.text());
  }
  assert.deepEqual(await latest(file), { 'cpu/host:a#usage_idle': 97.5, '+C2+B0C/entity_id:k#value': 21.5 });
});

test('I3 the settings of Prometheus are valid', async (t) => {
  const promtool = findTool(t, 'promtool');
  if (promtool === null) return;
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-prometheus-'));
  t.after(() => rm(directory, { recursive: true }));
  const path = join(directory, 'prometheus.yml');
  const file = await newFile('basic-auth');
  await writeFile(path, snippet(file, 'prometheus').code);
  const { stdout, stderr } = await run(promtool, ['check', 'config', path]);
  assert.match(stdout + stderr, /SUCCESS/);
  const url = /url: (\S+)/.exec(snippet(file, 'prometheus').code)?.[1] ?? '';
  const authorization = `Basic ${Buffer.from(`${file.integration}:${file.credentials.clientSecret}`).toString('base64')}`;
  const headers = { authorization, 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' };
  const empty = await fetch(url, { method: 'POST', headers, body: new Uint8Array([0]) });
  assert.equal(empty.status, 204);
});
