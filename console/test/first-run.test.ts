/** The set-up and the first pages after it: by keyboard, on a phone, with faults on the way, and with the demo plant. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { browser, openConsole, page, service } from './support/console.ts';
import { ada } from './support/people.ts';

openConsole({ setup: 'none' });

suite('the first run', { concurrency: false }, () => {
  test('an empty form is not sent: each field says what it needs', async () => {
    await page.goto(service.url);
    await title('Set up Tidemark');
    await page.waitForFunction(() => document.activeElement?.tagName === 'INPUT');
    await page.keyboard.press('Enter');
    await page.getByText('The service printed it when it started.').waitFor();
    await page.getByText('Required for signing in.').waitFor();
    await page.getByText('At least 12 characters, got 0.').waitFor();
    assert.equal(await page.getByText('The two passwords differ.').count(), 0);
  });

  test('the first step is filled in by keyboard, and passwords that differ are noticed', async () => {
    await page.getByLabel('Set-up code').focus();
    for (const text of [service.setupCode, ada.name, ada.password, `${ada.password}!`]) {
      await page.keyboard.type(text);
      await page.keyboard.press('Tab');
    }
    await page.getByText('The two passwords differ.').waitFor();
    await page.getByLabel('Password again').focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Enter');
    await title('Your instance');
  });

  test('each step fits on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test('going back loses nothing', async () => {
    await page.getByLabel('Name of the instance').fill('Lock and weir');
    await page.getByRole('radio', { name: 'Green' }).locator('xpath=ancestor::label').click();
    await page.keyboard.press('Enter');
    await title('Your data');
    await page.getByRole('button', { name: 'Back' }).click();
    assert.equal(await page.getByLabel('Name of the instance').inputValue(), 'Lock and weir');
    assert.ok(await page.getByRole('radio', { name: 'Green' }).isChecked());
    await page.getByRole('button', { name: 'Back' }).click();
    assert.equal(await page.getByLabel('Set-up code').inputValue(), service.setupCode);
    assert.equal(await page.getByLabel('Password again').inputValue(), ada.password);
    for (const next of ['Your instance', 'Your data']) {
      await page.getByRole('button', { name: 'Continue' }).click();
      await title(next);
    }
  });

  test('a length that is none is not sent', async () => {
    let sent = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/console/setup')) sent += 1;
    });
    await page.getByRole('button', { name: /Keep points/ }).click();
    await page.getByRole('option', { name: 'Another length' }).click();
    await page.getByRole('textbox', { name: 'Length' }).fill('half a year');
    await page.getByText('Must be a duration such as P180D.').waitFor();
    await page.getByRole('button', { name: 'Finish set-up' }).click();
    await title('Your data');
    assert.equal(sent, 0);
    await page.getByRole('textbox', { name: 'Length' }).fill('P180D');
    await page.getByText('Must be a duration').waitFor({ state: 'detached' });
  });

  test('with the demo plant there is data to look at, and the chosen rule and name hold', async () => {
    await page.getByRole('switch').focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Finish set-up' }).click();
    await title('Lock and weir is ready');
    await page.getByText('“Demo plant” has 7 signals, 7 of them published as items.').waitFor();
    await page.waitForFunction(() => document.title.endsWith('Lock and weir'));
    await page.goto(`${service.url}/#/settings`);
    await page.getByRole('grid', { name: 'Retention rules' }).getByText('180 days').waitFor();
    assert.ok(await page.getByRole('radio', { name: 'Green' }).isChecked());
  });

  test('there is no second set-up: this browser is signed in, another one is asked who it is', async () => {
    await page.goto(service.url);
    await title('Overview');
    await browser.context.clearCookies();
    await page.reload();
    await title('Sign in');
    await page.getByText('Lock and weir', { exact: true }).first().waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill(ada.name);
    await page.getByLabel('Password').fill(ada.password);
    await page.keyboard.press('Enter');
    await title('Overview');
  });

  test('the overview of a plant counts what is there, and has no first steps', async () => {
    const stat = (name: string) => page.locator('dl.stats > div', { hasText: name }).first();
    await stat('Signals').getByText('7', { exact: true }).waitFor();
    await stat('Integrations').getByText('1', { exact: true }).waitFor();
    assert.equal(await page.getByText('Getting started').count(), 0);
    await page.getByRole('link', { name: '7 items' }).click();
    await title('Items');
  });

  test('nothing was complained of, and nothing sent elsewhere', () => {
    assert.deepEqual(browser.complaints, []);
  });
});

async function title(name: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
}
