/** Files that are downloaded over the export route, in a real browser: what was chosen is in them. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { suite, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import type { Locator } from 'playwright-core';
import { browser, openConsole, page } from './support/console.ts';
import { choose, go } from './support/places.ts';
import { itemsByName, storeItem } from './support/stored.ts';

const fromS = Date.parse('2024-03-01T00:00:00Z') / 1000;
/** 2,000 points, one an hour; every value has its own. */
const timesS = Array.from({ length: 2000 }, (_, i) => fromS + 3600 * i);
const values = timesS.map((_, i) => i + 0.5);

let silo: string;

openConsole({
  prepare: async () => {
    silo = await storeItem({ name: 'Silo 7 level', engUnit: 'm' }, timesS, values);
  },
});

/** Sends the dialog; the file that the browser saves. */
async function download(dialog: Locator): Promise<{ name: string; bytes: Buffer }> {
  const started = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Download', exact: true }).click();
  const file = await started;
  await dialog.waitFor({ state: 'hidden' });
  return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
}

async function openDialog(): Promise<Locator> {
  await page.getByRole('button', { name: 'Download points …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Download' });
  await dialog.waitFor();
  return dialog;
}

suite('downloads', { concurrency: false }, () => {
  test('X1b the explorer: days of a zone with a decimal comma, compressed', async () => {
    await go(`/explorer?items=${silo}&zone=Europe/Oslo&from=2024-03-30T00:00:00Z&to=2024-04-02T00:00:00Z`);
    await page.getByRole('button', { name: 'Download' }).click();
    await page.getByRole('menuitem', { name: 'Points …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Download' });
    await dialog.getByRole('textbox', { name: 'From' }).fill('2024-03-30');
    await dialog.getByLabel('To').fill('2024-04-02');
    await choose('Values', 'Days');
    await choose('Of each', 'Minimum, average, maximum');
    await choose('File', 'CSV with semicolons');
    await choose('Layout', 'A column for each');
    await dialog.getByText('Compressed (gzip)').click();
    const { name, bytes } = await download(dialog);
    assert.equal(name, 'items.csv.gz');
    const lines = gunzipSync(bytes).toString().trimEnd().split('\r\n');
    assert.equal(lines[0], 'time;Silo 7 level min [m];Silo 7 level avg [m];Silo 7 level max [m]');
    assert.equal(lines.length, 4);
    // The day with 23 hours: its first hour is 2024-03-30T23:00Z, the 719th point.
    assert.equal(lines[2], '2024-03-31T00:00:00+01:00;719,5;730,5;741,5');
    assert.match(lines[3]!, /^2024-04-01T00:00:00\+02:00;742,5;/);
  });

  test('X1b the list of items: everything that matches, as Parquet', async () => {
    await go('/items?q=Silo');
    const dialog = await openDialog();
    await choose('File', 'Parquet');
    const { name, bytes } = await download(dialog);
    assert.equal(name, 'items.parquet');
    const file = new Uint8Array(bytes).buffer;
    const parsers = { timestampFromMicroseconds: Number };
    const rows = await parquetReadObjects({ file, parsers });
    // As text: the difference of two long lists takes minutes to print.
    assert.equal(
      rows.map((row) => [row.time / 1e6, row.item, row.value].join()).join('\n'),
      timesS.map((s, i) => [s, silo, values[i]].join()).join('\n'),
    );
    const series = parquetMetadata(file).key_value_metadata?.find(({ key }) => key === 'tidemark.series');
    assert.equal(JSON.parse(series?.value ?? '[]')[0].unit, 'm');
  });

  test('X1b the list of signals: those of this integration, as JSON lines, and an end that is not a time', async () => {
    await go('/signals');
    await choose('Integration', 'Silo 7 level');
    const dialog = await openDialog();
    await dialog.getByLabel('To').fill('soon');
    await dialog.getByText('must be empty, or a time such as').waitFor();
    await dialog.getByLabel('To').fill('2024-03-02');
    await choose('Times in', 'UTC');
    await choose('File', 'JSON lines');
    await choose('Layout', 'A row for each point');
    const { name, bytes } = await download(dialog);
    assert.equal(name, 'signals.jsonl');
    const lines = bytes
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.equal(
      lines.length >= 23 && lines.length <= 25,
      true,
      `${lines.length} hours of a day in the zone`,
    );
    assert.deepEqual([lines[0].time, lines[0].value], ['2024-03-01T00:00:00Z', 0.5]);
  });

  test('X1b the page of formulas downloads the points of its items', async () => {
    const demo = await itemsByName();
    await go(
      `/explorer?items=${[silo, demo.get('Pump 1 flow')].join('.')}&from=2024-03-01T00:00:00Z&to=2024-03-02T00:00:00Z&zone=UTC`,
    );
    await page.locator('#main').getByRole('link', { name: 'Formulas' }).click();
    await page.getByRole('button', { name: 'Download' }).click();
    await page.getByRole('menuitem', { name: 'Points of the items …' }).click();
    const { bytes } = await download(page.getByRole('dialog', { name: 'Download' }));
    const lines = bytes.toString().trimEnd().split('\r\n');
    assert.equal(lines[0], 'time,Silo 7 level [m],Pump 1 flow [m³/h]');
    assert.equal(lines.length, 25);
    assert.equal(lines[1], '2024-03-01T00:00:00Z,0.5,');
  });

  test('X1 what the service refuses is said in the dialog', async () => {
    await go(`/explorer?items=${silo}&zone=UTC`);
    await page.getByRole('button', { name: 'Download' }).click();
    await page.getByRole('menuitem', { name: 'Points …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Download' });
    await page.route('**/v1/export', async (route) => {
      const body = new URLSearchParams(route.request().postData() ?? '');
      body.set('rollup', 'P0D');
      await route.continue({ postData: body.toString() });
    });
    await dialog.getByRole('button', { name: 'Download', exact: true }).click();
    await dialog
      .getByText(/must be longer than zero/)
      .first()
      .waitFor();
    await page.unroute('**/v1/export');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
  });

  test('nothing was complained of', () =>
    assert.deepEqual(
      browser.complaints.filter((text) => !/status of 400/.test(text)),
      [],
    ));
});
