/** A hundred thousand signals: found, sorted, scrolled to the end; the page draws a screenful. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Client, type CredentialsFile } from '@tidemark/client';
import { browser, openConsole, page, service, token } from './support/console.ts';
import { callAs } from './support/people.ts';

const signalCount = 100_000;
const batch = 5000;

openConsole({ setup: 'empty', prepare: () => saveSignals(token) });

suite('a hundred thousand signals', { concurrency: false }, () => {
  test('the list shows the first and counts them all', async () => {
    await page.goto(`${service.url}/#/signals`);
    await page.getByText('100,000 signals').waitFor();
    await page.getByRole('link', { name: 'Sensor 000000' }).waitFor();
    assert.ok((await page.getByRole('row').count()) < 80, 'more rows are drawn than can be seen');
  });

  test('the end is reached with a key, and from there the next row with another', async () => {
    const grid = page.getByRole('grid', { name: 'Signals' });
    await grid.getByRole('row').nth(1).focus();
    await page.keyboard.press('End');
    await page.getByRole('link', { name: 'Sensor 099999' }).waitFor();
    await page.locator('[data-index="99999"]:focus').waitFor();
    await page.keyboard.press('ArrowUp');
    await page.locator('[data-index="99998"]:focus').waitFor();
  });

  test('a drag of the scroll bar through all of it asks for few pages and shows the rows there', async () => {
    const calls: string[] = [];
    const facts: string[] = [];
    page.on('request', (request) => {
      const body = request.postData() ?? '';
      if (body.includes('admin.selectSignals')) calls.push(body);
      if (/"console\.(signals|publish)\./.test(body)) facts.push(body);
    });
    await page.evaluate(async () => {
      const table = document.querySelector('.table')!;
      for (let i = 0; i <= 60; i++) {
        table.scrollTop = (table.scrollHeight * i) / 120;
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
    });
    await page.getByRole('link', { name: 'Sensor 050000' }).waitFor();
    assert.ok(calls.length <= 20, `${calls.length} calls for a drag`);
    assert.ok(facts.length <= 60, `${facts.length} calls for what is known of rows`);
  });

  test('a search among all of them answers with what matches', async () => {
    await page.getByLabel('Name or input key').fill('sensor 0777');
    await page.getByText('100 signals').waitFor();
    await page.getByRole('link', { name: 'Sensor 077700' }).waitFor();
    await page.getByRole('button', { name: 'Input key' }).click();
    await page.getByRole('button', { name: 'Input key' }).click();
    await page.getByRole('link', { name: 'Sensor 077799' }).waitFor();
  });

  test('an edit of all is tried page by page, and can be stopped', async () => {
    await page.getByLabel('Name or input key').fill('');
    await page.getByText('100,000 signals').waitFor();
    await page.getByRole('button', { name: 'Edit all 100,000 …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit 100,000 signals' });
    await dialog.getByLabel('Label', { exact: true }).fill('hall');
    await dialog.getByLabel('Values, separated by commas').fill('7');
    await dialog.getByRole('button', { name: 'Show what changes' }).click();
    await dialog.getByRole('button', { name: 'Stop' }).click();
    await dialog.getByRole('button', { name: 'Cancel' }).waitFor();
    await dialog.getByRole('button', { name: 'Show what changes' }).click();
    await dialog.getByText('95,000 signals would change, 5,000 already have these values.').waitFor({
      timeout: 120_000,
    });
    await dialog.getByText('The first 100:').waitFor();
    await page.keyboard.press('Escape');
  });

  test('nothing was complained of', () => {
    assert.deepEqual(browser.complaints, []);
  });
});

async function saveSignals(token: string): Promise<void> {
  const call = (method: string, params: object) => callAs(service, browser.context, token, method, params);
  const { id } = (await call('console.integrations.create', { name: 'Large plant' })) as { id: string };
  const { file } = (await call('console.credentials.create', {
    integration: id,
    type: 'client-credentials',
  })) as { file: CredentialsFile };
  const client = Client.fromFile(file);
  for (let from = 0; from < signalCount; from += batch) {
    const signalsByInput: Record<string, { name: string; labels: Record<string, string[]> }> = {};
    for (let i = from; i < from + batch; i++) {
      const number = String(i).padStart(6, '0');
      signalsByInput[`plant/${number}`] = { name: `Sensor ${number}`, labels: { hall: [`${i % 20}`] } };
    }
    await client.call('integration.saveSignals', {
      integration: id,
      signalsByInput,
    });
  }
}
