/**
 * Two nodes at one mosquitto, over one PostgreSQL and one ClickHouse, of which one after the other is killed while devices publish:
 * what mosquitto has acknowledged is stored, each value once.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import mqtt, { type MqttClient } from 'mqtt';
import { type Serving, serve, until } from '../cli/process.ts';
import { ClusterNodes, missingForNodes, nodeShape } from '../support/cluster-nodes.ts';
import { Mosquitto } from '../support/mosquitto.ts';

/** How often a node is killed, for each version of MQTT. */
const rounds = Number(process.env.MQTT_NODE_ROUNDS ?? 1);

const publisherCount = 4;
const underWay = 10;

/** Messages of a publisher between two kills. */
const roundMessages = 100;

const always = { startUs: -(2 ** 53), endUs: 2 ** 53 };

/** A device, which gives each value a second of its own. */
class Publisher {
  readonly input: string;
  readonly #client: MqttClient;
  readonly #topic: string;
  #next = 1;
  #isEnding = false;
  acknowledged = 0;

  constructor(client: MqttClient, integration: string, index: number) {
    this.#client = client;
    this.input = `p/${index}`;
    this.#topic = `${integration}/value/${this.input}`;
    for (let i = 0; i < underWay; i++) this.#publish();
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#client.endAsync();
  }

  #publish(): void {
    const value = this.#next++;
    this.#client.publish(this.#topic, JSON.stringify({ value, time: value }), { qos: 1 }, (error) => {
      if (error != null) return;
      this.acknowledged++;
      if (!this.#isEnding) setTimeout(() => this.#publish(), 20);
    });
  }
}

const missing = missingForNodes();

describe(`nodes at one mosquitto, ${nodeShape.name}`, missing === null ? {} : { skip: missing }, () => {
  let cluster: ClusterNodes;

  before(async () => {
    // A node that is no client of the broker, and gets no part of its sessions.
    cluster = await ClusterNodes.start(1);
  });
  after(() => cluster.close());

  async function points(integration: string, input: string): Promise<Map<number, number>> {
    const { signals, series } = cluster.nodes[0].domain;
    const [{ number }] = await signals.numbers(integration, [input]);
    const [{ timesUs, values }] = await series.scan({
      sources: [{ signals: [number], window: always, before: false, after: false }],
    });
    return new Map([...timesUs].map((timeUs, at) => [timeUs / 1e6, values[at]]));
  }

  async function metric({ url }: Serving, name: string): Promise<number> {
    const text = await (await fetch(`${url}/metrics`)).text();
    return Number(new RegExp(`^tidemark_mqtt_${name} (\\d+)$`, 'm').exec(text)?.[1]);
  }

  for (const [name, protocolVersion] of [
    ['5', 5],
    ['3.1.1', 4],
  ] as const)
    it(`M6 MQTT ${name}: nodes share the messages, and a node that is killed loses none`, async (t) => {
      const broker = await Mosquitto.start(t);
      if (broker === null) return;
      const { integration, secret } = await cluster.newClient();
      await broker.admit(integration, secret);
      const env = {
        ...cluster.environment,
        ...{ TIDEMARK_MQTT_URL: broker.ownUrl, TIDEMARK_MQTT_VERSION: name, TIDEMARK_THREADS: '1' },
      };
      const start = () => serve(t, '/nowhere', [], { env });
      const nodes = await Promise.all([start(), start()]);
      const connect = () =>
        mqtt.connectAsync(broker.url, { username: integration, password: secret, protocolVersion });
      const clients = await Promise.all(Array.from({ length: publisherCount }, connect));
      const publishers = clients.map((client, i) => new Publisher(client, integration, i));
      const acknowledged = () => Math.min(...publishers.map((publisher) => publisher.acknowledged));
      const goesOn = (goal: number) => until(() => acknowledged() >= goal, 60_000);
      const bothWork = async () =>
        (await Promise.all(nodes.map((node) => metric(node, 'messages_total')))).every((count) => count > 0);
      assert.ok(await until(bothWork, 60_000), 'both nodes get messages');
      for (let round = 0; round < rounds; round++) {
        assert.ok(await goesOn(acknowledged() + roundMessages));
        await nodes[round % 2].stop('SIGKILL');
        await wait(200);
        nodes[round % 2] = await start();
      }
      const [gone, left] = nodes;
      await gone.stop('SIGKILL');
      const hasAll = async () => (await metric(left, 'sessions')) === 16;
      assert.ok(await until(hasAll, 30_000), 'what the other one had is taken over');
      assert.ok(await goesOn(acknowledged() + roundMessages));
      await Promise.all(publishers.map((publisher) => publisher.end()));
      for (const { input, acknowledged: count } of publishers) {
        const all = async () => (await points(integration, input)).size >= count;
        await until(all, 60_000);
        const found = await points(integration, input);
        const lost = Array.from({ length: count }, (_, i) => i + 1).filter((i) => found.get(i) !== i);
        assert.deepEqual(lost, [], `${input}: of ${count}`);
      }
      console.log(`# ${publishers.reduce((sum, { acknowledged: count }) => sum + count, 0)} messages`);
      assert.equal(await left.stop(), 0);
    });
});
