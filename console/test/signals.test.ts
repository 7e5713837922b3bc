/** Signals and items in a browser: columns, editing one and many with a preview and a way back, points, uses. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { suite, test } from 'node:test';
import { startBrowser } from './support/chromium.ts';
import { browser, call, openConsole, page, service } from './support/console.ts';

interface Resource {
  id: string;
  attributes: { name: string; engUnit: string; labels: Record<string, string[]>; visible?: boolean };
  meta: { annotations: Record<string, string> };
  relationships: { item: { data: { id: string } | null } };
}

let plant: string;

openConsole({
  prepare: async () => {
    const { integrations } = (await call('console.integrations.list')) as { integrations: { id: string }[] };
    plant = integrations[0]!.id;
    await page.goto(`${service.url}/#/signals`);
  },
});

async function signals(): Promise<Resource[]> {
  const query = { sort: ['name'] };
  const { data } = (await call('admin.selectSignals', { integration: plant, query })) as { data: Resource[] };
  return data;
}

async function signalNamed(name: string): Promise<Resource> {
  return (await signals()).find(({ attributes }) => attributes.name === name)!;
}

async function item(id: string): Promise<Resource> {
  const query = { filter: { id } };
  return ((await call('service.selectItems', { query })) as { data: Resource[] }).data[0]!;
}

const grid = (name: string) => page.getByRole('grid', { name });
const button = (name: string | RegExp) => page.getByRole('button', { name });

/** Takes the last edit back, and closes the messages. */
async function undo(): Promise<void> {
  await button('Undo').last().click();
  await page.getByText('Undone').waitFor();
  const close = page.getByRole('region', { name: 'Messages' }).getByRole('button', { name: 'Close' });
  while ((await close.count()) > 0) await close.first().click();
}

/** Ticks a row. */
async function select(table: string, name: RegExp): Promise<void> {
  await grid(table).getByRole('row', { name }).locator('.check').click();
}

/** Goes to a place, as a link would. */
async function go(place: string): Promise<void> {
  await page.goto(`${service.url}/#${place}`);
}

suite('signals and items', { concurrency: false }, () => {
  test('the list has every column, with values, a line of the last day and the number of points', async () => {
    await grid('Signals').waitFor();
    const headers = await grid('Signals').getByRole('columnheader').allInnerTexts();
    assert.deepEqual(
      headers.filter((text) => text.trim() !== ''),
      ['Name', 'Input key', 'Type', 'Unit', 'Labels', 'Last value', 'Age', 'Last day', 'Points', 'Published'],
    );
    const row = grid('Signals').getByRole('row', { name: /Pump 1 flow/ });
    await row.getByText(/^10,0\d\d$/).waitFor();
    await row.locator('svg.sparkline').waitFor();
    await row.getByText('in sync').waitFor();
    await row.getByText(/^\d+ (s|min)$/).waitFor();
  });

  test('a column is chosen, and asked for only then', async () => {
    await button('Columns').click();
    await page.getByRole('menuitem', { name: 'On disk' }).click();
    await grid('Signals').getByRole('columnheader', { name: 'On disk' }).waitFor();
    await grid('Signals').getByText(/kB$/).first().waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.postData() ?? ''));
    for (const name of ['On disk', 'Points', 'Last day']) {
      await button('Columns').click();
      await page.getByRole('menuitem', { name }).click();
    }
    await page.reload();
    await grid('Signals').getByText('in sync').first().waitFor();
    assert.ok(asked.some((body) => body.includes('console.publish.status')));
    assert.ok(
      !asked.some((body) => /console.signals.(sizes|trends)/.test(body)),
      'asked for what is not shown',
    );
    await page.evaluate(() => localStorage.clear());
    await page.reload();
  });

  test('the selected signals are edited: tried, done, and taken back', async () => {
    await select('Signals', /Pump 1 flow/);
    await select('Signals', /Tank 1 level/);
    await button('Edit 2 …').click();
    const dialog = page.getByRole('dialog', { name: 'Edit 2 signals' });
    await dialog.getByLabel('Label', { exact: true }).fill('area');
    await dialog.getByLabel('Values, separated by commas').fill('north');
    await button('Add a step').click();
    await dialog
      .getByRole('group', { name: 'Step 2' })
      .getByRole('button', { name: /What to do/ })
      .click();
    await page.getByRole('option', { name: 'Set unit' }).click();
    await dialog.getByRole('textbox', { name: 'Unit' }).fill('L');
    await button('Show what changes').click();
    await dialog.getByText('2 signals would change').waitFor();
    const changes = await dialog.getByRole('region', { name: 'What changes' }).textContent();
    assert.match(changes ?? '', /Pump 1 flowUnitm³\/hLLabel area–north/);
    assert.equal((await signalNamed('Pump 1 flow')).attributes.engUnit, 'm³/h');
    await button('Change 2 signals').click();
    await page.getByText('2 signals changed').waitFor();
    const edited = await signals();
    assert.deepEqual(
      edited.filter(({ attributes }) => attributes.labels.area).map(({ attributes }) => attributes.name),
      ['Pump 1 flow', 'Tank 1 level'],
    );
    await grid('Signals').getByText('signal changed').first().waitFor();
    await undo();
    const { attributes } = await signalNamed('Pump 1 flow');
    assert.deepEqual([attributes.engUnit, attributes.labels.area], ['m³/h', undefined]);
    const { rows } = (await call('console.audit.list', { filter: { action: 'signals.edit' } })) as {
      rows: unknown[];
    };
    assert.equal(rows.length, 3, 'one edit, and two ways back, as the units were not the same');
    await button('Clear selection').click();
  });

  test('all that match are edited; a fault stands at its step', async () => {
    await page.getByLabel('Name or input key').fill('pump');
    await page.getByText('5 signals').waitFor();
    await button('Edit all 5 …').click();
    const dialog = page.getByRole('dialog', { name: 'Edit 5 signals' });
    await dialog.getByLabel('Label', { exact: true }).fill('not good');
    await dialog.getByLabel('Values, separated by commas').fill('x');
    await button('Show what changes').click();
    await dialog.getByText('the key must match').waitFor();
    await dialog.getByLabel('Label', { exact: true }).fill('kind');
    await page.keyboard.press('Enter');
    await button('Change 5 signals').click();
    await page.getByText('5 signals changed').waitFor();
    const labelled = (await signals()).filter(({ attributes }) => attributes.labels.kind?.[0] === 'x');
    assert.equal(labelled.length, 5);
    await button('Edit all 5 …').click();
    await dialog.getByLabel('Label', { exact: true }).fill('kind');
    await dialog.getByLabel('Values, separated by commas').fill('x');
    await button('Show what changes').click();
    await dialog.getByText('Nothing would change').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  test('one signal is edited in a form: only what was changed, other fields stay', async () => {
    const { id } = await signalNamed('Pump 1 power');
    await go(`/signals/${plant}/${id}`);
    await button('Edit').click();
    const dialog = page.getByRole('dialog', { name: 'Edit signal' });
    await dialog.getByLabel('Sample interval').fill('one minute');
    await button('Save signal').click();
    await dialog
      .getByText(/must be a duration/)
      .first()
      .waitFor();
    await dialog.getByLabel('Sample interval').fill('PT1M');
    await dialog.getByLabel('Name').fill('Pump 1 electric power');
    await button('Save signal').click();
    await page.getByText('The signal is saved').waitFor();
    await page.getByRole('heading', { name: 'Pump 1 electric power' }).waitFor();
    const { attributes } = await signalNamed('Pump 1 electric power');
    assert.deepEqual([attributes.engUnit, attributes.labels.kind], ['kW', ['x']]);
  });

  test('points: how many, how far apart against what is declared, corrected with a button', async () => {
    const { id } = await signalNamed('Tank 1 level');
    await call('console.signals.edit', {
      integration: plant,
      query: { filter: { id } },
      change: { sampleInterval: 'PT10S', gapDetection: null },
    });
    await go(`/signals/${plant}/${id}`);
    await page.getByRole('tab', { name: 'Points' }).click();
    await page.getByText('The declared interval is 10 s, but the observed one is 60 s.').waitFor();
    await button('Set to PT1M').click();
    await page.getByText('Points arrive every 60 s, as declared, without a gap.').waitFor();
    await page.getByText(/bytes each/).waitFor();
  });

  test('a stretch of points is counted, then deleted', async () => {
    await button('Delete points …').click();
    const dialog = page.getByRole('dialog', { name: /Delete points/ });
    const at = new Date(Date.now() - 3_600_000);
    await dialog.getByRole('textbox', { name: 'From' }).fill('2020-01-01');
    await dialog.getByLabel('Before').fill(at.toISOString().slice(0, 10));
    await button('Count points').click();
    await dialog.getByText(/points would be deleted/).waitFor();
    await button(/^Delete [\d,]+ points/).click();
    await page.getByText(/points deleted$/).waitFor();
  });

  test('annotations are edited: added, changed, removed', async () => {
    await page.getByRole('tab', { name: 'Annotations' }).click();
    const add = async (key: string, text: string) => {
      await button('Edit annotations').click();
      await button('Add').click();
      await page.getByLabel('Key').last().fill(key);
      await page.getByLabel('Text').last().fill(text);
      await button('Save annotations').click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByText(text, { exact: true }).waitFor();
    };
    await add('checked/by', 'Ada');
    await add('note', 'replaced in May');
    await button('Edit annotations').click();
    await button('Remove note').click();
    await button('Save annotations').click();
    await page.getByText('replaced in May').waitFor({ state: 'detached' });
    assert.deepEqual((await signalNamed('Tank 1 level')).meta.annotations, { 'checked/by': 'Ada' });
  });

  test('items are edited together, and one is hidden and shown again', async () => {
    await go('/items');
    await grid('Items')
      .getByRole('row', { name: /Tank 1 level/ })
      .getByText('%')
      .first()
      .waitFor();
    await button('Edit all 7 …').click();
    await button(/What to do/).click();
    await page.getByRole('option', { name: 'Set visible' }).click();
    await button(/Value$/).click();
    await page.getByRole('option', { name: 'no' }).click();
    await button('Show what changes').click();
    await button('Change 7 items').click();
    await page.getByText('7 items changed').waitFor();
    await undo();
    const id = (await signalNamed('Tank 1 level')).relationships.item.data!.id;
    assert.equal((await item(id)).attributes.visible, true);
    await go(`/items/${id}`);
    await page.getByText('Visible', { exact: true }).click();
    await page.getByText('Hidden now').waitFor();
    assert.equal((await item(id)).attributes.visible, false);
    await undo();
    assert.equal((await item(id)).attributes.visible, true);
  });

  test('an item lists what feeds it, and lets go of it', async () => {
    const { relationships } = await signalNamed('Pump 1 pressure');
    await go(`/items/${relationships.item.data!.id}`);
    await page.getByRole('tab', { name: 'Signals' }).click();
    await button('Disconnect Pump 1 pressure').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect', exact: true }).click();
    await page.getByText(/^No signal: it was disconnected/).waitFor();
    assert.equal((await signalNamed('Pump 1 pressure')).relationships.item.data, null);
    await undo();
    await page.getByRole('link', { name: 'Pump 1 pressure' }).waitFor();
  });

  test('an item that no signal feeds any more is edited all the same', async () => {
    const { id, relationships } = await signalNamed('Outdoor temperature');
    await call('admin.disconnectSignals', { integration: plant, query: { filter: { id } } });
    const of = relationships.item.data!.id;
    await go(`/items/${of}`);
    await button('Edit').click();
    await page.getByLabel('Description').fill('The sensor was taken away');
    await button('Save item').click();
    await page.getByText('The item is saved').waitFor();
    await page.getByText('The sensor was taken away').first().waitFor();
  });

  test('an item says in which saved views and formulas it is used', async () => {
    const flow = (await signalNamed('Pump 1 flow')).relationships.item.data!.id;
    const sheet = JSON.stringify([[[flow, 'flow', 'avg']], [['double_flow', 'flow * 2']], []]);
    await call('console.views.save', { name: 'Flow today', query: `items=${flow}` });
    await call('console.views.save', {
      name: 'Twice the flow',
      query: new URLSearchParams({ f: sheet }).toString(),
    });
    await go(`/items/${flow}`);
    await page.getByRole('tab', { name: 'Used in' }).click();
    await page.getByRole('link', { name: 'Flow today' }).waitFor();
    await page.getByText('double_flow = flow * 2').waitFor();
    await page.getByRole('link', { name: 'Twice the flow' }).click();
    await page.getByRole('heading', { name: 'Formulas', level: 1 }).waitFor();
    await page.getByText('flow * 2').first().waitFor();
  });

  test('selected items are charted together, and all are in a file', async () => {
    await go('/items');
    for (const name of [/Pump 1 flow/, /Pump 1 pressure/]) await select('Items', name);
    await button('Open in explorer').click();
    await page.getByRole('heading', { name: 'Explorer', level: 1 }).waitFor();
    assert.match(page.url(), /items=[a-v0-9]{20}\.[a-v0-9]{20}/);
    await go('/items');
    const [download] = await Promise.all([page.waitForEvent('download'), button('CSV of all').click()]);
    const lines = (await readFile((await download.path())!, 'utf8')).split('\r\n');
    assert.match(lines[0]!, /^id,visible,name,description,/);
    assert.equal(lines.filter((line) => line !== '').length, 8);
  });

  test('a viewer looks at all of it and is offered no change', async () => {
    const password = 'ships sail on the tide';
    await call('console.people.create', { name: 'Vic', password, role: 'viewer' });
    const other = await startBrowser(service.url);
    try {
      const theirs = await other.newPage();
      await other.context.request.post(`${service.url}/console/session`, {
        headers: { origin: new URL(service.url).origin },
        data: { name: 'Vic', password },
      });
      await theirs.goto(`${service.url}/#/signals`);
      await theirs.getByText('7 signals').waitFor();
      assert.equal(await theirs.getByRole('button', { name: /^Edit/ }).count(), 0);
      await theirs.getByRole('link', { name: 'Pump 1 flow' }).click();
      await theirs.getByRole('tab', { name: 'Points' }).click();
      await theirs.getByText(/Points arrive every/).waitFor();
      assert.equal(await theirs.getByRole('button', { name: /Edit|Delete|Set to/ }).count(), 0);
      assert.deepEqual(other.complaints, []);
    } finally {
      await other.stop();
    }
  });

  test('nothing was complained of', () => {
    assert.deepEqual(browser.complaints, []);
  });
});
