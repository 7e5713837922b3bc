/** Persistent sessions of the broker: what waits for a client that is away, over restarts, within limits. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { MqttClient } from 'mqtt';
import { eventually, listen, MqttRig, type Plant, type Received } from './rig.ts';

let rig: MqttRig;
let plant: Plant;

before(async () => {
  rig = await MqttRig.start({ mqttSessionsMax: 12, mqttQueueMessagesMax: 300 });
  plant = await rig.plant();
});
after(() => rig.close());

/** A client that has a session which stays, and what it receives. */
async function staying(
  clientId: string,
  who = plant,
): Promise<{ client: MqttClient; received: Received[]; isPresent: boolean }> {
  const client = rig.client(who, { clientId, clean: false });
  const received: Received[] = [];
  client.on('message', (topic, payload) => received.push({ topic, text: payload.toString() }));
  const isPresent = await new Promise<boolean>((resolve, reject) => {
    client.once('connect', ({ sessionPresent }) => resolve(sessionPresent));
    client.once('error', reject);
  });
  return { client, received, isPresent };
}

function valueText(value: number): string {
  return JSON.stringify({ value, time: value });
}

test('M3c what is published while a client is away waits for it, in order, also over a restart', async () => {
  const first = await staying('away');
  assert.equal(first.isPresent, false);
  await first.client.subscribeAsync(`${plant.integration}/value/#`, { qos: 1 });
  await first.client.endAsync();
  const publisher = await rig.connect(plant);
  for (let i = 1; i <= 30; i++) await publisher.publishAsync('value/a', valueText(i), { qos: 1 });
  await rig.restart();
  const again = await rig.connect(plant);
  for (let i = 31; i <= 40; i++) await again.publishAsync('value/a', valueText(i), { qos: 1 });
  const { received, isPresent, client } = await staying('away');
  assert.equal(isPresent, true);
  await eventually(() => (received.length >= 40 ? true : null));
  await again.publishAsync('value/a', valueText(41), { qos: 1 });
  await eventually(() => (received.length >= 41 ? true : null));
  assert.deepEqual(
    received.map(({ topic, text }) => [topic, JSON.parse(text).value]),
    Array.from({ length: 41 }, (_, i) => [`${plant.integration}/value/a`, i + 1]),
  );
  await client.endAsync();
  const third = await staying('away');
  assert.equal(third.isPresent, true);
  await again.publishAsync('value/a', valueText(42), { qos: 1 });
  await eventually(() => (third.received.length > 0 ? true : null));
  assert.deepEqual(
    third.received.map(({ text }) => JSON.parse(text).value),
    [42],
    'what was acknowledged is not sent again',
  );
  await third.client.endAsync();
});

test('M3c a payload of any bytes comes back as it was sent', async () => {
  const { client } = await staying('bytes');
  await client.subscribeAsync(`${plant.integration}/errors`, { qos: 1 });
  await client.subscribeAsync(`${plant.integration}/dataframe`, { qos: 1 });
  await client.endAsync();
  const { gzipSync } = await import('node:zlib');
  const packed = gzipSync('{"times":[1],"series":{"bytes":[1]}}');
  const publisher = await rig.connect(plant);
  await publisher.publishAsync('dataframe', packed, { qos: 1 });
  await publisher.publishAsync('value/bytes', 'no number', { qos: 1 });
  const again = rig.client(plant, { clientId: 'bytes', clean: false });
  const payloads: Buffer[] = [];
  again.on('message', (_topic, payload) => payloads.push(payload));
  await eventually(() => (payloads.length >= 2 ? true : null));
  assert.deepEqual(payloads[0], packed);
  assert.match(payloads[1].toString(), /"topic":"value\/bytes"/);
});

test('M3c messages of QoS 0, and to subscriptions of QoS 0, do not wait; they reach a client that is there', async () => {
  const there = await staying('zero');
  await there.client.subscribeAsync(`${plant.integration}/value/zero`, { qos: 0 });
  await there.client.subscribeAsync(`${plant.integration}/value/one`, { qos: 1 });
  const publisher = await rig.connect(plant);
  await publisher.publishAsync('value/zero', '1', { qos: 1 });
  await publisher.publishAsync('value/one', '1', { qos: 0 });
  await publisher.publishAsync('value/one', '2', { qos: 1 });
  await eventually(() => (there.received.length >= 3 ? true : null));
  await there.client.endAsync();
  await publisher.publishAsync('value/zero', '2', { qos: 1 });
  await publisher.publishAsync('value/one', '3', { qos: 0 });
  await publisher.publishAsync('value/one', '4', { qos: 1 });
  const again = await staying('zero');
  await eventually(() => (again.received.length > 0 ? true : null));
  assert.deepEqual(
    again.received.map(({ text }) => text),
    ['4'],
  );
});

test('M3c a clean connection of the same client ends the session, and so does its last unsubscription', async () => {
  const { client } = await staying('ending');
  await client.subscribeAsync(`${plant.integration}/value/#`, { qos: 1 });
  await client.endAsync();
  await (await rig.connect(plant, { clientId: 'ending' })).endAsync();
  const second = await staying('ending');
  assert.equal(second.isPresent, false);
  await second.client.subscribeAsync(`${plant.integration}/value/#`, { qos: 1 });
  await second.client.unsubscribeAsync(`${plant.integration}/value/#`);
  await second.client.endAsync();
  assert.equal((await staying('ending')).isPresent, false);
});

test('M3c a session is taken over by a later connection; two integrations have different ones', async () => {
  const other = await rig.plant(['admin']);
  const { client } = await staying('taken');
  await client.subscribeAsync(`${plant.integration}/value/#`, { qos: 1 });
  const foreign = await staying('taken', other);
  assert.equal(foreign.isPresent, false);
  const later = await staying('taken');
  assert.equal(later.isPresent, true);
  await (await rig.connect(plant)).publishAsync('value/taken', '1', { qos: 1 });
  await eventually(() => (later.received.length === 1 ? true : null));
  assert.ok(foreign.client.connected);
  assert.equal(foreign.received.length, 0);
});

test('M3d a session that is full says so on the topic of errors, and takes messages again when it has room', async () => {
  const plant = await rig.plant();
  const { client } = await staying('full', plant);
  await client.subscribeAsync(`${plant.integration}/value/full`, { qos: 1 });
  await client.endAsync();
  const publisher = await rig.connect(plant);
  const errors = await listen(publisher, `${plant.integration}/errors`);
  const sending = Array.from({ length: 320 }, (_, i) =>
    publisher.publishAsync('value/full', valueText(i + 1), { qos: 1 }),
  );
  await Promise.all(sending);
  await eventually(() => errors.find(({ text }) => /session of the client full has no room/.test(text)));
  const again = await staying('full', plant);
  await eventually(() => (again.received.length >= 300 ? true : null));
  await publisher.publishAsync('value/full', valueText(999), { qos: 1 });
  await eventually(() => again.received.find(({ text }) => text === valueText(999)));
  assert.equal(again.received.length, 301);
  assert.equal(errors.filter(({ text }) => /no room/.test(text)).length, 1, 'said once');
  const metrics = await (await fetch(`${rig.service.url}/metrics`)).text();
  assert.match(metrics, /^tidemark_mqtt_dropped_total 20$/m);
});

test('M3d there are so many sessions of an integration and no more', async () => {
  const fleet = await rig.plant();
  const grants: number[] = [];
  for (let i = 0; i < 13; i++) {
    const { client } = await staying(`fleet-${i}`, fleet);
    const answer = await client
      .subscribeAsync(`${fleet.integration}/errors`, { qos: 1 })
      .catch(() => [{ qos: 128 }]);
    grants.push(answer[0].qos);
    await client.endAsync();
  }
  assert.deepEqual(grants, [...Array.from({ length: 12 }, () => 1), 128]);
});

test('M4c live values that were missed are read from the store, also over a restart; then they go on', async () => {
  const item = await rig.item(plant, 'live');
  const { client, received } = await staying('live');
  await client.subscribeAsync(`items/${item}`, { qos: 1 });
  const publisher = await rig.connect(plant);
  await publisher.publishAsync('value/live', valueText(1), { qos: 1 });
  await eventually(() => (received.length === 1 ? true : null));
  await client.endAsync();
  await publisher.publishAsync('value/live', valueText(2), { qos: 1 });
  await rig.restart();
  const later = await rig.connect(plant);
  await later.publishAsync('value/live', valueText(3), { qos: 1 });
  const again = await staying('live');
  assert.equal(again.isPresent, true);
  await eventually(() => (again.received.length >= 2 ? true : null));
  await later.publishAsync('value/live', valueText(4), { qos: 1 });
  await eventually(() => (again.received.length >= 3 ? true : null));
  assert.deepEqual(
    again.received.map(({ text }) => (JSON.parse(text) as { value: number }).value),
    [2, 3, 4],
  );
  const retained: boolean[] = [];
  again.client.on('message', (_topic, _payload, { retain }) => retained.push(retain));
  await again.client.subscribeAsync(`items/${item}/frame`, { qos: 1 });
  await eventually(() => (retained.length > 0 ? true : null));
  assert.equal(retained[0], true, 'a new subscription gets the newest value');
});

test('A1 M3c deleting an integration deletes its sessions', async () => {
  const gone = await rig.plant();
  const { client } = await staying('gone', gone);
  await client.subscribeAsync(`${gone.integration}/errors`, { qos: 1 });
  await rig.service.domain.meta.write((tx) => tx.integrations.deleteWithSignals(gone.integration));
  const left = await rig.service.domain.meta.brokerSessions.all();
  assert.equal(left.filter(({ integration }) => integration === gone.integration).length, 0);
});
