/** A real Node-RED with the flows of docs/connect/, unchanged: its MQTT, HTTP and influx nodes against a service. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { snippetsFor } from '../../../console/src/pages/integrations/snippets.ts';
import { type FlowNode, NodeRed } from '../support/node-red.ts';
import { eventually, MqttRig, type Plant } from '../wire/mqtt/rig.ts';

const folder = join(import.meta.dirname, '../../../docs/connect');

function readFlow(name: string): FlowNode[] {
  return JSON.parse(readFileSync(join(folder, name), 'utf8'));
}

interface Setup {
  rig: MqttRig;
  plant: Plant;
  nodeRed: NodeRed;
}

/** A service with an item, and a Node-RED that has the variables of the page; null: Node-RED is not installed. */
async function setUp(t: TestContext, isWeb = false): Promise<(Setup & { item: string }) | null> {
  const rig = await MqttRig.start();
  try {
    return await connect(t, rig, isWeb ? rig.webSocketUrl : `mqtt://127.0.0.1:${rig.port}`);
  } finally {
    // After Node-RED has ended: the service waits for its connections.
    t.after(() => rig.close());
  }
}

async function connect(
  t: TestContext,
  rig: MqttRig,
  brokerUrl: string,
): Promise<(Setup & { item: string }) | null> {
  const plant = await rig.plant();
  const client = await rig.connect(plant);
  await client.publishAsync('value/demo/temperature', '{"value":20,"time":1}', { qos: 1 });
  const item = await rig.item(plant, 'demo/temperature');
  const { integration, password } = plant;
  const { hostname, port, origin } = new URL(rig.service.url);
  const nodeRed = await NodeRed.start(t, {
    ...{ TIDEMARK_URL: origin, TIDEMARK_MQTT_URL: brokerUrl },
    ...{ TIDEMARK_INTEGRATION: integration, TIDEMARK_SECRET: password, TIDEMARK_ITEM: item },
    ...{ TIDEMARK_TOKEN: `${integration}:${password}`, TIDEMARK_HOST: hostname, TIDEMARK_PORT: port },
  });
  return nodeRed && { rig, plant, nodeRed, item };
}

/** The text that a debug node has shown, when it has. */
function shownBy({ nodeRed }: Setup, node: string, words: string): Promise<string> {
  return eventually(
    () => nodeRed.shown.find((shown) => shown.node === node && shown.text.includes(words))?.text,
  );
}

/** Waits until the newest value of an input is this one. */
function stored({ rig, plant }: Setup, input: string, value: number): Promise<true> {
  return eventually(async () => {
    const points = await rig.points(plant, input).catch(() => new Map<number, number>());
    return [...points.values()].includes(value) || null;
  });
}

/** Presses a button again and again: until it has connected, and subscribed, Node-RED drops messages. */
async function pressUntil<T>({ nodeRed }: Setup, button: string, happens: () => Promise<T>): Promise<T> {
  const pressing = setInterval(() => void nodeRed.press(button).catch(() => {}), 250);
  try {
    return await happens();
  } finally {
    clearInterval(pressing);
  }
}

test('M1 M2 M3 Node-RED publishes values, frames and names, and gets live values and what was rejected', async (t) => {
  const all = await setUp(t);
  if (all === null) return;
  const { nodeRed, rig, plant, item } = all;
  const flow = readFlow('node-red-flow.json');
  await nodeRed.deploy(flow);
  await nodeRed.press('tidemark-live');
  const retained = JSON.parse(await shownBy(all, 'newest value', '"retain":true'));
  assert.equal(retained.topic, `items/${item}`);
  assert.deepEqual(retained.payload, { time: '1970-01-01T00:00:01Z', value: 20 });

  await nodeRed.press('tidemark-value');
  await stored(all, 'demo/temperature', 21.5);
  const live = JSON.parse(await shownBy(all, 'newest value', '"value":21.5'));
  assert.equal(live.retain, false);
  assert.ok(Math.abs(Date.parse(live.payload.time) - Date.now()) < 120_000, live.payload.time);

  await nodeRed.press('tidemark-frame');
  await Promise.all([stored(all, 'demo/temperature', 21.7), stored(all, 'demo/pressure', 3.2)]);
  await nodeRed.press('tidemark-names');
  const signal = await eventually(async () => {
    const [found] = await rig.service.domain.meta.signals.byInput(plant.integration, ['demo/pressure']);
    return found.attributes.engUnit === 'bar' ? found.attributes : null;
  });
  assert.equal(signal.name, 'Pressure');
});

test('M1 Node-RED publishes and subscribes over WebSocket', async (t) => {
  const all = await setUp(t, true);
  if (all === null) return;
  await all.nodeRed.deploy(readFlow('node-red-flow.json'));
  await all.nodeRed.press('tidemark-live');
  await shownBy(all, 'newest value', '"retain":true');
  await all.nodeRed.press('tidemark-value');
  await stored(all, 'demo/temperature', 21.5);
  await shownBy(all, 'newest value', '"value":21.5');
});

test('M3 a message of Node-RED that is rejected is described to it', async (t) => {
  const all = await setUp(t);
  if (all === null) return;
  const flow = readFlow('node-red-flow.json').map((node) =>
    node.id === 'tidemark-value-out' ? { ...node, topic: 'values/demo' } : node,
  );
  await all.nodeRed.deploy(flow);
  const rejected = JSON.parse(
    await pressUntil(all, 'tidemark-value', () => shownBy(all, 'rejected', 'values/demo')),
  );
  assert.equal(rejected.topic, 'values/demo');
  assert.match(rejected.message, /unknown topic/);
});

test('W1 X2a Node-RED inserts over JSON-RPC, and reads an export', async (t) => {
  const all = await setUp(t);
  if (all === null) return;
  await all.nodeRed.deploy(readFlow('node-red-flow.json'));
  await all.nodeRed.press('tidemark-insert');
  const answer = JSON.parse(await shownBy(all, 'inserted', 'signalsByInput'));
  assert.equal(answer.result.signalsByInput['demo/temperature'].created, false);
  await stored(all, 'demo/temperature', 21.9);
  await all.nodeRed.press('tidemark-read');
  const rows = await shownBy(all, 'rows', '21.9');
  assert.match(rows, new RegExp(`^time,item,value\r?\n[^,]+,${all.item},21.9\r?\n$`));
});

test('I2 I2d Node-RED’s influx nodes write in the forms of InfluxDB 1 and 2', async (t) => {
  const all = await setUp(t);
  if (all === null) return;
  await all.nodeRed.deploy(readFlow('node-red-influx-flow.json'));
  await all.nodeRed.press('tidemark-influx-point');
  await all.nodeRed.press('tidemark-influx-batch');
  await Promise.all([
    stored(all, 'boiler/site:north#temperature', 81.5),
    stored(all, 'boiler1/site:north#temperature', 81.5),
    stored(all, 'boiler1/site:north#pressure', 2.1),
    stored(all, 'pump/site:north#speed', 1450),
    stored(all, 'tank#level', 0.75),
  ]);
  assert.deepEqual(all.nodeRed.shown, []);
});

test('I2c a write that is refused reaches the catch node of Node-RED with the reason', async (t) => {
  const all = await setUp(t);
  if (all === null) return;
  const flow = readFlow('node-red-influx-flow.json').map((node) =>
    node.id === 'tidemark-influx-point'
      ? { ...node, props: [{ p: 'payload', v: '{"state": "on"}', vt: 'json' }] }
      : node,
  );
  await all.nodeRed.deploy(flow);
  await all.nodeRed.press('tidemark-influx-point');
  const refused = await shownBy(all, 'refused', 'enum');
  assert.match(refused, /a string needs a signal of the type enum/);
});

for (const id of ['node-red', 'node-red-mqtt']) {
  test(`Node-RED runs the snippet ${id} of the console`, async (t) => {
    const all = await setUp(t);
    if (all === null) return;
    const { rig, plant, nodeRed } = all;
    const { integration, password } = plant;
    const credentials = { type: 'basic-auth' as const, clientId: integration, clientSecret: password };
    const snippets = snippetsFor({ apiUrl: `${rig.service.url}/v1/`, integration, credentials });
    const code = snippets.find((snippet) => snippet.id === id)?.code ?? '';
    await nodeRed.deploy(JSON.parse(code.replace('"1883"', `"${rig.port}"`)));
    const button = id === 'node-red' ? 'td1' : 'tm1';
    await pressUntil(all, button, () => stored(all, 'demo/temperature', 21.5));
  });
}
