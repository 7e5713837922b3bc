/** What clients publish to the broker that is built in, with the clients that people have. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { findPaho, findTool } from '../../support/machine-tools.ts';
import { eventually, listen, MqttRig, type Plant, run } from './rig.ts';

let rig: MqttRig;
let plant: Plant;

before(async () => {
  rig = await MqttRig.start();
  plant = await rig.plant();
});
after(() => rig.close());

const secondUs = 1e6;

/** A frame of one row. */
function frameText(input: string, second: number, value: number): string {
  return JSON.stringify({ times: [second], series: { [input]: [value] } });
}

async function publish(topic: string, payload: string | Buffer, qos: 0 | 1 | 2 = 1): Promise<void> {
  const client = await rig.connect(plant);
  await client.publishAsync(topic, payload, { qos });
  await client.endAsync();
}

test('M2 M3 a data frame is stored when its message is acknowledged, with and without the integration in the topic', async () => {
  for (const topic of ['dataframe', `${plant.integration}/dataframe`]) {
    const text = JSON.stringify({ times: ['2024-01-01T00:00:00Z', 1], series: { [topic]: [1.5, 2] } });
    await publish(topic, text.replaceAll(topic, 'frame'));
    const points = await rig.points(plant, 'frame');
    assert.deepEqual(
      [...points],
      [
        [secondUs, 2],
        [Date.UTC(2024, 0, 1) * 1000, 1.5],
      ],
    );
  }
});

test('M2 single values: a number, an object with and without time, an array; keys have slashes', async () => {
  const client = await rig.connect(plant);
  const beforeUs = Date.now() * 1000;
  await client.publishAsync('value/line/1/temp', '21.5', { qos: 1 });
  await client.publishAsync(`${plant.integration}/value/line/1/temp`, '{"value":22}', { qos: 1 });
  await client.publishAsync('value/line/1/temp', '{"value":-3e2,"time":"1970-01-01T00:00:05.5Z"}', {
    qos: 1,
  });
  await client.publishAsync('value/line/1/temp', '[{"value":1,"time":1},2,{"value":3}]', { qos: 1 });
  const points = [...(await rig.points(plant, 'line/1/temp'))];
  assert.deepEqual(points.slice(0, 2), [
    [secondUs, 1],
    [5.5 * secondUs, -300],
  ]);
  const arrived = points.slice(2);
  assert.deepEqual(
    arrived.map(([, value]) => value),
    [21.5, 22, 2, 3],
  );
  const afterUs = Date.now() * 1000 + secondUs;
  assert.ok(arrived.every(([timeUs]) => timeUs >= beforeUs && timeUs <= afterUs));
});

test('M2 M2b values that are sent without waiting are all stored, the last one for a time wins', async () => {
  const client = await rig.connect(plant);
  const sending = Array.from({ length: 3000 }, (_, i) => {
    const payload = JSON.stringify({ value: i, time: i % 1000 });
    return client.publishAsync(`value/many/${i % 7}`, payload, { qos: 1 });
  });
  await Promise.all(sending);
  let count = 0;
  for (let key = 0; key < 7; key++) {
    const points = await rig.points(plant, `many/${key}`);
    for (const [timeUs, value] of points) {
      const last = [2, 1, 0].map((n) => n * 1000 + timeUs / secondUs).find((i) => i % 7 === key);
      assert.equal(value, last);
      count++;
    }
  }
  assert.equal(count, 3000);
});

test('M3 M3a a rejected message is acknowledged, and described to the integration alone; others with it are stored', async () => {
  const client = await rig.connect(plant);
  const errors = await listen(client, `${plant.integration}/errors`);
  const sent = [
    ['dataframe', '{"times":[1],"series":{"x":["a"]}}', 'data.series.x.0'],
    ['dataframe', '{"times":[1],"series":{}}},"method":"a","params":{"integration":"b","data":{}', 'parse'],
    ['value/x', 'NaN', 'value'],
    ['value/x', '{"value":1,"time":"yesterday"}', 'value.time'],
    [`value/${'k'.repeat(500)}`, '1', 'data.series.k'],
    ['signals', '{"x":{"name":5}}', 'signalsByInput.x.name'],
    ['something/else', '1', 'unknown topic'],
    ['cbpmaq6rpn52969vfl00/value/x', '1', 'not permitted'],
  ];
  await Promise.all([
    ...sent.map(([topic, payload]) => client.publishAsync(topic, payload, { qos: 1 })),
    client.publishAsync('value/good', '{"value":7,"time":7}', { qos: 1 }),
  ]);
  await eventually(() => (errors.length >= sent.length ? true : null));
  assert.equal(errors.length, sent.length);
  for (const [topic, , words] of sent) {
    const found = errors.map(({ text }) => JSON.parse(text)).filter((error) => error.topic === topic);
    assert.ok(
      found.some((error) => JSON.stringify(error).toLowerCase().includes(words.toLowerCase())),
      `${topic}: ${words}`,
    );
    assert.ok(found.every(({ code, data }) => code < 0 && data.trace.length === 32));
  }
  assert.deepEqual([...(await rig.points(plant, 'good'))], [[7 * secondUs, 7]]);
  assert.deepEqual([...(await rig.points(plant, 'x'))], []);
  const metrics = await (await fetch(`${rig.service.url}/metrics`)).text();
  assert.match(metrics, new RegExp(`^tidemark_mqtt_rejected_total ${sent.length}$`, 'm'));
  assert.match(metrics, /^tidemark_mqtt_connections [1-9]/m);
});

test('M3 QoS 0 and QoS 2 messages are stored too', async () => {
  await publish('value/exact', '{"value":2,"time":2}', 2);
  assert.deepEqual([...(await rig.points(plant, 'exact'))], [[2 * secondUs, 2]]);
  const client = await rig.connect(plant);
  client.publish('value/loose', '{"value":3,"time":3}', { qos: 0 });
  await eventually(async () => ((await rig.points(plant, 'loose')).size === 1 ? true : null));
});

test('M1 M2 mosquitto_pub, its other versions and a wrong password', async (t) => {
  const program = findTool(t, 'mosquitto_pub');
  if (program === null) return;
  const place = ['-h', '127.0.0.1', '-p', String(rig.port), '-u', plant.integration, '-P', plant.password];
  const value = await run(program, [...place, '-q', '1', '-t', 'value/pub', '-m', '{"value":1,"time":1}']);
  assert.deepEqual(value, { code: 0, output: '' });
  const lines = await run(
    program,
    [...place, '-V', '31', '-q', '2', '-t', 'dataframe', '-l'],
    `${frameText('pub', 2, 2)}\n`,
  );
  assert.deepEqual(lines, { code: 0, output: '' });
  assert.deepEqual([...(await rig.points(plant, 'pub')).values()], [1, 2]);
  const wrong = await run(program, [...place.slice(0, -1), 'wrong', '-t', 'value/pub', '-m', '1']);
  assert.notEqual(wrong.code, 0);
  const five = await run(program, [...place, '-V', '5', '-t', 'value/pub', '-m', '1']);
  assert.match(five.output, /version/i);
});

const paho = `
import sys, paho.mqtt.client as mqtt
port, user, password = int(sys.argv[1]), sys.argv[2], sys.argv[3]
client = mqtt.Client(**({"callback_api_version": mqtt.CallbackAPIVersion.VERSION1} if hasattr(mqtt, "CallbackAPIVersion") else {}))
client.username_pw_set(user, password)
client.connect("127.0.0.1", port)
client.loop_start()
for second in range(1, 51):
    client.publish("value/paho", '{"value": %d, "time": %d}' % (second, second), qos=1).wait_for_publish()
client.disconnect()
`;

test('M1 M3 paho from Python', async (t) => {
  const python = findPaho(t);
  if (python === null) return;
  const sent = await run(python, ['-c', paho, String(rig.port), plant.integration, plant.password]);
  assert.deepEqual(sent, { code: 0, output: '' });
  assert.equal((await rig.points(plant, 'paho')).size, 50);
});

test('M2 E3 a payload above the limit of a body ends the connection; below it is read in pieces', async () => {
  const values = Array.from({ length: 40_000 }, (_, i) => i);
  await publish('dataframe', JSON.stringify({ times: values, series: { large: values } }));
  assert.equal((await rig.points(plant, 'large')).size, values.length);
  const client = await rig.connect(plant);
  const closed = new Promise((resolve) => client.once('close', () => resolve(true)));
  client.publish('dataframe', randomBytes(9 * 1024 * 1024), { qos: 1 });
  assert.equal(await closed, true);
});
