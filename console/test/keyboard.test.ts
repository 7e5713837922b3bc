/** The console by keyboard: places, palette, sheet, search, tables, and how single keys are switched off. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { browser, openConsole, page, service } from './support/console.ts';

openConsole({
  prepare: async () => {
    await page.goto(service.url);
    await title('Overview');
  },
});

suite('by keyboard', { concurrency: false }, () => {
  const places = [
    ['i', 'Integrations'],
    ['s', 'Signals'],
    ['t', 'Items'],
    ['e', 'Explorer'],
    ['f', 'Formulas'],
    ['c', 'API console'],
    ['o', 'Overview'],
  ] as const;
  for (const [key, name] of places) {
    test(`g ${key} goes to ${name}`, async () => {
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      await title(name);
    });
  }

  test('a new page takes the focus with its title, and names the window', async () => {
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await title('Items');
    await page.waitForFunction(() => document.activeElement?.tagName === 'H1');
    assert.equal(await page.title(), 'Items · Harbour works');
  });

  test('the palette finds a page by its letters, and Enter goes there', async () => {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Commands' }).waitFor();
    await page.keyboard.type('audi');
    await page.keyboard.press('Enter');
    await title('Audit');
  });

  test('the palette finds items by name, and takes what was typed to the lists', async () => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type('tank 1');
    const found = page.getByRole('menuitem', { name: 'Tank 1 level item' });
    await found.waitFor();
    // Which entry is marked at first depends on whether the items or the entries for searching are there first.
    for (let presses = 0; presses < 5 && (await found.getAttribute('data-focused')) === null; presses++)
      await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await title('Tank 1 level');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('bearing');
    await page.getByRole('menuitem', { name: 'Search signals for “bearing”' }).click();
    await title('Signals');
    await page.getByText('1 signal', { exact: true }).waitFor();
    assert.equal(await page.getByLabel('Name or input key').inputValue(), 'bearing');
    await page.goto(`${service.url}/#/audit`);
    await title('Audit');
  });

  test('the sheet lists what works here; Escape closes it and gives the focus back', async () => {
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await sheet.getByText('Command palette').waitFor();
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
  });

  test('/ goes to the search of the page, where letters are letters', async () => {
    await page.goto(`${service.url}/#/signals`);
    await page.getByRole('link', { name: 'Tank 1 level' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('gi?');
    assert.equal(await page.getByLabel('Name or input key').inputValue(), 'gi?');
    await page.keyboard.press('Escape');
    assert.equal(await page.getByLabel('Name or input key').inputValue(), '');
  });

  test('the arrows move in a table, space selects, Enter opens', async () => {
    await page.getByRole('link', { name: 'Tank 1 level' }).waitFor();
    await page.locator('[data-index="0"]').focus();
    await page.keyboard.press('ArrowDown');
    await page.locator('[data-index="1"]:focus').waitFor();
    await page.keyboard.press(' ');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Last value').waitFor();
    await page.goBack();
    await page.getByRole('grid', { name: 'Signals' }).waitFor();
  });

  test('single keys can be switched off; those with Ctrl remain', async () => {
    await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
    await page.getByText('Shortcuts of a single key').click();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Commands' }).waitFor();
    await page.keyboard.press('Escape');
    await title('Signals');
  });

  test('on a narrow screen the navigation opens over the page and Escape closes it', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: 'Open navigation' }).click();
    await page.getByRole('button', { name: 'Close navigation' }).waitFor();
    await page.locator('main[inert]').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('main:not([inert])').waitFor();
    await page.waitForFunction(
      () => document.activeElement?.getAttribute('aria-label') === 'Open navigation',
    );
  });

  test('nothing was complained of', () => {
    assert.deepEqual(browser.complaints, []);
  });
});

async function title(name: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
}
