/** Every topic and form of payload, with the programs that people have: mosquitto's clients and paho for Python. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { findPaho, findTool } from '../../support/machine-tools.ts';
import { eventually, MqttRig, type Plant, run } from './rig.ts';

let rig: MqttRig;

before(async () => {
  rig = await MqttRig.start();
});
after(() => rig.close());

/** A plant with an item `level`, whose newest value is 1. */
async function plantWithItem(): Promise<Plant & { item: string }> {
  const plant = await rig.plant();
  const data = { times: [1], series: { level: [1] } };
  await rig.call(plant, 'integration.insert', { integration: plant.integration, data });
  return { ...plant, item: await rig.item(plant, 'level') };
}

/** Checks what every client publishes here. */
async function checkStored(plant: Plant): Promise<void> {
  const seconds = async (input: string) =>
    Object.fromEntries([...(await rig.points(plant, input))].map(([us, value]) => [us / 1e6, value]));
  assert.deepEqual(await seconds('level'), { 1: 1, 2: 2, 3: 3, 4: 4 });
  assert.deepEqual(await seconds('packed/gzip'), { 5: 5 });
  assert.deepEqual(await seconds('packed/zstd'), { 6: 6 });
  assert.equal((await rig.points(plant, 'arrived')).size, 1);
  const [signal] = await rig.service.domain.meta.signals.byInput(plant.integration, ['level']);
  assert.equal(signal.attributes.name, 'Level');
}

const frame = (input: string, at: number) => `{"times":[${at}],"series":{"${input}":[${at}]}}`;

/** Topic and payload of what a client publishes; compressed ones come after them. */
const texts = (integration: string): [topic: string, payload: string][] => [
  ['signals', '{"level":{"name":"Level"}}'],
  ['dataframe', frame('level', 2)],
  [`${integration}/value/level`, '{"value":3,"time":"1970-01-01T00:00:03Z"}'],
  ['value/level', '[{"value":4,"time":4}]'],
  ['value/arrived', '-1.5e1'],
  ['value/level', '"no number"'],
];

test('M1 M2 M3 M4b mosquitto_pub sends every form, mosquitto_sub gets live values and errors', async (t) => {
  const [publish, subscribe] = [findTool(t, 'mosquitto_pub'), findTool(t, 'mosquitto_sub')];
  if (publish === null || subscribe === null) return;
  const plant = await plantWithItem();
  const { integration, password, item } = plant;
  const login = ['-h', '127.0.0.1', '-p', `${rig.port}`, '-u', integration, '-P', password, '-q', '1'];
  const topics: [topic: string, count: number][] = [
    [`items/${item}`, 4],
    [`items/${item}/frame`, 2],
    [`${integration}/errors`, 1],
  ];
  const following = topics.map(([topic, count]) => follow(subscribe, [...login, '-t', topic], count));
  const [values, ofFrames, rejections] = following;
  // The newest value comes after the SUBACK; it is left out when a later one is sent before it has been read.
  await Promise.all([values.begun, ofFrames.begun, rejections.subscribed]);
  for (const [topic, payload] of texts(integration)) {
    const sent = await run(publish, [...login, '-t', topic, '-m', payload]);
    assert.deepEqual(sent, { code: 0, output: '' });
  }
  const packed = [gzipSync(frame('packed/gzip', 5)), zstdCompressSync(frame('packed/zstd', 6))];
  for (const payload of packed) {
    const sent = await run(publish, [...login, '-t', 'dataframe', '-s'], payload);
    assert.deepEqual(sent, { code: 0, output: '' });
  }
  await checkStored(plant);
  const [live, frames, errors] = await Promise.all(following.map(({ received }) => received));
  const printed = [1, 2, 3, 4].map(
    (at) => `${at === 1 ? 1 : 0} {"time":"1970-01-01T00:00:0${at}Z","value":${at}}`,
  );
  assert.deepEqual(live, printed);
  assert.match(frames[1], /^0 \{"times":\["1970-01-01T00:00:02Z"\],"values":\[2\]\}$/);
  assert.match(errors[0], /^0 \{.*"code":-32602/);
});

/** What mosquitto_sub gets: whether a message was retained, and its payload. */
function follow(path: string, args: readonly string[], count: number) {
  const format = ['-C', `${count}`, '-W', '60', '-d', '-F', 'message %r %p'];
  const child = spawn('stdbuf', ['-oL', path, ...args, ...format], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const subscribed = new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => line.startsWith('Subscribed') && resolve());
    lines.once('close', () => reject(new Error('mosquitto_sub ended before it had subscribed')));
  });
  const messages: string[] = [];
  const begun = new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      if (!line.startsWith('message ')) return;
      messages.push(line.slice('message '.length));
      resolve();
    });
    lines.once('close', resolve);
  });
  const received = new Promise<string[]>((resolve) => lines.once('close', () => resolve(messages)));
  return { subscribed, begun, received };
}

const paho = `
import gzip, json, sys, threading, paho.mqtt.client as mqtt
port, user, password, item, texts, zstd = sys.argv[1:7]
version = getattr(mqtt, "CallbackAPIVersion", None)
first = [version.VERSION1] if version else []
got, ready, begun, done = [], threading.Event(), threading.Event(), threading.Event()

def on_message(client, _, message):
    got.append([message.topic.replace(user + "/", ""), bool(message.retain), json.loads(message.payload)])
    begun.set()
    if len(got) == 5: done.set()

client = mqtt.Client(*first, client_id="follower")
client.username_pw_set(user, password)
client.on_message = on_message
client.on_subscribe = lambda *_: ready.set()
client.connect("127.0.0.1", int(port))
client.loop_start()
client.subscribe([("items/" + item, 1), (user + "/errors", 1)])
assert ready.wait(60) and begun.wait(60)

publisher = mqtt.Client(*first, client_id="publisher")
publisher.username_pw_set(user, password)
publisher.will_set("value/online", '{"value":0,"time":7}', qos=1)
publisher.connect("127.0.0.1", int(port))
publisher.loop_start()
for topic, payload in json.loads(texts):
    publisher.publish(topic, payload, qos=1).wait_for_publish()
frame = '{"times":[5],"series":{"packed/gzip":[5]}}'
publisher.publish("dataframe", gzip.compress(frame.encode()), qos=2).wait_for_publish()
publisher.publish(user + "/dataframe", bytes.fromhex(zstd), qos=1).wait_for_publish()
assert done.wait(60), got
print(json.dumps(sorted(got, key=lambda one: (one[0], str(one[2])))))
# Without a DISCONNECT: the will is published.
publisher.socket().close()
`;

test('M1 M2 M2a M3 M4b paho sends every form, and gets live values, errors, and its will is stored', async (t) => {
  const python = findPaho(t);
  if (python === null) return;
  const plant = await plantWithItem();
  const { integration, password, item } = plant;
  const zstd = zstdCompressSync(frame('packed/zstd', 6)).toString('hex');
  const args = [`${rig.port}`, integration, password, item, JSON.stringify(texts(integration)), zstd];
  const { code, output } = await run(python, ['-c', paho, ...args]);
  assert.equal(code, 0, output);
  const got = JSON.parse(output.trim().split('\n').at(-1) ?? '') as [string, boolean, { value: number }][];
  assert.deepEqual(
    got.map(([topic, isRetained]) => [topic, isRetained]),
    [['errors', false], ...[true, false, false, false].map((isFirst) => [`items/${item}`, isFirst])],
  );
  assert.deepEqual(
    got.slice(1).map(([, , { value }]) => value),
    [1, 2, 3, 4],
  );
  await checkStored(plant);
  await eventually(async () => ((await rig.points(plant, 'online')).get(7e6) === 0 ? true : null));
});
