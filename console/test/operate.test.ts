/** Operating in the browser: people and their sessions, usage, audit, health and settings of the configuration. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { suite, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { browser, call, openConsole, page, service } from './support/console.ts';

const grace = { name: 'Grace', password: 'ships sail on the tide' } as const;
/** The audit log shows this many entries at a time. */
const auditRows = 200;

let mill: string;

openConsole({
  setup: 'empty',
  prepare: async () => {
    mill = await integration('Mill');
    await insert(mill, 3);
    const gone = await integration('Old gateway');
    await insert(gone, 1);
    await call('console.integrations.delete', { id: gone });
    await call('console.people.create', { ...grace, role: 'viewer' });
    await page.goto(`${service.url}/#/people`);
  },
});

suite('people', { concurrency: false }, () => {
  test('a short password is said at its field, a name that is taken in the form, and nothing typed is lost', async () => {
    await button('New person').click();
    const dialog = page.getByRole('dialog', { name: 'New person' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Edsger');
    await dialog.getByLabel('First password').fill('short');
    await dialog.getByText('Administrator').click();
    await dialog.getByRole('button', { name: 'Create person' }).click();
    await fieldError(dialog, 'First password')
      .getByText(/must be 12 to/)
      .waitFor();
    await dialog.getByRole('textbox', { name: 'Name' }).fill(grace.name);
    await dialog.getByLabel('First password').fill('a canal has two levels');
    await page.keyboard.press('Enter');
    await dialog
      .getByRole('alert')
      .getByText(/the name "Grace" is taken/)
      .waitFor();
    assert.ok(await dialog.getByRole('radio', { name: /Administrator/ }).isChecked());
    await dialog.getByRole('textbox', { name: 'Name' }).fill(' Edsger ');
    await page.keyboard.press('Enter');
    await page.getByText('Edsger can sign in now').waitFor();
    await dialog.waitFor({ state: 'detached' });
    await personRow('Edsger').getByText('administrator').waitFor();
  });

  test('a dialog that is closed and opened again is empty', async () => {
    await button('New person').click();
    const name = page.getByRole('dialog').getByRole('textbox', { name: 'Name' });
    await name.fill('Nobody');
    await page.keyboard.press('Escape');
    await name.waitFor({ state: 'detached' });
    await button('New person').click();
    assert.equal(await name.inputValue(), '');
    await button('Cancel').click();
    assert.equal(await personRow('Nobody').count(), 0);
  });

  test('people are sorted by name, and by role in both directions', async () => {
    const names = () => people().locator('.table-name').allTextContents();
    assert.deepEqual(await names(), ['Ada', 'Edsger', 'Grace']);
    const role = people().getByRole('columnheader', { name: 'Role' });
    await role.getByRole('button').click();
    assert.equal(await role.getAttribute('aria-sort'), 'ascending');
    assert.deepEqual((await names())[2], 'Grace');
    await role.getByRole('button').click();
    assert.equal(await role.getAttribute('aria-sort'), 'descending');
    assert.deepEqual((await names())[0], 'Grace');
  });

  test('a role is changed in the menu; nobody can remove themselves', async () => {
    await choose('Edsger', 'Make a viewer');
    await page.getByText('Edsger is a viewer now').waitFor();
    await personRow('Edsger').getByText('viewer', { exact: true }).waitFor();
    await personRow('Ada').getByText('you').waitFor();
    await button('Actions for Ada').click();
    const remove = page.getByRole('menuitem', { name: 'Remove …' });
    assert.equal(await remove.getAttribute('aria-disabled'), 'true');
    await page.keyboard.press('Escape');
  });

  test('the last administrator stays one, and it is said why', async () => {
    await choose('Ada', 'Make a viewer');
    await page.getByRole('alert').waitFor();
    await personRow('Ada').getByText('administrator').waitFor();
    await page
      .getByRole('region', { name: 'Messages' })
      .getByRole('button', { name: 'Close' })
      .last()
      .click();
  });

  test('a new password ends the sessions of the person, and the old one is refused', async () => {
    const cookies = await browser.context.cookies();
    assert.equal(await signIn(grace), 200);
    await browser.context.clearCookies();
    await browser.context.addCookies(cookies);
    await page.reload();
    const sessions = page.getByRole('grid', { name: 'All sessions' });
    await sessions.getByText('Grace').waitFor();
    await choose('Grace', 'Set a new password …');
    await page.getByRole('dialog').getByLabel('Password', { exact: true }).fill('the moon moves all seas');
    await button('Set password').click();
    await page.getByText('New password for Grace set').waitFor();
    await sessions.getByText('Grace').waitFor({ state: 'detached' });
    assert.equal(await signIn(grace), 401);
  });

  test('a person is removed after a question, which can be declined', async () => {
    await choose('Edsger', 'Remove …');
    await button('Cancel').click();
    await personRow('Edsger').waitFor();
    await choose('Edsger', 'Remove …');
    await page.getByText('This ends all sessions of Edsger.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Edsger removed').waitFor();
    await personRow('Edsger').waitFor({ state: 'detached' });
  });
});

suite('usage', { concurrency: false }, () => {
  test('points are counted by day and by integration, also of one that was deleted', async () => {
    await page.goto(`${service.url}/#/usage`);
    const grid = page.getByRole('grid', { name: 'Usage by integration' });
    await grid.getByRole('link', { name: 'Mill' }).waitFor();
    await grid.getByText('(deleted)').waitFor();
    const days = page.getByRole('table', { name: 'Points by day' });
    assert.equal(await days.locator('tbody tr').count(), 30);
    assert.equal(await days.locator('tbody tr').last().locator('td').textContent(), '4 points');
  });

  test('integration and days are in the address, and stay over a reload', async () => {
    await page.getByRole('radio', { name: '7 days' }).click();
    await page.getByRole('button', { name: /All Integration|Integration All/ }).click();
    await page.getByRole('option', { name: 'Mill' }).click();
    await placeIs(`#/usage?days=7&integration=${mill}`);
    await page.reload();
    const days = page.getByRole('table', { name: 'Points by day' });
    await days.waitFor();
    assert.equal(await days.locator('tbody tr').count(), 7);
    assert.equal(await days.locator('tbody tr').last().locator('td').textContent(), '3 points');
    assert.equal(await page.getByText('(deleted)').count(), 0);
  });

  test('an integration is called deleted only once the list of all is here', async () => {
    const answered = Promise.withResolvers<void>();
    await page.route('**/v1/rpc', async (route) => {
      if (route.request().postData()?.includes('console.integrations.list')) await answered.promise;
      await route.continue();
    });
    await page.reload();
    const grid = page.getByRole('grid', { name: 'Usage by integration' });
    await grid.getByText(mill, { exact: true }).waitFor();
    assert.equal(await page.getByText('(deleted)').count(), 0);
    answered.resolve();
    await grid.getByRole('link', { name: 'Mill' }).waitFor();
    await page.unroute('**/v1/rpc');
  });

  test('the file has what is shown', async () => {
    const { name, text } = await saved('CSV');
    assert.equal(name, 'usage-7-days.csv');
    const [head = '', ...lines] = text.trimEnd().split('\r\n');
    assert.match(head, /^day,integration,name,points,/);
    assert.deepEqual(
      lines.map((line) => line.split(',').slice(1, 4)),
      [[mill, 'Mill', '3']],
    );
  });

  test('days that the service refuses are said in words, and nothing is shown for them', async () => {
    await page.goto(`${service.url}/#/usage?days=0`);
    await page.getByRole('alert').first().waitFor();
    assert.equal(await page.getByRole('table', { name: 'Points by day' }).count(), 0);
    await page.getByRole('radio', { name: '30 days' }).click();
    await page.getByRole('table', { name: 'Points by day' }).waitFor();
    assert.ok(page.url().endsWith('#/usage'), 'the usual choice is not in the address');
  });
});

suite('audit', { concurrency: false }, () => {
  test('every entry is reached, and none is shown twice', async () => {
    const rename = (name: string) => call('console.integrations.rename', { id: mill, name });
    for (let i = 0; i < auditRows; i++) await rename(`Mill ${i}`);
    await rename('Mill');
    await page.goto(`${service.url}/#/audit`);
    const grid = page.getByRole('grid', { name: 'Audit log' });
    await rowsAre(auditRows);
    await button('Load older entries').click();
    await button('Load older entries').waitFor({ state: 'detached' });
    const { rows } = (await call('console.audit.list', { limit: 500 })) as { rows: { seq: number }[] };
    assert.equal(Number(await grid.getAttribute('aria-rowcount')), rows.length + 1);
    const { name, text } = await saved('Export the entries shown');
    assert.equal(name, 'audit.json');
    const seqs = (JSON.parse(text) as typeof rows).map(({ seq }) => seq);
    assert.deepEqual(
      seqs,
      rows.map(({ seq }) => seq),
    );
  });

  test('the filter is in the address, trimmed, and what matches nothing says so', async () => {
    await page.getByRole('textbox', { name: 'Action' }).fill(' person.delete ');
    const grid = page.getByRole('grid', { name: 'Audit log' });
    await rowsAre(1);
    await grid.getByText('Edsger').waitFor();
    await page.reload();
    await grid.getByText('Edsger').waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'Action' }).inputValue(), ' person.delete ');
    await page.getByRole('textbox', { name: 'Target' }).fill('nothing of that name');
    await page.getByRole('heading', { name: 'No entry matches' }).waitFor();
    assert.ok(await button('Export the entries shown').isDisabled());
    await page.getByRole('textbox', { name: 'Target' }).fill('');
    await page.getByLabel('Until').fill('2020-01-01T00:00');
    await page.getByRole('heading', { name: 'No entry matches' }).waitFor();
    await page.getByLabel('Until').fill('');
    await grid.getByText('Edsger').waitFor();
  });

  test('an entry shows who did what, with the change laid out', async () => {
    await page.goto(`${service.url}/#/audit?action=person.update`);
    const grid = page.getByRole('grid', { name: 'Audit log' });
    await grid.getByRole('row').filter({ hasText: 'viewer' }).getByRole('button').click();
    const dialog = page.getByRole('dialog', { name: /^person.update, entry \d+$/ });
    await dialog.getByText(/^Ada \(person:/).waitFor();
    await dialog.getByText(/"role"/).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });
});

suite('health', { concurrency: false }, () => {
  test('settings are found by a word of their purpose, in any case', async () => {
    await page.goto(`${service.url}/#/health`);
    const grid = page.getByRole('grid', { name: 'Settings' });
    await grid.waitFor();
    await grid.getByRole('row').nth(8).waitFor();
    const all = Number(await grid.getAttribute('aria-rowcount'));
    await page.getByLabel('Find a setting').fill('SLOWCALL');
    await grid.getByText('slowCallMs').first().waitFor();
    assert.ok(Number(await grid.getAttribute('aria-rowcount')) < all);
    await page.getByLabel('Find a setting').fill('no such setting');
    await page.getByRole('heading', { name: 'No setting matches' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('radio', { name: 'Changed' }).click();
    await grid.getByText('port', { exact: true }).waitFor();
    assert.equal(await grid.getByText('default', { exact: true }).count(), 0);
  });

  test('nothing was complained of, and nothing sent elsewhere', () => {
    assert.deepEqual(browser.complaints, []);
  });
});

/** Waits for the part of the address after `#`. */
const placeIs = (place: string) => page.waitForFunction((hash) => location.hash === hash, place);

const button = (name: string) => page.getByRole('button', { name, exact: true });
const people = () => page.getByRole('grid', { name: 'People' });
const personRow = (name: string) => people().getByRole('row').filter({ hasText: name });

const fieldError = (of: Locator, label: string) =>
  of.locator('.field', { hasText: label }).locator('.field-error');

async function choose(person: string, entry: string): Promise<void> {
  await button(`Actions for ${person}`).click();
  await page.getByRole('menuitem', { name: entry }).click();
}

/** Waits until the only table of the page has so many rows. */
const rowsAre = (count: number) => page.locator(`[role=grid][aria-rowcount="${count + 1}"]`).waitFor();

/** Signs in without a page; the status. The browser then has the new session if there is one. */
async function signIn(data: { name: string; password: string }): Promise<number> {
  const headers = { origin: new URL(service.url).origin };
  return (await browser.context.request.post(`${service.url}/console/session`, { headers, data })).status();
}

async function saved(name: string): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), button(name).click()]);
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
}

async function integration(name: string): Promise<string> {
  return ((await call('console.integrations.create', { name })) as { id: string }).id;
}

/** Inserts points as a program does. */
async function insert(id: string, points: number): Promise<void> {
  const { file } = (await call('console.credentials.create', { integration: id, type: 'basic-auth' })) as {
    file: { credentials: { clientSecret: string } };
  };
  const times = Array.from({ length: points }, (_, i) => new Date(Date.now() - i * 1000).toISOString());
  const params = { integration: id, data: { times, series: { level: times.map((_, i) => i) } } };
  const answer = await fetch(`${service.url}/v1/rpc`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa(`${id}:${file.credentials.clientSecret}`)}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'integration.insert', params }),
  });
  assert.equal(((await answer.json()) as { error?: unknown }).error, undefined);
}
