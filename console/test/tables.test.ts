/** Tables in the browser: order, conditions, columns, widths and selection, by pointer and keyboard, in the address and after a reload. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { browser, openConsole, page, service } from './support/console.ts';

openConsole({ prepare: () => open('#/signals') });

suite('a list of signals', { concurrency: false }, () => {
  test('a press on a title sorts by it, another one turns the order round; both are in the address', async () => {
    const first = await firstName();
    await head('Name').getByRole('button').click();
    await placeIs('#/signals?sort=-name');
    await grid().locator('[data-index="6"]').getByText(first).waitFor();
    assert.equal(await head('Name').getAttribute('aria-sort'), 'descending');
    await page.reload();
    await grid().locator('[data-index="6"]').getByText(first).waitFor();
    await head('Unit').getByRole('button').click();
    await placeIs('#/signals?sort=engUnit');
    assert.equal(await head('Name').getAttribute('aria-sort'), null);
    await head('Name').getByRole('button').click();
    await placeIs('#/signals');
    await grid().locator('[data-index="0"]').getByText(first).waitFor();
  });

  test('a condition is made by keyboard, needs all its parts, and is kept by the address', async () => {
    const form = page.getByRole('dialog', { name: 'New condition' });
    await button('Filter').focus();
    await page.keyboard.press('Enter');
    const add = form.getByRole('button', { name: 'Add condition' });
    assert.ok(await add.isDisabled());
    await chooseIn(form, 'Field', 'Label');
    await form.getByRole('textbox', { name: 'Value' }).fill('a');
    assert.ok(await add.isDisabled(), 'a label without a key');
    await chooseIn(form, 'Comparison', 'is set');
    assert.equal(await form.getByLabel('Value').count(), 0);
    await form.getByRole('textbox', { name: 'Key' }).fill(' site ');
    await page.keyboard.press('Enter');
    await form.waitFor({ state: 'detached' });
    await condition('Label site is set').waitFor();
    assert.equal(filterInAddress(), '{"labels.site":{"$exists":true}}');
    await page.reload();
    await condition('Label site is set').waitFor();
  });

  test('a choice offers its values in words; two conditions are removed with one button', async () => {
    const form = page.getByRole('dialog', { name: 'New condition' });
    await button('Filter').click();
    await chooseIn(form, 'Field', 'Type');
    await chooseIn(form, 'Value', 'states');
    await form.getByRole('button', { name: 'Add condition' }).click();
    await condition('Type is states').waitFor();
    await page.getByText(/^[1-6] signals?$/).waitFor();
    await button('Clear all').click();
    await page.getByText('7 signals', { exact: true }).waitFor();
    await placeIs('#/signals');
  });

  test('a date is that of the clock of the browser', async () => {
    const form = page.getByRole('dialog', { name: 'New condition' });
    await button('Filter').click();
    await chooseIn(form, 'Field', 'Created');
    await form.getByLabel('Value').fill('2026-07-01T00:00');
    await form.getByRole('button', { name: 'Add condition' }).click();
    await condition('Created from 2026-06-30T22:00:00.000Z').waitFor();
    await button('Remove: Created from 2026-06-30T22:00:00.000Z').click();
    await placeIs('#/signals');
  });

  test('text that is no filter cannot be applied, and says what is missing', async () => {
    await button('JSON').click();
    const dialog = page.getByRole('dialog', { name: 'Filter as JSON' });
    const text = dialog.getByLabel('Filter');
    assert.equal(await text.inputValue(), '{}');
    await text.fill('["name"]');
    await dialog.getByText('A filter is an object').waitFor();
    assert.ok(await dialog.getByRole('button', { name: 'Apply' }).isDisabled());
    await text.fill('{"name": {}, "engUnit": "bar"}');
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await condition('{"name":{}}').waitFor();
    await condition('Unit is bar').waitFor();
    await button('Clear all').click();
  });

  test('a search waits for the end of typing, is in the address, and nothing found is said', async () => {
    const search = page.getByLabel('Name or input key');
    await search.pressSequentially('tank 1', { delay: 20 });
    await placeIs('#/signals?q=tank+1');
    await page.getByText('1 signal', { exact: true }).waitFor();
    await search.fill('no such thing');
    await page.getByRole('heading', { name: 'No signal matches' }).waitFor();
    await page.goto(`${service.url}/#/signals?q=pump`);
    await page.waitForFunction(
      () => document.querySelector<HTMLInputElement>('[data-search]')?.value === 'pump',
    );
    await search.press('Escape');
    await page.getByText('7 signals', { exact: true }).waitFor();
  });

  test('silence is asked for in the address, and without such signals the list is empty', async () => {
    await page.getByRole('button', { name: /Age of the newest point/ }).click();
    await page.getByRole('option', { name: 'No point for a week' }).click();
    await placeIs('#/signals?age=P7D');
    await page.getByRole('heading', { name: 'No signal matches' }).waitFor();
    await open('#/signals?age=nonsense');
    await page.getByText('7 signals', { exact: true }).waitFor();
  });

  test('a column is as wide as the arrow keys make it, also after a reload; a double press resets it', async () => {
    const handle = handleOf('Name');
    const before = await widthOf(head('Name'));
    await handle.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    assert.equal(await widthOf(head('Name')), Math.round(before) + 32);
    assert.equal(await handle.getAttribute('aria-valuetext'), `${Math.round(before) + 32} pixels`);
    await page.reload();
    await grid().getByRole('link').first().waitFor();
    assert.equal(await widthOf(head('Name')), Math.round(before) + 32);
    await handle.focus();
    for (let press = 0; press < 25; press++) await page.keyboard.press('ArrowLeft');
    assert.equal(await widthOf(head('Name')), 48, 'no narrower than can be read');
    await handle.dblclick();
    assert.equal(await handle.getAttribute('aria-valuetext'), 'automatic');
    assert.equal(await widthOf(head('Name')), before);
  });

  test('a column follows the pointer, and keeps its width when the pointer has left', async () => {
    const handle = handleOf('Unit');
    const before = await widthOf(head('Unit'));
    const { x, y } = (await handle.boundingBox())!;
    await page.mouse.move(x + 2, y + 5);
    await page.mouse.down();
    await page.mouse.move(x + 42, y + 5);
    await page.mouse.up();
    await page.mouse.move(x + 200, y + 5);
    const after = await widthOf(head('Unit'));
    assert.ok(Math.abs(after - before - 40) <= 1, `${before} became ${after}`);
    await handle.dblclick();
  });

  test('columns are chosen, remembered, and seen at once in another tab', async () => {
    const tab = await browser.newPage();
    await tab.goto(`${service.url}/#/signals`);
    const unit = tab.getByRole('columnheader', { name: 'Unit' });
    await unit.waitFor();
    await button('Columns').click();
    await page.getByRole('menuitem', { name: 'Unit' }).click();
    await unit.waitFor({ state: 'detached' });
    await button('Columns').click();
    await page.getByRole('menuitem', { name: 'Interval' }).click();
    await tab.getByRole('columnheader', { name: 'Interval' }).waitFor();
    await tab.close();
    await page.reload();
    await head('Interval').waitFor();
    assert.equal(await head('Unit').count(), 0);
    for (const name of ['Unit', 'Interval']) {
      await button('Columns').click();
      await page.getByRole('menuitem', { name }).click();
    }
    await head('Unit').waitFor();
  });

  test('rows are selected one by one or all that are visible, and stay selected in another order', async () => {
    await check('Select row').first().click();
    await page.getByText('7 signals, 1 selected').waitFor();
    const name = await firstName();
    await head('Name').getByRole('button').click();
    await grid().locator('[data-index="6"][aria-selected=true]').getByText(name).waitFor();
    await check('Select the visible rows').click();
    await page.getByText('7 signals, 7 selected').waitFor();
    await check('Select none').click();
    await page.getByText('7 signals', { exact: true }).waitFor();
    await page.goBack();
  });

  test('Home, End and the arrows stay within the table; only one row is reached with Tab', async () => {
    await open('#/signals');
    const row = (index: number) => grid().locator(`[data-index="${index}"]`);
    await row(0).focus();
    await page.keyboard.press('ArrowUp');
    assert.ok(await isFocused(row(0)));
    await page.keyboard.press('End');
    await page.locator('[data-index="6"]:focus').waitFor();
    await page.keyboard.press('ArrowDown');
    assert.ok(await isFocused(row(6)));
    assert.deepEqual(await tabStops(), ['6']);
    await page.keyboard.press('Home');
    await page.locator('[data-index="0"]:focus').waitFor();
    assert.deepEqual(await tabStops(), ['0']);
  });

  test('on a phone the list has the columns for it, and the page does not scroll sideways', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('columnheader', { name: 'Unit' }).waitFor({ state: 'detached' });
    const titles = await page.getByRole('columnheader').allTextContents();
    assert.deepEqual(
      titles.filter((title) => title !== ''),
      ['Name', 'Last value', 'Age'],
    );
    assert.equal(await button('Columns').count(), 0);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await page.setViewportSize({ width: 1440, height: 900 });
    await head('Unit').waitFor();
  });

  test('the list of integrations fits on a screen of 1440 px, and the button for columns covers none', async () => {
    await page.goto(`${service.url}/#/integrations`);
    const last = page.getByRole('columnheader', { name: /^Last seen/ });
    await last.waitFor();
    const [title, chooser] = [await last.boundingBox(), await button('Columns').boundingBox()];
    assert.ok(title!.x + title!.width <= chooser!.x + 1, JSON.stringify([title, chooser]));
  });

  test('labels stand in one line, which ends with an ellipsis where it is cut off', async () => {
    await open('#/publish');
    const line = page.locator('.tag-line').first();
    await line.waitFor();
    const styles = await line.evaluate((element) => [
      getComputedStyle(element).textOverflow,
      ...[...element.children].map((tag) => getComputedStyle(tag).display),
    ]);
    assert.deepEqual(styles, ['ellipsis', 'inline', 'inline']);
  });

  test('nothing was complained of', () => {
    assert.deepEqual(browser.complaints, []);
  });
});

const grid = () => page.getByRole('grid', { name: 'Signals' });
const handleOf = (name: string) => page.getByRole('separator', { name: `Width of ${name}`, exact: true });
const head = (name: string) =>
  grid()
    .getByRole('columnheader')
    .filter({ has: handleOf(name) });
/** Waits for the part of the address after `#`. */
const placeIs = (place: string) => page.waitForFunction((hash) => location.hash === hash, place);

const button = (name: string) => page.getByRole('button', { name, exact: true });
const condition = (words: string) =>
  page.getByRole('list', { name: 'Conditions' }).getByText(words, { exact: true });
/** The label of a check box, which is what people press. */
const check = (name: string) => page.getByLabel(name).locator('xpath=ancestor::label');

/** Goes to a place and waits for its rows, or for the note that there are none. */
async function open(place: string): Promise<void> {
  await page.goto(`${service.url}/${place}`);
  await grid().getByRole('link').first().waitFor();
}

async function chooseIn(form: Locator, label: string, option: string): Promise<void> {
  await form.getByRole('button', { name: label }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

function filterInAddress(): string | null {
  return new URLSearchParams(new URL(page.url()).hash.split('?')[1]).get('filter');
}

async function firstName(): Promise<string> {
  return (await grid().locator('[data-index="0"] .table-name').textContent()) ?? '';
}

async function widthOf(cell: Locator): Promise<number> {
  return cell.evaluate((element) => element.getBoundingClientRect().width);
}

function isFocused(row: Locator): Promise<boolean> {
  return row.evaluate((element) => element === document.activeElement);
}

/** The rows that Tab reaches. */
function tabStops(): Promise<string[]> {
  return grid()
    .locator('[data-index][tabindex="0"]')
    .evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset.index ?? ''));
}
