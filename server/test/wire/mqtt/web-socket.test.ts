/** MQTT over WebSocket on the HTTP port, whichever thread accepts the connection, and over TLS. */
import assert from 'node:assert/strict';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { eventually, listen, MqttRig, type Plant } from './rig.ts';

const fuzzRounds = Number(process.env.MQTT_FUZZ_ROUNDS ?? 300);

let rig: MqttRig;
let plant: Plant;

before(async () => {
  rig = await MqttRig.start({}, { threads: 3 });
  plant = await rig.plant();
});
after(() => rig.close());

/** The answer to a handshake with these headers. */
async function handshake(
  headers: Record<string, string>,
  path = '/mqtt',
): Promise<{ socket: Socket; head: string }> {
  const { hostname, port } = new URL(rig.service.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  const all = {
    host: `${hostname}:${port}`,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
    'sec-websocket-protocol': 'mqtt',
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const [first] = (await once(socket, 'data')) as [Buffer];
  return { socket, head: first.toString('latin1') };
}

async function statusOf(headers: Record<string, string>, path?: string): Promise<number> {
  const { socket, head } = await handshake(headers, path);
  socket.destroy();
  return Number(head.split(' ')[1]);
}

test('M1 clients publish and subscribe over WebSocket, on every thread', async () => {
  const clients = await Promise.all(
    Array.from({ length: 12 }, () => rig.connect(plant, { brokerUrl: rig.webSocketUrl })),
  );
  const seen = await Promise.all(clients.map((client) => listen(client, `${plant.integration}/#`)));
  const publishing = clients.map((client, i) =>
    client.publishAsync(`value/web/${i}`, JSON.stringify({ value: i, time: i + 1 }), { qos: 1 }),
  );
  await Promise.all(publishing);
  for (let i = 0; i < clients.length; i++)
    assert.deepEqual([...(await rig.points(plant, `web/${i}`))], [[(i + 1) * 1e6, i]]);
  for (const received of seen) await eventually(() => (received.length >= clients.length ? true : null));
});

test('M1 M2 a large frame passes over WebSocket; a client that is revoked or ends leaves nothing', async () => {
  const before = await connectionCount();
  const client = await rig.connect(plant, { brokerUrl: rig.webSocketUrl });
  const times = Array.from({ length: 200_000 }, (_, i) => i + 1);
  await client.publishAsync('dataframe', JSON.stringify({ times, series: { large: times } }), { qos: 1 });
  assert.equal((await rig.points(plant, 'large')).size, times.length);
  await client.endAsync();
  await eventually(async () => ((await connectionCount()) <= before ? true : null));
});

async function connectionCount(): Promise<number> {
  const text = await (await fetch(`${rig.service.url}/metrics`)).text();
  return Number(/^tidemark_mqtt_connections (\d+)$/m.exec(text)?.[1]);
}

test('M1 a client with wrong credentials is refused over WebSocket', async () => {
  await assert.rejects(
    rig.connect({ ...plant, password: 'wrong' }, { brokerUrl: rig.webSocketUrl }),
    /password/i,
  );
});

test('M1b what is no handshake of MQTT is answered by HTTP', async () => {
  assert.equal((await fetch(`${rig.service.url}/mqtt`)).status, 426);
  assert.equal((await fetch(`${rig.service.url}/mqtt`, { method: 'POST' })).status, 405);
  assert.equal(await statusOf({}), 101);
  assert.equal(await statusOf({ 'sec-websocket-protocol': 'chat, mqttv3.1' }), 101);
  assert.equal(await statusOf({ 'sec-websocket-protocol': 'chat' }), 400);
  assert.equal(await statusOf({ 'sec-websocket-version': '8' }), 426);
  assert.equal(await statusOf({ 'sec-websocket-key': 'short' }), 400);
  assert.equal(await statusOf({ origin: 'https://elsewhere.example' }), 403);
  assert.equal(await statusOf({ origin: rig.service.url }), 101);
  assert.equal(await statusOf({}, '/healthz'), 200, 'an upgrade elsewhere is not asked for');
  assert.equal(await statusOf({ upgrade: 'h2c' }), 426);
});

test('M1b malformed frames end their connections, and nothing else', async () => {
  const steady = await rig.connect(plant, { brokerUrl: rig.webSocketUrl });
  for (let round = 0; round < fuzzRounds; round++) {
    const { socket, head } = await handshake({});
    assert.match(head, /^HTTP\/1\.1 101 /);
    const begin = round % 2 === 0 ? Buffer.of(0x82, 0x80 | randomInt(126)) : Buffer.alloc(0);
    socket.end(Buffer.concat([begin, randomBytes(randomInt(1, 200))]));
    socket.resume();
    await once(socket, 'close');
  }
  await steady.publishAsync('value/steady', '{"value":1,"time":1}', { qos: 1 });
  assert.equal((await rig.points(plant, 'steady')).size, 1);
});

test('M1b text, frames without a mask and unknown kinds are refused with a code', async () => {
  const cases: [Buffer, number][] = [
    [Buffer.of(0x81, 0x80, 0, 0, 0, 0), 1003],
    [Buffer.of(0x82, 0x00), 1002],
    [Buffer.of(0x83, 0x80, 0, 0, 0, 0), 1002],
    [Buffer.of(0xc2, 0x80, 0, 0, 0, 0), 1002],
    [Buffer.of(0x09, 0x80, 0, 0, 0, 0), 1002],
    [Buffer.of(0x80, 0x80, 0, 0, 0, 0), 1002],
    [Buffer.of(0x88, 0x80, 0, 0, 0, 0), 1000],
  ];
  for (const [bytes, code] of cases) {
    const { socket } = await handshake({});
    socket.write(bytes);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    assert.deepEqual([answer[0], answer.readUInt16BE(2)], [0x88, code], bytes.toString('hex'));
    socket.destroy();
  }
});

test('M1b pings are answered, also between the parts of a message', async () => {
  const { socket } = await handshake({});
  const connect = Buffer.from('101000044d5154540402003c000474657374', 'hex');
  const frame = (first: number, payload: Buffer) =>
    Buffer.concat([Buffer.of(first, 0x80 | payload.length, 0, 0, 0, 0), payload]);
  const ping = frame(0x89, Buffer.from('here'));
  const all = Buffer.concat([frame(0x02, connect.subarray(0, 5)), ping, frame(0x80, connect.subarray(5))]);
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  for (const byte of all) {
    socket.write(Buffer.of(byte));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await once(socket, 'close');
  const text = Buffer.concat(received).toString('hex');
  assert.match(text, new RegExp(`^8a04${Buffer.from('here').toString('hex')}`));
  assert.match(text, /820420020005/, 'without a password: not authorized');
});
