/** mosquitto as the existing broker of a service, in both versions of MQTT: what is different from the broker that is built in. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { unlimitedPlan } from '#model/plan';
import { newCertificate, writeCertificate } from '../../support/certificate.ts';
import { Mosquitto } from '../../support/mosquitto.ts';
import { testAct } from '../../support/world.ts';
import { eventually, listen, MqttRig } from './rig.ts';
import { existingBrokers, Site } from './site.ts';

for (const kind of existingBrokers) {
  const { name } = kind;

  test(`M6a M3a ${name}: large messages and those of unknown and disabled integrations are rejected`, async (t) => {
    const site = await Site.start(t, kind);
    if (site === null) return;
    const plant = await site.plant();
    const client = await site.connect(plant);
    const own = plant.integration;
    const errors = await listen(client, `${own}/errors`);
    await client.publishAsync(`${own}/value/x`, Buffer.alloc(9 * 1024 * 1024, 32), { qos: 1 });
    await client.publishAsync(`${own}/value/good`, '{"value":7,"time":7}', { qos: 1 });
    assert.deepEqual([...(await site.points(plant, 'good', 1)).values()], [7]);
    await eventually(() => errors.find(({ text }) => text.includes('bytes')));
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
    await eventually(async () => {
      const metrics = await (await fetch(`${site.rig.service.url}/metrics`)).text();
      const isRejected = /^tidemark_mqtt_rejected_total 3$/m.test(metrics);
      return isRejected && /^tidemark_mqtt_connections 17$/m.test(metrics) ? true : null;
    });
  });

  test(`M6 M6c ${name}: what is published while the service is away waits for it, and the broker may be away`, async (t) => {
    const site = await Site.start(t, kind);
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

test('M4d M6a people see the messages of an integration, and that its connections are those of another broker', async (t) => {
  const site = await Site.start(t, existingBrokers[1]);
  if (site === null) return;
  const [plant, other] = [await site.plant(), await site.plant()];
  const client = await site.connect(plant);
  for (const text of ['1', 'no number'])
    await client.publishAsync(`${plant.integration}/value/x`, text, { qos: 1 });
  await site.points(plant, 'x', 1);
  const { traffic } = site.rig.service.domain;
  const none = { connections: null, received: 0, rejected: 0, delivered: 0 };
  await eventually(async () => ((await traffic.of(plant.integration))?.received === 2 ? true : null));
  assert.deepEqual(await traffic.of(plant.integration), { ...none, received: 2, rejected: 1 });
  assert.deepEqual(await traffic.of(other.integration), none);
});

test('M6a L4 a message above the rate or a quota of the plan is rejected at once, and holds nothing back', async (t) => {
  const site = await Site.start(t, existingBrokers[1]);
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
