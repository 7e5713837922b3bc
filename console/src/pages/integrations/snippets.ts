/** Code for the first calls of programs, filled in for one integration. All of it uses the same credential. */
import type { CredentialsFile } from '@tidemark/client/wire';
import { agentSnippets } from './agent-snippets.ts';
import type { Snippet } from './snippet.ts';

/** The placeholder for a secret that is not known. */
export const secretPlaceholder = 'YOUR_CLIENT_SECRET';

/** Every snippet for a credentials file. */
export function snippetsFor(file: CredentialsFile): Snippet[] {
  return [
    curl(file),
    python(file),
    mqtt(file),
    mqttPython(file),
    arduino(file),
    telegraf(file),
    ...agentSnippets({ ...file, secret: basicSecret(file) }),
    nodeRed(file),
    mosquitto(file),
  ];
}

/** The value of the header of a Basic pair. */
function basicToken({ integration, credentials }: CredentialsFile): string {
  const bytes = new TextEncoder().encode(`${integration}:${credentials.clientSecret}`);
  return btoa(String.fromCharCode(...bytes));
}

function isBasic({ credentials }: CredentialsFile): boolean {
  return credentials.type === 'basic-auth';
}

const body = (integration: string) => `{
  "jsonrpc": "2.0", "id": 1, "method": "integration.insert",
  "params": {
    "integration": "${integration}",
    "data": {"times": ["'"$(date -u +%FT%TZ)"'"], "series": {"demo/temperature": [21.5]}}
  }
}`;

/** Shell code that gets a token; empty for a Basic pair. */
function shellLogin(file: CredentialsFile): string {
  const { apiUrl, credentials } = file;
  if (isBasic(file)) return '';
  return `TOKEN=$(curl -sS ${apiUrl}oauth/token \\
  -d grant_type=client_credentials -d audience=${apiUrl} \\
  -d client_id=${credentials.clientId} -d client_secret=${credentials.clientSecret} \\
  | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')

`;
}

function shellAuth(file: CredentialsFile): string {
  return isBasic(file)
    ? `-u '${file.integration}:${file.credentials.clientSecret}'`
    : '-H "Authorization: Bearer $TOKEN"';
}

function curl(file: CredentialsFile): Snippet {
  const code = `${shellLogin(file)}curl -sS ${file.apiUrl}rpc ${shellAuth(file)} \\
  -H 'Content-Type: application/json' -d '${body(file.integration)}'`;
  return { id: 'curl', title: 'curl', note: 'Inserts one point; this creates the signal.', code };
}

function python(file: CredentialsFile): Snippet {
  const { apiUrl, integration, credentials } = file;
  const login = isBasic(file)
    ? `auth = "Basic " + base64.b64encode(b"${integration}:${credentials.clientSecret}").decode()`
    : `form = urllib.parse.urlencode({
    "grant_type": "client_credentials", "audience": API,
    "client_id": "${credentials.clientId}", "client_secret": "${credentials.clientSecret}",
}).encode()
# A token is valid for hours: reuse it, and request another one when "expires_in" has passed.
token = json.load(urllib.request.urlopen(API + "oauth/token", form))
auth = "Bearer " + token["access_token"]`;
  const imports = isBasic(file)
    ? 'import base64, datetime, json, urllib.request'
    : 'import datetime, json, urllib.parse, urllib.request';
  const code = `${imports}

API = "${apiUrl}"
${login}

def call(method, **params):
    request = urllib.request.Request(
        API + "rpc",
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode(),
        {"Content-Type": "application/json", "Authorization": auth, "X-API-Version": "1.1"},
    )
    answer = json.load(urllib.request.urlopen(request))
    if "error" in answer:
        raise RuntimeError(answer["error"])
    return answer["result"]

now = datetime.datetime.now(datetime.timezone.utc).isoformat()
call("integration.saveSignals", integration="${integration}", signalsByInput={
    "demo/temperature": {"name": "Temperature", "engUnit": "°C", "labels": {"site": ["demo"]}},
})
print(call("integration.insert", integration="${integration}",
           data={"times": [now], "series": {"demo/temperature": [21.5]}}))`;
  return { id: 'python', title: 'Python', note: 'Requires only Python 3.', code };
}

/** With Basic login the output always calls another service; with a credentials file it calls the address in the file. */
function telegraf(file: CredentialsFile): Snippet {
  const code = `[[outputs.clarify]]
  ## The downloaded credentials file
  credentials_file = "/etc/telegraf/credentials.json"
  timeout = "10s"
  ## Tags that make a series an own signal
  id_tags = ["host"]

[[inputs.cpu]]
  percpu = false
  totalcpu = true`;
  return {
    id: 'telegraf',
    title: 'Telegraf',
    note: isBasic(file)
      ? 'Telegraf’s output “clarify” supports this service only with a credentials file: create a credential of that type for it.'
      : 'Telegraf’s output “clarify” supports this service; it reads the address from the credentials file.',
    code,
  };
}

function nodeRed(file: CredentialsFile): Snippet {
  const func = `msg.headers = {
  'Content-Type': 'application/json',
  Authorization: 'Basic ${isBasic(file) ? basicToken(file) : 'BASE64_OF_INTEGRATION_AND_PASSWORD'}',
};
msg.payload = {
  jsonrpc: '2.0', id: 1, method: 'integration.insert',
  params: {
    integration: '${file.integration}',
    data: { times: [new Date().toISOString()], series: { 'demo/temperature': [Number(msg.payload)] } },
  },
};
return msg;`;
  const flow = [
    {
      id: 'td1',
      type: 'inject',
      name: 'every 10 s',
      repeat: '10',
      payload: '21.5',
      payloadType: 'num',
      wires: [['td2']],
    },
    { id: 'td2', type: 'function', name: 'to Tidemark', func, outputs: 1, wires: [['td3']] },
    {
      id: 'td3',
      type: 'http request',
      name: 'insert',
      method: 'POST',
      ret: 'obj',
      url: `${file.apiUrl}rpc`,
      wires: [['td4']],
    },
    { id: 'td4', type: 'debug', name: 'answer', active: true, complete: 'payload', wires: [] },
  ];
  return {
    id: 'node-red',
    title: 'Node-RED',
    note: isBasic(file)
      ? 'Menu → Import → paste. Requires no additional nodes.'
      : 'Menu → Import → paste. It uses a Basic pair: create a credential of that type for it.',
    code: JSON.stringify(flow, null, 2),
  };
}

/** The port that `--mqtt-port` usually has. */
const mqttPort = 1883;

const mqttNote = 'The service must run with --mqtt-port 1883.';

function brokerOf({ apiUrl }: CredentialsFile): string {
  return new URL(apiUrl).hostname;
}

/** The secret for what takes Basic pairs only. */
function basicSecret(file: CredentialsFile): string {
  return isBasic(file) ? file.credentials.clientSecret : 'PASSWORD_OF_A_BASIC_PAIR';
}

function mqtt(file: CredentialsFile): Snippet {
  const code = `mosquitto_pub -h ${brokerOf(file)} -p ${mqttPort} -u '${file.integration}' -P '${basicSecret(file)}' \\
  -q 1 -t value/demo/temperature -m 21.5`;
  const note = `Publishes one value to the broker of the service; this creates the signal. ${mqttNote}`;
  return { id: 'mqtt', title: 'MQTT', note, code };
}

function mqttPython(file: CredentialsFile): Snippet {
  const code = `import json, time
import paho.mqtt.client as mqtt

# paho 2 asks for the version of its callbacks, paho 1 does not know it.
version = getattr(mqtt, "CallbackAPIVersion", None)
client = mqtt.Client(version.VERSION2) if version else mqtt.Client()
client.username_pw_set("${file.integration}", "${basicSecret(file)}")
client.connect("${brokerOf(file)}", ${mqttPort})
client.loop_start()
payload = json.dumps({"value": 21.5, "time": int(time.time())})
client.publish("value/demo/temperature", payload, qos=1).wait_for_publish()
client.disconnect()`;
  const note = `Requires paho-mqtt. The message is acknowledged when the value is on disk. ${mqttNote}`;
  return { id: 'mqtt-python', title: 'MQTT, Python', note, code };
}

function arduino(file: CredentialsFile): Snippet {
  const code = `#include <WiFi.h>
#include <PubSubClient.h>

WiFiClient network;
PubSubClient mqtt("${brokerOf(file)}", ${mqttPort}, network);

void setup() {
  WiFi.begin("YOUR_NETWORK", "YOUR_NETWORK_PASSWORD");
  while (WiFi.status() != WL_CONNECTED) delay(100);
}

void loop() {
  while (!mqtt.connected() && !mqtt.connect("board-1", "${file.integration}", "${basicSecret(file)}")) delay(1000);
  mqtt.loop();
  mqtt.publish("value/demo/temperature", String(21.5).c_str());
  delay(10000);
}`;
  const note = `For an ESP32, with the library PubSubClient; it sends with QoS 0, without acknowledgements. ${mqttNote}`;
  return { id: 'arduino', title: 'Arduino', note, code };
}

function mosquitto(file: CredentialsFile): Snippet {
  const code = `${shellLogin(file)}# Each number that is published below plant/ becomes a point of the signal with the name of its topic
mosquitto_sub -h YOUR_BROKER -t 'plant/#' -F '%t %p' | while read -r TOPIC VALUE; do
  curl -sS ${file.apiUrl}rpc ${shellAuth(file)} -H 'Content-Type: application/json' \\
    -d "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":1,\\"method\\":\\"integration.insert\\",\\"params\\":{
      \\"integration\\":\\"${file.integration}\\",\\"data\\":{
      \\"times\\":[\\"$(date -u +%FT%TZ)\\"],\\"series\\":{\\"$TOPIC\\":[$VALUE]}}}}"
done`;
  return {
    id: 'mosquitto',
    title: 'mosquitto',
    note: 'Forwards topics of a broker that you have already to this service.',
    code,
  };
}
