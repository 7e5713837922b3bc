/** The console on a service of two nodes: each shows what both know, and says so when one does not answer. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { type Serving, serve, until } from '../../server/test/cli/process.ts';
import { Balancer } from '../../server/test/support/balancer.ts';
import { ClusterNodes, missingForNodes } from '../../server/test/support/cluster-nodes.ts';
import { type RunningBrowser, startBrowser } from './support/chromium.ts';
import { callAs, setUp } from './support/people.ts';

const missing = missingForNodes();

suite('a service of two nodes', {
  concurrency: false,
  ...(missing === null ? {} : { skip: missing }),
}, () => {
  let cluster: ClusterNodes;
  let nodes: Serving[];
  let balancer: Balancer;
  let browser: RunningBrowser;
  let page: Page;
  let token: string;
  let plant: string;
  const ending: (() => Promise<void>)[] = [];

  before(async () => {
    await promisify(execFile)(process.execPath, [fileURLToPath(new URL('../build.mjs', import.meta.url))]);
    cluster = await ClusterNodes.start(0);
    ending.push(() => cluster.close());
    balancer = await Balancer.start();
    ending.push(() => balancer.close());
    const { metaUrl, seriesUrl, seriesCluster } = cluster.addresses;
    const env = {
      ...{ TIDEMARK_META_URL: metaUrl, TIDEMARK_SERIES_URL: seriesUrl },
      ...{ TIDEMARK_SERIES_CLUSTER: seriesCluster, TIDEMARK_THREADS: '2' },
    };
    const start = () =>
      serve(
        { after: (end) => ending.push(end) },
        '/nowhere',
        ['--base-url', balancer.url, '--limit', 'slowCallMs=1'],
        { env },
      );
    nodes = [await start(), await start()];
    balancer.choose(nodes[0].url);
    browser = await startBrowser(balancer.url);
    ending.push(() => browser.stop());
    token = await setUp(await serviceOf(nodes[0]), browser.context, false);
    page = await browser.context.newPage();
    plant = ((await call(0, 'console.integrations.create', { name: 'Plant' })) as { id: string }).id;
    await sendData();
  });
  after(async () => {
    for (const end of ending.reverse()) await end();
  });

  const serviceOf = async ({ output }: Serving) => {
    const { url } = balancer;
    const code = () => /"setupCode":"([^"]+)"/.exec(output.stdout)?.[1];
    await until(() => code() !== undefined, 60_000);
    return { url, listensAt: url, mqttPort: 0, setupCode: code() ?? '', stop: async () => {} };
  };

  const call = async (node: number, method: string, params: object = {}) => {
    balancer.choose(nodes[node].url);
    return callAs(await serviceOf(nodes[node]), browser.context, token, method, params);
  };

  /** The first node gets points, and a frame that is wrong. */
  async function sendData(): Promise<void> {
    const made = await call(0, 'console.credentials.create', { integration: plant, type: 'basic-auth' });
    const { clientId, clientSecret } = (made as { file: { credentials: Record<string, string> } }).file
      .credentials;
    const authorization = `Basic ${btoa(`${clientId}:${clientSecret}`)}`;
    for (const values of [
      [20.5, 21],
      ['warm', 21],
    ]) {
      const data = {
        times: ['2026-03-01T00:00:00Z', '2026-03-01T00:01:00Z'],
        series: { temperature: values },
      };
      const body = {
        jsonrpc: '2.0',
        id: 1,
        method: 'integration.insert',
        params: { integration: plant, data },
      };
      await fetch(`${nodes[0].url}/v1/rpc`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json', 'x-api-version': '1.2' },
        body: JSON.stringify(body),
      });
    }
  }

  const open = async (node: number, path: string) => {
    balancer.choose(nodes[node].url);
    await page.goto(`${balancer.url}/#${path}`);
    await page.reload();
  };
  const rows = (table: string) => page.getByRole('grid', { name: table }).getByRole('row');

  test('the session of one node is one of the other, which shows both nodes with their health', async () => {
    await open(1, '/health');
    await page.getByRole('grid', { name: 'Nodes' }).waitFor();
    await until(async () => (await rows('Nodes').getByText('healthy').count()) === 2, 60_000);
    assert.equal(await rows('Nodes').getByText('healthy').count(), 2);
    assert.equal(await rows('Nodes').getByText('this page').count(), 1);
    assert.match((await rows('Nodes').nth(1).textContent()) ?? '', /\d m?s\d/);
  });

  test('A5h what one node has refused is among the recent errors on the other', async () => {
    await open(1, `/integrations/${plant}`);
    await page.getByText('Recent errors').waitFor();
    await page.getByText('integration.insert').first().waitFor();
  });

  test('the slow calls of all nodes are listed with the node', async () => {
    await call(0, 'console.usage');
    await open(1, '/activity');
    const slow = page.getByRole('grid', { name: 'Slow calls' });
    await slow.getByRole('columnheader', { name: 'Node' }).waitFor();
    const { nodes: known } = (await call(1, 'console.nodes')) as { nodes: { id: string; isThis: boolean }[] };
    assert.deepEqual(
      known.map(({ isThis }) => isThis),
      [false, true],
    );
    for (const { id } of known) await slow.getByText(id).first().waitFor();
    const named = await slow.getByText(/-[0-9a-f]{8}$/).allTextContents();
    assert.deepEqual([...new Set(named)].sort(), known.map(({ id }) => id).sort());
  });

  test('the sizes on disk are those of the points that another node has taken', async () => {
    await open(1, '/usage');
    await page.getByText('temperature').first().waitFor();
    const { total, largest } = (await call(1, 'console.sizes')) as {
      total: { points: number; bytes: number };
      largest: { input: string }[];
    };
    assert.equal(total.points, 2);
    assert.ok(total.bytes > 0);
    assert.deepEqual(
      largest.map(({ input }) => input),
      ['temperature'],
    );
  });

  test('a node that does not answer is named, and everything else is shown', async () => {
    const { nodes: known } = (await call(0, 'console.nodes')) as { nodes: { id: string }[] };
    nodes[1].child.kill('SIGSTOP');
    try {
      await open(0, '/activity');
      await page
        .getByText(`The node ${known[1].id} did not answer: what it knows is missing here.`)
        .waitFor();
      await page.getByRole('grid', { name: 'Slow calls' }).getByText(known[0].id).first().waitFor();
      await open(0, '/health');
      await rows('Nodes')
        .getByText(/no answer, heard of/)
        .waitFor();
    } finally {
      nodes[1].child.kill('SIGCONT');
    }
    await rows('Nodes')
      .getByText(/no answer/)
      .waitFor({ state: 'detached' });
  });
});
