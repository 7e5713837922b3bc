/** Live values of items on the topics of the broker, in a service of two threads. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually, listen, MqttRig, type Plant } from './rig.ts';

let rig: MqttRig;
let plant: Plant;

before(async () => {
  rig = await MqttRig.start({}, { threads: 2 });
  plant = await rig.plant();
});
after(() => rig.close());

/** A value as a message has it. */
function valueAt(second: number, value: number): object {
  return { time: new Date(second * 1000).toISOString().replace('.000', ''), value };
}

function insert(input: string, times: readonly number[], values: readonly number[]): Promise<unknown> {
  const { integration } = plant;
  return rig.call(plant, 'integration.insert', { integration, data: { times, series: { [input]: values } } });
}

test('M4 M4b a subscriber gets the newest value as retained, then each one that is stored, over MQTT or HTTP', async () => {
  const item = await rig.item(plant, 'level');
  await insert('level', [1, 2], [10, 20]);
  const client = await rig.connect(plant);
  const retained: boolean[] = [];
  client.on('message', (_topic, _payload, packet) => retained.push(packet.retain));
  const received = await listen(client, `items/${item}`);
  await eventually(() => (received.length > 0 ? true : null));
  assert.deepEqual(
    received.map(({ text }) => JSON.parse(text)),
    [valueAt(2, 20)],
  );
  const expected = [valueAt(2, 20)];
  for (let second = 3; second <= 12; second++) {
    if (second % 2 === 0) await insert('level', [second], [second * 10]);
    else
      await client.publishAsync('value/level', JSON.stringify({ value: second * 10, time: second }), {
        qos: 1,
      });
    expected.push(valueAt(second, second * 10));
  }
  await eventually(() => (received.length >= expected.length ? true : null));
  assert.deepEqual(
    received.map(({ text }) => JSON.parse(text)),
    expected,
  );
  assert.deepEqual(
    retained,
    expected.map((_, at) => at === 0),
  );
});

test('M4b all values of an insert in one message; a long insert reaches a subscriber value by value, and completely', async () => {
  const item = await rig.item(plant, 'long');
  const client = await rig.connect(plant);
  const frames = await listen(client, `items/${item}/frame`);
  const each = await listen(await rig.connect(plant), `items/${item}`);
  const times = Array.from({ length: 5000 }, (_, i) => i + 1);
  await insert('long', times, times);
  await eventually(() => (frames.length === 1 && each.length === times.length ? true : null));
  const frame = JSON.parse(frames[0].text) as { times: string[]; values: number[] };
  assert.deepEqual(frame.values, times);
  assert.equal(frame.times.length, times.length);
  assert.deepEqual(
    each.map(({ text }) => (JSON.parse(text) as { value: number }).value),
    times,
  );
});

test('M4b a second subscriber gets the newest value too, though it was sent to the first', async () => {
  const item = await rig.item(plant, 'shared');
  const first = await listen(await rig.connect(plant), `items/${item}`);
  await insert('shared', [1], [10]);
  await eventually(() => (first.length === 1 ? true : null));
  const second = await listen(await rig.connect(plant), `items/${item}`);
  await eventually(() => (second.length === 1 ? true : null));
  assert.deepEqual(JSON.parse(second[0].text), valueAt(1, 10));
});

test('M4b without a subscription nothing is sent any more', async () => {
  const item = await rig.item(plant, 'quiet');
  const client = await rig.connect(plant);
  const received = await listen(client, `items/${item}`);
  await client.publishAsync('value/quiet', '1', { qos: 1 });
  await eventually(() => (received.length === 1 ? true : null));
  await client.unsubscribeAsync(`items/${item}`);
  await client.publishAsync('value/quiet', '2', { qos: 1 });
  await client.subscribeAsync(`items/${item}/frame`);
  await eventually(() => (received.length >= 2 ? true : null));
  assert.equal(received[1].topic, `items/${item}/frame`);
});

test('C6 a subscription to a calculated item is refused, and the reason is among the errors of the integration', async () => {
  const input = await rig.item(plant, 'base');
  const client = await rig.connect(plant);
  const errors = await listen(client, `${plant.integration}/errors`);
  const id = await rig.calculatedItem('a * 2', input);
  const [{ qos }] = await client.subscribeAsync(`items/${id}`).then(
    (granted) => granted,
    () => [{ qos: 128 }],
  );
  assert.equal(qos, 128);
  await eventually(() => (errors.length > 0 ? true : null));
  const { topic, data } = JSON.parse(errors[0].text);
  assert.deepEqual(
    [topic, data.params],
    [
      `items/${id}`,
      {
        topic: [
          'is a calculated item, which has no live values: watch its inputs, and read it when they change',
        ],
      },
    ],
  );
});
