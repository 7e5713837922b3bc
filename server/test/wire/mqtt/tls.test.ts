/** MQTT over TLS: on its own port, and over WebSocket on that of HTTPS. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { newCertificate, writeCertificate } from '../../support/certificate.ts';
import { findPaho, findTool } from '../../support/machine-tools.ts';
import { MqttRig, type Plant, run } from './rig.ts';

const certificate = newCertificate('localhost');

let directory: string;
let rig: MqttRig;
let plant: Plant;
let certPath: string;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-mqtts-'));
  const tls = await writeCertificate(directory, certificate);
  certPath = tls.certPath;
  rig = await MqttRig.start({}, { mqtt: { plain: null, secure: 0 }, tls });
  plant = await rig.plant();
});
after(async () => {
  await rig.close();
  await rm(directory, { recursive: true, force: true });
});

test('M1 --mqtts-port has the certificate of HTTPS, and so has WebSocket', async () => {
  const urls = [`mqtts://127.0.0.1:${rig.service.mqtt.secure}`, rig.webSocketUrl];
  assert.match(urls[1], /^wss:/);
  for (const [i, brokerUrl] of urls.entries()) {
    await assert.rejects(rig.connect(plant, { brokerUrl }), /certificate/i);
    const client = await rig.connect(plant, { brokerUrl, ca: certificate.cert });
    await client.publishAsync('value/secure', JSON.stringify({ value: i, time: i + 1 }), { qos: 1 });
  }
  assert.deepEqual([...(await rig.points(plant, 'secure')).values()], [0, 1]);
});

test('M1 mosquitto_pub publishes over TLS', async (t) => {
  const program = findTool(t, 'mosquitto_pub');
  if (program === null) return;
  const place = ['-h', '127.0.0.1', '-p', String(rig.service.mqtt.secure), '--cafile', certPath];
  const who = ['-u', plant.integration, '-P', plant.password];
  const sent = await run(program, [...place, ...who, '-q', '1', '-t', 'value/tool', '-m', '7']);
  assert.deepEqual(sent, { code: 0, output: '' });
  assert.deepEqual([...(await rig.points(plant, 'tool')).values()], [7]);
});

const paho = `
import sys, paho.mqtt.client as mqtt
transport, port, user, password, ca = sys.argv[1:6]
version = getattr(mqtt, "CallbackAPIVersion", None)
client = mqtt.Client(*([version.VERSION1] if version else []), transport=transport)
client.username_pw_set(user, password)
client.tls_set(ca)
if transport == "websockets": client.ws_set_options(path="/mqtt")
client.connect("127.0.0.1", int(port))
client.loop_start()
client.publish("value/paho/" + transport, '{"value":1,"time":1}', qos=1).wait_for_publish(60)
client.disconnect()
`;

test('M1 paho publishes over TLS, and over WebSocket with TLS', async (t) => {
  const python = findPaho(t);
  if (python === null) return;
  const ports = { tcp: String(rig.service.mqtt.secure), websockets: new URL(rig.service.url).port };
  for (const [transport, port] of Object.entries(ports)) {
    const args = [transport, port, plant.integration, plant.password, certPath];
    assert.deepEqual(await run(python, ['-c', paho, ...args]), { code: 0, output: '' });
    assert.equal((await rig.points(plant, `paho/${transport}`)).size, 1);
  }
});
