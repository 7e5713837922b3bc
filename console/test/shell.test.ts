/** What all pages share: waiting and failing, moving between them, and the preferences of this browser. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Locator, Page, Route } from 'playwright-core';
import { browser, call, openConsole, page, service } from './support/console.ts';

/** Places of all pages that show answers of the service. */
const places: string[] = [];

openConsole({
  prepare: async () => {
    const { data } = (await call('service.selectItems', { query: { limit: 1 } })) as Listed;
    const { integrations } = (await call('console.integrations.list')) as { integrations: { id: string }[] };
    const [item, integration] = [data[0]!.id, integrations[0]!.id];
    const signals = (await call('admin.selectSignals', { integration, query: { limit: 1 } })) as Listed;
    places.push(
      '/',
      '/items',
      '/integrations',
      '/signals',
      '/publish',
      '/usage',
      '/activity',
      '/audit',
      '/health',
    );
    places.push('/people', '/settings', '/account', '/welcome', `/items/${item}`);
    places.push(
      `/publish?integration=${integration}&ids=${signals.data[0]!.id}`,
      `/integrations/${integration}`,
    );
    places.push(`/signals/${integration}/${signals.data[0]!.id}`);
    await page.goto(service.url);
  },
});

suite('a page whose answers are late, and then fail', { concurrency: false }, () => {
  test('waits visibly, says what is wrong instead of being empty, and is there with a button', async () => {
    const found: string[] = [];
    for (const place of places) {
      const calls = await holdCalls();
      await page.goto(`${service.url}/#${place}`);
      await page.reload();
      if (!(await appears(waiting().first()))) found.push(`${place}: does not wait visibly`);
      await calls.fail();
      if (!(await appears(page.getByRole('alert').getByText(failure).first())))
        found.push(`${place}: nothing is said`);
      for (const words of await page.locator('.empty h2').allTextContents())
        found.push(`${place}: “${words}”`);
      for (const words of await page.getByText(/^0 /).allTextContents()) found.push(`${place}: “${words}”`);
      await calls.release();
      if (!(await retryAll())) found.push(`${place}: the error stays`);
    }
    assert.deepEqual(found, []);
  });
});

suite('moving between pages', { concurrency: false }, () => {
  test('back and forward go through the pages, with the title of each on the window', async () => {
    await page.goto(`${service.url}/#/items`);
    const links = page.getByRole('navigation', { name: 'Pages' });
    for (const name of ['Audit', 'Health']) {
      await links.getByRole('link', { name }).click();
      await heading(page, name).waitFor();
    }
    await page.goBack();
    await heading(page, 'Audit').waitFor();
    assert.equal(await links.locator('[aria-current=page]').textContent(), 'Audit');
    await page.goBack();
    await page.waitForFunction(() => document.title === 'Items · Harbour works');
    await page.goForward();
    await heading(page, 'Audit').waitFor();
  });

  test('the navigation is skipped with a button, which leaves the address as it is', async () => {
    const before = page.url();
    await page.reload();
    await heading(page, 'Audit').waitFor();
    await page.getByRole('button', { name: 'Skip to content' }).focus();
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'main');
    assert.equal(page.url(), before);
  });

  test('a page begins at its top, wherever the one before was scrolled to', async () => {
    await page.setViewportSize({ width: 1440, height: 300 });
    await page.goto(`${service.url}/#/settings`);
    await heading(page, 'Settings').waitFor();
    await page.getByText('All points are kept').waitFor();
    await page.mouse.move(800, 200);
    await page.mouse.wheel(0, 2000);
    await page.waitForFunction(() => scrollY > 0);
    await page.keyboard.press('g');
    await page.keyboard.press('u');
    await heading(page, 'Usage').waitFor();
    await page.waitForFunction(() => scrollY === 0);
    await page.setViewportSize({ width: 1440, height: 900 });
  });
});

suite('preferences', { concurrency: false }, () => {
  test('the theme of the palette is at once that of the other tab, and stays after a reload', async () => {
    const tab = await browser.newPage();
    await tab.goto(`${service.url}/#/health`);
    await heading(tab, 'Health').waitFor();
    await command('appearance: dark');
    await tab.locator('html[data-theme=dark]').waitFor();
    await page.reload();
    await page.locator('html[data-theme=dark]').waitFor();
    await command('appearance: system');
    await tab.locator('html:not([data-theme])').waitFor();
    await tab.close();
  });

  test('compact rows are lower', async () => {
    await page.goto(`${service.url}/#/items`);
    const height = () =>
      page.locator('[data-index="0"]').evaluate((row) => row.getBoundingClientRect().height);
    await page.getByRole('link', { name: 'Tank 1 level' }).waitFor();
    const before = await height();
    await page.getByRole('button', { name: 'Appearance' }).click();
    await page.getByRole('menuitem', { name: 'Compact rows' }).click();
    await page.locator('html[data-density=compact]').waitFor();
    assert.ok((await height()) < before);
    await command('appearance: comfortable rows');
    await page.locator('html[data-density=comfortable]').waitFor();
    assert.equal(await height(), before);
  });

  test('times are those of the zone that was chosen by keyboard, also after a reload and in the other tab', async () => {
    const tab = await browser.newPage();
    for (const each of [tab, page]) {
      await each.goto(`${service.url}/#/audit`);
      await each.getByRole('grid').locator('time').first().waitFor();
    }
    const shown = () => page.getByRole('grid').locator('time').first();
    const at = Date.parse((await shown().getAttribute('datetime')) ?? '');
    await page.getByRole('button', { name: /^Time zone/ }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.type('tokyo');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Time zone Asia/Tokyo UTC+09:00' }).waitFor();
    const inTokyo = new Date(at + 9 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
    assert.equal(await shown().textContent(), inTokyo);
    await tab.getByRole('button', { name: 'Time zone Asia/Tokyo UTC+09:00' }).waitFor();
    await tab.close();
    await page.reload();
    await page.getByText(inTokyo).first().waitFor();
    assert.match((await shown().getAttribute('title')) ?? '', /\.\d{3} UTC\+09:00$/);
  });

  test('a navigation of icons keeps the names of the pages, and stays after a reload', async () => {
    await page.getByRole('button', { name: 'Narrow navigation' }).click();
    await page.locator('.frame.narrow').waitFor();
    await page.reload();
    await page.locator('.frame.narrow').waitFor();
    await page.getByRole('link', { name: 'Items' }).click();
    await heading(page, 'Items').waitFor();
  });

  test('preferences that cannot be read are as if there were none', async () => {
    for (const stored of ['no JSON', 'null', '5']) {
      await page.evaluate((text) => localStorage.setItem('tidemark.preferences', text), stored);
      await page.reload();
      await page.getByRole('link', { name: 'Tank 1 level' }).waitFor();
      await page.getByRole('button', { name: 'Time zone Europe/Berlin' }).waitFor();
      assert.equal(await page.locator('.frame.narrow').count(), 0);
    }
  });

  test('nothing was complained of', () => {
    assert.deepEqual(browser.complaints, []);
  });
});

interface Listed {
  data: { id: string }[];
}

const failure = 'The disk is full';

const heading = (of: Page, name: string) => of.getByRole('heading', { level: 1, name, exact: true });

/** What says that something is under way. */
const waiting = () => page.locator('main [role=status]:has-text("Loading"), main [aria-busy=true]');

/** Runs a command of the palette. */
async function command(text: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Commands' }).waitFor();
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}

/** Holds all calls of the page until they are told to fail, or to go on. */
async function holdCalls() {
  let mode: 'held' | 'failed' = 'held';
  const held: Route[] = [];
  const answer = async (route: Route) => {
    const { id } = route.request().postDataJSON() as { id: unknown };
    await route.fulfill({ json: { jsonrpc: '2.0', id, error: { code: -32_099, message: failure } } });
  };
  await page.route('**/v1/rpc', (route) => (mode === 'held' ? void held.push(route) : answer(route)));
  return {
    fail: async () => {
      mode = 'failed';
      // A call may have been given up meanwhile.
      for (const route of held) await answer(route).catch(() => undefined);
    },
    release: () => page.unroute('**/v1/rpc'),
  };
}

/** Whether something appears within a time, ms. */
function appears(it: Locator, withinMs = 20_000): Promise<boolean> {
  return it.waitFor({ timeout: withinMs }).then(
    () => true,
    () => false,
  );
}

/** Presses buttons that try again; whether no error is left after ten presses. */
async function retryAll(): Promise<boolean> {
  const retry = page.getByRole('main').getByRole('button', { name: 'Try again' }).first();
  const isWell = page.locator('body:not(:has(main [role=alert]))');
  for (let press = 0; press < 10; press++) {
    // It may be gone by now: pages ask again on their own, too.
    await retry.click({ timeout: 1500 }).catch(() => undefined);
    if (await appears(isWell, 1500)) return true;
  }
  return false;
}
