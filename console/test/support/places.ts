/** Going to places of the console on the page of a test file, choosing in it, and reading its address. */
import type { Locator } from 'playwright-core';
import { page, service } from './console.ts';

/** Goes to a place that is made anew, also where only its parameters differ. */
export async function go(to: string): Promise<void> {
  await page.goto(`${service.url}/#/nowhere`);
  // Two changes of the fragment that the page sees as one would leave what is open on it, such as a dialog.
  await page.getByRole('heading', { name: 'Not found' }).waitFor();
  await page.goto(`${service.url}/#${to}`);
  await page.locator('main h1').filter({ hasNotText: 'Not found' }).first().waitFor();
}

/** The parameters of the place. */
export function place(): URLSearchParams {
  return new URLSearchParams(page.url().split('?')[1]);
}

/** Waits until the place has these parameters; null: has none of this name. */
export async function waitForPlace(parameters: Readonly<Record<string, string | null>>): Promise<void> {
  await page.waitForFunction((wanted) => {
    const search = new URLSearchParams(location.hash.split('?')[1]);
    return Object.entries(wanted).every(([name, value]) => search.get(name) === value);
  }, parameters);
}

/** The length of the range that a place names by its ends, ms. */
export function spanOf(search: URLSearchParams): number {
  return Date.parse(search.get('to')!) - Date.parse(search.get('from')!);
}

/** The chart of the page. */
export function chart(): Locator {
  return page.getByRole('application');
}

/** Where the plotting area of the chart is, once its data is there: what comes with that may move it. */
export async function plotBox(): Promise<{ x: number; y: number; width: number; height: number }> {
  await page.locator('.chart[aria-busy=false]').waitFor();
  return (await page.locator('.u-over').boundingBox())!;
}

/** Adds an item by what is typed to find it, of which the list shows `part`. */
export async function addItem(typed: string, part: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Add an item' }).fill(typed);
  // Until the answer comes the list is the one before, in which an option moves away under a press.
  await page.waitForFunction((words) => {
    const options = [...document.querySelectorAll('[role=option]')];
    return options.length > 0 && options.every(({ textContent }) => textContent.includes(words));
  }, part);
  await page.getByRole('option', { name: part }).click();
}

/** The text of an element, hidden parts included. */
export async function textOf(locator: Locator): Promise<string> {
  return (await locator.textContent()) ?? '';
}

/** Chooses an entry of a menu, or of a field with a list of options; both by the beginning of what they are called. */
export async function choose(label: string, entry: string): Promise<void> {
  await page.getByRole('button', { name: label }).first().click();
  await page
    .getByRole('option', { name: entry })
    .or(page.getByRole('menuitem', { name: entry }))
    .first()
    .click();
}

/** The cells of the rows of a grid, without its head; waits until it has a row. */
export async function rowsOf(grid: Locator): Promise<string[][]> {
  await grid.getByRole('row').nth(1).waitFor();
  const rows = await grid.getByRole('row').all();
  return Promise.all(
    rows.slice(1).map(async (row) => {
      const cells = await row.getByRole('gridcell').or(row.getByRole('rowheader')).allInnerTexts();
      return cells.map((text) => text.replace(/\s+/g, ' ').trim());
    }),
  );
}
