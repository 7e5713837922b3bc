/** Menus, dialogs and tabs of the pages in both themes: nothing serious for axe, nothing cut off, no error. */
import { suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openConsole, page, service, token } from './support/console.ts';
import { fillIn } from './support/every-page.ts';
import { examine, reportFound, visit } from './support/examine.ts';

/** Name of the picture → place in the console. */
let places: Readonly<Record<string, string>>;

openConsole({
  prepare: async () => {
    const { explorer, signals, administration } = await fillIn(token);
    places = { ...explorer, ...signals, ...administration };
  },
});

suite('what opens on the pages', { concurrency: false }, () => {
  test('overlays: palette, sheet, zone, dialogs', async () => {
    for (const [name, at, open] of overlays) {
      await visit(places[at]!);
      await open(page);
      await examine(name, page, name.startsWith('navigation') ? [390] : [1440]);
      await leave(page);
    }
  });

  reportFound();
});

type Open = (page: Page) => Promise<unknown>;

function press(name: string | RegExp): Open {
  return (of) => of.getByRole('button', { name }).first().click();
}

function choose(menu: string, entry: string): Open {
  return async (of) => {
    await of.getByRole('button', { name: menu }).first().click();
    await of.getByRole('menuitem', { name: entry }).click();
  };
}

/** Name of the picture, the page, and how it comes there. */
const overlays: readonly (readonly [string, string, Open])[] = [
  ['palette', 'overview', (of) => of.keyboard.press('Control+k')],
  ['shortcuts', 'explorer', (of) => of.keyboard.press('?')],
  ['saved-views', 'explorer', press('Views')],
  ['time-range', 'explorer', press(/^Time range/)],
  ['display', 'explorer', press('Display')],
  ['zones', 'overview', press(/^Time zone/)],
  ['appearance', 'overview', press('Appearance')],
  ['new-integration', 'integrations', press('New integration')],
  ['new-credential', 'integration', press('New credential')],
  ['rotate', 'integration', choose('Actions for gateway in hall 3', 'Rotate …')],
  ['delete-integration', 'integration', choose('Actions for the integration', 'Delete …')],
  ['filter-form', 'signals', press('Filter')],
  ['filter-json', 'signals-filtered', press('JSON')],
  ['columns', 'signals', press('Columns')],
  ['edit-item', 'item', press('Edit')],
  ['item-of-signal', 'signal', (of) => of.getByRole('tab', { name: 'Item' }).click()],
  ['details-of-signal', 'signal', (of) => of.getByRole('tab', { name: 'Details' }).click()],
  ['points-of-signal', 'signal', (of) => of.getByRole('tab', { name: 'Points' }).click()],
  ['uses-of-item', 'item', (of) => of.getByRole('tab', { name: 'Used in' }).click()],
  ['edit-signal', 'signal', press('Edit')],
  ['edit-many', 'signals', editMany],
  ['publish-many', 'publish', press(/^Publish all/)],
  ['run-as', 'console', press(/Run as/)],
  ['sent', 'console', runAndLook],
  ['disable-integration', 'integration', choose('Actions for the integration', 'Disable …')],
  ['new-rule', 'settings', press('New rule')],
  ['new-person', 'people', press('New person')],
  [
    'navigation',
    'overview',
    async (of) => {
      await of.setViewportSize({ width: 390, height: 844 });
      await of.getByRole('button', { name: 'Open navigation' }).click();
    },
  ],
];

/** An edit of all signals as far as its preview. */
async function editMany(of: Page): Promise<void> {
  await of.getByRole('button', { name: /^Edit all/ }).click();
  await of.getByLabel('Label', { exact: true }).fill('area');
  await of.getByLabel('Values, separated by commas').fill('north');
  await of.getByRole('button', { name: 'Show what changes' }).click();
  await of.getByText(/signals would change/).waitFor();
}

/** A call, and what was sent for it. */
async function runAndLook(of: Page): Promise<void> {
  await of.getByRole('button', { name: 'Run', exact: true }).click();
  await of.getByRole('tab', { name: 'Request' }).click();
}

/** Closes what is open, and goes to a page without any state. */
async function leave(of: Page): Promise<void> {
  await of.keyboard.press('Escape');
  await of.goto(`${service.url}/#/nothing/here`);
  await of.getByRole('heading', { name: 'There is no such page' }).waitFor();
}
