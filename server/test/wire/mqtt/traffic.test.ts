/** What people see of the broker for one integration: connections, and messages of the last minute. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { testAct } from '../../support/world.ts';
import { eventually, listen, MqttRig, type Plant } from './rig.ts';

let rig: MqttRig;
let plant: Plant;
let other: Plant;

before(async () => {
  rig = await MqttRig.start({}, { threads: 2 });
  plant = await rig.plant();
  other = await rig.plant();
});
after(() => rig.close());

const traffic = ({ integration }: Plant) => rig.service.domain.traffic.of(integration);

test('M4d connections and messages are counted for their integration: received, rejected and delivered', async () => {
  const none = { connections: 0, received: 0, rejected: 0, delivered: 0 };
  assert.deepEqual(await traffic(plant), none);
  const publisher = await rig.connect(plant);
  const subscriber = await rig.connect(plant, { brokerUrl: rig.webSocketUrl });
  const received = await listen(subscriber, `${plant.integration}/value/#`);
  await publisher.publishAsync('value/a', '1', { qos: 1 });
  await publisher.publishAsync('value/a', 'no number', { qos: 1 });
  await publisher.publishAsync('value/b', '2', { qos: 0 });
  await eventually(() => (received.length === 2 ? true : null));
  assert.deepEqual(await traffic(plant), { connections: 2, received: 3, rejected: 1, delivered: 2 });
  assert.deepEqual(await traffic(other), none);
  await publisher.endAsync();
  await subscriber.endAsync();
  await eventually(async () => ((await traffic(plant))?.connections === 0 ? true : null));
});

test('M4d live values, the newest one and what has waited for a persistent session are delivered', async () => {
  const client = await rig.connect(other);
  await client.publishAsync('value/live', '{"value":1,"time":1}', { qos: 1 });
  const item = await rig.item(other, 'live');
  const live = await listen(client, `items/${item}`);
  await eventually(() => (live.length === 1 ? true : null));
  assert.equal((await traffic(other))?.delivered, 1);
  const session = { clientId: 'archive', clean: false };
  const away = await rig.connect(other, session);
  await listen(away, `${other.integration}/value/#`);
  await away.endAsync();
  await client.publishAsync('value/live', '{"value":2,"time":2}', { qos: 1 });
  await eventually(() => (live.length === 2 ? true : null));
  const back = rig.client(other, session);
  await new Promise((resolve) => back.once('message', resolve));
  assert.deepEqual(await traffic(other), { connections: 2, received: 2, rejected: 0, delivered: 3 });
});

test('A4 a client whose ID begins with connection-test shows that a credential works, not that a program has connected', async () => {
  const { meta, identity } = rig.service.domain;
  const tested = await rig.plant();
  await (await rig.connect(tested, { clientId: 'connection-test-1' })).endAsync();
  await eventually(async () => {
    const [credential] = await identity.listCredentials(tested.integration);
    return credential.lastUsedFrom?.userAgent === 'MQTT connection-test-1' ? true : null;
  });
  assert.equal((await meta.integrations.lastSeen()).has(tested.integration), false);
  await (await rig.connect(tested, { clientId: 'board' })).endAsync();
  await eventually(async () => ((await meta.integrations.lastSeen()).has(tested.integration) ? true : null));
});

test('M4d the counts of a deleted integration are forgotten', async () => {
  const { domain } = rig.service;
  const gone = await rig.plant();
  const client = await rig.connect(gone);
  await client.publishAsync('value/a', '1', { qos: 1 });
  assert.equal((await traffic(gone))?.received, 1);
  await domain.removal.remove(testAct, gone.integration);
  assert.equal((await traffic(gone))?.received, 0);
});
