/** mosquitto as the existing broker of a service, in both versions of MQTT: what clients publish there, and what they get. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import type { MqttClient } from 'mqtt';
import { unlimitedPlan } from '#model/plan';
import { newCertificate, writeCertificate } from '../../support/certificate.ts';
import { Mosquitto } from '../../support/mosquitto.ts';
import { testAct } from '../../support/world.ts';
import { type ClientOptions, eventually, listen, MqttRig, type Plant } from './rig.ts';

const secondUs = 1e6;

/** A service at a broker. */
class Site {
  readonly broker: Mosquitto;
  readonly rig: MqttRig;
  readonly #version: 4 | 5;

  private constructor(broker: Mosquitto, rig: MqttRig, version: 4 | 5) {
    this.broker = broker;
    this.rig = rig;
    this.#version = version;
  }

  static async start(t: TestContext, version: 4 | 5): Promise<Site | null> {
    const broker = await Mosquitto.start(t);
    if (broker === null) return null;
    const rig = await MqttRig.start({}, { mqtt: undefined, existingBroker: broker.target([version]) });
    t.after(() => rig.close());
    const site = new Site(broker, rig, version);
    await site.ready();
    return site;
  }

  /** Waits until the service has connected. */
  async ready(): Promise<void> {
    await eventually(async () => ((await this.state()) === 'ok' ? true : null));
  }

  /** What the service says about the link. */
  async state(): Promise<string> {
    const answer = await fetch(`${this.rig.service.url}/readyz?verbose`);
    assert.equal(answer.status, 200);
    const { checks } = (await answer.json()) as { checks: Record<string, string> };
    return checks.broker;
  }

  async plant(): Promise<Plant> {
    const plant = await this.rig.plant();
    await this.broker.admit(plant.integration, plant.password);
    return plant;
  }

  connect(plant: Plant, options: ClientOptions = {}): Promise<MqttClient> {
    const place = { brokerUrl: this.broker.url, protocolVersion: this.#version };
    return this.rig.connect(plant, { ...place, ...options });
  }

  /** Waits for points of an input. */
  points(plant: Plant, input: string, count: number): Promise<Map<number, number>> {
    return eventually(async () => {
      const points = await this.rig.points(plant, input);
      return points.size >= count ? points : null;
    });
  }
}

for (const version of [4, 5] as const) {
  const name = version === 5 ? '5' : '3.1.1';

  test(`M6 M2 MQTT ${name}: frames, signals, single values, compressed ones, in every QoS, are stored`, async (t) => {
    const site = await Site.start(t, version);
    if (site === null) return;
    const plant = await site.plant();
    const client = await site.connect(plant);
    const own = plant.integration;
    const frame = (second: number) => JSON.stringify({ times: [second], series: { frame: [second] } });
    for (const qos of [0, 1, 2] as const)
      await client.publishAsync(`${own}/dataframe`, frame(qos + 1), { qos });
    await client.publishAsync(`${own}/dataframe`, gzipSync(frame(4)), { qos: 1 });
    await client.publishAsync(`${own}/dataframe`, zstdCompressSync(frame(5)), { qos: 1 });
    assert.deepEqual([...(await site.points(plant, 'frame', 5)).values()], [1, 2, 3, 4, 5]);
    await client.publishAsync(`${own}/signals`, '{"a/b":{"name":"Boiler"}}', { qos: 1 });
    const signals = site.rig.service.domain.meta.signals;
    await eventually(
      async () => (await signals.byInput(own, ['a/b']))[0]?.attributes.name === 'Boiler' || null,
    );
    const beforeUs = Date.now() * 1000;
    await client.publishAsync(`${own}/value/a/b`, '[{"value":1,"time":1},{"value":2,"time":2}]', {
      qos: 1,
    });
    await client.publishAsync(`${own}/value/a/b`, '21.5', { qos: 1 });
    const points = [...(await site.points(plant, 'a/b', 3))];
    assert.deepEqual(points.slice(0, 2), [
      [secondUs, 1],
      [2 * secondUs, 2],
    ]);
    assert.equal(points[2][1], 21.5);
    assert.ok(points[2][0] >= beforeUs);
    const many = Array.from({ length: 2000 }, (_, i) =>
      client.publishAsync(`${own}/value/many`, JSON.stringify({ value: i, time: i }), { qos: 1 }),
    );
    await Promise.all(many);
    assert.equal((await site.points(plant, 'many', 2000)).size, 2000);
    const will = {
      topic: `${own}/value/online`,
      payload: Buffer.from('{"value":0,"time":9}'),
      qos: 1 as const,
    };
    (await site.connect(plant, { will: { ...will, retain: false } })).stream.destroy();
    assert.deepEqual([...(await site.points(plant, 'online', 1))], [[9 * secondUs, 0]]);
  });

  test(`M6a M3 M3a MQTT ${name}: rejected messages are described to their integration, and counted`, async (t) => {
    const site = await Site.start(t, version);
    if (site === null) return;
    const plant = await site.plant();
    const client = await site.connect(plant);
    const own = plant.integration;
    const errors = await listen(client, `${own}/errors`);
    const sent = [
      ['dataframe', '{"times":[1],"series":{"x":["a"]}}', 'data.series.x.0'],
      ['value/x', 'NaN', 'value'],
      ['signals', '{"x":{"name":5}}', 'signalsByInput.x.name'],
      ['value/x', Buffer.alloc(9 * 1024 * 1024, 32), 'bytes'],
    ] as const;
    for (const [path, payload] of sent) await client.publishAsync(`${own}/${path}`, payload, { qos: 1 });
    await client.publishAsync(`${own}/value/good`, '{"value":7,"time":7}', { qos: 1 });
    await eventually(() => (errors.length >= sent.length ? true : null));
    for (const [path, , words] of sent)
      assert.ok(
        errors.some(({ text }) => text.includes(words) && JSON.parse(text).topic === `${own}/${path}`),
        `${path}: ${words}`,
      );
    assert.deepEqual([...(await site.points(plant, 'good', 1)).values()], [7]);
    await site.rig.service.domain.identity.setDisabled(testAct, own, true);
    await client.publishAsync(`${own}/value/good`, '{"value":8,"time":8}', { qos: 1 });
    await eventually(() => errors.find(({ text }) => text.includes('disabled')));
    assert.equal((await site.rig.points(plant, 'good')).size, 1);
    await site.broker.admit('cbpmaq6rpn52969vfl00', 'unknown');
    const stranger = await site.connect({
      integration: 'cbpmaq6rpn52969vfl00',
      password: 'unknown',
      credential: '',
    });
    await stranger.publishAsync('cbpmaq6rpn52969vfl00/value/x', '1', { qos: 1 });
    const rejected = new RegExp(`^tidemark_mqtt_rejected_total ${sent.length + 2}$`, 'm');
    await eventually(async () => {
      const metrics = await (await fetch(`${site.rig.service.url}/metrics`)).text();
      return rejected.test(metrics) && /^tidemark_mqtt_connections 17$/m.test(metrics) ? true : null;
    });
  });

  test(`M6b M4b MQTT ${name}: live values are published once, the newest is retained`, async (t) => {
    const site = await Site.start(t, version);
    if (site === null) return;
    const plant = await site.plant();
    const client = await site.connect(plant);
    const publish = (second: number) =>
      client.publishAsync(
        `${plant.integration}/value/level`,
        JSON.stringify({ value: second, time: second }),
        {
          qos: 1,
        },
      );
    await publish(1);
    await site.points(plant, 'level', 1);
    const item = await site.rig.item(plant, 'level');
    const seen = await listen(client, `items/${item}`);
    const frames = await listen(await site.connect(plant), `items/${item}/frame`);
    const newest = (count: number) => eventually(() => (seen.length >= count ? seen : null));
    await newest(1);
    await publish(3);
    await newest(2);
    await publish(2);
    await newest(3);
    assert.deepEqual(
      seen.map(({ text }) => JSON.parse(text).value),
      [1, 3, 2],
    );
    await eventually(() => (frames.length >= 2 ? true : null));
    assert.deepEqual(JSON.parse(frames[frames.length - 1].text), {
      times: ['1970-01-01T00:00:02Z'],
      values: [2],
    });
    const later = await listen(await site.connect(plant), `items/${item}`);
    assert.equal(JSON.parse((await eventually(() => later[0])).text).value, 3);
    assert.equal(seen.length, 3);
  });

  test(`M6 M6c MQTT ${name}: what is published while the service is away waits for it, and the broker may be away`, async (t) => {
    const site = await Site.start(t, version);
    if (site === null) return;
    const plant = await site.plant();
    const client = await site.connect(plant);
    await site.rig.service.close();
    for (let i = 0; i < 100; i++)
      await client.publishAsync(`${plant.integration}/value/x`, JSON.stringify({ value: i, time: i }), {
        qos: 1,
      });
    await site.broker.stop();
    await site.rig.startAgain();
    assert.match(await eventually(async () => ((await site.state()) === 'ok' ? null : site.state())), /\w/);
    await site.broker.resume();
    await site.ready();
    assert.equal((await site.points(plant, 'x', 100)).size, 100);
  });
}

test('M6a L4 a message above the rate or a quota of the plan is rejected at once, and holds nothing back', async (t) => {
  const site = await Site.start(t, 5);
  if (site === null) return;
  const [slow, other] = [await site.plant(), await site.plant()];
  const { plans } = site.rig.service.domain;
  const rates = new Map([['integration.insert', { perSecond: 0.001, burst: 1 }]]);
  await plans.create(testAct, { ...unlimitedPlan('slow'), rates, signalsMax: 1 });
  await plans.assign(testAct, slow.integration, 'slow');
  const client = await site.connect(slow);
  const errors = await listen(client, `${slow.integration}/errors`);
  const frame = (second: number) => JSON.stringify({ times: [second], series: { x: [1] } });
  for (let second = 0; second < 30; second++)
    await client.publishAsync(`${slow.integration}/dataframe`, frame(second), { qos: 1 });
  await client.publishAsync(`${slow.integration}/signals`, '{"x":{"name":"x"},"y":{"name":"y"}}', { qos: 1 });
  await eventually(() => (errors.length >= 30 ? true : null));
  assert.equal(errors.filter(({ text }) => text.includes('Too many calls')).length, 29);
  assert.equal(errors.filter(({ text }) => text.includes('signals')).length, 1);
  assert.equal((await site.rig.points(slow, 'x')).size, 1);
  const free = await site.connect(other);
  await free.publishAsync(`${other.integration}/value/x`, '1', { qos: 1 });
  await site.points(other, 'x', 1);
});

test('M6c a wrong password at the broker is said, also by a broker that is asked for version 5 first', async (t) => {
  const broker = await Mosquitto.start(t);
  if (broker === null) return;
  const existingBroker = broker.target([5, 4], 'wrong');
  const rig = await MqttRig.start({}, { mqtt: undefined, existingBroker });
  t.after(() => rig.close());
  await eventually(async () => {
    const text = await (await fetch(`${rig.service.url}/readyz?verbose`)).text();
    return (
      /refuses the user tidemark: correct the user name and the password of --mqtt-url/.test(text) || null
    );
  });
});

test('M6 M6c over TLS the certificate of the broker is checked, with a CA of its own', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tidemark-broker-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const certificate = newCertificate('localhost');
  const broker = await Mosquitto.start(t, await writeCertificate(directory, certificate));
  if (broker === null) return;
  for (const [ca, words] of [
    [null, /"broker":"[^"]*certificate/],
    [certificate.cert, /"broker":"ok"/],
  ] as const) {
    const existingBroker = { ...broker.target([5]), host: 'localhost', isSecure: true, ca };
    const rig = await MqttRig.start({}, { mqtt: undefined, existingBroker });
    t.after(() => rig.close());
    await eventually(async () => {
      const text = await (await fetch(`${rig.service.url}/readyz?verbose`)).text();
      return words.test(text) || null;
    });
  }
});

test('M6 a broker that knows only 3.1.1 is spoken to so', async (t) => {
  const other = await MqttRig.start();
  t.after(() => other.close());
  // The broker that is built in does not admit the service's subscriptions, but says in 3.1.1 that it does not.
  const { integration, password } = await other.plant();
  const place = { host: '127.0.0.1', port: other.port, isSecure: false, ca: null };
  const existingBroker = { ...place, user: integration, password, versions: [5, 4] as const };
  const rig = await MqttRig.start({}, { mqtt: undefined, existingBroker });
  t.after(() => rig.close());
  await eventually(async () => {
    const text = await (await fetch(`${rig.service.url}/readyz?verbose`)).text();
    return /refuses subscriptions: let the user \w+ subscribe to \$share/.test(text) || null;
  });
});
