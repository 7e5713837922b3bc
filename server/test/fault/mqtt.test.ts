/** A service that is killed while clients publish: what the broker has acknowledged is stored. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import mqtt, { type MqttClient } from 'mqtt';
import type { CredentialsFile } from '#domain/identity/credentials-file';
import { limitDefaults } from '#model/limits';
import { openSqlite } from '#storage/sqlite/store';
import { readCredentials, type Serving, serve, temporaryDirectory, tidemark } from '../cli/process.ts';
import { silentLog as quiet } from '../support/world.ts';

/** Times that the service is killed. */
const rounds = Number(process.env.MQTT_KILL_ROUNDS ?? 2);

const publisherCount = Number(process.env.MQTT_KILL_PUBLISHERS ?? 20);
const ackedMin = 500;

/** One publisher: the values that were acknowledged, each stored at its own second. */
class Publisher {
  readonly input: string;
  readonly acked: number[] = [];
  #next = 1;
  #client: MqttClient | null = null;

  constructor(index: number) {
    this.input = `p/${index}`;
  }

  /** Publishes with a few messages under way until the connection ends. */
  async run(url: string, { credentials }: CredentialsFile): Promise<void> {
    const { clientId: username, clientSecret: password } = credentials;
    const client = mqtt.connect(url, { username, password, protocolVersion: 4, reconnectPeriod: 0 });
    this.#client = client;
    client.on('error', () => {});
    const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
    client.once('connect', () => {
      for (let i = 0; i < 5; i++) this.#publish(client);
    });
    await closed;
    client.end(true);
  }

  #publish(client: MqttClient): void {
    const value = this.#next++;
    const payload = JSON.stringify({ value, time: value });
    client.publish(`value/${this.input}`, payload, { qos: 1 }, (error) => {
      if (error != null) return;
      this.acked.push(value);
      if (client === this.#client && client.connected) this.#publish(client);
    });
  }
}

function mqttUrl({ output }: Serving): string {
  const url = /\bmqtt(?:=|":")(mqtt:[^" ]+)/.exec(output.stdout)?.[1];
  assert.ok(url !== undefined, output.stdout);
  return url;
}

async function makeIntegration(t: TestContext): Promise<{ data: string; credentials: CredentialsFile }> {
  const directory = await temporaryDirectory(t);
  const data = join(directory, 'data');
  const path = join(directory, 'c.json');
  const create = ['integration', 'create', 'plant', '--type', 'basic-auth', '--credentials', path];
  const made = await tidemark([...create, '--data', data]);
  assert.equal(made.code, 0, made.stderr);
  return { data, credentials: await readCredentials(path) };
}

test('M3 kill -9 under publishers loses nothing that was acknowledged', {
  timeout: 100_000 + rounds * 20_000,
}, async (t) => {
  const { data, credentials } = await makeIntegration(t);
  const publishers = Array.from({ length: publisherCount }, (_, i) => new Publisher(i));
  for (let round = 1; round <= rounds; round++) {
    const service = await serve(t, data, ['--mqtt-port', '0']);
    const running = publishers.map((publisher) => publisher.run(mqttUrl(service), credentials));
    const ackedCount = () => publishers.reduce((sum, { acked }) => sum + acked.length, 0);
    while (ackedCount() < round * ackedMin) await new Promise((resolve) => setTimeout(resolve, 5));
    await service.stop('SIGKILL');
    await Promise.all(running);
  }
  const store = await openSqlite({
    directory: data,
    limits: limitDefaults,
    clock: { nowUs: () => 0 },
    log: quiet,
  });
  t.after(() => store.close());
  const inputs = publishers.map(({ input }) => input);
  const signals = await store.meta.signals.byInput(credentials.integration, inputs);
  assert.equal(signals.length, publisherCount);
  for (const { input, acked } of publishers) {
    const number = signals.find((signal) => signal.input === input)?.number ?? -1;
    const window = { startUs: 0, endUs: 1e12 };
    const source = { signals: [number], window, before: false, after: false };
    const [{ timesUs, values }] = await store.series.scan({ sources: [source] });
    const stored = new Map([...timesUs].map((timeUs, at) => [timeUs / 1e6, values[at]]));
    assert.deepEqual(
      acked.filter((value) => stored.get(value) !== value),
      [],
    );
  }
});

/** A client with a persistent session: what it has received, by input. */
class Subscriber {
  readonly received = new Map<string, Set<number>>();

  /** Receives until the connection ends. */
  async run(url: string, { credentials, integration }: CredentialsFile): Promise<void> {
    const { clientId: username, clientSecret: password } = credentials;
    const options = { username, password, protocolVersion: 4, reconnectPeriod: 0 } as const;
    const client = mqtt.connect(url, { ...options, clientId: 'archive', clean: false });
    client.on('error', () => {});
    client.on('message', (topic, payload) => {
      const values = this.received.getOrInsertComputed(topic.split('/value/')[1], () => new Set());
      values.add((JSON.parse(payload.toString()) as { value: number }).value);
    });
    const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
    client.subscribe(`${integration}/value/#`, { qos: 1 });
    await closed;
    client.end(true);
  }
}

test('M3c kill -9 loses nothing that was acknowledged to its publisher and waits for a subscriber', {
  timeout: 100_000 + rounds * 20_000,
}, async (t) => {
  const { data, credentials } = await makeIntegration(t);
  const publishers = Array.from({ length: publisherCount }, (_, i) => new Publisher(i));
  const subscriber = new Subscriber();
  const ackedCount = () => publishers.reduce((sum, { acked }) => sum + acked.length, 0);
  for (let round = 1; round <= rounds; round++) {
    const service = await serve(t, data, ['--mqtt-port', '0']);
    const subscribing = subscriber.run(mqttUrl(service), credentials);
    // In the first round there is a session before anything is published; in others some wait for the client.
    while (round === 1 && subscriber.received.size === 0) {
      await publishOne(mqttUrl(service), credentials);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const running = publishers.map((publisher) => publisher.run(mqttUrl(service), credentials));
    while (ackedCount() < round * ackedMin) await new Promise((resolve) => setTimeout(resolve, 5));
    await service.stop('SIGKILL');
    await Promise.all([...running, subscribing]);
  }
  const service = await serve(t, data, ['--mqtt-port', '0']);
  const subscribing = subscriber.run(mqttUrl(service), credentials);
  const missing = () =>
    publishers.flatMap(({ input, acked }) => acked.filter((n) => !subscriber.received.get(input)?.has(n)));
  const endMs = performance.now() + 60_000;
  while (missing().length > 0 && performance.now() < endMs)
    await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(missing(), []);
  await service.stop('SIGTERM');
  await subscribing;
});

async function publishOne(url: string, { credentials }: CredentialsFile): Promise<void> {
  const { clientId: username, clientSecret: password } = credentials;
  const client = await mqtt.connectAsync(url, { username, password, protocolVersion: 4 });
  await client.publishAsync('value/begin', '{"value":1,"time":1}', { qos: 1 });
  await client.endAsync();
}
