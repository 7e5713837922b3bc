/** What helps to look closer, in a real browser: overview, pins, states, comparison, saved views, rows to be heard, copied calls. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { browser, call, openConsole, page } from './support/console.ts';
import { chart, go, place, plotBox, spanOf, textOf } from './support/places.ts';
import { itemsByName, makeCredential } from './support/stored.ts';

const hourMs = 3_600_000;

/** Item IDs of the demo plant by name. */
let items: Map<string, string>;

openConsole({
  prepare: async () => {
    items = await itemsByName({ 'labels.site': 'Demo plant' });
    await browser.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  },
});

suite('overview', { concurrency: false }, () => {
  test('the window is moved on the strip by hand, and by an end it is resized', async () => {
    await go(`/explorer?items=${items.get('Pump 1 flow')}&from=now-24h&to=now`);
    await chart().waitFor();
    const strip = page.getByRole('region', { name: /^Overview from 20\d\d-/ });
    await strip.waitFor();
    await stripLoaded();
    const box = (await page.getByRole('slider', { name: 'Window', exact: true }).boundingBox())!;
    const grip = { x: box.x + box.width / 2, y: box.y + 6 };
    await drag(grip, -90);
    await page.waitForFunction(() => /from=20\d\d/.test(location.hash));
    const moved = spanOf(place());
    assert.ok(Math.abs(moved - 24 * hourMs) <= 60_000, 'as long as before');
    assert.ok(Date.parse(place().get('to')!) < Date.now() - 6 * hourMs);
    await stripLoaded();
    const end = (await page.getByRole('slider', { name: 'End of the window' }).boundingBox())!;
    await drag({ x: end.x + end.width / 2, y: end.y + end.height / 2 }, 60);
    await page.waitForFunction((before) => {
      const at = new URLSearchParams(location.hash.split('?')[1]);
      return Date.parse(at.get('to')!) - Date.parse(at.get('from')!) > before + 3_600_000;
    }, moved);
  });

  test('everything that dragging does on the strip, a key does', async () => {
    await go(`/explorer?items=${items.get('Pump 1 flow')}&from=now-24h&to=now`);
    await chart().waitFor();
    const start = page.getByRole('slider', { name: 'Start of the window' });
    const said = await start.getAttribute('aria-valuetext');
    await start.press('Shift+ArrowLeft');
    assert.notEqual(await start.getAttribute('aria-valuetext'), said, 'it says so at once');
    await page.waitForFunction(() => /from=20\d\d/.test(location.hash));
    const longer = spanOf(place());
    assert.ok(longer > 24 * hourMs);
    const from = place().get('from')!;
    await page.getByRole('slider', { name: 'Window', exact: true }).press('PageUp');
    await page.waitForFunction((before) => {
      const at = new URLSearchParams(location.hash.split('?')[1]);
      return Math.abs(Date.parse(at.get('to')!) - Date.parse(before)) <= 60_000;
    }, from);
  });
});

suite('pins', { concurrency: false }, () => {
  test('a click pins a moment, another tells the difference, and the address keeps both', async () => {
    await go(`/explorer?items=${items.get('Outdoor temperature')}&from=now-24h&to=now&rollup=PT1H`);
    await chart().waitFor();
    await clickAt(0.25);
    await page.getByRole('button', { name: 'Remove pin A', exact: true }).waitFor();
    await clickAt(0.75);
    await page.getByRole('button', { name: 'Remove pin B', exact: true }).waitFor();
    await page.reload();
    const table = page.getByRole('region', { name: 'Pinned times' });
    await table.waitFor();
    await page.mouse.move(5, 5);
    const [first, second] = await table.locator('tbody td').allInnerTexts();
    const [, value, change] = /^(\S+) °C\s+Δ ([+−±]\S+)$/.exec(second!)!;
    const difference = Number(value) - Number.parseFloat(first!);
    assert.ok(Math.abs(Number(change!.replace('−', '-').replace('±', '')) - difference) < 0.001, change);
    assert.match(await textOf(table.locator('thead')), /Δt (11|12|13) h/);
  });

  test('a click on a pinned moment removes it; keys pin and remove too', async () => {
    await clickAt(0.25);
    await page.waitForFunction(() => !/pins=\w+\./.test(location.hash));
    await chart().focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('p');
    await page.waitForFunction(() => /pins=\w+\.\w+/.test(location.hash));
    // Two pins and the cursor.
    await page.locator('.pin-table thead .pin-letter').nth(2).waitFor();
    await page.keyboard.press('Delete');
    await page.waitForFunction(() => !/pins=\w+\./.test(location.hash));
    const clear = page.getByRole('button', { name: 'Remove all pins' });
    await clear.scrollIntoViewIfNeeded();
    await chart().hover();
    const letters = page.locator('.pin-table thead .pin-letter');
    await letters.getByText('Cursor').waitFor();
    const before = await clear.boundingBox();
    await page.mouse.move(5, 5);
    await letters.getByText('Cursor').waitFor({ state: 'detached' });
    assert.deepEqual(await clear.boundingBox(), before, 'it does not move when the pointer leaves the chart');
    await clear.click();
    await page.waitForFunction(() => !location.hash.includes('pins='));
  });

  test('dragging pins nothing', async () => {
    const box = await plotBox();
    await page.keyboard.down('Shift');
    await drag({ x: box.x + 200, y: box.y + 40 }, 80);
    await page.keyboard.up('Shift');
    await page.waitForFunction(() => /from=20\d\d/.test(location.hash));
    assert.equal(place().get('pins'), null);
  });
});

suite('states and comparison', { concurrency: false }, () => {
  test('over a band it says which state holds, and for how long', async () => {
    await go(`/explorer?items=${items.get('Pump 1 state')}&from=now-6h&to=now`);
    await chart().waitFor();
    const box = await plotBox();
    await page.mouse.move(box.x + box.width / 2, box.y - 20);
    const said = page.locator('.chart-label.lane', { hasText: /Pump 1 state: \w+ for \d+ (min|h|s)/ });
    await said.waitFor();
    await page.locator('.readout .value', { hasText: /for \d+ .*\d\d:\d\d:\d\d/ }).waitFor();
    await page.mouse.move(box.x + box.width / 2, box.y - 200);
    await said.waitFor({ state: 'detached' });
  });

  test('the table of states adds up to the window, and lists every occurrence', async () => {
    await page.getByText('States', { exact: true }).click();
    const shares = await page
      .getByRole('table', { name: 'How long each state held' })
      .locator('td:nth-child(4)')
      .allInnerTexts();
    const sum = shares.map(Number.parseFloat).reduce((a, b) => a + b, 0);
    assert.ok(Math.abs(sum - 100) < 0.3, shares.join(', '));
    const grid = page.getByRole('grid', { name: 'Occurrences of states' });
    await grid.getByRole('columnheader', { name: 'Held for' }).waitFor();
    assert.ok((await grid.getByRole('row').count()) > 4);
    assert.equal(place().get('tab'), 'states');
  });

  test('a day earlier is asked for, drawn dashed, and told beside the value', async () => {
    const asked: string[] = [];
    const listen = (request: { postData(): string | null }) => asked.push(request.postData() ?? '');
    page.on('request', listen);
    const range = `from=${iso(-1)}&to=${iso(0)}`;
    await go(`/explorer?items=${items.get('Outdoor temperature')}&${range}&vs=day&rollup=PT1H&band=0`);
    await page.locator('.data-words', { hasText: 'dashed: A day earlier' }).waitFor();
    page.off('request', listen);
    assert.ok(asked.some((body) => body.includes('PT1H') && body.includes(iso(-2).replace('Z', '.000Z'))));
    await chart().focus();
    await page.keyboard.press('End');
    const told = page.locator('.readout .value', { hasText: 'earlier' }).first();
    await told.waitFor();
    const cell = await textOf(told);
    const [, value, earlier, change] = /^(\S+) °C earlier (\S+) \(([+−±]\S+)\)$/.exec(cell)!;
    const difference = Number(value) - Number(earlier);
    assert.ok(Math.abs(Number(change!.replace('−', '-').replace('±', '')) - difference) < 0.001, cell);
  });
});

test('states of a day earlier have a band of their own, and files a column', async () => {
  await go(`/explorer?items=${items.get('Pump 1 state')}&from=${iso(-1)}&to=${iso(0)}&vs=day&rollup=raw`);
  const lanes = page.locator('.chart-label.lane:visible');
  await lanes.nth(1).waitFor();
  assert.deepEqual(await lanes.allInnerTexts(), ['Pump 1 state', 'Pump 1 state, a day earlier']);
  await page.getByRole('button', { name: 'Download' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'CSV', exact: true }).click();
  const [head, first] = (await readFile(await (await download).path(), 'utf8')).split('\r\n');
  assert.equal(head, 'time,Pump 1 state,"Pump 1 state, a day earlier"');
  assert.match(first!, /^20\d\d-.*,(running|stopped|starting|fault)/);
});

test('items are ticked by their labels', async () => {
  await go('/explorer');
  await page.getByRole('button', { name: 'By label' }).click();
  const dialog = page.getByRole('dialog', { name: 'Items by label' });
  await dialog
    .getByText(/^Demo plant/)
    .first()
    .click();
  await dialog.getByRole('button', { name: 'Add all of site Demo plant' }).click();
  await page.waitForFunction((count) => location.hash.split('.').length >= count, items.size);
  await dialog.getByText('Tank 1 level').first().click();
  await page.waitForFunction((id) => !location.hash.includes(id), items.get('Tank 1 level')!);
  await dialog.getByText(`${items.size - 1} of 50 in the chart`).waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await chart().waitFor();
});

test('days are chosen in a calendar, by hand and by key', async () => {
  await go(
    `/explorer?items=${items.get('Pump 1 flow')}&zone=Europe/Oslo&from=2026-10-20T10:00:00Z&to=2026-10-21T10:00:00Z`,
  );
  await page.getByRole('button', { name: /^Time range/ }).click();
  await page.getByRole('button', { name: 'Calendar' }).click();
  const days = page.getByRole('grid', { name: /October 2026/ });
  await days.getByRole('button', { name: /Sunday,? 25 October 2026/ }).click();
  await page.keyboard.press('ArrowRight');
  await days
    .getByRole('button', { name: /Monday,? 26 October 2026/ })
    .and(page.locator(':focus'))
    .waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.waitForFunction(() => location.hash.includes('2026-10-24T22'));
  assert.equal(spanOf(place()), 49 * hourMs, 'two days, one of them with 25 hours');
});

test('the key that hides the readout is in the address', async () => {
  await go(`/explorer?items=${items.get('Pump 1 flow')}&from=now-2h&to=now`);
  await chart().waitFor();
  await page.keyboard.press('l');
  await page.waitForFunction(() => location.hash.includes('legend=0'));
  assert.equal(await page.locator('.readout').first().isVisible(), false);
});

/** Saves what is shown as a view, and waits until it is listed. */
async function saveView(name: string): Promise<void> {
  await views().click();
  await page.getByLabel('Save what is shown as').fill(name);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('list', { name: 'Saved views' }).getByText(name).waitFor();
  await closeViews();
}

suite('saved views', { concurrency: false }, () => {
  test('a view is saved, opened by another person, replaced, renamed and deleted', async () => {
    const flow = items.get('Pump 1 flow')!;
    await go(`/explorer?items=${flow}&from=now-2d&to=now&line=step`);
    await saveView('Pump, two days');
    await go('/explorer');
    await views().click();
    await page.getByRole('button', { name: 'Pump, two days', exact: true }).click();
    await page.waitForFunction((id) => location.hash.includes(id), flow);
    assert.deepEqual(
      ['items', 'from', 'line'].map((key) => place().get(key)),
      [flow, 'now-2d', 'step'],
    );
    await page.getByRole('button', { name: 'Saved views: Pump, two days' }).waitFor();
    await go(`/explorer?items=${flow}&from=now-3d&to=now`);
    await change('Pump, two days', 'Replace by what is shown');
    await page.getByRole('menu').waitFor({ state: 'hidden' });
    await closeViews();
    await page.getByRole('button', { name: 'Saved views: Pump, two days' }).waitFor();
    await change('Pump, two days', 'Rename');
    await page.getByRole('dialog', { name: 'Rename the view' }).getByLabel('Name').fill('Three days');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('button', { name: 'Saved views: Three days' }).waitFor();
    await change('Three days', 'Delete');
    await page.getByRole('button', { name: 'Delete view' }).click();
    await page.getByRole('button', { name: 'Views', exact: true }).waitFor();
    const { views: left } = (await call('console.views.list')) as { views: unknown[] };
    assert.deepEqual(left, []);
  });

  test('formulas are views too', async () => {
    const sheet = JSON.stringify([[[items.get('Pump 1 flow'), 'flow', 'avg']], [['c1', 'flow * 2']], []]);
    await go(`/formulas?f=${encodeURIComponent(sheet)}`);
    await saveView('Twice the flow');
    await go('/explorer');
    await views().click();
    await page.getByRole('button', { name: 'Twice the flow' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Formulas' }).waitFor();
    assert.equal(place().get('f'), sheet);
  });
});

suite('for every reader and for programs', { concurrency: false }, () => {
  test('the chart leads to its rows as a table, 25 at a time, in sight while it has the focus', async () => {
    await go(`/explorer?items=${items.get('Pump 1 flow')}&from=now-24h&to=now&rollup=PT15M`);
    await chart().waitFor();
    const id = (await chart().getAttribute('aria-details'))!;
    const details = page.locator(`[id="${id}"]`);
    assert.equal(await details.getByRole('row').count(), 26);
    const first = await textOf(details.getByRole('row').nth(1));
    const next = details.getByRole('button', { name: 'Next rows' });
    await next.focus();
    assert.ok((await details.boundingBox())!.height > 100);
    await page.keyboard.press('Enter');
    await details
      .getByRole('status')
      .filter({ hasText: /^rows 26 to 50 of 9[67]$/ })
      .waitFor();
    assert.notEqual(await textOf(details.getByRole('row').nth(1)), first);
  });

  test('a large answer is read by a worker, and a request that nobody waits for is broken off', async () => {
    const ids = [...items.values()].join('.');
    await go(`/explorer?items=${ids}&from=now-7d&to=now&rollup=raw`);
    await chart().waitFor();
    assert.ok(page.workers().some((worker) => worker.url().includes('frame-worker')));
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/v1/rpc', async (route) => {
      if (asksSince(route.request(), 6)) await held;
      await route.continue().catch(() => {});
    });
    const sent = page.waitForRequest((request) => asksSince(request, 6));
    const ended = page.waitForEvent('requestfailed', (request) => asksSince(request, 6));
    await setHash(place().toString().replace('now-7d', 'now-6d'));
    await sent;
    await setHash(place().toString().replace('now-6d', 'now-5d'));
    assert.match((await ended).failure()!.errorText, /ABORTED/);
    release();
    await page.locator('.chart[aria-busy=false]').waitFor();
    await page.unroute('**/v1/rpc');
  });

  test('what is copied runs: curl with a pair, TypeScript with a credentials file', async () => {
    const flow = items.get('Pump 1 flow')!;
    const state = items.get('Pump 1 state')!;
    const { id } = (await call('console.integrations.create', { name: 'Copied' })) as { id: string };
    await call('console.integrations.grant', { id, grant: 'service' });
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-copied-'));
    try {
      await go(`/explorer?items=${flow}.${state}&from=now-2h&to=now&rollup=PT1H`);
      await chart().waitFor();
      const pair = await makeCredential(id, 'basic-auth');
      const answers = execFileSync('/bin/sh', ['-c', await copied('curl')], {
        env: { ...process.env, TIDEMARK_USER: pair.clientId, TIDEMARK_PASSWORD: pair.clientSecret },
        encoding: 'utf8',
      });
      assert.match(answers, new RegExp(`${flow}_avg`));
      assert.match(answers, new RegExp(`${state}_state_`));
      const credentials = await makeCredential(id, 'client-credentials');
      await writeFile(join(folder, 'credentials.json'), JSON.stringify({ credentials }));
      await writeFile(join(folder, 'copied.mts'), await copied('TypeScript'));
      const printed = execFileSync(process.execPath, ['copied.mts'], { cwd: folder, encoding: 'utf8' });
      assert.match(printed, new RegExp(`${flow}_avg`));
      assert.match(printed, new RegExp(`${state}_state_`));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('typing over what is selected in a formula keeps to the policy', async () => {
    const sheet = JSON.stringify([
      [[items.get('Pump 1 flow'), 'flow', 'avg']],
      [['c1', 'max(flow, 2) + 3']],
      [],
    ]);
    await go(`/formulas?f=${encodeURIComponent(sheet)}`);
    const formula = page.getByRole('textbox', { name: 'Formula of c1' });
    await formula.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('f');
    assert.equal(await textOf(formula), 'f');
    await page.keyboard.press('Control+z');
    assert.equal(await textOf(formula), 'max(flow, 2) + 3', 'one step back');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('flow * 2');
    assert.equal(await textOf(formula), 'flow * 2');
    assert.deepEqual(browser.complaints, []);
  });
});

test('no page complained, and nothing was sent elsewhere', () => {
  assert.deepEqual(browser.complaints, []);
});

function setHash(search: string): Promise<void> {
  return page.evaluate((to) => {
    location.hash = `/explorer?${to}`;
  }, search);
}

/** The button of saved views, whatever it says. */
function views(): Locator {
  return page.getByRole('button', { name: /^(Saved views: .*|Views)$/ });
}

async function change(name: string, act: string): Promise<void> {
  await views().click();
  await page.getByRole('button', { name: `Change “${name}”` }).click();
  await page.getByRole('menuitem', { name: act }).click();
}

/** Until the overview has its time range, which is another one before the ends of all data are known. */
async function stripLoaded(): Promise<void> {
  await page.locator('.strip[aria-busy=false]').waitFor();
}

async function clickAt(share: number): Promise<void> {
  const box = await plotBox();
  // Below the cards of pins.
  await page.mouse.move(box.x + box.width * share, box.y + box.height * 0.9);
  await page.mouse.down();
  await page.mouse.up();
}

async function drag({ x, y }: { x: number; y: number }, byX: number): Promise<void> {
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + byX, y, { steps: 5 });
  await page.mouse.up();
}

async function copied(language: string): Promise<string> {
  await page.getByRole('button', { name: 'Copy as' }).click();
  await page.getByRole('menuitem', { name: language, exact: true }).click();
  await page.getByText(`The call as ${language} is copied`).first().waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
}

/** The start of a day of UTC, so many days from today. */
function iso(days: number): string {
  const dayMs = 24 * hourMs;
  return new Date((Math.floor(Date.now() / dayMs) + days) * dayMs).toISOString().replace('.000', '');
}

/** Whether a request is for every point of the last so many days. */
function asksSince(request: { postData(): string | null }, days: number): boolean {
  const { method, params } = JSON.parse(request.postData() ?? '{}') as {
    method?: string;
    params?: { data?: { rollup?: string; filter: { times: { $gte: string; $lt: string } } } };
  };
  if (method !== 'service.dataFrame' || !params?.data || params.data.rollup !== undefined) return false;
  const { $gte, $lt } = params.data.filter.times;
  return Date.parse($lt) - Date.parse($gte) === days * 24 * hourMs;
}

/** Closes the saved views; the focus has stayed in them. */
async function closeViews(): Promise<void> {
  await page.waitForFunction(() => document.activeElement?.closest('[role=dialog]'));
  await page.keyboard.press('Escape');
  await page.getByRole('list', { name: 'Saved views' }).waitFor({ state: 'hidden' });
}
