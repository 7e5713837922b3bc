/**
 * What clients publish and get, at the broker that is built in and at mosquitto. At another broker these are different, and are
 * tested elsewhere:
 *
 * - A message is acknowledged when the broker has it, and stored afterwards; so what is stored is waited for.
 * - Topics without the integration mean nothing there: the service does not know who has published.
 * - Messages of one publisher may be stored in another order, so for values of one time any may win.
 * - A message for a topic that the client may not use is dropped by the broker, without a description.
 * - A message that is too large is rejected; its connection is not the service's to end.
 * - Frames of items are not retained, and a calculated item can be subscribed to: the service does not see who subscribes.
 * - Client IDs, persistent sessions, wrong passwords and revoked credentials are the broker's matter.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import type { MqttClient } from 'mqtt';
import { eventually, listen, type Plant } from './rig.ts';
import { everyBroker, Site } from './site.ts';

const secondUs = 1e6;

/** A client of a new integration. */
interface Device {
  site: Site;
  plant: Plant;
  own: string;
  client: MqttClient;
}

async function newDevice(site: Site): Promise<Device> {
  const plant = await site.plant();
  return { site, plant, own: plant.integration, client: await site.connect(plant) };
}

function frameText(input: string, second: number): string {
  return JSON.stringify({ times: [second], series: { [input]: [second] } });
}

function valueText(second: number): string {
  return JSON.stringify({ value: second, time: second });
}

async function publishFrames({ site, plant, own, client }: Device): Promise<void> {
  for (const qos of [0, 1, 2] as const)
    await client.publishAsync(`${own}/dataframe`, frameText('frame', qos + 1), { qos });
  await client.publishAsync(`${own}/dataframe`, gzipSync(frameText('frame', 4)), { qos: 1 });
  await client.publishAsync(`${own}/dataframe`, zstdCompressSync(frameText('frame', 5)), { qos: 1 });
  await client.publishAsync(`${own}/value/frame`, gzipSync('[{"value":6,"time":6}]'), { qos: 1 });
  await client.publishAsync(`${own}/value/frame`, zstdCompressSync('{"value":7,"time":7}'), { qos: 1 });
  const points = await site.points(plant, 'frame', 7);
  assert.deepEqual([...points.values()], [1, 2, 3, 4, 5, 6, 7]);
  const times = Array.from({ length: 40_000 }, (_, i) => i);
  const large = JSON.stringify({ times, series: { large: times } });
  await client.publishAsync(`${own}/dataframe`, large, { qos: 1 });
  assert.equal((await site.points(plant, 'large', times.length)).size, times.length);
}

async function publishSignals({ site, own, client }: Device): Promise<void> {
  const texts = { 'a/b': { name: 'Boiler', engUnit: '°C' } };
  await client.publishAsync(`${own}/signals`, JSON.stringify(texts), { qos: 1 });
  const { signals } = site.rig.service.domain.meta;
  await eventually(
    async () => (await signals.byInput(own, ['a/b']))[0]?.attributes.name === 'Boiler' || null,
  );
}

async function publishValues({ site, plant, own, client }: Device): Promise<void> {
  const beforeUs = Date.now() * 1000;
  const texts = ['21.5', '{"value":22}', '{"value":-3e2,"time":"1970-01-01T00:00:05.5Z"}'];
  const topic = `${own}/value/line/1/temp`;
  for (const text of [...texts, '[{"value":1,"time":1},2,{"value":3}]'])
    await client.publishAsync(topic, text, { qos: 1 });
  const points = [...(await site.points(plant, 'line/1/temp', 6))];
  const timed = [
    [secondUs, 1],
    [5.5 * secondUs, -300],
  ];
  assert.deepEqual(points.slice(0, 2), timed);
  const arrived = points.slice(2);
  assert.deepEqual(arrived.map(([, value]) => value).sort(), [2, 21.5, 22, 3]);
  const afterUs = Date.now() * 1000 + secondUs;
  assert.ok(arrived.every(([timeUs]) => timeUs >= beforeUs && timeUs <= afterUs));
}

async function publishMany({ site, plant, own, client }: Device): Promise<void> {
  const sending = Array.from({ length: 3000 }, (_, i) =>
    client.publishAsync(`${own}/value/many/${i % 7}`, valueText(i), { qos: 1 }),
  );
  await Promise.all(sending);
  for (let key = 0; key < 7; key++) {
    const seconds = Array.from({ length: 3000 }, (_, i) => i).filter((i) => i % 7 === key);
    const points = await site.points(plant, `many/${key}`, seconds.length);
    assert.deepEqual(
      [...points],
      seconds.map((second) => [second * secondUs, second]),
    );
  }
}

async function leaveWills({ site, plant, own }: Device): Promise<void> {
  const will = (second: number) => ({
    ...{ topic: `${own}/value/online`, payload: Buffer.from(valueText(second)) },
    ...{ qos: 1 as const, retain: false },
  });
  await (await site.connect(plant, { will: will(1) })).endAsync();
  (await site.connect(plant, { will: will(2) })).stream.destroy();
  const points = await site.points(plant, 'online', 1);
  assert.deepEqual([...points], [[2 * secondUs, 2]], 'of a connection that breaks, and not of one that ends');
}

const wrongMessages = [
  ['dataframe', '{"times":[1],"series":{"x":["a"]}}', 'data.series.x.0'],
  ['dataframe', '{"times":[1],"series":{}}},"method":"a","params":{"integration":"b","data":{}', 'parse'],
  ['value/x', 'NaN', 'value'],
  ['value/x', '{"value":1,"time":"yesterday"}', 'value.time'],
  [`value/${'k'.repeat(500)}`, '1', 'data.series.k'],
  ['signals', '{"x":{"name":5}}', 'signalsByInput.x.name'],
] as const;

async function publishWrong({ site, plant, own, client }: Device): Promise<void> {
  const errors = await listen(client, `${own}/errors`);
  for (const [path, payload] of wrongMessages)
    await client.publishAsync(`${own}/${path}`, payload, { qos: 1 });
  await client.publishAsync(`${own}/value/good`, valueText(7), { qos: 1 });
  await eventually(() => (errors.length >= wrongMessages.length ? true : null));
  assert.equal(errors.length, wrongMessages.length);
  for (const [path, , words] of wrongMessages) {
    const found = errors.find(({ text }) => {
      return JSON.parse(text).topic === `${own}/${path}` && text.toLowerCase().includes(words.toLowerCase());
    });
    const { code, data } = JSON.parse(found?.text ?? assert.fail(`${path}: ${words}`));
    assert.ok(code < 0 && data.trace.length === 32);
  }
  assert.deepEqual([...(await site.points(plant, 'good', 1))], [[7 * secondUs, 7]]);
  assert.equal((await site.rig.points(plant, 'x')).size, 0);
  const listed = await site.rig.service.domain.errors.list(own);
  assert.equal(
    listed.reduce((sum, { count }) => sum + count, 0),
    wrongMessages.length,
    'they are in the console',
  );
  const metrics = await (await fetch(`${site.rig.service.url}/metrics`)).text();
  assert.match(metrics, new RegExp(`^tidemark_mqtt_rejected_total ${wrongMessages.length}$`, 'm'));
}

async function followItem({ site, plant, own, client }: Device): Promise<void> {
  const publish = (second: number) =>
    client.publishAsync(`${own}/value/level`, valueText(second), { qos: 1 });
  await publish(1);
  await site.points(plant, 'level', 1);
  const item = await site.rig.item(plant, 'level');
  const seen = await listen(client, `items/${item}`);
  const frames = await listen(await site.connect(plant), `items/${item}/frame`);
  await eventually(() => (seen.length >= 1 ? true : null));
  for (const [index, second] of [3, 2].entries()) {
    await publish(second);
    await eventually(() => (seen.length >= index + 2 ? true : null));
  }
  const data = { times: [4, 5], series: { level: [4, 5] } };
  await site.rig.call(plant, 'integration.insert', { integration: own, data });
  await eventually(() => (seen.length >= 5 ? true : null));
  const at = (second: number) => ({ time: `1970-01-01T00:00:0${second}Z`, value: second });
  assert.deepEqual(
    seen.map(({ text }) => JSON.parse(text)),
    [1, 3, 2, 4, 5].map(at),
  );
  await eventually(() => frames.find(({ text }) => JSON.parse(text).values.join() === '4,5'));
  const later = await listen(await site.connect(plant), `items/${item}`);
  assert.deepEqual(JSON.parse((await eventually(() => later[0])).text), at(5), 'the newest is retained');
}

/** Does what a broker may refuse, by an answer, by the end of the connection, or, as mosquitto does in 3.1.1, without a word. */
async function attempt(client: MqttClient, work: () => Promise<unknown>): Promise<void> {
  const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
  const given = new Promise<void>((resolve) => setTimeout(resolve, 1000).unref());
  await Promise.race([work().catch(() => {}), closed, given]);
}

/** What a client of another integration gets of a device, if it subscribes to a filter; a broker may also end its connection. */
async function overhear({ site, plant, own, client }: Device, spy: Plant, filter: string): Promise<string[]> {
  const spying = await site.connect(spy);
  const topics: string[] = [];
  spying.on('message', (topic) => topics.push(topic));
  await attempt(spying, () => spying.subscribeAsync(filter, { qos: 1 }));
  const [input, text] = [filter.replaceAll(/\W/g, '_'), valueText(1)];
  await client.publishAsync(`${own}/value/${input}`, text, { qos: 1, retain: true });
  await site.points(plant, input, 1);
  if (spying.connected) await spying.publishAsync(`${spy.integration}/value/own`, text, { qos: 1 });
  spying.end(true);
  return topics.filter((topic) => topic.startsWith(own));
}

async function keepApart(device: Device): Promise<void> {
  const { site, own, client } = device;
  const other = await newDevice(site);
  const theirs = await listen(other.client, `${other.own}/#`);
  for (const filter of ['#', '+/value/#', `${own}/#`, '$SYS/#', '$share/g/#'])
    assert.deepEqual(await overhear(device, other.plant, filter), [], filter);
  for (const topic of [`${other.own}/value/x`, `${other.own}/errors`])
    await attempt(client, () => client.publishAsync(topic, '1', { qos: 1, retain: true }));
  await other.client.publishAsync(`${other.own}/value/end`, valueText(1), { qos: 1 });
  await eventually(() => theirs.find(({ topic }) => topic.endsWith('/value/end')));
  await site.points(other.plant, 'end', 1);
  const foreign = theirs.filter(
    ({ topic }) => !topic.endsWith('/value/own') && !topic.endsWith('/value/end'),
  );
  assert.deepEqual(foreign, []);
  assert.deepEqual(await site.rig.service.domain.meta.signals.byInput(other.own, ['x']), []);
}

for (const kind of everyBroker)
  test(`M1 M6 at ${kind.name}`, async (t) => {
    const site = await Site.start(t, kind);
    if (site === null) return;
    const check = (title: string, run: (device: Device) => Promise<void>) =>
      t.test(title, async () => run(await newDevice(site)));
    await check('M3 M3a M6a what is rejected is described to its integration, and counted', publishWrong);
    await check('M2 M2a frames of every QoS are stored, also compressed ones and large ones', publishFrames);
    await check('M2 signals are saved by their map', publishSignals);
    await check('M2 single values: a number, objects with and without time, an array', publishValues);
    await check('M2b values that are sent without waiting are all stored', publishMany);
    await check('M2a the last will of a connection that breaks is stored', leaveWills);
    await check('M4b M6b live values: the newest as retained, then each that is stored', followItem);
    await check('M4 M6 integrations are kept apart', keepApart);
  });
