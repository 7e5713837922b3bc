/** Programs that publish to the broker of the service. They take Basic pairs only. */
import type { AgentLogin } from './agent-snippets.ts';
import type { Snippet } from './snippet.ts';

/** The snippets. */
export function mqttSnippets(login: AgentLogin): Snippet[] {
  return [
    mqtt(login),
    mqttPython(login),
    mqttNode(login),
    arduino(login),
    telegrafMqtt(login),
    nodeRedMqtt(login),
  ];
}

/** The port that `--mqtt-port` usually has. */
const mqttPort = 1883;

const mqttNote = 'The service must run with --mqtt-port 1883.';

function brokerOf({ apiUrl }: AgentLogin): string {
  return new URL(apiUrl).hostname;
}

function mqtt(login: AgentLogin): Snippet {
  const code = `mosquitto_pub -h ${brokerOf(login)} -p ${mqttPort} -u '${login.integration}' -P '${login.secret}' \\
  -q 1 -t value/demo/temperature -m 21.5`;
  const note = `Publishes one value to the broker of the service; this creates the signal. ${mqttNote}`;
  return { id: 'mqtt', title: 'MQTT', note, code };
}

function mqttPython(login: AgentLogin): Snippet {
  const code = `import json, time
import paho.mqtt.client as mqtt

# paho 2 asks for the version of its callbacks, paho 1 does not know it.
version = getattr(mqtt, "CallbackAPIVersion", None)
client = mqtt.Client(version.VERSION2) if version else mqtt.Client()
client.username_pw_set("${login.integration}", "${login.secret}")
client.connect("${brokerOf(login)}", ${mqttPort})
client.loop_start()
payload = json.dumps({"value": 21.5, "time": int(time.time())})
client.publish("value/demo/temperature", payload, qos=1).wait_for_publish()
client.disconnect()`;
  const note = `Requires paho-mqtt. The message is acknowledged when the value is on disk. ${mqttNote}`;
  return { id: 'mqtt-python', title: 'MQTT, Python', note, code };
}

function arduino(login: AgentLogin): Snippet {
  const code = `#include <WiFi.h>
#include <PubSubClient.h>

WiFiClient network;
PubSubClient mqtt("${brokerOf(login)}", ${mqttPort}, network);

void setup() {
  WiFi.begin("YOUR_NETWORK", "YOUR_NETWORK_PASSWORD");
  while (WiFi.status() != WL_CONNECTED) delay(100);
}

void loop() {
  while (!mqtt.connected() && !mqtt.connect("board-1", "${login.integration}", "${login.secret}")) delay(1000);
  mqtt.loop();
  mqtt.publish("value/demo/temperature", String(21.5).c_str());
  delay(10000);
}`;
  const note = `For an ESP32, with the library PubSubClient; it sends with QoS 0, without acknowledgements. ${mqttNote}`;
  return { id: 'arduino', title: 'Arduino', note, code };
}

function mqttNode(login: AgentLogin): Snippet {
  const code = `import mqtt from 'mqtt';

const client = await mqtt.connectAsync('mqtt://${brokerOf(login)}:${mqttPort}', {
  username: '${login.integration}',
  password: '${login.secret}',
});
const payload = JSON.stringify({ value: 21.5, time: new Date().toISOString() });
await client.publishAsync('value/demo/temperature', payload, { qos: 1 });
await client.endAsync();`;
  const note = `Requires the package mqtt; the file is an ES module (.mjs). ${mqttNote}`;
  return { id: 'mqtt-node', title: 'MQTT, Node', note, code };
}

function telegrafMqtt(login: AgentLogin): Snippet {
  const code = `[[outputs.mqtt]]
  servers = ["mqtt://${brokerOf(login)}:${mqttPort}"]
  username = "${login.integration}"
  password = "${login.secret}"
  qos = 1
  ## Each field is a message of its own, with its value alone; the field's name is the last level
  layout = "field"
  topic = 'value/{{ .PluginName }}/{{ .Tag "host" }}'

[[inputs.cpu]]
  percpu = false
  totalcpu = true`;
  const note = `Telegraf 1.27 or later. Values get the time of their arrival; the output for InfluxDB keeps that of Telegraf. ${mqttNote}`;
  return { id: 'telegraf-mqtt', title: 'Telegraf, MQTT', note, code };
}

function nodeRedMqtt(login: AgentLogin): Snippet {
  const broker = {
    ...{ id: 'tm5', type: 'mqtt-broker', name: 'Tidemark', broker: brokerOf(login), port: `${mqttPort}` },
    ...{ protocolVersion: '4', cleansession: true, keepalive: '60', autoConnect: true },
    credentials: { user: login.integration, password: login.secret },
  };
  const toValue = {
    t: 'set',
    p: 'payload',
    pt: 'msg',
    to: '{"value": payload, "time": $now()}',
    tot: 'jsonata',
  };
  const flow = [
    broker,
    {
      id: 'tm1',
      type: 'inject',
      name: 'every 10 s',
      repeat: '10',
      payload: '21.5',
      payloadType: 'num',
      wires: [['tm2']],
    },
    { id: 'tm2', type: 'change', name: 'with its time', rules: [toValue], wires: [['tm3']] },
    {
      id: 'tm3',
      type: 'mqtt out',
      name: 'value',
      topic: 'value/demo/temperature',
      qos: '1',
      broker: 'tm5',
      wires: [],
    },
    {
      id: 'tm4',
      type: 'mqtt in',
      name: 'errors',
      topic: `${login.integration}/errors`,
      qos: '1',
      datatype: 'auto-detect',
      broker: 'tm5',
      wires: [['tm6']],
    },
    { id: 'tm6', type: 'debug', name: 'rejected', active: true, complete: 'payload', wires: [] },
  ];
  const note = `Menu → Import → paste. Messages that are rejected are shown by the debug node. ${mqttNote}`;
  return { id: 'node-red-mqtt', title: 'Node-RED, MQTT', note, code: JSON.stringify(flow, null, 2) };
}
