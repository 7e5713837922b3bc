/** Secrets stay where they belong: a service is used and misused at its most talkative, then everything it left is searched. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { CredentialsFile } from '#domain/identity/credentials-file';
import { type Ending, type Serving, serve, temporaryDirectory, tidemark, until } from '../cli/process.ts';
import { Browser } from '../support/browser.ts';

// The worst case: a umask that removes no permissions. Children inherit it.
process.umask(0);

const metricsToken = 'metrics-token-0123456789abcdef';

/** What must not be found anywhere: by name, for messages. */
type Secrets = Map<string, string>;

/** What the service said over HTTP, and to what. */
interface Heard {
  /** Path and body: a message may name their contents, but not those of a header. */
  request: string;
  status: number;
  /** Headers and body of the answer. */
  text: string;
}

interface Rig {
  directory: string;
  data: string;
  service: Serving;
  /** Paths of credentials files: for tokens, and for Basic. */
  files: string[];
  client: CredentialsFile;
  basic: CredentialsFile;
  secrets: Secrets;
}

/** A service at the most verbose log level, and credentials of both types. */
async function open(t: Ending, args: readonly string[] = []): Promise<Rig> {
  const directory = await temporaryDirectory(t);
  const data = join(directory, 'data');
  const tokenFile = join(directory, 'metrics-token');
  await writeFile(tokenFile, `${metricsToken}\n`, { mode: 0o600 });
  const log = ['--log-level', 'debug', '--metrics-token-file', tokenFile, '--limit', 'slowCallMs=1'];
  const service = await serve(t, data, [...log, ...args]);
  const files = [join(directory, 'client.json'), join(directory, 'basic.json')];
  const make = ['integration', 'create', 'x', '--grant', 'admin', '--grant', 'service', '--data', data];
  assert.equal((await tidemark([...make, '--credentials', files[0]])).code, 0);
  const client = await readFileJson(files[0]);
  const more = ['credential', 'create', client.integration, '--type', 'basic-auth', '--data', data];
  assert.equal((await tidemark([...more, '--credentials', files[1]])).code, 0);
  const basic = await readFileJson(files[1]);
  const secrets: Secrets = new Map([
    ['metrics token', metricsToken],
    ['client secret', client.credentials.clientSecret],
    ['password', basic.credentials.clientSecret],
    ['Basic header', base64(`${basic.credentials.clientId}:${basic.credentials.clientSecret}`)],
  ]);
  return { directory, data, service, files, client, basic, secrets };
}

async function readFileJson(path: string): Promise<CredentialsFile> {
  return JSON.parse(await readFile(path, 'utf8'));
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** Uses and misuses every way in. What is answered, but for the token itself; the token joins the secrets. */
async function useAndMisuse({ service, client, basic, secrets }: Rig): Promise<Heard[]> {
  const heard: Heard[] = [];
  const send = async (path: string, init: RequestInit = {}): Promise<Heard> => {
    const response = await fetch(`${service.url}${path}`, { method: 'POST', ...init });
    const text = `${[...response.headers]}${await response.text()}`;
    const answer = { request: `${path} ${init.body ?? ''}`, status: response.status, text };
    heard.push(answer);
    return answer;
  };
  const { clientId, clientSecret } = client.credentials;
  const form = (changed: Record<string, string>) =>
    new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      audience: client.apiUrl,
      ...changed,
    });
  await send('/v1/oauth/token', { body: form({}) });
  const token = /"access_token":"([^"]+)"/.exec(heard.pop()?.text ?? '')![1];
  secrets.set('token', token).set('signature of the token', token.split('.')[2]);
  const wrongForms: Record<string, string>[] = [
    { audience: 'https://elsewhere/' },
    { grant_type: clientSecret },
    { client_secret: `${clientSecret}x` },
  ];
  for (const changed of wrongForms) await send('/v1/oauth/token', { body: form(changed) });
  await send('/v1/oauth/token', { body: form({ client_id: clientSecret, client_secret: token }) });

  const password = basic.credentials.clientSecret;
  const right = `Basic ${secrets.get('Basic header')}`;
  const headers = [
    right,
    `Bearer ${token}`,
    `Bearer ${token}x`,
    `Bearer ${clientSecret}`,
    `Basic ${base64(`${client.integration}:${clientSecret}`)}`,
    `Basic ${base64(`${password}:${basic.integration}`)}`,
    `Digest ${password}`,
    token,
  ];
  const bodies = [
    rpc('integration.insert', {
      integration: basic.integration,
      data: { times: ['2024-01-01T00:00:00Z'], series: { a: [1] } },
    }),
    rpc('service.selectItems', { query: { filter: { name: { $regex: '(' } } } }),
    rpc('service.evaluate', { items: 7 }),
    rpc(password, { password, token }),
    rpc('integration.insert', { integration: password, data: { times: [token], series: { a: [token] } } }),
    `{"jsonrpc":"2.0","id":"${token}`,
  ];
  for (const authorization of headers) {
    for (const body of authorization === right ? bodies : bodies.slice(1, 2))
      await send('/v1/rpc', { headers: { authorization, 'content-type': 'application/json' }, body });
  }
  await send(`/v1/rpc?access_token=${token}`, {
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  await send(`/${token}`, { method: 'GET' });
  await send('/v1/rpc', { headers: { authorization: right, 'x-api-version': token }, body: '{}' });
  for (const given of [metricsToken, `${metricsToken}x`])
    await send('/metrics', { method: 'GET', headers: { authorization: `Bearer ${given}` } });
  assert.ok(new Set(heard.map(({ status }) => status)).size >= 4, 'what was sent did not do what it should');
  return heard;
}

/** A person signs in, with mistakes on the way; password, cookie and CSRF token join the secrets. The refusals. */
async function signInAndMisuse({ data, service, secrets }: Rig): Promise<Heard[]> {
  const password = 'a sentence that no other person knows';
  const create = ['people', 'create', 'erika', '--role', 'admin', '--password-file', '-', '--data', data];
  assert.equal((await tidemark(create, { input: `${password}\n` })).code, 0);
  const browser = new Browser(service.url);
  const { csrfToken } = await browser.signIn('erika', password);
  const cookie = browser.cookie.split('=')[1];
  secrets.set('password of a person', password).set('cookie', cookie).set('CSRF token', csrfToken!);
  await browser.result('console.overview');
  const heard: Heard[] = [];
  const send = async (method: string, path: string, body: object, headers: Record<string, string> = {}) => {
    const response = await new Browser(service.url).send(method, path, body, headers);
    const text = `${[...response.headers]}${await response.text()}`;
    heard.push({ request: `${path} ${JSON.stringify(body)}`, status: response.status, text });
  };
  await send('POST', 'console/session', { name: password, password: 'erika is my name' });
  await send('POST', 'console/session', { name: 'erika', password: `${password}x` });
  await send('POST', 'console/session', { name: 'erika', password, [password]: cookie });
  await send('POST', 'console/setup', { code: password, name: 'x', password });
  const call = { jsonrpc: '2.0', id: 1, method: 'console.people.list', params: {} };
  await send('POST', 'v1/rpc', call, { cookie: browser.cookie, 'x-csrf-token': cookie });
  await send('POST', 'v1/rpc', call, { cookie: `${browser.cookie}x`, 'x-csrf-token': csrfToken! });
  await browser.send('DELETE', 'console/session', undefined, { 'x-csrf-token': csrfToken! });
  return heard;
}

function rpc(method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
}

function assertAbsent(place: string, text: string, secrets: Secrets): void {
  for (const [name, secret] of secrets) assert.ok(!text.includes(secret), `${place} has the ${name}`);
}

const plain = await open({ after });
const heard = [...(await useAndMisuse(plain)), ...(await signInAndMisuse(plain))];
const demo = await open({ after }, ['--demo']);
assert.ok(await until(() => demo.service.output.stdout.includes('curl'), 20_000));
await useAndMisuse(demo);
await signInAndMisuse(demo);

test('A4 no secret is in the list of processes, and the service has no children to hand one to', async () => {
  const place = `/proc/${plain.service.child.pid}`;
  const shown = [await readFile(`${place}/cmdline`, 'utf8'), await readFile(`${place}/environ`, 'utf8')];
  for (const thread of await readdir(`${place}/task`)) {
    shown.push(await readFile(`${place}/task/${thread}/comm`, 'utf8'));
    assert.equal(await readFile(`${place}/task/${thread}/children`, 'utf8'), '');
  }
  assertAbsent('the list of processes', shown.join('\n'), plain.secrets);
});

test('A4 no secret is in a log at any level, and in an answer none that the request did not show', async () => {
  await plain.service.stop();
  const { stdout, stderr } = plain.service.output;
  assert.ok(
    stdout.split('\n').some((line) => line.includes('"level":"debug"')),
    'the log was not talkative',
  );
  assertAbsent('the log', `${stdout}${stderr}`, plain.secrets);
  for (const { request, status, text } of heard) {
    const others = new Map([...plain.secrets].filter(([, secret]) => !request.includes(secret)));
    assert.ok(others.size > 0);
    assertAbsent(`the answer ${status} to ${request.slice(0, 80)}`, text, others);
  }
});

test('A4 files are for their owner alone, and hold no secret but where one was asked for', async () => {
  assert.equal((await tidemark(['key', 'rotate', '--data', demo.data])).code, 0);
  await assertOwnerOnly(demo.data);
  await demo.service.stop();
  await assertOwnerOnly(demo.data);
  for (const path of demo.files) assert.equal((await stat(path)).mode & 0o777, 0o600, path);
  for (const path of await readdir(demo.data, { recursive: true }))
    assertAbsent(path, await readFile(join(demo.data, path), 'latin1'), demo.secrets);
  // The store has what a secret is compared with (A4), so this search would have found the secret too.
  const digest = createHash('sha256').update(demo.client.credentials.clientSecret).digest();
  const db = await readFile(join(demo.data, 'tidemark.db'));
  assert.ok(db.includes(digest) || db.includes(digest.toString('hex')));
});

test('A4 nor in the log for people, but for the call that a new demo shows', async () => {
  const path = join(demo.data, 'demo-credentials.json');
  const secret = (await readFileJson(path)).credentials.clientSecret;
  await demo.service.stop();
  const { stdout, stderr } = demo.service.output;
  assertAbsent('the log', `${stdout}${stderr}`, demo.secrets);
  assert.equal(stdout.split(secret).length, 2, 'the secret of the demo is shown once, in the call to try');
  assert.match(stdout, new RegExp(`-u '[a-v0-9]{20}:${secret}'`));
});

async function assertOwnerOnly(directory: string): Promise<void> {
  assert.equal((await stat(directory)).mode & 0o777, 0o700, directory);
  const paths = await readdir(directory, { recursive: true });
  for (const name of ['tidemark.db', 'tidemark.lock', 'service.json', 'demo-credentials.json'])
    assert.ok(paths.includes(name), name);
  for (const path of paths) {
    const { mode } = await stat(join(directory, path));
    assert.equal(mode & 0o077, 0, `${path} has the rights ${(mode & 0o777).toString(8)}`);
  }
}
