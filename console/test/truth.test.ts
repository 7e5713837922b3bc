/** What the console says of signals, service and session is true: silent signals, a service that is lost, a session that has ended. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { call, openConsole, page, service } from './support/console.ts';
import { ada } from './support/people.ts';

let integration: string;

openConsole({
  setup: 'empty',
  prepare: async () => {
    ({ id: integration } = (await call('console.integrations.create', { name: 'Pump house' })) as {
      id: string;
    });
    await writeSignals();
  },
});

/** One signal that is live, one that stopped two hours ago, one without points. */
async function writeSignals(): Promise<void> {
  const { file } = (await call('console.credentials.create', { integration, type: 'basic-auth' })) as {
    file: { credentials: { clientSecret: string } };
  };
  const authorization = `Basic ${btoa(`${integration}:${file.credentials.clientSecret}`)}`;
  const send = async (method: string, params: object) => {
    const answer = await fetch(`${service.url}/v1/rpc`, {
      method: 'POST',
      headers: { authorization, 'x-api-version': '1.2', 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { integration, ...params } }),
    });
    const { error } = (await answer.json()) as { error?: unknown };
    assert.equal(error, undefined);
  };
  const gapDetection = 'PT1H';
  const signalsByInput = {
    live: { name: 'Live pump', gapDetection },
    stopped: { name: 'Stopped pump', gapDetection },
    idle: { name: 'Idle pump' },
  };
  await send('integration.saveSignals', { signalsByInput });
  const now = Date.now();
  const times = [now - 7_200_000, now].map((ms) => new Date(ms).toISOString());
  await send('integration.insert', { data: { times, series: { live: [1, 2], stopped: [3, null] } } });
}

suite('what the console says is true', { concurrency: false }, () => {
  test('a silent signal is on the overview, with a link to all of its integration', async () => {
    await page.goto(`${service.url}/#/`);
    await page.getByText('1 of 3').waitFor();
    await page.getByRole('link', { name: 'Stopped pump' }).waitFor();
    await page.getByText('2 h ago').first().waitFor();
    await page.getByRole('link', { name: 'Pump house: 1 signal' }).click();
    await page.getByRole('status').getByText('1 signal', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Stopped pump' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Live pump' }).count(), 0);
  });

  test('signals are sorted by age, those without points last', async () => {
    await page.goto(`${service.url}/#/signals`);
    const names = () => page.locator('[role=grid] a.table-name').allTextContents();
    await page.getByRole('columnheader', { name: 'Age' }).getByRole('button').click();
    await page.waitForFunction(() =>
      document.querySelector('[role=grid] a.table-name')?.textContent?.startsWith('Live'),
    );
    assert.deepEqual(await names(), ['Live pump', 'Stopped pump', 'Idle pump']);
    await page.getByRole('columnheader', { name: 'Age' }).getByRole('button').click();
    await page.waitForFunction(() =>
      document.querySelector('[role=grid] a.table-name')?.textContent?.startsWith('Stopped'),
    );
    assert.deepEqual(await names(), ['Stopped pump', 'Live pump', 'Idle pump']);
  });

  test('the list of integrations says how many of their signals are silent, and since when', async () => {
    await page.goto(`${service.url}/#/integrations`);
    const row = page.getByRole('row', { name: /Pump house/ });
    await row.getByRole('link', { name: '1', exact: true }).waitFor();
    await page.goto(`${service.url}/#/integrations/${integration}`);
    await page
      .locator('dt', { hasText: 'Newest point' })
      .locator('+ dd')
      .getByText(/ago|now/)
      .waitFor();
  });

  test('a signal that is not published has a chart, statistics and its newest points', async () => {
    await page.goto(`${service.url}/#/signals`);
    await page.getByRole('link', { name: 'Live pump' }).click();
    await page.getByRole('img', { name: /^Live pump from \d/ }).waitFor();
    const newest = page.getByRole('region', { name: 'Newest points' });
    assert.deepEqual(await newest.locator('tbody tr td:last-child').allTextContents(), ['2', '1']);
    const fact = (title: string) => page.locator('dt', { hasText: title }).locator('+ dd').first();
    assert.equal(await fact('Points in the range').textContent(), '2');
    assert.equal(await fact('Mean').textContent(), '1.5');
    await page.getByRole('radio', { name: 'Hour' }).click();
    await fact('Points in the range').getByText('1', { exact: true }).waitFor();
  });

  test('an address that cannot be read has a page that says so', async () => {
    for (const address of ['#/items/%', '#/nothing/here']) {
      await page.goto(`${service.url}/${address}`);
      await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
      await page.getByRole('link', { name: 'Go to the overview' }).click();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
    }
  });

  test('a service that is lost is nowhere called healthy, and pages come back with it', async () => {
    await page.getByText('healthy', { exact: true }).waitFor();
    await page.route('**/*', (route) => route.abort());
    await page.getByText('The service cannot be reached.', { exact: true }).waitFor();
    await page.getByText('not reachable', { exact: true }).waitFor();
    assert.equal(await page.getByText('healthy', { exact: true }).count(), 0);
    await page.evaluate(() => {
      location.hash = '#/audit';
    });
    await page.unroute('**/*');
    await page.getByText('integration.create').first().waitFor();
    assert.equal(await page.getByText('The service cannot be reached').count(), 0);
  });

  test('a session that has ended is said, and one that was left is not', async () => {
    const { sessions } = (await call('console.sessions.list')) as { sessions: { id: string }[] };
    for (const { id } of sessions) await call('console.sessions.revoke', { id });
    await page.goto(`${service.url}/#/items`);
    await page.getByText('Your session has ended.').waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill(ada.name);
    await page.getByLabel('Password').fill(ada.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Items' }).waitFor();
    await page.getByRole('button', { name: 'Ada, admin' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.equal(await page.getByText('Your session has ended').count(), 0);
  });
});
