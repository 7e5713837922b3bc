/** Integrations, credentials and keys on the command line, alongside a running service. */
import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import type { CredentialsFile } from '#domain/identity/credentials-file';
import {
  callBasic,
  callBearer,
  readCredentials,
  type Serving,
  serve,
  temporaryDirectory,
  tidemark,
  until,
} from './process.ts';

interface Rig {
  directory: string;
  data: string;
  service: Serving;
}

const data = join(await temporaryDirectory({ after }), 'data');
const shared = await serve({ after }, data, ['--limit', 'tokenRequestsPerMinute=1000']);

/** The service of all tests, and a directory for the files of this one. */
async function open(t: TestContext): Promise<Rig> {
  return { directory: await temporaryDirectory(t), data, service: shared };
}

/** Runs a command that must succeed; its JSON. */
async function json<Result>(rig: Rig, ...args: string[]): Promise<Result> {
  const { code, stdout, stderr } = await tidemark([...args, '--data', rig.data, '--json']);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

interface Listed {
  id: string;
  name: string;
  grants: string[];
}

/** The integrations of the service, or those with this ID. */
async function list(rig: Rig, id?: string): Promise<Listed[]> {
  const listed = await json<Listed[]>(rig, 'integration', 'list');
  return listed.filter((integration) => id === undefined || integration.id === id);
}

/** Creates an integration with basic credentials. */
function createBasic(rig: Rig): Promise<CreatedAnswer> {
  return json(rig, 'integration', 'create', 'p', '--type', 'basic-auth');
}

interface CreatedAnswer {
  integration: string;
  credential: string;
  file: CredentialsFile;
}

const save = (file: CredentialsFile) => ({ integration: file.integration, signalsByInput: { a: {} } });

test('A4 credentials that are created while the service runs work within a second', async (t) => {
  const rig = await open(t);
  const { file } = await json<CreatedAnswer>(rig, 'integration', 'create', 'plant');
  const { service } = rig;
  assert.equal(file.apiUrl, `${service.url}/v1/`);
  assert.equal(file.credentials.type, 'client-credentials');
  assert.deepEqual(Object.keys(file), ['apiUrl', 'integration', 'credentials']);
  const works = async () => (await callBearer(file, 'integration.saveSignals', save(file))).status === 200;
  assert.ok(await until(works, 1000));
});

test('A1 a basic-auth credential has the integration as its user name', async (t) => {
  const rig = await open(t);
  const { file } = await json<CreatedAnswer>(rig, 'integration', 'create', 'plant', '--type', 'basic-auth');
  assert.equal(file.credentials.clientId, file.integration);
  const works = async () => (await callBasic(file, 'integration.saveSignals', save(file))).status === 200;
  assert.ok(await until(works, 1000));
});

test('A4 a credentials file is for its owner only, and is replaced only by force', async (t) => {
  const rig = await open(t);
  const path = join(rig.directory, 'plant.json');
  const args = ['integration', 'create', 'plant', '--credentials', path, '--data', rig.data];
  const first = await tidemark(args);
  assert.equal(first.code, 0, first.stderr);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  const file = await readCredentials(path);
  assert.match(
    first.stdout,
    new RegExp(`^integration ${file.integration}, credential ${file.credentials.clientId}`),
  );
  assert.ok(!first.stdout.includes(file.credentials.clientSecret));

  const listed = await list(rig);
  const second = await tidemark(args);
  assert.equal(second.code, 1);
  assert.match(second.stderr, /exists already; choose another name or add --force\n$/);
  assert.deepEqual(await readCredentials(path), file);
  assert.deepEqual(await list(rig), listed, 'something was created');

  await writeFile(`${path}.new`, 'left by a crash');
  assert.equal((await tidemark([...args, '--force'])).code, 0);
  assert.notDeepEqual(await readCredentials(path), file);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  await assert.rejects(stat(`${path}.new`));
});

test('A4 a place that cannot be written is noticed before anything is created', async (t) => {
  const rig = await open(t);
  const path = join(rig.directory, 'no', 'such', 'plant.json');
  const listed = await list(rig);
  const { code, stderr } = await tidemark([
    'integration',
    'create',
    'p',
    '--credentials',
    path,
    '--data',
    rig.data,
  ]);
  assert.equal(code, 1);
  assert.match(stderr, /cannot write .*: no such directory/);
  assert.deepEqual(await list(rig), listed);
});

test('A4 a credentials file whose credential could not be created is taken away again', async (t) => {
  const rig = await open(t);
  const path = join(rig.directory, 'plant.json');
  const args = ['credential', 'create', 'c'.repeat(20), '--credentials', path, '--data', rig.data];
  const { code, stderr } = await tidemark(args);
  assert.equal(code, 1);
  assert.match(stderr, /^tidemark: .*\n$/);
  await assert.rejects(stat(path));
});

test('A5 a grant is granted and revoked while the service runs', async (t) => {
  const rig = await open(t);
  const { file, integration } = await createBasic(rig);
  const code = async () => (await callBasic(file, 'service.selectItems', {})).body.error?.code;
  assert.ok(await until(async () => (await code()) === -32003, 1000));
  await json(rig, 'integration', 'grant', integration, 'service', 'admin');
  assert.ok(await until(async () => (await code()) === undefined, 1000));
  await json(rig, 'integration', 'revoke', integration, 'service');
  assert.ok(await until(async () => (await code()) === -32003, 1000));
  assert.deepEqual(
    (await list(rig, integration)).map(({ name, grants }) => [name, grants]),
    [['p', ['admin']]],
  );
});

test('A5 grants can be given at creation, each once', async (t) => {
  const rig = await open(t);
  const grants = ['--grant', 'service', '--grant', 'admin', '--grant', 'service'];
  const { integration } = await json<CreatedAnswer>(rig, 'integration', 'create', 'p', ...grants);
  const [{ grants: found }] = await list(rig, integration);
  assert.deepEqual(found.toSorted(), ['admin', 'service']);
});

test('A1 a credential is revoked within a second, the others stay', async (t) => {
  const rig = await open(t);
  const { file, integration } = await createBasic(rig);
  const more = ['--type', 'basic-auth', '--label', 'second'];
  const second = await json<CreatedAnswer>(rig, 'credential', 'create', integration, ...more);
  const status = async (f: CredentialsFile) =>
    (await callBasic(f, 'integration.saveSignals', save(f))).status;
  assert.ok(await until(async () => (await status(second.file)) === 200, 1000));
  const listed = await json<{ label: string }[]>(rig, 'credential', 'list', integration);
  assert.deepEqual(
    listed.map(({ label }) => label),
    ['', 'second'],
  );
  await json(rig, 'credential', 'revoke', second.credential, '--yes');
  assert.ok(await until(async () => (await status(second.file)) === 401, 1000));
  assert.equal(await status(file), 200);
  const left = await json<{ integration: string }[]>(rig, 'credential', 'list');
  assert.equal(left.filter((credential) => credential.integration === integration).length, 1);
});

test('A4 a credential that has expired is refused', async (t) => {
  const rig = await open(t);
  const { integration } = await json<CreatedAnswer>(rig, 'integration', 'create', 'p');
  const more = ['--type', 'basic-auth', '--expires', '2020-01-01T00:00:00Z'];
  const { file } = await json<CreatedAnswer>(rig, 'credential', 'create', integration, ...more);
  assert.equal((await callBasic(file, 'integration.saveSignals', save(file))).status, 401);
});

test('A5 an integration is deleted with its signals and credentials', async (t) => {
  const rig = await open(t);
  const { file, integration } = await createBasic(rig);
  const insert = { integration, data: { times: [0], series: { a: [1], b: [2] } } };
  assert.ok(
    await until(async () => (await callBasic(file, 'integration.insert', insert)).status === 200, 1000),
  );
  assert.deepEqual(await json(rig, 'integration', 'delete', integration, '--yes'), {
    deleted: integration,
    signals: 2,
  });
  assert.ok(
    await until(async () => (await callBasic(file, 'integration.insert', insert)).status === 401, 1000),
  );
  assert.deepEqual(await list(rig, integration), []);
  const again = await tidemark(['integration', 'delete', integration, '--yes', '--data', rig.data]);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /^tidemark: .*\n$/);
});

test('A1 after the key is rotated tokens are still issued', async (t) => {
  const rig = await open(t);
  const { file } = await json<CreatedAnswer>(rig, 'integration', 'create', 'p');
  const works = async () => (await callBearer(file, 'integration.saveSignals', save(file))).status === 200;
  assert.ok(await until(works, 1000));
  assert.deepEqual(await json(rig, 'key', 'rotate'), { rotated: true });
  assert.ok(await until(works, 1000));
});

test('A4 no secret reaches the log, at the finest level', async (t) => {
  const directory = await temporaryDirectory(t);
  const data = join(directory, 'data');
  const service = await serve(t, data, ['--log-level', 'debug']);
  const rig = { directory, data, service };
  const basic = await json<CreatedAnswer>(rig, 'integration', 'create', 'p', '--type', 'basic-auth');
  const oauth = await json<CreatedAnswer>(rig, 'credential', 'create', basic.integration);
  await callBasic(basic.file, 'integration.saveSignals', {});
  await callBearer(oauth.file, 'integration.saveSignals', {});
  assert.equal(await service.stop(), 0);
  const text = service.output.stdout + service.output.stderr;
  for (const { file } of [basic, oauth]) assert.ok(!text.includes(file.credentials.clientSecret));
  for (const line of service.output.stdout.trim().split('\n')) assert.ok(JSON.parse(line).time);
  assert.ok(!(await readFile(join(data, 'service.json'), 'utf8')).includes('ecret'));
});

test('A4 commands need no running service, and use --base-url where none has run', async (t) => {
  const directory = await temporaryDirectory(t);
  const data = join(directory, 'data');
  const args = ['integration', 'create', 'p', '--data', data, '--json'];
  const [plain, named] = [
    await tidemark(args),
    await tidemark([...args, '--base-url', 'https://signals.example.com/x/']),
  ];
  assert.equal(JSON.parse(plain.stdout).file.apiUrl, 'http://127.0.0.1:8080/v1/');
  assert.equal(JSON.parse(named.stdout).file.apiUrl, 'https://signals.example.com/x/v1/');
  const list = await tidemark(['integration', 'list', '--data', data]);
  assert.match(list.stdout, /^ID +NAME +GRANTS +PLAN +CREATED +STATE\n[a-v0-9]{20} {2}p /);
});

test('R2 a name that is too long is wrong usage', async (t) => {
  const data = join(await temporaryDirectory(t), 'data');
  const { code, stderr } = await tidemark(['integration', 'create', 'x'.repeat(1000), '--data', data]);
  assert.equal(code, 2);
  assert.match(stderr, /^tidemark: .*name: .*\n$/);
});

test('L1 commands other than create need a data directory that exists', async (t) => {
  const directory = await temporaryDirectory(t);
  const { code, stderr } = await tidemark(['integration', 'list', '--data', join(directory, 'nowhere')]);
  assert.equal(code, 1);
  assert.match(stderr, /^tidemark: no data directory .*nowhere; name it with --data.*\n$/);
  await assert.rejects(stat(join(directory, 'nowhere')));
});

test('A1b a disabled integration is refused within a second, by password and by the token it has, until it is enabled', async (t) => {
  const rig = await open(t);
  const { integration, file } = await json<CreatedAnswer>(rig, 'integration', 'create', 'plant');
  const basic = await json<CreatedAnswer>(rig, 'credential', 'create', integration, '--type', 'basic-auth');
  const { clientSecret } = basic.file.credentials;
  const headers = [
    `Bearer ${await tokenOf(file)}`,
    `Basic ${Buffer.from(`${integration}:${clientSecret}`).toString('base64')}`,
  ];
  const answers = () => Promise.all(headers.map((authorization) => discover(file, authorization)));
  const statuses = async () => (await answers()).map(({ status }) => status).join(' ');
  assert.equal(await statuses(), '200 200');
  const [disabled] = await json<{ disabledAt: string | null }[]>(rig, 'integration', 'disable', integration);
  assert.match(disabled.disabledAt ?? '', /^20/);
  assert.ok(await until(async () => (await statuses()) === '401 401', 1000));
  for (const { detail } of await answers()) assert.match(detail ?? '', /^This integration is disabled/);
  const { stdout } = await tidemark(['integration', 'list', '--data', rig.data]);
  assert.match(stdout, new RegExp(`^${integration} .* disabled$`, 'm'));
  await json(rig, 'integration', 'enable', integration);
  assert.ok(await until(async () => (await statuses()) === '200 200', 1000));
});

async function tokenOf({ apiUrl, credentials }: CredentialsFile): Promise<string> {
  const { clientId, clientSecret } = credentials;
  const client = { client_id: clientId, client_secret: clientSecret, audience: apiUrl };
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...client });
  for (let attempt = 0; ; attempt++) {
    const response = await fetch(`${apiUrl}oauth/token`, { method: 'POST', body });
    if (response.ok) return ((await response.json()) as { access_token: string }).access_token;
    assert.ok(attempt < 40, 'no token within a second');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

async function discover({ apiUrl }: CredentialsFile, authorization: string) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'rpc.discover' });
  const response = await fetch(`${apiUrl}rpc`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body,
  });
  const { detail } = (await response.json()) as { detail?: string };
  return { status: response.status, detail };
}
