/** What other brokers ask about their clients: the requests of their plug-ins, as these send them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { testAct } from '../../support/world.ts';
import { MqttRig, type Plant } from './rig.ts';

const token = 'token-of-the-broker-0123';
const wrongMax = 5;

let rig: MqttRig;
let plant: Plant;

before(async () => {
  rig = await MqttRig.start({ wrongLoginsPerMinute: wrongMax }, { mqttAuthToken: token, mqtt: undefined });
  plant = await rig.plant();
});
after(() => rig.close());

/** An answer: its status, and its body as text. */
async function post(path: string, body: string, headers: Record<string, string> = {}, query = '') {
  const answer = await fetch(`${rig.service.url}/v1/mqtt/${path}${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body,
  });
  return { status: answer.status, text: await answer.text() };
}

const asked = async (path: string, fields: object, headers: Record<string, string> = {}) => {
  const { status, text } = await post(path, JSON.stringify(fields), headers);
  return [status, JSON.parse(text)];
};

const user = () => ({ username: plant.integration, clientid: 'c' });

test('M5 M5a EMQX: allow and deny, of passwords and of topics', async () => {
  const allow = [200, { result: 'allow' }];
  const deny = [200, { result: 'deny' }];
  const connect = { ...user(), action: 'connect', peerhost: '192.0.2.1' };
  assert.deepEqual(await asked('auth', { ...connect, password: plant.password }), allow);
  assert.deepEqual(await asked('auth', { ...connect, password: 'wrong' }), deny);
  assert.deepEqual(await asked('auth', connect), deny);
  const own = plant.integration;
  for (const topic of [`${own}/dataframe`, `${own}/signals`, `${own}/value/a/b`])
    assert.deepEqual(await asked('acl', { ...user(), action: 'publish', topic }), allow, topic);
  for (const topic of [
    'dataframe',
    'value/x',
    `${own}/errors`,
    `${own}/x`,
    'other/value/x',
    'items/x',
    '$SYS/x',
  ])
    assert.deepEqual(await asked('acl', { ...user(), action: 'publish', topic }), deny, topic);
  for (const topic of [`${own}/errors`, `${own}/#`, 'items/x', 'items/x/frame'])
    assert.deepEqual(await asked('acl', { ...user(), action: 'subscribe', topic }), allow, topic);
  for (const topic of [
    '#',
    '+/errors',
    'items/+',
    '$SYS/#',
    `$share/g/${own}/#`,
    'cbpmaq6rpn52969vfl00/errors',
  ])
    assert.deepEqual(await asked('acl', { ...user(), action: 'subscribe', topic }), deny, topic);
  assert.deepEqual(await asked('acl', { ...user(), action: 'own', topic: `${own}/#` }), deny);
});

test('M4 M5 items need the grant, and a disabled or unknown integration may do nothing', async () => {
  const bare = await rig.plant(['admin']);
  const ask = (topic: string) => asked('acl', { username: bare.integration, action: 'subscribe', topic });
  assert.deepEqual(await ask('items/x'), [200, { result: 'deny' }]);
  assert.deepEqual(await ask(`${bare.integration}/#`), [200, { result: 'allow' }]);
  await rig.service.domain.identity.setDisabled(testAct, bare.integration, true);
  assert.deepEqual(await ask(`${bare.integration}/#`), [200, { result: 'deny' }]);
  const connect = { username: bare.integration, password: bare.password, action: 'connect' };
  assert.deepEqual(await asked('auth', connect), [200, { result: 'deny' }]);
  const unknown = { username: 'cbpmaq6rpn52969vfl00', action: 'subscribe', topic: 'cbpmaq6rpn52969vfl00/#' };
  assert.deepEqual(await asked('acl', unknown), [200, { result: 'deny' }]);
});

test('M5a VerneMQ: the hooks of both versions', async () => {
  const ok = [200, { result: 'ok' }];
  const no = [200, { result: { error: 'not_allowed' } }];
  const from = { peer_addr: '192.0.2.2', peer_port: 8888, mountpoint: '', client_id: 'c' };
  const ask = (hook: string, fields: object) =>
    asked(hook.includes('register') ? 'auth' : 'acl', { ...from, ...fields }, { 'vernemq-hook': hook });
  const { integration: username, password } = plant;
  for (const end of ['', '_m5']) {
    assert.deepEqual(await ask(`auth_on_register${end}`, { username, password }), ok);
    assert.deepEqual(await ask(`auth_on_register${end}`, { username, password: null }), no);
    const topic = `${username}/value/x`;
    assert.deepEqual(await ask(`auth_on_publish${end}`, { username, topic, qos: 1, payload: 'MQ==' }), ok);
    assert.deepEqual(await ask(`auth_on_publish${end}`, { username, topic: 'other/value/x' }), no);
    const topics = [{ topic: `${username}/errors`, qos: 1 }];
    assert.deepEqual(await ask(`auth_on_subscribe${end}`, { username, topics }), ok);
    const more = [...topics, { topic: '#', qos: 1 }];
    assert.deepEqual(await ask(`auth_on_subscribe${end}`, { username, topics: more }), no);
    assert.deepEqual(await ask(`auth_on_subscribe${end}`, { username, topics: [null] }), no);
  }
  assert.deepEqual(await ask('on_deliver', { username }), no);
});

test('M5a mosquitto-go-auth: a form and JSON, answered by the status', async () => {
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  const form = async (path: string, fields: Record<string, string>) =>
    (await post(path, new URLSearchParams(fields).toString(), type)).status;
  const { integration: username, password } = plant;
  assert.equal(await form('auth', { username, password, clientid: 'c' }), 200);
  assert.equal(await form('auth', { username, password: 'wrong', clientid: 'c' }), 403);
  const own = `${username}/value/x`;
  for (const [topic, acc, status] of [
    [own, '2', 200],
    [`${username}/#`, '4', 200],
    [`${username}/errors`, '1', 200],
    [own, '3', 200],
    [`${username}/errors`, '3', 403],
    ['other/errors', '1', 403],
    [own, '5', 403],
  ] as const)
    assert.equal(await form('acl', { username, clientid: 'c', topic, acc }), status, `${topic} ${acc}`);
  assert.deepEqual(await asked('acl', { username, topic: own, acc: 2 }), [200, { ok: true, error: '' }]);
});

test('M5 the service itself is let in with the password that it has for the broker', async (t) => {
  const place = { host: '127.0.0.1', port: 1, isSecure: false, ca: null, versions: [5] as const };
  const existingBroker = { ...place, user: 'tidemark', password: 'own-password' };
  const own = await MqttRig.start({}, { mqttAuthToken: token, mqtt: undefined, existingBroker });
  t.after(() => own.close());
  const ask = async (path: string, fields: object) => {
    const answer = await fetch(`${own.service.url}/v1/mqtt/${path}?token=${token}`, {
      method: 'POST',
      body: JSON.stringify({ username: 'tidemark', ...fields }),
    });
    return answer.status;
  };
  assert.equal(await ask('auth', { password: 'own-password' }), 200);
  assert.equal(await ask('auth', { password: 'wrong' }), 403);
  assert.equal(await ask('acl', { topic: '$share/tidemark/+/dataframe', acc: 4 }), 200);
  assert.equal(await ask('acl', { topic: 'x/errors', acc: 2 }), 200);
  const connect = { username: 'tidemark', password: 'own-password', action: 'connect' };
  assert.deepEqual(await asked('auth', connect), [200, { result: 'deny' }]);
});

test('M5 the token is needed, as Bearer or in the URL', async () => {
  const body = JSON.stringify({ ...user(), password: plant.password });
  assert.equal((await post('auth', body, { authorization: '' })).status, 401);
  assert.equal((await post('auth', body, { authorization: `Bearer ${token}x` })).status, 401);
  assert.equal((await post('auth', body, { authorization: '' }, `?token=${token}`)).status, 200);
  const none = await MqttRig.start();
  const absent = await fetch(`${none.service.url}/v1/mqtt/auth`, { method: 'POST', body: '{}' });
  assert.equal(absent.status, 404);
  await none.close();
});

test('L4e M5 wrong passwords are counted with those of HTTP, by the address that the broker names', async () => {
  const guessed = await rig.plant();
  const connect = { username: guessed.integration, action: 'connect', peerhost: '127.0.0.1' };
  for (let i = 0; i < wrongMax; i++) await asked('auth', { ...connect, password: 'wrong' });
  const { password } = guessed;
  assert.deepEqual(await asked('auth', { ...connect, password }), [200, { result: 'deny' }]);
  assert.deepEqual(await asked('auth', { ...connect, password, peerhost: '192.0.2.9' }), [
    200,
    { result: 'allow' },
  ]);
  const basic = Buffer.from(`${guessed.integration}:${password}`).toString('base64');
  const headers = { authorization: `Basic ${basic}` };
  const answer = await fetch(`${rig.service.url}/v1/rpc`, { method: 'POST', headers, body: '{}' });
  assert.equal(answer.status, 429);
});

test('M5a whatever a body is, the answer is no error of the service', async () => {
  const name = fc.constantFrom(
    'username',
    'password',
    'topic',
    'topics',
    'action',
    'acc',
    'peerhost',
    '__proto__',
  );
  const value = fc.oneof(
    fc.json().map((text) => JSON.parse(text)),
    fc.constantFrom(
      'publish',
      'subscribe',
      'connect',
      1,
      2,
      4,
      '#',
      plant.integration,
      `${plant.integration}/#`,
    ),
    fc.string({ unit: 'binary' }),
  );
  const object = fc.dictionary(name, value).map((fields) => JSON.stringify(fields));
  const body = fc.oneof(object, fc.json(), fc.string({ unit: 'binary' }));
  const hook = fc.constantFrom('', 'auth_on_register', 'auth_on_publish_m5', 'auth_on_subscribe', 'x');
  const type = fc.constantFrom('application/json', 'application/x-www-form-urlencoded', 'text/plain');
  const runs = { numRuns: Number(process.env.MQTT_FUZZ_ROUNDS ?? 300) };
  const check = async (path: string, text: string, hookName: string, contentType: string) => {
    const headers = { 'content-type': contentType, ...(hookName === '' ? {} : { 'vernemq-hook': hookName }) };
    const { status } = await post(path, text, headers);
    assert.ok([200, 400, 403].includes(status), `${status} ${text}`);
  };
  await fc.assert(fc.asyncProperty(fc.constantFrom('auth', 'acl'), body, hook, type, check), runs);
  assert.equal((await post('auth', JSON.stringify({ username: 'x'.repeat(300_000) }))).status, 413);
});
