/** The way of a new administrator: set up, connect a program, see its signals, publish them. Every step in the browser. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { suite, test } from 'node:test';
import { Client, type CredentialsFile, ServiceError } from '@tidemark/client';
import type { Download } from 'playwright-core';
import { browser, openConsole, page, service } from './support/console.ts';
import { ada } from './support/people.ts';

let file: CredentialsFile;

openConsole({ setup: 'none', args: ['--threads', '2'] });

suite('from the first run to published items', { concurrency: false }, () => {
  test('the set-up asks for the code, an administrator and the instance', async () => {
    await page.goto(service.url);
    await page.getByLabel('Set-up code').fill('wrong-code');
    await page.getByLabel('Your name').fill(ada.name);
    await page.getByLabel('Password', { exact: true }).fill('short');
    await page.getByLabel('Password again').fill('short');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('At least 12 characters, got 5.').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(ada.password);
    await page.getByLabel('Password again').fill(ada.password);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Your browser and the configuration agree').waitFor();
    await page.getByLabel('Name of the instance').fill('Harbour works');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: /Keep points/ }).click();
    await page.getByRole('option', { name: 'Two years' }).click();
    await page.getByRole('button', { name: 'Finish set-up' }).click();
    await page.getByText('The set-up code is wrong').waitFor();
    await page.getByLabel('Set-up code').fill(service.setupCode);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Finish set-up' }).click();
    await page.getByRole('heading', { name: 'Harbour works is ready' }).waitFor();
    await page.getByRole('button', { name: /Time zone Europe\/Berlin/ }).waitFor();
  });

  test('the rule for all signals that was chosen is there, and the address is right', async () => {
    await page.goto(`${service.url}/#/settings`);
    const grid = page.getByRole('grid', { name: 'Retention rules' });
    await grid.getByText('All signals').waitFor();
    await grid.getByText('two years').waitFor();
    await page.getByText('Your browser and the configuration agree').waitFor();
    await page.goto(`${service.url}/#/welcome`);
    await page.getByRole('heading', { name: 'Connect a program' }).waitFor();
  });

  test('an integration is made', async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await page.getByRole('heading', { name: 'No integration yet' }).waitFor();
    await page.getByRole('button', { name: 'New integration' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Boiler house');
    await page.getByText('Read items').click();
    await page.getByText('can read all published data').waitFor();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { name: 'Boiler house', level: 1 }).waitFor();
    await page.getByRole('heading', { name: 'Waiting for first data …' }).waitFor();
  });

  test('its credentials are downloaded, once', async () => {
    await page.getByRole('button', { name: 'New credential' }).click();
    await page.getByLabel('Label').fill('gateway');
    await page.getByRole('button', { name: 'Create credential' }).click();
    const downloads = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download boiler-house-credentials.json' }).click();
    file = await readDownload(await downloads);
    assert.deepEqual(Object.keys(file), ['apiUrl', 'integration', 'credentials']);
    assert.equal(file.apiUrl, `${service.url}/v1/`);
    assert.equal(file.credentials.type, 'client-credentials');
    const { clientSecret } = file.credentials;
    await page.getByText(`client_secret=${clientSecret}`).waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.reload();
    await page.getByRole('grid', { name: 'Credentials' }).getByText('gateway').waitFor();
    assert.ok(!(await page.content()).includes(clientSecret), 'the secret can be had a second time');
  });

  test('a program that has them saves signals and inserts points, and the page notices', async () => {
    await page.getByRole('heading', { name: 'Waiting for first data …' }).waitFor();
    await sendData();
    await page.getByRole('heading', { name: 'Data arrives' }).waitFor();
    await page.getByRole('link', { name: 'See its signals' }).click();
    const grid = page.getByRole('grid', { name: 'Signals' });
    await grid.getByRole('link', { name: 'Flow temperature' }).waitFor();
    await grid.getByText('71.5').waitFor();
    await grid.getByText('burning').waitFor();
    assert.equal(await grid.getByText('unpublished').count(), 3);
  });

  test('the signals are filtered by conditions, which are the JSON that programs send', async () => {
    await page.getByLabel('Name or input key').fill('BURN');
    await page.getByText('1 signal', { exact: true }).waitFor();
    await page.getByLabel('Name or input key').fill('');
    await page.getByText('3 signals', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'JSON' }).click();
    await page
      .getByLabel('Filter', { exact: true })
      .fill('{"labels.site": "North", "valueType": {"$ne": "enum"}}');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('2 signals', { exact: true }).waitFor();
    await page.getByText('Label site is North').waitFor();
    await page.getByRole('button', { name: 'Remove: Type is not states' }).click();
    await page.getByText('3 signals', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'JSON' }).click();
    await page.getByLabel('Filter', { exact: true }).fill('{"colour": "red"}');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('unknown field', { exact: false }).first().waitFor();
    await page.getByRole('button', { name: 'Remove: colour is red' }).click();
    await page.getByText('3 signals', { exact: true }).waitFor();
  });

  test('they are reviewed and published', async () => {
    await page.getByLabel('Select the visible rows').locator('xpath=ancestor::label').click();
    await page.getByText('3 selected').waitFor();
    await page.getByRole('button', { name: 'Review and publish' }).click();
    await page.getByText('3 new, 0 to update').waitFor();
    await page.getByRole('button', { name: 'Publish 3 signals' }).click();
    await page.getByText('Published: 3 created').waitFor();
    const grid = page.getByRole('grid', { name: 'Signals to publish' });
    await grid.getByText('in sync').nth(2).waitFor();
  });

  test('a changed signal and an edited item show as such, and are brought together field by field', async () => {
    const client = Client.fromFile(file);
    await client.call('integration.saveSignals', {
      integration: file.integration,
      signalsByInput: { 'boiler/flow': { ...flow, description: 'Behind the pump' } },
    });
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await page.getByRole('grid', { name: 'Items' }).getByRole('link', { name: 'Return temperature' }).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Return');
    await page.getByRole('button', { name: 'Save item' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Return', exact: true, level: 1 }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    const grid = page.getByRole('grid', { name: 'Signals to publish' });
    await grid.getByText('signal changed').waitFor();
    await grid.getByText('item edited').waitFor();
    await page.getByLabel('Select the visible rows').locator('xpath=ancestor::label').click();
    await page.getByRole('button', { name: 'Review 3' }).click();
    await page.getByText('Behind the pump').waitFor();
    await page.getByRole('radiogroup', { name: 'Name: which value' }).getByText('Keep').click();
    await page.getByRole('button', { name: 'Publish 3 signals' }).click();
    await page.getByText('Published: 0 created').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await page
      .getByRole('grid', { name: 'Items' })
      .getByRole('link', { name: 'Return', exact: true })
      .waitFor();
  });

  test('points are counted and deleted; a signal is taken off its item and put back', async () => {
    await page.goto(`${service.url}/#/signals`);
    await page.getByRole('link', { name: 'Flow temperature' }).click();
    await page.getByRole('button', { name: 'Actions for the signal' }).click();
    await page.getByRole('menuitem', { name: 'Delete points …' }).click();
    await page.getByRole('textbox', { name: 'From' }).fill('2020-01-01');
    await page.getByRole('button', { name: 'Count points' }).click();
    await page.getByRole('button', { name: 'Delete 1 point' }).click();
    await page.getByText('no points yet').waitFor();
    await page.getByRole('tab', { name: 'Item' }).click();
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
    await page.getByRole('heading', { name: 'Not published' }).waitFor();
    await page.getByRole('button', { name: 'Connect to an item' }).click();
    await page.getByRole('option', { name: 'Flow temperature' }).click();
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('button', { name: 'Connect to another item' }).waitFor();
  });

  test('a rotated credential overlaps with the old one; a revoked one ends', async () => {
    await page.goto(`${service.url}/#/integrations`);
    await page.getByRole('link', { name: 'Boiler house' }).click();
    await page.getByRole('button', { name: 'Actions for gateway' }).click();
    await page.getByRole('menuitem', { name: 'Rotate …' }).click();
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    const downloads = page.waitForEvent('download');
    await page.getByRole('button', { name: /^Download/ }).click();
    const next = await readDownload(await downloads);
    await page.getByRole('button', { name: 'Done' }).click();
    assert.notEqual(next.credentials.clientSecret, file.credentials.clientSecret);
    for (const each of [file, next]) await insert(each, 1);
    const old = page.getByRole('row').filter({ hasText: 'expires' });
    await old.getByRole('button', { name: 'Actions for gateway' }).click();
    await page.getByRole('menuitem', { name: 'Revoke …' }).click();
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('Credential revoked').waitFor();
    await assert.rejects(insert(file, 2), (error) => error instanceof ServiceError && error.status === 401);
    await insert(next, 3);
  });

  test('a viewer looks and changes nothing; signing out ends it', async () => {
    await page.goto(`${service.url}/#/people`);
    await page.getByRole('button', { name: 'New person' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Grace');
    await page.getByLabel('First password').fill('ships sail on the tide');
    await page.getByRole('button', { name: 'Create person' }).click();
    await page.getByRole('grid', { name: 'People' }).getByText('Grace').waitFor();
    await page.getByRole('button', { name: 'Ada, admin' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Grace');
    await page.getByLabel('Password').fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The name or the password is wrong').waitFor();
    await page.getByLabel('Password').fill('ships sail on the tide');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'People' }).count(), 0);
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await page.getByRole('link', { name: 'Boiler house' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'New integration' }).count(), 0);
  });

  test('nothing was complained of, and nothing sent elsewhere', () => {
    assert.deepEqual(browser.complaints, []);
  });
});

const flow = { name: 'Flow temperature', engUnit: '°C', sampleInterval: 'PT1M', labels: { site: ['North'] } };

async function sendData(): Promise<void> {
  const client = Client.fromFile(file);
  await client.call('integration.saveSignals', {
    integration: file.integration,
    signalsByInput: {
      'boiler/flow': flow,
      'boiler/return': { ...flow, name: 'Return temperature' },
      'boiler/state': {
        name: 'Burner',
        valueType: 'enum',
        enumValues: { 0: 'off', 1: 'burning' },
        labels: { site: ['North'] },
      },
    },
  });
  await insert(file, 0);
}

async function insert(by: CredentialsFile, minute: number): Promise<void> {
  const time = new Date(Date.now() - 60_000 * (5 - minute)).toISOString();
  await Client.fromFile(by).call('integration.insert', {
    integration: by.integration,
    data: { times: [time], series: { 'boiler/flow': [71.5], 'boiler/return': [58], 'boiler/state': [1] } },
  });
}

async function readDownload(download: Download): Promise<CredentialsFile> {
  return JSON.parse(await readFile(await download.path(), 'utf8')) as CredentialsFile;
}
