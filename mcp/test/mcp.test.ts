/** The MCP server with the official client and the inspector: what tools and resources give, and what they may not. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client } from '@tidemark/client';
import { open, type Rig } from '../../client/test/rig.ts';

const bin = fileURLToPath(new URL('../bin/tidemark-mcp.js', import.meta.url));
const inspector = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/inspector/clients/launcher/build/index.js',
);
const tidemark = fileURLToPath(new URL('../../server/bin/tidemark.js', import.meta.url));

let rig: Rig;
let credentials: string;
let ids: Record<string, string>;
const endings: (() => Promise<void>)[] = [];
before(async () => {
  rig = await open({ after: (end) => endings.push(end) });
  await rig.start();
  credentials = join(rig.directory, 'mcp.json');
  await writeFile(credentials, JSON.stringify(rig.credentials));
  ids = await fill(Client.fromFile(rig.credentials), rig.credentials.integration);
});
after(async () => {
  for (const end of endings.toReversed()) await end();
});

/** Two days of minutes, and a door that opens on the second day. */
async function fill(client: Client, integration: string): Promise<Record<string, string>> {
  const minutes = Array.from({ length: 2880 }, (_, i) => i);
  const data = {
    times: minutes.map((minute) => 1_767_225_600 + minute * 60),
    series: {
      'lab/temperature': minutes.map((minute) => (minute < 1440 ? 20 : 25)),
      'lab/door': minutes.map((minute) => (minute % 1440 === 0 ? minute / 1440 : null)),
    },
  };
  const { signalsByInput } = await client.call('integration.insert', { integration, data });
  const described = {
    'lab/temperature': { name: 'Lab temperature (air)', engUnit: '°C', labels: { room: ['lab'] } },
    'lab/door': { name: 'Lab door', valueType: 'enum', enumValues: { 0: 'closed', 1: 'open' } },
  } as const;
  const items = Object.entries(described).map(([input, item]) => [signalsByInput[input].id, item]);
  const { itemsBySignal } = await client.call('admin.publishSignals', {
    integration,
    itemsBySignal: Object.fromEntries(items),
  });
  return Object.fromEntries(
    Object.keys(described).map((input) => [input, itemsBySignal[signalsByInput[input].id].id]),
  );
}

/** A client on standard input and output, for some work. */
async function withStdio<T>(args: readonly string[], work: (client: McpClient) => Promise<T>): Promise<T> {
  const client = new McpClient({ name: 'test', version: '1' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [...args] }));
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/** What a tool answers, as an object. */
async function callTool(client: McpClient, name: string, args: object) {
  const { content, isError } = await client.callTool({ name, arguments: { ...args } });
  const [{ text }] = content as { text: string }[];
  return isError ? { error: text } : JSON.parse(text);
}

const first = { $gte: '2026-01-01T00:00:00Z', $lt: '2026-01-02T00:00:00Z' };
const second = { $gte: '2026-01-02T00:00:00Z', $lt: '2026-01-03T00:00:00Z' };
const both = { $gte: first.$gte, $lt: second.$lt };
const readTools = ['find_items', 'describe_items', 'read_data', 'evaluate', 'compare_periods', 'list_states'];

test('tools find, describe, read, compute, compare and list states', { timeout: 120_000 }, async () => {
  await withStdio([bin, '--credentials', credentials], async (client) => {
    const [temperature, door] = [ids['lab/temperature'], ids['lab/door']];
    const byWords = await callTool(client, 'find_items', { words: 'TEMPERATURE (air' });
    assert.deepEqual([byWords.total, byWords.items[0].id, byWords.items[0].engUnit], [1, temperature, '°C']);
    const byLabel = await callTool(client, 'find_items', { labels: { room: 'lab' } });
    assert.deepEqual([byLabel.total, byLabel.items[0].id], [1, temperature]);
    const one = await callTool(client, 'find_items', { limit: 1 });
    assert.deepEqual(
      [one.total, one.items.length, one.hint],
      [2, 1, 'there are more: call again with skip 1, or narrow the search'],
    );

    const described = await callTool(client, 'describe_items', { ids: [door, 'c0000000000000000000'] });
    assert.deepEqual(described.items[0].enumValues, { 0: 'closed', 1: 'open' });
    assert.deepEqual(described.notFound, ['c0000000000000000000']);

    const query = { filter: { id: temperature } };
    const hours = await callTool(client, 'read_data', {
      query,
      data: { filter: { times: both }, rollup: 'PT1H' },
    });
    assert.deepEqual([hours.rows, hours.series[`${temperature}_avg`].at(-1)], [48, 25]);
    const raw = await callTool(client, 'read_data', { query, data: { filter: { times: both } } });
    assert.deepEqual([raw.isTooLarge, raw.rows], [true, 2880]);
    assert.deepEqual(raw.figures[temperature], { count: 2880, min: 20, max: 25, avg: 22.5, last: 25 });
    assert.match(raw.hint, /2880 rows of 1 series are more than 2000 values: set data.rollup to "PT15M"/);

    const item = { id: temperature, alias: 'a', aggregation: 'avg' };
    const computed = await callTool(client, 'evaluate', {
      ...{ items: [item], calculations: [{ alias: 'f', formula: 'a * 9 / 5 + 32' }] },
      data: { filter: { times: both }, rollup: 'P1D' },
    });
    assert.deepEqual(computed.series, { a: [20, 25], f: [68, 77] });

    const { comparisons } = await callTool(client, 'compare_periods', { items: [item], first, second });
    assert.deepEqual(comparisons, [{ alias: 'a', first: 20, second: 25, difference: 5, percent: 25 }]);

    const { items } = await callTool(client, 'list_states', { times: both });
    assert.deepEqual(items, [
      {
        ...{ id: door, name: 'Lab door' },
        states: [
          { state: 0, name: 'closed', seconds: 86_400 },
          { state: 1, name: 'open', seconds: 86_400 },
        ],
      },
    ]);
  });
});

test('what is wrong with a call is said to the model, with the path', { timeout: 120_000 }, async () => {
  await withStdio([bin, '--credentials', credentials], async (client) => {
    const wrong = await callTool(client, 'evaluate', { calculations: [{ alias: 'c', formula: '1 +' }] });
    assert.match(wrong.error, /calculations\.0\.formula: at/);
    const unknown = await callTool(client, 'read_data', { item: 'x' });
    assert.equal(unknown.error, 'unknown argument "item"; there are query, data');
    assert.equal(
      (await callTool(client, 'describe_items', {})).error,
      'ids: must be a list of texts with at least one',
    );
    await assert.rejects(
      client.callTool({ name: 'insert_data', arguments: {} }),
      /unknown tool "insert_data"/,
    );
  });
});

test('each item is a resource', { timeout: 120_000 }, async () => {
  await withStdio([bin, '--credentials', credentials], async (client) => {
    const { resources } = await client.listResources();
    const uri = `tidemark://items/${ids['lab/door']}`;
    assert.deepEqual(resources.find((resource) => resource.uri === uri)?.name, 'Lab door');
    const { contents } = await client.readResource({ uri });
    const [content] = contents as { text: string }[];
    assert.equal(JSON.parse(content.text).name, 'Lab door');
    await assert.rejects(
      client.readResource({ uri: 'tidemark://items/x' }),
      /there is no resource tidemark:\/\/items\/x/,
    );
    const { resourceTemplates } = await client.listResourceTemplates();
    assert.deepEqual(
      resourceTemplates.map(({ uriTemplate }) => uriTemplate),
      ['tidemark://items/{id}'],
    );
  });
});

test('tools write with --allow-writes alone; their schemas are those of the methods', {
  timeout: 120_000,
}, async () => {
  const { tools } = await withStdio([bin, '--credentials', credentials], (client) => client.listTools());
  assert.deepEqual(
    tools.map(({ name }) => name),
    readTools,
  );
  assert.ok(tools.every(({ annotations }) => annotations?.readOnlyHint === true));
  // `tidemark mcp` is the same command.
  await withStdio([tidemark, 'mcp', '--credentials', credentials, '--allow-writes'], async (client) => {
    const { tools: all } = await client.listTools();
    assert.deepEqual(
      all.map(({ name }) => name),
      [...readTools, 'save_signals', 'insert_data'],
    );
    const document = await Client.fromFile(rig.credentials).callAny('rpc.discover');
    const { components } = document as { components: { schemas: Record<string, unknown> } };
    const schemaOf = (tool: string) => all.find(({ name }) => name === tool)?.inputSchema;
    assert.deepEqual(schemaOf('read_data')?.['$defs'], {
      ...{ DataQuery: components.schemas['DataQuery'], ResourceQuery: components.schemas['ResourceQuery'] },
    });
    const written = { data: { times: ['2026-01-05T00:00:00Z'], series: { 'lab/temperature': [30] } } };
    const { signalsByInput } = await callTool(client, 'insert_data', written);
    assert.equal(signalsByInput['lab/temperature'].created, false);
  });
});

test('the inspector lists and calls tools', { timeout: 120_000 }, async () => {
  const config = join(rig.directory, 'inspector.json');
  const server = { command: process.execPath, args: [bin, '--credentials', credentials] };
  await writeFile(config, JSON.stringify({ mcpServers: { tidemark: server } }));
  const inspect = async (...args: string[]) => {
    const command = ['--cli', '--config', config, '--server', 'tidemark'];
    const { stdout } = await promisify(execFile)(process.execPath, [inspector, ...command, ...args], {
      timeout: 60_000,
    });
    return JSON.parse(stdout);
  };
  const { tools } = await inspect('--method', 'tools/list');
  assert.deepEqual(
    tools.map(({ name }: { name: string }) => name),
    readTools,
  );
  const { structuredContent } = await inspect(
    '--method',
    'tools/call',
    '--tool-name',
    'find_items',
    '--tool-arg',
    'words=door',
  );
  assert.equal(structuredContent.items[0].id, ids['lab/door']);
});

test('over HTTP each request has the credentials of the service, and what these are granted', {
  timeout: 120_000,
}, async (t) => {
  const { apiUrl, credentials: own } = rig.credentials;
  const args = [bin, '--listen', '0', '--api-url', apiUrl, '--allow-origin', 'https://chat.example'];
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(server, 'close');
  t.after(() => server.kill('SIGKILL'));
  const [line] = await once(server.stdout, 'data');
  const url = /listening on (\S+)/.exec(String(line))![1];
  const authorization = `Basic ${Buffer.from(`${own.clientId}:${own.clientSecret}`).toString('base64')}`;
  const client = new McpClient({ name: 'test', version: '1' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization } } }),
  );
  const { items } = await callTool(client, 'find_items', { words: 'door' });
  assert.equal(items[0].id, ids['lab/door']);
  await client.close();

  const wrong = new McpClient({ name: 'test', version: '1' });
  const headers = { authorization: `Basic ${Buffer.from('no:no').toString('base64')}` };
  await wrong.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  assert.match((await callTool(wrong, 'find_items', {})).error, /HTTP 401/);
  await wrong.close();

  const statuses: [RequestInit, number][] = [
    [{ method: 'POST', body: '{}' }, 401],
    [{ method: 'GET', headers: { authorization } }, 405],
    [{ method: 'POST', body: '{', headers: { authorization } }, 400],
    [{ method: 'POST', body: '{}', headers: { authorization, origin: 'https://evil.example' } }, 403],
    [{ method: 'POST', body: 'x'.repeat(1024 * 1024 + 1), headers: { authorization } }, 500],
  ];
  for (const [init, status] of statuses) assert.equal((await fetch(url, init)).status, status);
  assert.equal((await fetch(new URL('/', url))).status, 404);
  server.kill('SIGTERM');
  assert.deepEqual(await closed, [0, null]);
});

test('what is wrong with the command line is said, and is exit code 2', { timeout: 120_000 }, async () => {
  const cases: [string[], RegExp][] = [
    [[], /--credentials FILE or --listen PORT is needed/],
    [['--credentials', '/nowhere.json'], /cannot read \/nowhere\.json/],
    [['--listen', '0'], /--api-url must be the address of the service and end in \/v1\//],
    [['--listen', 'x', '--api-url', 'http://127.0.0.1:1/v1/'], /--listen must be \[HOST:\]PORT, got x/],
    [
      ['--listen', '0', '--api-url', 'http://127.0.0.1:1/v1/'],
      /no answer from http:\/\/127\.0\.0\.1:1\/openrpc\.json/,
    ],
    [['--nonsense'], /Unknown option '--nonsense'/],
  ];
  for (const [args, message] of cases) {
    const outcome = await promisify(execFile)(process.execPath, [bin, ...args]).catch((error) => error);
    assert.match(outcome.stderr, message);
    assert.equal(outcome.code, 2);
  }
});
