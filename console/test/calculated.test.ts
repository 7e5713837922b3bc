/** Calculated items in a browser: a formula is saved as an item, seen in the lists and on its page, changed, and deleted. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Client, type CredentialsFile } from '@tidemark/client';
import type { Locator } from 'playwright-core';
import { barriersOf } from './support/axe.ts';
import { call, openConsole, page, service } from './support/console.ts';

const ids: Record<string, string> = {};

openConsole({
  setup: 'empty',
  prepare: async () => {
    const { id: integration } = (await call('console.integrations.create', { name: 'Plant' })) as {
      id: string;
    };
    const made = await call('console.credentials.create', { integration, type: 'client-credentials' });
    const client = Client.fromFile((made as { file: CredentialsFile }).file);
    const nowS = Math.floor(Date.now() / 60_000) * 60;
    const times = Array.from({ length: 120 }, (_, i) => nowS - (120 - i) * 60);
    const series = { heat: times.map((_, i) => 30 + (i % 7)), power: times.map((_, i) => 10 + (i % 3)) };
    const { signalsByInput } = await client.call('integration.insert', {
      integration,
      data: { times, series },
    });
    for (const [input, { id }] of Object.entries(signalsByInput)) {
      const itemsBySignal = { [id]: { name: input, engUnit: 'kW', visible: true } };
      const published = await call('admin.publishSignals', { integration, itemsBySignal });
      const { itemsBySignal: saved } = published as { itemsBySignal: Record<string, { id: string }> };
      ids[input] = saved[id]!.id;
    }
  },
});

const button = (name: string) => page.getByRole('button', { name, exact: true });
const sheet = () =>
  JSON.stringify([
    [
      [ids['heat'], 'h', 'avg'],
      [ids['power'], 'p', 'avg'],
    ],
    [
      ['ratio', 'h / p'],
      ['cop', 'ratio > 1 ? ratio : null'],
    ],
    [],
  ]);

/** Where an element is, in whole pixels. */
async function placeOf(locator: Locator): Promise<number[]> {
  const { x, y } = (await locator.boundingBox())!;
  return [x, y].map(Math.round);
}

async function calculated(): Promise<{ id: string; formula: string; version: number }[]> {
  const { items } = (await call('console.calculations.list')) as {
    items: { id: string; formula: string; version: number }[];
  };
  return items;
}

async function shot(name: string): Promise<void> {
  const folder = process.env['SHOTS_IN'];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
}

suite('calculated items', { concurrency: false }, () => {
  test('the button that saves a formula stays where it is when editors, units and values come', async () => {
    const held = Promise.withResolvers<void>();
    await page.route(/\/editor-[^/]*\.js$|\/v1\/rpc$/, async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.goto(`${service.url}/#/formulas?f=${encodeURIComponent(sheet())}`);
    const save = button('Save as item cop');
    const before = await placeOf(save);
    assert.equal(await page.getByRole('textbox', { name: 'Formula of ratio' }).count(), 0);
    held.resolve();
    await page.getByText('Units: h kW, p kW').waitFor();
    for (const alias of ['ratio', 'cop'])
      await page.getByRole('textbox', { name: `Formula of ${alias}` }).waitFor();
    await page.locator('.readout .value').nth(3).waitFor();
    assert.deepEqual(await placeOf(save), before);
    await page.unroute(/\/editor-[^/]*\.js$|\/v1\/rpc$/);
  });

  test('C1 a calculation of the page is saved as an item', async () => {
    await button('Save as item cop').click();
    const dialog = page.getByRole('dialog', { name: 'Save as item' });
    await dialog.getByText('(h / p) > 1 ? (h / p) : null').waitFor();
    await dialog.getByLabel('Name', { exact: true }).fill('COP');
    await dialog.getByLabel('Interval').fill('soon');
    await button('Save item').click();
    await dialog
      .getByText(/must be a duration|RFC 3339/)
      .first()
      .waitFor();
    await dialog.getByLabel('Interval').fill('PT1M');
    await shot('calculated-dialog');
    assert.deepEqual(await barriersOf(page, {}, { include: '[role=dialog]' }), []);
    await button('Save item').click();
    await page.getByRole('heading', { name: 'COP' }).waitFor();
    const [item] = await calculated();
    assert.equal(item?.formula, '(h / p) > 1 ? (h / p) : null');
  });

  test('C4, C7 the page of the item has its newest value, its inputs, and the way to change the formula', async () => {
    await page.getByRole('tab', { name: 'Formula' }).click();
    await page.getByRole('link', { name: 'heat' }).waitFor();
    await page.getByText('Version 1; where every point is shown, a value each PT1M').waitFor();
    await shot('calculated-item');
    await page.getByRole('link', { name: 'Change the formula' }).click();
    await button('Save formula result').waitFor();
    const [item] = await calculated();
    const place = new URL(page.url()).hash;
    assert.match(place, new RegExp(`item=${item!.id}`));
    const editor = page.getByRole('textbox', { name: 'Formula of result' });
    await editor.click();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('100 * h / p');
    await button('Save formula result').click();
    const dialog = page.getByRole('dialog', { name: 'New formula of COP' });
    await dialog.getByText('100 * h / p', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Save formula' }).click();
    await page.getByRole('tab', { name: 'Formula' }).click();
    await page.getByText('Version 2;').waitFor();
    await page.getByRole('region', { name: 'Versions' }).getByText('in use').waitFor();
    await shot('calculated-versions');
    assert.deepEqual(await barriersOf(page, {}, { include: '[role=tabpanel]' }), []);
    assert.deepEqual(
      (await calculated()).map(({ version, formula }) => [version, formula]),
      [[2, '100 * h / p']],
    );
  });

  test('C7 an earlier version is restored as a new one, with a confirmation', async () => {
    await button('Restore version 1').click();
    const dialog = page.getByRole('dialog', { name: 'Restore version 1' });
    await dialog.getByText('(h / p) > 1 ? (h / p) : null', { exact: true }).waitFor();
    // A dialog that is fading in has too little contrast.
    await page.waitForFunction(() =>
      document.getAnimations().every(({ playState }) => playState !== 'running'),
    );
    await shot('calculated-restore');
    assert.deepEqual(await barriersOf(page, {}, { include: '[role=dialog]' }), []);
    await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
    await page.getByText('Version 3;').waitFor();
    await button('Restore version 2').waitFor();
    assert.equal(await button('Restore version 3').count(), 0);
    const [before] = await calculated();
    assert.deepEqual([before?.version, before?.formula], [3, '(h / p) > 1 ? (h / p) : null']);
    await button('Restore version 2').click();
    await button('Restore').click();
    await page.getByText('Version 4;').waitFor();
    const { items } = (await call('console.calculations.list')) as { items: object[] };
    assert.partialDeepStrictEqual(items, [
      { version: 4, formula: '100 * h / p', visible: true, attributes: { name: 'COP' } },
    ]);
    const { rows } = (await call('console.audit.list', { filter: { action: 'calculation.save' } })) as {
      rows: object[];
    };
    assert.equal(rows.length, 4);
  });

  test('C6 lists mark it, an input says where it is used, and the explorer draws it', async () => {
    await page.goto(`${service.url}/#/items`);
    const grid = page.getByRole('grid', { name: 'Items' });
    await grid.getByText('calculated', { exact: true }).waitFor();
    assert.equal(await grid.getByText('stored', { exact: true }).count(), 2);
    await grid
      .getByRole('row')
      .filter({ hasText: 'COP' })
      .getByText(/^[23]\d\d/)
      .waitFor();
    await shot('calculated-list');
    await page.goto(`${service.url}/#/items/${ids['heat']}`);
    await page.getByRole('tab', { name: 'Used in' }).click();
    await page.getByRole('link', { name: 'COP' }).waitFor();
    const [item] = await calculated();
    await page.goto(`${service.url}/#/explorer?items=${item!.id}.${ids['heat']}&from=now-1h&to=now`);
    await page.getByRole('application').first().waitFor();
    await shot('calculated-explorer');
  });

  test('C5 it is deleted', async () => {
    const [item] = await calculated();
    await page.goto(`${service.url}/#/items/${item!.id}`);
    await page.getByRole('tab', { name: 'Formula' }).click();
    await button('Delete item').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('grid', { name: 'Items' }).waitFor();
    assert.deepEqual(await calculated(), []);
  });
});
