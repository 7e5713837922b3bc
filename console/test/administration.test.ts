/** Administering in the browser: settings, rules of retention, an integration that fails and is disabled, activity. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Client, type CredentialsFile, ServiceError } from '@tidemark/client';
import { startBrowser } from './support/chromium.ts';
import { browser, call, openConsole, page, service } from './support/console.ts';

let file: CredentialsFile;

openConsole({ setup: 'empty', args: ['--limit', 'slowCallMs=1'] });

const insert = (times: readonly string[]) =>
  Client.fromFile(file).callAny('integration.insert', {
    integration: file.integration,
    data: { times, series: { 'pump/pressure': times.map(() => 4.2) } },
  });

suite('administration', { concurrency: false }, () => {
  test('the welcome page makes a program with a credential, and its snippets are filled in', async () => {
    await page.goto(`${service.url}/#/welcome`);
    await page.getByLabel('Name of the program').fill('Pump house');
    const answered = page.waitForResponse(
      (response) => response.request().postData()?.includes('console.credentials.create') ?? false,
    );
    await page.getByRole('button', { name: 'Create it with a credential' }).click();
    file = ((await (await answered).json()) as { result: { file: CredentialsFile } }).result.file;
    await page.getByRole('dialog').getByText(file.credentials.clientSecret).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    await page.getByText(`client_secret=${file.credentials.clientSecret}`).waitFor();
    await page.getByRole('heading', { name: 'Waiting for first data …' }).waitFor();
    await insert([new Date(Date.now() - 3 * 86_400_000).toISOString(), new Date().toISOString()]);
    await page.getByRole('heading', { name: 'Data arrives' }).waitFor();
  });

  test('name and colour of the instance are changed, and seen at once', async () => {
    await page.goto(`${service.url}/#/settings`);
    await page.getByLabel('Name of the instance').fill('Harbour west');
    await page.getByRole('radio', { name: 'Purple' }).locator('xpath=ancestor::label').click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Instance changed').waitFor();
    await page.getByText('Harbour west', { exact: true }).first().waitFor();
    await page.waitForFunction(() => document.title.endsWith('Harbour west'));
    const { rows } = (await call('console.audit.list', { filter: { action: 'instance.set' } })) as {
      rows: { change: object }[];
    };
    assert.deepEqual(
      rows.map(({ change }) => change),
      [{ color: ['', '#6b3fa0'], name: ['Harbour works', 'Harbour west'] }],
    );
  });

  test('a rule of retention is counted before it is made; another length is any duration', async () => {
    await page.getByRole('heading', { name: 'All points are kept' }).waitFor();
    await page.getByRole('button', { name: 'New rule' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: /Signals/ }).click();
    await page.getByRole('option', { name: 'Signals of an integration' }).click();
    await dialog.getByRole('button', { name: /Keep points/ }).click();
    await page.getByRole('option', { name: 'Another length' }).click();
    await dialog.getByRole('textbox', { name: 'Length' }).fill('soon');
    await dialog.getByRole('button', { name: 'Count points to delete' }).click();
    await dialog.getByText('must be "forever" or', { exact: false }).waitFor();
    await dialog.getByRole('textbox', { name: 'Length' }).fill('P1D');
    await dialog.getByRole('button', { name: 'Count points to delete' }).click();
    await dialog.getByText('this deletes 1 point of 1 signal').waitFor();
    await dialog.getByRole('button', { name: 'Save rule' }).click();
    const grid = page.getByRole('grid', { name: 'Retention rules' });
    await grid.getByText('Integration “Pump house”').waitFor();
    await page.getByRole('button', { name: 'Count points to delete' }).click();
    await grid.getByText('1 of 1').waitFor();
    await page.getByRole('button', { name: 'Actions for Integration “Pump house”' }).click();
    await page.getByRole('menuitem', { name: 'Remove …' }).click();
    await page.getByText('They delete no points now.').waitFor();
    await page.getByRole('button', { name: 'Remove rule' }).click();
    await page.getByRole('heading', { name: 'All points are kept' }).waitFor();
  });

  test('what goes wrong for a program stands on its page, with the path', async () => {
    await assert.rejects(insert(['yesterday']));
    await page.goto(`${service.url}/#/integrations/${file.integration}`);
    await page.getByRole('heading', { name: 'Recent errors' }).waitFor();
    await page.getByText('data.times.0').waitFor();
    await page.getByRole('grid', { name: 'Credentials' }).getByText('127.0.0.1').waitFor();
  });

  test('a disabled integration is refused, and accepted when it is enabled again', async () => {
    await page.getByRole('button', { name: 'Actions for the integration' }).click();
    await page.getByRole('menuitem', { name: 'Disable …' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable', exact: true }).click();
    await page.getByText('its credentials are refused').waitFor();
    const refused = (error: unknown) => error instanceof ServiceError && error.status === 401;
    await assert.rejects(insert([new Date().toISOString()]), refused);
    await page.goto(`${service.url}/#/integrations`);
    await page.getByRole('grid', { name: 'Integrations' }).getByText('disabled').waitFor();
    await page.getByRole('link', { name: 'Pump house' }).click();
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByText('Integration “Pump house” enabled').waitFor();
    await insert([new Date().toISOString()]);
  });

  test('slow calls are listed with their plan, sizes with their signals, and limits with their plans', async () => {
    const query = { filter: {}, limit: 10 };
    await call('service.dataFrame', { query });
    await page.goto(`${service.url}/#/activity`);
    await page.getByRole('grid', { name: 'Slow calls' }).getByText('Ada').first().waitFor();
    await page.getByRole('heading', { name: 'No calls are running' }).waitFor();
    await page.goto(`${service.url}/#/usage`);
    await page.getByRole('grid', { name: 'Limits of plans' }).getByText('no limit').first().waitFor();
    const largest = page.getByRole('grid', { name: 'Largest signals' });
    await largest.getByRole('link', { name: 'pump/pressure' }).waitFor();
    await page.goto(`${service.url}/#/`);
    await page.getByText('The forecast needs two days and a million points.').waitFor();
  });

  test('a viewer looks at the settings and changes nothing', async () => {
    await call('console.people.create', {
      name: 'Grace',
      password: 'ships sail on the tide',
      role: 'viewer',
    });
    const guest = await startBrowser(service.url);
    try {
      const other = await guest.newPage();
      await other.goto(`${service.url}/#/settings`);
      await other.getByRole('textbox', { name: 'Name' }).fill('Grace');
      await other.getByLabel('Password').fill('ships sail on the tide');
      await other.getByRole('button', { name: 'Sign in' }).click();
      await other.getByText('Only administrators can change settings.').waitFor();
      assert.ok(await other.getByLabel('Name of the instance').isDisabled());
      for (const name of ['Save', 'New rule'])
        assert.equal(await other.getByRole('button', { name, exact: true }).count(), 0);
      await other.goto(`${service.url}/#/integrations/${file.integration}`);
      await other.getByRole('heading', { name: 'Recent errors' }).waitFor();
      assert.equal(await other.getByRole('button', { name: 'Actions for the integration' }).count(), 0);
      assert.deepEqual(guest.complaints, []);
    } finally {
      await guest.stop();
    }
  });

  test('nothing was complained of, and nothing sent elsewhere', () => {
    assert.deepEqual(browser.complaints, []);
  });
});
