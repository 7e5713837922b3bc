/** The keys of the explorer, formulas and API console; how the console looks as people prefer; numbers in their language. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { startBrowser } from './support/chromium.ts';
import { browser, call, openConsole, page, service } from './support/console.ts';
import { chart, go } from './support/places.ts';
import { hour } from './support/times.ts';

let outdoor: string;

openConsole({
  prepare: async () => {
    const query = { filter: { name: 'Outdoor temperature' } };
    const { data } = (await call('service.selectItems', { query })) as { data: { id: string }[] };
    outdoor = data[0]!.id;
  },
});

async function open(range: string): Promise<void> {
  await go(`/explorer?items=${outdoor}&rollup=PT1H&${range}`);
  await chart().waitFor();
  await page.locator('.readout').first().waitFor();
}

/** Presses keys one after the other, with the focus outside of fields. */
async function press(...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** The range of the place, ms. */
function range(): { from: number; to: number } {
  const search = new URLSearchParams(page.url().split('?')[1]);
  return { from: Date.parse(search.get('from') ?? ''), to: Date.parse(search.get('to') ?? '') };
}

/** Waits until the range of the place is another one, and the page, which learns of it in a later task, has it; that one. */
async function changed(act: () => Promise<void>): Promise<{ from: number; to: number }> {
  const before = page.url();
  await act();
  await page.waitForFunction((url) => location.href !== url, before);
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
  return range();
}

const absolute = 'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z';
const [start, end] = [Date.parse('2026-01-01T00:00:00Z'), Date.parse('2026-01-02T00:00:00Z')];

suite('keys of the explorer', { concurrency: false }, () => {
  for (const keys of [['t', 'z'], ['Control+z']]) {
    test(`${keys.join(' ')} zooms out around the middle`, async () => {
      await open(absolute);
      const { from, to } = await changed(() => press(...keys));
      assert.ok(from < start && to > end, `${new Date(from).toISOString()} to ${new Date(to).toISOString()}`);
      assert.ok(Math.abs(start - from - (to - end)) <= hour);
    });
  }

  test('t ← and t → shift by half of the range', async () => {
    await open(absolute);
    const earlier = await changed(() => press('t', 'ArrowLeft'));
    assert.deepEqual([earlier.from, earlier.to], [start - 12 * hour, end - 12 * hour]);
    const back = await changed(() => press('t', 'ArrowRight'));
    assert.deepEqual([back.from, back.to], [start, end]);
  });

  test('t a makes a relative range absolute', async () => {
    await open('from=now-6h&to=now');
    const { from, to } = await changed(() => press('t', 'a'));
    assert.ok(to - from >= 6 * hour && to - from <= 7 * hour);
    assert.ok(Math.abs(to - Date.now()) < hour);
  });

  test('d r asks again', async () => {
    await open(absolute);
    const asked = page.waitForRequest((request) =>
      /service\.(dataFrame|evaluate)/.test(request.postData() ?? ''),
    );
    await press('d', 'r');
    await asked;
  });

  test('+ zooms in and - zooms out; arrows move the cursor, Shift selects, Enter zooms there, Esc clears', async () => {
    await open('from=now-24h&to=now');
    await chart().focus();
    const closer = await changed(() => press('+'));
    assert.ok(closer.to - closer.from < 24 * hour);
    await open('from=now-24h&to=now');
    await chart().focus();
    const wider = await changed(() => press('-'));
    assert.ok(wider.to - wider.from > 24 * hour);
    await open('from=now-24h&to=now');
    await chart().focus();
    await press('Home', 'ArrowRight', 'ArrowRight');
    const head = page.locator('.readout thead th').nth(1);
    assert.match((await head.textContent()) ?? '', /^\d{4}-\d\d-\d\d/);
    await press('Escape');
    await head.getByText('Last', { exact: true }).waitFor();
    await press('Home', 'ArrowRight', 'Shift+ArrowRight', 'Shift+ArrowRight', 'Shift+ArrowRight');
    const { from, to } = await changed(() => press('Enter'));
    assert.equal(to - from, 3 * hour);
  });

  test('l hides the readout and shows it again', async () => {
    await open(absolute);
    await press('l');
    await page.locator('.readout').first().waitFor({ state: 'hidden' });
    await press('l');
    await page.locator('.readout').first().waitFor();
  });

  test('the sheet lists the keys that work here', async () => {
    await open(absolute);
    await press('?');
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    for (const text of ['Zoom out', 'Earlier', 'Later', 'Refresh', 'Make the range absolute', 'Go to'])
      await sheet.getByText(text).first().waitFor();
    await press('Escape');
    await sheet.waitFor({ state: 'detached' });
  });
});

suite('running', { concurrency: false }, () => {
  test('Ctrl+Enter computes the formulas', async () => {
    const sheet = JSON.stringify([[[outdoor, 'a', 'avg']], [['double', 'a * 2']], []]);
    await page.goto(`${service.url}/#/formulas?f=${encodeURIComponent(sheet)}`);
    const editor = page.getByRole('textbox', { name: /double/ }).first();
    await editor.waitFor();
    await page.waitForLoadState('networkidle');
    await editor.focus();
    const asked = page.waitForRequest((request) => (request.postData() ?? '').includes('service.evaluate'));
    await press('Control+Enter');
    await asked;
  });

  test('Ctrl+Enter runs the call', async () => {
    await page.goto(`${service.url}/#/console?m=console.overview`);
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
    await press('Control+Enter');
    await page.getByText('HTTP 200').waitFor();
  });
});

suite('as people prefer', { concurrency: false }, () => {
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

  async function look(name: string): Promise<void> {
    await page.getByRole('button', { name: 'Appearance' }).click();
    await page.getByRole('menuitem', { name }).click();
  }

  test('light, dark, or as the system, and kept', async () => {
    await page.goto(`${service.url}/#/signals`);
    await page.getByRole('grid', { name: 'Signals' }).waitFor();
    await page.emulateMedia({ colorScheme: 'light' });
    const light = await ground();
    await look('Dark');
    await page.waitForFunction((color) => getComputedStyle(document.body).backgroundColor !== color, light);
    const dark = await ground();
    await page.reload();
    await page.getByRole('grid', { name: 'Signals' }).waitFor();
    assert.equal(await ground(), dark);
    await look('System');
    await page.waitForFunction((color) => getComputedStyle(document.body).backgroundColor === color, light);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForFunction((color) => getComputedStyle(document.body).backgroundColor === color, dark);
    await page.emulateMedia({ colorScheme: 'light' });
  });

  test('compact rows', async () => {
    const height = () =>
      page.locator('[data-index="0"]').evaluate((row) => Math.round(row.getBoundingClientRect().height));
    assert.equal(await height(), 40);
    await look('Compact rows');
    await page.waitForFunction(
      () => Math.round(document.querySelector('[data-index="0"]')!.getBoundingClientRect().height) === 32,
    );
    await look('Compact rows');
  });

  test('who wants less motion sees none', async () => {
    const moving = () =>
      page.evaluate(
        () =>
          [...document.querySelectorAll('*')].filter((element) => {
            const { animationName, animationDuration, transitionDuration } = getComputedStyle(element);
            const longest = Math.max(
              ...`${animationDuration}, ${transitionDuration}`.split(', ').map(Number.parseFloat),
            );
            return (animationName !== 'none' || transitionDuration !== '0s') && longest > 0.01;
          }).length,
      );
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    assert.ok((await moving()) > 0, 'the page moves otherwise');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    assert.equal(await moving(), 0);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Commands' }).waitFor();
    assert.equal(await moving(), 0);
    await page.keyboard.press('Escape');
  });

  test('numbers are written as in the language of the browser', async () => {
    const german = await startBrowser(service.url, { locale: 'de-DE' });
    try {
      const theirs = await german.newPage();
      await german.context.addCookies(await browser.context.cookies());
      await theirs.goto(`${service.url}/#/signals`);
      await theirs.getByRole('grid', { name: 'Signals' }).waitFor();
      await theirs
        .getByText(/^10\.0\d\d$/)
        .first()
        .waitFor();
      await theirs
        .getByText(/^\d+,\d+ °C$/)
        .first()
        .waitFor();
      assert.deepEqual(german.complaints, []);
    } finally {
      await german.stop();
    }
  });

  test('nothing was complained of', () => {
    assert.deepEqual(browser.complaints, []);
  });
});
