/** The snippets that pages show, carried out as they stand by the programs that they are for, against a real service. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { Client, type CredentialsFile } from '@tidemark/client';
import { type Snippet, snippetsFor } from '../src/pages/integrations/snippets.ts';
import { ada } from './support/people.ts';
import { type RunningService, startService } from './support/service.ts';

const run = promisify(execFile);
const types = ['client-credentials', 'basic-auth'] as const;

let service: RunningService;
let session: Client;
let cookie: string;
before(async () => {
  service = await startService();
  const response = await fetch(`${service.url}/console/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: service.setupCode, ...ada }),
  });
  assert.equal(response.status, 200);
  [cookie = ''] = response.headers.get('set-cookie')?.split(';') ?? [];
  const { csrfToken } = (await response.json()) as { csrfToken: string };
  session = new Client({
    apiUrl: `${service.url}/v1/`,
    credentials: { type: 'session', csrfToken: () => csrfToken },
    version: '1.2',
    world: { ...(await import('@tidemark/client')).systemWorld, fetch: fetchWithCookie },
  });
});
after(() => service?.stop());

const fetchWithCookie: typeof fetch = (url, init) => {
  const headers = new Headers(init?.headers);
  headers.set('cookie', cookie);
  return fetch(url, { ...init, headers });
};

/** An integration of its own, with a credential. */
async function newFile(type: (typeof types)[number]): Promise<CredentialsFile> {
  const { id } = (await session.callAny('console.integrations.create', { name: type })) as { id: string };
  const made = await session.callAny('console.credentials.create', { integration: id, type });
  return (made as { file: CredentialsFile }).file;
}

function snippet(file: CredentialsFile, id: string): Snippet {
  const found = snippetsFor(file).find((one) => one.id === id);
  assert.ok(found, `there is no snippet ${id}`);
  return found;
}

/** The newest value of each signal, by input key. */
async function latest({ integration }: CredentialsFile): Promise<Record<string, number>> {
  const { data } = (await session.callAny('admin.selectSignals', { integration })) as {
    data: { id: string; attributes: { input: string } }[];
  };
  const { byId } = (await session.callAny('console.signals.status', { ids: data.map(({ id }) => id) })) as {
    byId: Record<string, { lastValue: number } | null>;
  };
  return Object.fromEntries(
    data.map(({ id, attributes }) => [attributes.input, byId[id]?.lastValue ?? Number.NaN]),
  );
}

for (const type of types) {
  test(`curl, with ${type}`, async () => {
    const file = await newFile(type);
    const { stdout } = await run('sh', ['-c', snippet(file, 'curl').code]);
    assert.ok('demo/temperature' in JSON.parse(stdout).result.signalsByInput, stdout);
    assert.deepEqual(await latest(file), { 'demo/temperature': 21.5 });
  });

  test(`Python, with ${type}`, async () => {
    const file = await newFile(type);
    await run('python3', ['-c', snippet(file, 'python').code]);
    assert.deepEqual(await latest(file), { 'demo/temperature': 21.5 });
  });
}

test('Telegraf’s output always reads the credentials file: its Basic login would go elsewhere', async () => {
  for (const type of types) {
    const { code } = snippet(await newFile(type), 'telegraf');
    const keys = [...code.matchAll(/^ {2}(\w+) = /gm)].map(([, key]) => key);
    assert.deepEqual(keys, ['credentials_file', 'timeout', 'id_tags', 'percpu', 'totalcpu']);
  }
});

test('Node-RED: the flow is one, and its function makes a call that is accepted', async () => {
  const file = await newFile('basic-auth');
  const flow = JSON.parse(snippet(file, 'node-red').code) as {
    id: string;
    func?: string;
    wires: string[][];
    url?: string;
  }[];
  const ids = new Set(flow.map(({ id }) => id));
  assert.ok(flow.every(({ wires }) => wires.flat().every((id) => ids.has(id))));
  const { func } = flow.find(({ func }) => func !== undefined)!;
  const { url } = flow.find(({ url }) => url !== undefined)!;
  const script = `const work = (msg) => { ${func} }; console.log(JSON.stringify(work({ payload: 19.5 })))`;
  const { stdout } = await run(process.execPath, ['-e', script]);
  const { headers, payload } = JSON.parse(stdout) as { headers: Record<string, string>; payload: object };
  const response = await fetch(url!, { method: 'POST', headers, body: JSON.stringify(payload) });
  assert.equal(response.status, 200);
  assert.deepEqual(await latest(file), { 'demo/temperature': 19.5 });
});
