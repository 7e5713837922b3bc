/** Code for the first calls of programs, filled in for one integration. All of it uses the same credential. */
import type { CredentialsFile } from '@tidemark/client/wire';
import { agentSnippets } from './agent-snippets.ts';
import { mqttSnippets } from './mqtt-snippets.ts';
import type { Snippet } from './snippet.ts';

/** The placeholder for a secret that is not known. */
export const secretPlaceholder = 'YOUR_CLIENT_SECRET';

/** Every snippet for a credentials file. */
export function snippetsFor(file: CredentialsFile): Snippet[] {
  return [
    curl(file),
    python(file),
    ...mqttSnippets({ ...file, secret: basicSecret(file) }),
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

/** The secret for what takes Basic pairs only. */
function basicSecret(file: CredentialsFile): string {
  return isBasic(file) ? file.credentials.clientSecret : 'PASSWORD_OF_A_BASIC_PAIR';
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
