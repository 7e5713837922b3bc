/** What clients of the broker may do, and what happens to those that do more. */
import assert from 'node:assert/strict';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MqttClient } from 'mqtt';
import { testAct } from '../../support/world.ts';
import { eventually, listen, MqttRig, type Plant } from './rig.ts';

/** Streams of malformed bytes. */
const fuzzRounds = Number(process.env.MQTT_FUZZ_ROUNDS ?? 300);

/** The first bytes of a CONNECT. */
const begin = Buffer.from('101000044d5154540402003c0004', 'hex');

const wrongMax = 5;

let rig: MqttRig;
let plant: Plant;
let other: Plant;
/** A connection that sends its CONNECT byte by byte; it takes ten seconds to end, while the other tests run. */
let slowly: Promise<void>;

before(async () => {
  rig = await MqttRig.start({ wrongLoginsPerMinute: wrongMax });
  plant = await rig.plant();
  other = await rig.plant(['admin']);
  slowly = sendSlowly();
});
after(() => rig.close());

/** The QoS that a subscription is granted; 128: it is refused. */
async function granted(who: Plant, filter: string): Promise<number> {
  const client = await rig.connect(who);
  const answer = await client.subscribeAsync(filter, { qos: 1 }).catch((error: unknown) => error);
  await client.endAsync();
  return Array.isArray(answer) ? answer[0].qos : 128;
}

/** Resolves when the connection of a client has ended. */
function closing(client: MqttClient): Promise<void> {
  return new Promise((resolve) => client.once('close', () => resolve()));
}

/** Fails unless a connection ends within a second from now. */
async function endsInTime(closed: Promise<void>): Promise<void> {
  const first = await Promise.race([closed.then(() => 'ended'), sleep(1000, 'still open')]);
  assert.equal(first, 'ended');
}

/** Begins a connection that never finishes its CONNECT; resolves when it has ended. */
async function sendSlowly(): Promise<void> {
  const socket = await rawConnection();
  const bytes = Buffer.concat([begin, Buffer.alloc(1000, 'x')]);
  let at = 0;
  const timer = setInterval(() => socket.write(bytes.subarray(at, ++at)), 500);
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(timer);
}

function rawConnection(): Promise<Socket> {
  const socket = connect(rig.port, '127.0.0.1');
  socket.on('error', () => {});
  return new Promise((resolve) => socket.once('connect', () => resolve(socket)));
}

test('M4 M4a only topics of the own integration, and items with the grant, can be subscribed to', async () => {
  const own = `${plant.integration}/`;
  for (const filter of [`${own}errors`, `${own}#`, `${own}+`, 'items/x', 'items/x/frame'])
    assert.equal(await granted(plant, filter), 1, filter);
  const foreign = `${other.integration}/errors`;
  const refused = [
    'items/#',
    'items/+',
    'items/+/frame',
    '#',
    '+/#',
    '+/errors',
    '$SYS/#',
    '$share/g/#',
    `$share/g/${foreign}`,
    foreign,
    plant.integration,
  ];
  for (const filter of refused) assert.equal(await granted(plant, filter), 128, filter);
  for (const filter of ['items/x/frame', 'items/x']) assert.equal(await granted(other, filter), 128, filter);
});

test('M4 nothing of another integration arrives, not even retained, and nothing can be sent to it', async () => {
  const theirs = await rig.connect(other);
  const seen = await listen(theirs, `${other.integration}/#`);
  const client = await rig.connect(plant);
  const mine = await listen(client, `${plant.integration}/#`);
  const spoofed = [`${other.integration}/errors`, `${other.integration}/value/x`, '$SYS/x'];
  for (const topic of spoofed) await client.publishAsync(topic, '1', { qos: 1, retain: true });
  await client.publishAsync('value/kept', '1', { qos: 1, retain: true });
  await theirs.publishAsync('value/end', '1', { qos: 1 });
  await eventually(() => seen.find(({ topic }) => topic.endsWith('/value/end')));
  assert.deepEqual(
    seen.map(({ topic }) => topic),
    [`${other.integration}/value/end`],
  );
  await eventually(() => mine.find(({ topic }) => topic === `${plant.integration}/value/kept`));
  assert.equal(mine.filter(({ topic }) => topic.endsWith('/errors')).length, spoofed.length);
  const later = await listen(await rig.connect(plant), `${plant.integration}/#`);
  await client.publishAsync('value/again', '1', { qos: 1 });
  await eventually(() => later.find(({ topic }) => topic.endsWith('/again')));
  assert.equal(later.length, 1, 'messages of clients are not retained');
});

test('M4 a will for another integration is not stored, and not sent to it', async () => {
  const theirs = await listen(await rig.connect(other), `${other.integration}/#`);
  const topic = `${other.integration}/value/will`;
  const will = { topic, payload: Buffer.from('1'), qos: 1 as const, retain: true };
  const mine = await listen(await rig.connect(plant), `${plant.integration}/errors`);
  const client = await rig.connect(plant, { will });
  client.stream.destroy();
  await eventually(() => mine.find(({ text }) => JSON.parse(text).topic === topic));
  assert.deepEqual(theirs, []);
  assert.deepEqual(await rig.service.domain.meta.signals.byInput(other.integration, ['will']), []);
});

test('M4a client IDs are those of one integration: only its own later connection takes one over', async () => {
  const first = await rig.connect(plant, { clientId: 'gateway' });
  const foreign = await rig.connect(other, { clientId: 'gateway' });
  await first.publishAsync('value/here', '1', { qos: 1 });
  const closed = closing(first);
  const second = await rig.connect(plant, { clientId: 'gateway' });
  await closed;
  assert.ok(second.connected && foreign.connected);
});

test('A1 M1a revoking a credential, or disabling the integration, ends its connections; the will is not stored', async () => {
  const { identity } = rig.service.domain;
  const doomed = await rig.plant();
  const will = { topic: 'value/will', payload: Buffer.from('1'), qos: 1 as const, retain: false };
  const client = await rig.connect(doomed, { will });
  const closed = closing(client);
  await identity.revokeCredential(testAct, doomed.credential);
  await endsInTime(closed);
  await assert.rejects(rig.connect(doomed));
  assert.equal((await rig.points(doomed, 'will')).size, 0);
  const paused = await rig.plant();
  const ending = closing(await rig.connect(paused));
  await identity.setDisabled(testAct, paused.integration, true);
  await endsInTime(ending);
  await assert.rejects(rig.connect(paused), /Not authorized/i);
});

test('L4e M1a wrong passwords are counted together with those of HTTP', async () => {
  const guessed = await rig.plant();
  const wrong = { ...guessed, password: 'wrong' };
  for (let i = 0; i < wrongMax; i++) await assert.rejects(rig.connect(wrong), /password/i);
  await assert.rejects(rig.connect(guessed), /unavailable/i);
  const authorization = `Basic ${Buffer.from(`${guessed.integration}:${guessed.password}`).toString('base64')}`;
  const answer = await fetch(`${rig.service.url}/v1/rpc`, {
    method: 'POST',
    headers: { authorization },
    body: '{}',
  });
  assert.equal(answer.status, 429);
});

test('M1 there is no anonymous access, and a version 5 client is told so in its own version', async () => {
  await assert.rejects(rig.connect(plant, { username: undefined, password: undefined }), /not authorized/i);
  await assert.rejects(rig.connect(plant, { protocolVersion: 5 }), /Unsupported Protocol Version/i);
  await assert.rejects(rig.connect(plant, { clientId: 'x'.repeat(300) }), /identifier/i);
});

test('M1 malformed packets end their connections, and nothing else', async () => {
  const steady = await rig.connect(plant);
  for (let round = 0; round < fuzzRounds; round++) {
    const socket = await rawConnection();
    const bytes = randomBytes(randomInt(1, 200));
    const head = round % 2 === 0 ? begin.subarray(0, randomInt(1, begin.length)) : Buffer.alloc(0);
    socket.end(Buffer.concat([head, bytes]));
    socket.resume();
    await once(socket, 'close');
  }
  await steady.publishAsync('value/steady', '{"value":1,"time":1}', { qos: 1 });
  assert.equal((await rig.points(plant, 'steady')).size, 1);
});

test('M1 bytes that are no CONNECT, and a CONNECT that is too large, are refused at once', async () => {
  for (const bytes of [Buffer.from('GET / HTTP/1.1\r\n\r\n'), Buffer.from([0x10, 0xff, 0xff, 0xff, 0x7f])]) {
    const socket = await rawConnection();
    socket.resume();
    socket.write(bytes);
    await once(socket, 'close');
  }
});

test('M3a a subscriber that does not read is disconnected, and holds nobody back', async () => {
  const slow = await rig.connect(plant);
  await slow.subscribeAsync(`${plant.integration}/#`);
  const closed = closing(slow);
  slow.stream.pause();
  const client = await rig.connect(plant);
  // More than the buffers of the system and of the broker hold.
  const text = `{"times":[1],"series":{"padded":[1]}}${' '.repeat(1024 * 1024)}`;
  for (let i = 0; i < 40; i++) await client.publishAsync('dataframe', text, { qos: 1 });
  slow.stream.resume();
  await closed;
  assert.ok(client.connected);
});

test('M1 a CONNECT that comes byte by byte ends its connection', () => slowly);
