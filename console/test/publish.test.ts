/** Publishing in a browser: the four states, field by field, all that match at once, and links that are taken back. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Client, type CredentialsFile } from '@tidemark/client';
import { browser, call, openConsole, page, service } from './support/console.ts';
import { go } from './support/places.ts';

interface Resource {
  id: string;
  attributes: { name: string; engUnit: string; visible?: boolean };
  relationships: { item: { data: { id: string } | null } };
}

const signalCount = 1200;

let integration: string;

openConsole({
  setup: 'empty',
  prepare: async () => {
    integration = ((await call('console.integrations.create', { name: 'Mill' })) as { id: string }).id;
    await saveSignals();
  },
});

async function saveSignals(): Promise<void> {
  const { file } = (await call('console.credentials.create', {
    integration,
    type: 'client-credentials',
  })) as { file: CredentialsFile };
  const signalsByInput = Object.fromEntries(
    Array.from({ length: signalCount }, (_, i) => {
      const number = String(i).padStart(4, '0');
      return [`mill/${number}`, { name: `Sensor ${number}`, engUnit: 'm' }];
    }),
  );
  await Client.fromFile(file).call('integration.saveSignals', { integration, signalsByInput });
}

async function signalNamed(name: string): Promise<Resource> {
  const query = { filter: { name } };
  return ((await call('admin.selectSignals', { integration, query })) as { data: Resource[] }).data[0]!;
}

async function items(filter: object = {}): Promise<{ total: number; data: Resource[] }> {
  const query = { filter, total: true };
  const answer = (await call('service.selectItems', { query })) as {
    meta: { total: number };
    data: Resource[];
  };
  return { total: answer.meta.total, data: answer.data };
}

const button = (name: string | RegExp) => page.getByRole('button', { name });

async function openPublish(search = ''): Promise<void> {
  await go(`/publish${search}`);
  await page.getByRole('grid', { name: 'Signals to publish' }).waitFor();
}

/** Whether a message is shown, and no control has its middle below it. */
function noneIsCovered(): boolean {
  const controls = [...document.querySelectorAll('main a, main button, main input, header button')];
  const isCovered = (control: Element) => {
    const { left, top, width, height } = control.getBoundingClientRect();
    return document.elementFromPoint(left + width / 2, top + height / 2)?.closest('.toast') != null;
  };
  return document.querySelector('.toast') !== null && !controls.some(isCovered);
}

suite('publishing', { concurrency: false }, () => {
  test('all that match are counted by state and published, a page at a time', async () => {
    await openPublish();
    await button('Publish all 1,200 …').click();
    const dialog = page.getByRole('dialog', { name: 'Publish 1,200 signals' });
    await dialog.getByText('1,200 unpublished').waitFor();
    await button('Publish 1,200 signals').click();
    await page.getByText('Published: 1,200 created, 0 updated').waitFor();
    assert.equal((await items({ visible: true })).total, signalCount);
  });

  test('an edit of more than one call takes is taken back whole', async () => {
    const total = async () => (await items({ engUnit: 'cm' })).total;
    await page.goto(`${service.url}/#/items`);
    await button('Edit all 1,200 …').click();
    await button(/What to do/).click();
    await page.getByRole('option', { name: 'Set unit' }).click();
    await page.getByRole('textbox', { name: 'Unit' }).fill('cm');
    await button('Show what changes').click();
    await button('Change 1,200 items').click();
    await page.getByText('1,200 items changed').waitFor();
    assert.equal(await total(), signalCount);
    await button('Undo').click();
    await page.getByText('Undone').waitFor();
    assert.equal(await total(), 0);
  });

  test('a list narrowed by a search publishes only what matches', async () => {
    await openPublish('?q=sensor%20000');
    await button('Publish all 10 …').click();
    await page.getByText('10 signals in sync: nothing to do.').waitFor();
    assert.equal(await button(/^Publish 0 signals/).isDisabled(), true);
    await page.keyboard.press('Escape');
  });

  test('the four states are told apart, and an edited item is replaced only on request', async () => {
    const [changed, edited] = [await signalNamed('Sensor 0001'), await signalNamed('Sensor 0002')];
    await call('console.signals.edit', {
      integration,
      query: { filter: { id: changed.id } },
      change: { engUnit: 'mm' },
    });
    await call('console.items.edit', {
      query: { filter: { id: edited.relationships.item.data!.id } },
      change: { name: 'Edited by hand' },
    });
    await openPublish('?q=sensor%20000');
    await page.reload();
    const row = (name: string) => page.getByRole('row', { name: new RegExp(name) });
    await row('Sensor 0000').getByText('in sync').waitFor();
    await row('Sensor 0001').getByText('signal changed').waitFor();
    await row('Sensor 0002').getByText('item edited').waitFor();
    await button('Publish all 10 …').click();
    await page.getByText('1 changed since').waitFor();
    await page.getByText('1 with edited items').waitFor();
    await button('Publish 1 signal').click();
    await page.getByText('Published: 0 created, 1 updated').waitFor();
    assert.equal((await items({ name: 'Edited by hand' })).total, 1);
    assert.equal((await items({ engUnit: 'mm' })).data[0]?.attributes.name, 'Sensor 0001');
    await row('Sensor 0001').getByText('in sync').waitFor();
  });

  test('the review keeps or takes each field', async () => {
    const { id } = await signalNamed('Sensor 0002');
    await call('console.signals.edit', {
      integration,
      query: { filter: { id } },
      change: { engUnit: 'kg', description: 'Weighs' },
    });
    await page.goto(`${service.url}/#/publish?ids=${id}`);
    // So low that the usual corner of messages has controls in it.
    await page.setViewportSize({ width: 1024, height: 420 });
    const name = page.getByRole('radiogroup', { name: 'Name: which value' });
    await name.getByRole('radio', { name: 'Keep' }).click();
    await button('Publish 1 signal').click();
    await page.getByRole('heading', { level: 1, name: 'Edited by hand' }).waitFor();
    const { data } = await items({ name: 'Edited by hand' });
    assert.equal(data[0]?.attributes.engUnit, 'kg');
    await page.getByRole('radio', { name: 'Hour' }).waitFor();
    await page.waitForFunction(noneIsCovered);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('link', { name: 'Open the chart' }).click();
    await page.getByRole('heading', { level: 1, name: 'Explorer' }).waitFor();
    await page.getByRole('application', { name: /Edited by hand/ }).waitFor();
  });

  test('the explorer lists every item by label, also beyond the first thousand', async () => {
    await page.goto(`${service.url}/#/explorer`);
    await button('By label').click();
    const dialog = page.getByRole('dialog', { name: 'Items by label' });
    await dialog.getByText('0 of 50 in the chart; 1,200 items listed').waitFor();
    await dialog.getByRole('group').filter({ hasText: 'Items' }).locator('summary').click();
    await dialog.getByText('1,000 more: type above to narrow the list down.').waitFor();
    await dialog.getByRole('searchbox').fill('sensor 1199');
    await dialog.getByText('1 item listed').waitFor();
    await dialog.getByText('Sensor 1199').click();
    await dialog.getByText('1 of 50 in the chart').waitFor();
    await button('Done').click();
    await page.getByRole('application', { name: /Sensor 1199/ }).waitFor();
  });

  test('a signal is taken off its item and put back with a button, and connected to another', async () => {
    const signal = await signalNamed('Sensor 0003');
    const item = signal.relationships.item.data!.id;
    await page.goto(`${service.url}/#/signals/${integration}/${signal.id}`);
    await page.getByRole('tab', { name: 'Item' }).click();
    await button('Disconnect').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
    await page.getByRole('heading', { name: 'Not published' }).waitFor();
    await button('Undo').click();
    await page.getByRole('link', { name: 'Sensor 0003' }).waitFor();
    assert.equal((await signalNamed('Sensor 0003')).relationships.item.data?.id, item);
    await button('Connect to another item').click();
    await page.getByLabel('Find an item').fill('Sensor 0004');
    await page.getByRole('option', { name: /Sensor 0004/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('link', { name: 'Sensor 0004' }).waitFor();
    await button('Undo').last().click();
    await page.getByRole('link', { name: 'Sensor 0003' }).waitFor();
  });

  test('nothing was complained of', () => {
    assert.deepEqual(browser.complaints, []);
  });
});
