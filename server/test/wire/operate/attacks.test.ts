/** The attacks of the overload benchmark in small: other clients are answered meanwhile, and everything is given back afterwards. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Service, startService } from '#main';
import { Columns } from '#model/frame';
import { limitDefaults } from '#model/limits';
import { systemClock, systemRandom, systemStopwatch } from '#system-environment';
import type { AttackTarget } from '../../../bench/attacks/attack.ts';
import { attacks } from '../../../bench/attacks/attacks.ts';
import { openAttack } from '../../../bench/attacks/carry-out.ts';
import { Browser } from '../../support/browser.ts';
import { basicAuthorization, readJson } from '../../support/http.ts';
import { goodPassword } from '../../support/people.ts';
import { silentLog as quiet, testAct } from '../../support/world.ts';

const signalCount = 40;
const rowCount = 1000;

/** Connections of one attack; the benchmark has up to 9,000. */
const connectionsMax = 6;

let directory: string;
let service: Service;
let target: AttackTarget;
/** Of the client that behaves. */
let authorization: string;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-attacks-'));
  const options = {
    directory,
    host: '127.0.0.1',
    port: 0,
    baseUrl: null,
    namespaces: ['service'],
    version: '0',
    threads: Number(process.env.TEST_THREADS ?? 1),
    mqtt: { plain: 0, secure: null },
  };
  const environment = { clock: systemClock, stopwatch: systemStopwatch, random: systemRandom, log: quiet };
  service = await startService({ ...options, limits: limitDefaults }, environment);
  authorization = (await newIntegration()).authorization;
  const attacker = await newIntegration();
  const items = await fill(attacker.id);
  const { hostname: host, port } = new URL(service.url);
  target = {
    ...{ host, port: Number(port), mqttPort: service.mqtt.plain as number },
    ...{ localAddress: '127.0.0.2', items, bodyBytes: 2 ** 20, session: await administrator() },
    authorization: attacker.authorization,
  };
});
after(async () => {
  await service.close();
  await rm(directory, { recursive: true, force: true });
});

async function newIntegration() {
  const { identity } = service.domain;
  const { id } = await identity.createIntegration(testAct, 'Plant', ['admin', 'service']);
  const { secret } = await identity.createCredential(testAct, id, 'basic-auth', '');
  return { id, authorization: basicAuthorization(id, secret) };
}

/** Makes an administrator; the headers of a session. */
async function administrator(): Promise<string> {
  const browser = new Browser(service.url);
  const code = service.domain.signIns.setupCode();
  await browser.setUp({ name: 'Ada', password: goodPassword, code });
  return `Cookie: ${browser.cookie}\r\nX-CSRF-Token: ${browser.csrfToken}\r\n`;
}

/** Signals with long texts and some points, published; the IDs of the items. */
async function fill(integration: string): Promise<string[]> {
  const { signals, ingest, quota } = service.domain;
  const inputs = Array.from({ length: signalCount }, (_, i) => `signal-${i}`);
  const times = Float64Array.from(
    { length: rowCount },
    (_, row) => (Date.UTC(2024, 0, 1) + row * 60_000) * 1000,
  );
  const values = Float64Array.from({ length: signalCount * rowCount }, (_, i) => i % 97);
  const frame = new Columns(times, inputs, values, values.length);
  await ingest.insert(integration, frame, quota.accountOf(integration));
  const text = 'long '.repeat(190);
  const annotations = new Map([['text', text]]);
  const changes = new Map(inputs.map((input) => [input, { description: text, annotations }] as const));
  const saved = await signals.save(integration, changes, { createOnly: false });
  const publish = new Map(
    [...saved.values()].map(({ id }) => [id, { description: text, visible: true }] as const),
  );
  const items = await signals.publish(testAct, integration, publish, { createOnly: false });
  return [...items.values()].map(({ id }) => id);
}

async function call(method: string, params: object): Promise<unknown> {
  const headers = { authorization, 'x-api-version': '1.2', 'content-type': 'application/json' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(`${service.url}/v1/rpc`, { method: 'POST', headers, body });
  const answer = await readJson(response);
  assert.deepEqual([response.status, answer.error], [200, undefined]);
  return answer.result;
}

/** What requests hold now; the one that asks is not counted. */
async function held(): Promise<Record<string, number>> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  const of = (name: string) => Number(new RegExp(`^tidemark_${name} (\\d+)$`, 'm').exec(text)?.[1]);
  const requests = of('http_running') - 1;
  return {
    requests,
    bodies: of('http_body_bytes'),
    reads: of('rpc_read_bytes'),
    answers: of('http_answer_bytes'),
  };
}

const nothing = { requests: 0, bodies: 0, reads: 0, answers: 0 };

for (const [name, parts] of Object.entries(attacks))
  test(`E3b ${name}: another client is answered, and what the attack held is given back`, async () => {
    const sockets = parts.flatMap((attack) => {
      const bytes = attack.request(target);
      const count = Math.min(attack.connections, connectionsMax);
      return Array.from({ length: count }, (_, index) => openAttack(attack, target, bytes, index));
    });
    for (let round = 0; round < 2; round++) {
      assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
      await call('service.selectItems', { query: { limit: 1 } });
      const data = { times: ['2026-01-01T00:00:00Z'], series: { calm: [round] } };
      await call('integration.insert', { integration: integrationOf(authorization), data });
    }
    for (const socket of sockets) socket.destroy();
    // Some connections may be accepted, or their end noticed, only after a look.
    let last = await held();
    for (let i = 0; i < 1000 && !isDeepStrictEqual(last, nothing); i++) {
      await wait(20);
      last = await held();
    }
    assert.deepEqual(last, nothing);
  });

function integrationOf(header: string): string {
  return Buffer.from(header.slice('Basic '.length), 'base64').toString().split(':', 1)[0];
}
