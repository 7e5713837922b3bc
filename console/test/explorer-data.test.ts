/** What a person does in the explorer to find data and to take it along, in a real browser. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { suite, test } from 'node:test';
import { browser, call, openConsole, page } from './support/console.ts';
import { choose, go, place, plotBox } from './support/places.ts';
import { itemsByName, storeItem } from './support/stored.ts';
import { day } from './support/times.ts';

/** Item IDs by name. */
let items: Map<string, string>;

/** 23 points without a declared interval, two years old, over 44 days. */
const oldFrom = Date.parse('2024-03-01T00:00:00Z');
const oldTimes = Array.from({ length: 23 }, (_, i) => oldFrom + 2 * i * day);

openConsole({
  prepare: async () => {
    await storeItem(
      { name: 'Old' },
      oldTimes.map((ms) => ms / 1000),
      oldTimes.map((_, i) => i),
    );
    items = await itemsByName();
    await browser.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  },
});

suite('finding data', { concurrency: false }, () => {
  test('an empty range says where the last point is, and goes there', async () => {
    await go(`/explorer?items=${items.get('Old')}`);
    await page.getByText('No data in this range; last point 2024-04-14 02:00:00.').waitFor();
    assert.equal(await page.locator('.chart-label.left').filter({ visible: true }).count(), 0, 'no numbers');
    await page.getByRole('button', { name: 'Go to the last point' }).click();
    await page.waitForFunction(() => /from=2024-04/.test(location.hash));
    await page.getByText('No data in this range').waitFor({ state: 'hidden' });
    await assertWords(/ 4 points in 4 rows/);
  });

  test('All is a range, and nothing is said of points that are not there', async () => {
    await go(`/explorer?items=${items.get('Old')}`);
    await page.getByRole('button', { name: /^Time range: / }).click();
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.waitForFunction(() => /from=2024-02-29/.test(location.hash));
    await assertWords(/ 23 points in 23 rows/);
  });

  test('L2 every point of more than forty days is read in several calls', async () => {
    await go(
      `/explorer?items=${items.get('Old')}&from=2024-02-01T00:00:00Z&to=2024-06-01T00:00:00Z&rollup=raw`,
    );
    await assertWords(/^Every point · 23 points · /);
  });

  test('every point of a long range is counted first, and drawn up to a million', async () => {
    await go(`/explorer?items=${items.get('Pump 1 flow')}&rollup=raw&from=now-60d&to=now`);
    await assertWords(/^Every point · [\d,]{5,7} points · /);
  });

  test('Last is the newest point, whatever the buckets', async () => {
    const id = items.get('Pump 1 flow')!;
    await go(`/explorer?items=${id}&rollup=PT6H&from=now-3d&to=now`);
    const shown = page.locator('.readout td.value');
    await shown.getByText('m³/h').waitFor();
    const { data } = (await call('service.dataFrame', {
      query: { filter: { id } },
      data: {
        filter: { times: { $gte: '2255-01-01T00:00:00Z', $lt: '2255-01-01T00:00:01Z' } },
        outsidePoints: true,
      },
    })) as { data: { series: Record<string, number[]> } };
    assert.equal(await shown.textContent(), `${data.series[id]![0]} m³/h`);
  });

  test('the values of all items are next to the pointer', async () => {
    const ids = ['Pump 1 flow', 'Pump 1 power', 'Outdoor temperature', 'Pump 1 state'].map((name) =>
      items.get(name),
    );
    await go(`/explorer?items=${ids.join('.')}`);
    const plot = await plotBox();
    await page.mouse.move(plot.x + plot.width * 0.4, plot.y + plot.height / 2);
    const tip = page.locator('.chart-tip');
    await tip.waitFor();
    assert.equal(await tip.locator('li').count(), 4);
    const box = (await tip.boundingBox())!;
    assert.ok(Math.abs(box.x - (plot.x + plot.width * 0.4)) < 40, 'next to the pointer');
    await page.mouse.move(5, 5);
    await tip.waitFor({ state: 'hidden' });
  });

  test('items of three units have panels; an axis gets ends of its own; all of it is in the address', async () => {
    const ids = ['Pump 1 flow', 'Pump 1 power', 'Outdoor temperature'].map((name) => items.get(name));
    await go(`/explorer?items=${ids.join('.')}`);
    await page.locator('.chart-label.panel-title').nth(2).waitFor();
    await page.getByRole('button', { name: 'Actions for Pump 1 flow' }).click();
    await page.getByRole('menuitem', { name: 'Axis …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Axis of Pump 1 flow' });
    await dialog.getByLabel('Max, m³/h').fill('200');
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await page.waitForFunction(() => /y=/.test(location.hash));
    await page.locator('.chart-label.left', { hasText: /^200$/ }).waitFor();
    await page.getByRole('button', { name: 'Display' }).click();
    await page.getByRole('radio', { name: 'One chart' }).click();
    await page.keyboard.press('Escape');
    await page.locator('.chart-label.unit-right').first().waitFor();
    assert.equal(place().get('axes'), 'shared');
  });

  test('live mode says from which item nothing comes', async () => {
    await go(`/explorer?items=${items.get('Old')}&from=now-7d&to=now`);
    await page.getByRole('button', { name: 'Live' }).click();
    await page.getByText(/No new data from Old in this range/).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText(/No new data from Old/).waitFor({ state: 'hidden' });
  });
});

suite('taking data along', { concurrency: false }, () => {
  test('a link has the range as it is', async () => {
    await go(`/explorer?items=${items.get('Pump 1 flow')}&from=now-6h&to=now`);
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('Link copied').waitFor();
    const link = new URL(await page.evaluate(() => navigator.clipboard.readText()));
    const search = new URLSearchParams(link.hash.split('?')[1]);
    const length = Date.parse(search.get('to')!) - Date.parse(search.get('from')!);
    assert.equal(length, 6 * 3_600_000);
    assert.equal(search.get('items'), items.get('Pump 1 flow'));
  });

  test('every point of any range is saved as CSV', async () => {
    await go(`/explorer?items=${items.get('Old')}&zone=UTC`);
    await page.getByRole('button', { name: 'Download' }).click();
    await page.getByRole('menuitem', { name: 'Points …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Download' });
    await dialog.getByRole('textbox', { name: 'From' }).fill('2024-01-01');
    await dialog.getByLabel('To').fill('2024-12-31');
    const download = page.waitForEvent('download');
    await choose('Layout', 'A column for each');
    await dialog.getByRole('button', { name: 'Download' }).click();
    const lines = (await readFile(await (await download).path(), 'utf8')).trimEnd().split('\r\n');
    assert.equal(lines[0], 'time,Old');
    assert.deepEqual(
      lines.slice(1),
      oldTimes.map((ms, i) => `${new Date(ms).toISOString().slice(0, 19)}Z,${i}`),
    );
    await dialog.waitFor({ state: 'hidden' });
  });

  test('the chart is saved as a picture', async () => {
    await go(`/explorer?items=${items.get('Pump 1 flow')}`);
    await page.locator('.chart-label.left').first().waitFor();
    await page.getByRole('button', { name: 'Download' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Picture (PNG)' }).click();
    const file = await readFile(await (await download).path());
    assert.equal(file.subarray(1, 4).toString('latin1'), 'PNG');
    assert.ok(file.readUInt32BE(16) > 800, 'as wide as the chart');
  });

  test('nothing was complained of', () => assert.deepEqual(browser.complaints, []));
});

async function assertWords(like: RegExp): Promise<void> {
  await page.locator('.data-words').filter({ hasText: like }).waitFor();
}
