/** The API console in a browser: forms of objects within objects, calls as an integration, what was sent, code to copy. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { browser, call, openConsole, page, service } from './support/console.ts';

let plant: string;

openConsole({
  prepare: async () => {
    const { integrations } = (await call('console.integrations.list')) as { integrations: { id: string }[] };
    plant = integrations[0]!.id;
  },
});

async function credentials(): Promise<{ label: string }[]> {
  const answer = await call('console.credentials.list', { integration: plant });
  return (answer as { credentials: { label: string }[] }).credentials;
}

async function open(place: string): Promise<void> {
  await page.goto(`${service.url}/#${place}`);
  await page.getByRole('heading', { name: 'API console' }).waitFor();
  await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
}

async function run(): Promise<void> {
  await page.getByRole('button', { name: 'Run', exact: true }).click();
}

async function runAs(name: RegExp): Promise<void> {
  await page.getByRole('button', { name: /Run as/ }).click();
  await page.getByRole('option', { name }).click();
}

/** The body of the answer, read. */
async function answer(): Promise<{ result?: { data?: unknown[] }; error?: { code: number } }> {
  const figure = page.getByRole('figure', { name: 'Body of the answer' });
  await figure.waitFor();
  return JSON.parse((await figure.locator('pre').textContent()) ?? '');
}

suite('API console', { concurrency: false }, () => {
  test('members of an object have fields, and what is filled in is what is sent', async () => {
    await open('/console?m=service.selectItems');
    await page.getByLabel('filter', { exact: true }).fill('{"name": {"$regex": "Pump"}}');
    await page.getByLabel('limit', { exact: true }).fill('2');
    await page.getByRole('radio', { name: 'JSON' }).click();
    const text = await page.getByLabel('params').inputValue();
    assert.deepEqual(JSON.parse(text), { query: { filter: { name: { $regex: 'Pump' } }, limit: 2 } });
    await run();
    assert.equal((await answer()).result?.data?.length, 2);
    await page.getByRole('radio', { name: 'Form' }).click();
    await page.getByLabel('limit', { exact: true }).fill('');
    await page.getByLabel('filter', { exact: true }).fill('');
    await page.getByRole('radio', { name: 'JSON' }).click();
    assert.deepEqual(JSON.parse(await page.getByLabel('params').inputValue()), {});
  });

  test('times are typed as they are, as text or as seconds', async () => {
    await open('/console?m=service.dataFrame');
    await page.getByLabel('$gte').fill('2026-01-01T00:00:00Z');
    await page.getByLabel('$lt').fill('1767312000');
    await page.getByRole('radio', { name: 'JSON' }).click();
    const { data } = JSON.parse(await page.getByLabel('params').inputValue());
    assert.deepEqual(data, { filter: { times: { $gte: '2026-01-01T00:00:00Z', $lt: 1767312000 } } });
    await run();
    assert.equal((await answer()).error, undefined);
  });

  test('what was sent is shown, without what is secret in it', async () => {
    await page.getByRole('tab', { name: 'Request' }).click();
    const sent = (await page.getByRole('figure', { name: 'Headers of the request' }).textContent()) ?? '';
    assert.match(sent, /X-API-Version: 1\.2/);
    assert.match(sent, /X-CSRF-Token: …/);
    const body = page.getByRole('figure', { name: 'Body of the request' });
    assert.match((await body.textContent()) ?? '', /"method": "service\.dataFrame"/);
  });

  test('a call is run as an integration, with a credential that is gone afterwards', async () => {
    const before = (await credentials()).length;
    await open('/console?m=integration.insert');
    await page.getByText('for integrations only').waitFor();
    await runAs(/Demo plant/);
    assert.equal(await page.getByLabel('integration (required)').inputValue(), plant);
    const data = page.getByRole('group', { name: 'data (required)' });
    await data.getByLabel('times (required)').fill('["2026-01-01T00:00:00Z"]');
    await data.getByLabel('series (required)').fill('{"api/test": [1]}');
    await run();
    await page.getByText('HTTP 200').waitFor();
    assert.equal((await answer()).error, undefined);
    await page.getByRole('tab', { name: 'Request' }).click();
    const sent = (await page.getByRole('figure', { name: 'Headers of the request' }).textContent()) ?? '';
    assert.match(sent, /Authorization: Basic …/);
    assert.doesNotMatch(sent, /Cookie|CSRF/);
    assert.equal((await credentials()).filter(({ label }) => label === 'API console').length, 1);
    await run();
    await page.getByText('HTTP 200').waitFor();
    assert.equal((await credentials()).length, before + 1, 'one credential is enough for two calls');
    await page.goto(`${service.url}/#/items`);
    await page.getByRole('heading', { name: 'Items' }).waitFor();
    for (let i = 0; i < 50 && (await credentials()).length > before; i++) await page.waitForTimeout(100);
    assert.equal((await credentials()).length, before);
    const { rows } = (await call('console.audit.list', { limit: 2 })) as { rows: { action: string }[] };
    assert.deepEqual(
      rows.map(({ action }) => action),
      ['credential.revoke', 'credential.create'],
    );
  });

  test('an integration may not call what is for people, and is told so', async () => {
    await open('/console?m=console.overview');
    await runAs(/Demo plant/);
    await page.getByText('for people only').waitFor();
    await run();
    await page.getByText('Error -32003').waitFor();
    await page.getByText(/console\.\* methods are for people/).waitFor();
    await runAs(/Ada/);
    await run();
    await page.getByText('HTTP 200').waitFor();
  });

  test('a call is copied as code', async () => {
    await browser.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: /Copy as/ }).click();
    await page.getByRole('menuitem', { name: 'Python' }).click();
    await page.getByText('The call as Python is copied').waitFor();
    const text = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(text, /print\(call\("console\.overview", json\.loads\("\{\}"\)\)\)/);
  });

  test('Ctrl+Enter runs, from within a field too', async () => {
    await open('/console?m=service.selectItems');
    await page.getByLabel('limit', { exact: true }).fill('1');
    await page.keyboard.press('Control+Enter');
    assert.equal((await answer()).result?.data?.length, 1);
  });

  test('nothing was complained of', () => {
    assert.deepEqual(browser.complaints, []);
  });
});
