/** Formulas, the API console and edits with items whose values are known, step by step in a real browser. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { suite, test } from 'node:test';
import { browser, call, page, service } from './support/console.ts';
import { fourDays, hours, mode, openWithKnown, ramp, square } from './support/known.ts';
import { chart, choose, go, place, rowsOf, spanOf, textOf, waitForPlace } from './support/places.ts';

openWithKnown();

type Entry = [id: string, alias: string, aggregation: string, state?: number];

/** The place of a sheet. */
function sheetOf(
  items: readonly Entry[],
  calculations: readonly [string, string][],
  hidden: readonly string[] = [],
): string {
  return `/formulas?${fourDays}&f=${encodeURIComponent(JSON.stringify([items, calculations, hidden]))}`;
}

/** The sheet of the place. */
function sheet(): [Entry[], [string, string][], string[]] {
  return JSON.parse(place().get('f') ?? '[[],[],[]]');
}

/** Waits until the formulas of the place are these. */
async function assertFormulas(...formulas: string[]): Promise<void> {
  await page.waitForFunction((expected) => {
    const text = new URLSearchParams(location.hash.split('?')[1]).get('f') ?? '[[],[]]';
    return JSON.stringify(JSON.parse(text)[1].map((each: string[]) => each[1])) === expected;
  }, JSON.stringify(formulas));
}

/** The value of a series in the table below the chart, once it is this. */
async function assertValue(alias: string, expected: RegExp): Promise<void> {
  const row = page
    .locator('.readout tbody tr')
    .filter({ has: page.getByRole('button', { name: alias, exact: true }) });
  const cell = row.locator('td.value').filter({ hasText: expected });
  await cell.waitFor().catch(async () => assert.match(await textOf(row.locator('td.value')), expected));
}

const formulaOf = (alias: string) => page.getByRole('textbox', { name: `Formula of ${alias}` });

suite('formulas', { concurrency: false }, () => {
  const both = (): Entry[] => [
    [ramp, 'ramp', 'avg'],
    [square, 'square', 'avg'],
  ];

  test('each series has its value at the cursor, and a missing one its reason', async () => {
    await go(
      `${sheetOf(both(), [
        ['ratio', 'square / ramp'],
        ['next', 'ratio + 1'],
      ])}&rollup=PT1H`,
    );
    await assertValue('ratio', /^95$/);
    await assertValue('square', /^9025 bar$/);
    await chart().focus();
    await page.keyboard.press('Home');
    await page.locator('.readout thead').getByText('2026-01-01 00:00:00').waitFor();
    await assertValue('ramp', /^0 m$/);
    await assertValue('ratio', /^nullno finite number: a division by zero/);
    await assertValue('next', /^nullratio is null here$/);
    await page
      .getByRole('status')
      .filter({ hasText: '2026-01-01 00:00:00: ramp 0 m; square 0 bar; ratio null; next null' })
      .waitFor();
    const rows = page.locator('.readout tbody tr');
    assert.deepEqual(await rows.locator('td:last-child').allInnerTexts(), ['', '', '1', '1'], 'null buckets');
  });

  test('values without a unit are read aloud as they are', async () => {
    await page.keyboard.press('End');
    const said = '2026-01-04 23:00:00: ramp 95 m; square 9025 bar; ratio 95; next 96';
    await page.getByRole('status').filter({ hasText: said }).waitFor();
  });

  test('the units of what a formula uses are below it, and while it is written what its function takes', async () => {
    await page
      .getByText('Units: ramp m, square bar')
      .or(page.getByText('Units: square bar, ramp m'))
      .first()
      .waitFor();
    await formulaOf('next').click();
    await page.keyboard.press('Control+a');
    // The bracket that ends it is put in at once, so that what is written is never wrong for long.
    await page.keyboard.type('round(ramp, 1');
    const hint = page.locator('.sheet-below').nth(1);
    await hint.getByText('round(x[, digits = 0])').waitFor();
    await hint.locator('b', { hasText: /^digits$/ }).waitFor();
    await assertFormulas('square / ramp', 'round(ramp, 1)');
    await assertValue('next', /^95$/);
  });

  test('a function is completed with its brackets, and an alias before functions', async () => {
    await page.keyboard.press('Control+a');
    await page.keyboard.type('sq');
    const list = page.locator('.cm-tooltip-autocomplete');
    await list.getByText('sqrt').waitFor();
    assert.match(await textOf(list.locator('li').first()), /^square/);
    await page.keyboard.type('r');
    await list.locator('li').first().filter({ hasText: /^sqrt/ }).waitFor();
    // The list takes keys a little after it opens.
    await page.waitForTimeout(150);
    await page.keyboard.press('Enter');
    await page.keyboard.type('square');
    await page.keyboard.press('Escape');
    await assertFormulas('square / ramp', 'sqrt(square)');
    await page.getByRole('button', { name: 'Compute again' }).click();
    await assertValue('next', /^95$/);
  });

  test('an item is added up in another way, and a state is measured', async () => {
    await go(
      `${sheetOf(
        [
          [ramp, 'ramp', 'avg'],
          [mode, 'mode', 'state-percent', 0],
        ],
        [],
      )}&rollup=P1D&side=table`,
    );
    const grid = page.getByRole('grid', { name: 'Rows of the sheet' });
    const columns = async () => (await rowsOf(grid)).map((cells) => cells.slice(1));
    await grid.getByText('83.5').waitFor();
    assert.deepEqual(
      (await columns()).map(([average]) => average),
      ['11.5', '35.5', '59.5', '83.5'],
    );
    await choose('Aggregation of Ramp', 'Maximum');
    await grid.getByText('95', { exact: true }).waitFor();
    await choose('Aggregation of Mode', 'Seconds in state');
    await choose('State of Mode', 'fault (2)');
    await grid.getByText('18000').waitFor();
    assert.deepEqual(await columns(), [
      ['23', '0'],
      ['47', '0'],
      ['71', '18000'],
      ['95', '0'],
    ]);
    assert.deepEqual(sheet()[0], [
      [ramp, 'ramp', 'max'],
      [mode, 'mode', 'state-seconds', 2],
    ]);
    await choose('Aggregation of Mode', 'Average');
    await page.getByRole('button', { name: 'State of Mode' }).waitFor({ state: 'detached' });
  });

  test('a file has what the table has', async () => {
    await go(`${sheetOf(both(), [['double', 'ramp * 2']])}&rollup=P1D`);
    await assertValue('double', /^167$/);
    const download = page.waitForEvent('download');
    await choose('Download', 'CSV');
    const lines = (await readFile(await (await download).path(), 'utf8')).trimEnd().split('\r\n');
    const squares = [0, 1, 2, 3].map(
      (day) => hours.slice(0, 24).reduce((sum, i) => sum + (day * 24 + i) ** 2, 0) / 24,
    );
    assert.equal(lines[0], 'time,ramp [m],square [bar],double');
    for (const [day, line] of lines.slice(1).entries()) {
      const [time, ...values] = line.split(',');
      assert.equal(time, `2026-01-0${day + 1}T00:00:00Z`);
      for (const [i, value] of [11.5 + 24 * day, squares[day]!, 23 + 48 * day].entries())
        assert.ok(Math.abs(Number(values[i]) - value) < 1e-9, line);
    }
  });

  test('a line is hidden and shown again, by the sheet of the address too', async () => {
    await page.getByRole('button', { name: 'double', exact: true }).click();
    await page.waitForFunction(() => decodeURIComponent(location.hash).includes('["double"]'));
    assert.deepEqual(sheet()[2], ['double']);
    await page.reload();
    const legend = page.getByRole('button', { name: 'double', exact: true });
    await legend.waitFor();
    assert.equal(await legend.getAttribute('aria-pressed'), 'false');
    await legend.click();
    await page.waitForFunction(() => !decodeURIComponent(location.hash).includes('["double"]'));
  });

  test('an alias that cannot be is refused, and the one before stays', async () => {
    const field = page.getByRole('textbox', { name: 'Alias of Ramp' });
    for (const [text, problem] of [
      ['square', 'This alias is taken'],
      ['PI', 'This is a word of the language'],
      ['2nd', 'Letters, digits and _, at most 28, no digit first'],
    ] as const) {
      await field.fill(text);
      assert.deepEqual(
        [await field.getAttribute('aria-invalid'), await field.getAttribute('title')],
        ['true', problem],
      );
      await page.keyboard.press('Tab');
      assert.equal(await field.inputValue(), 'ramp');
    }
    await field.fill('height');
    await page.keyboard.press('Enter');
    await assertFormulas('height * 2');
    assert.deepEqual(sheet()[0][0], [ramp, 'height', 'avg']);
  });

  test('a function of the reference is found by its meaning, and put in at the cursor', async () => {
    await formulaOf('double').click();
    await page.keyboard.press('End');
    await page.keyboard.type(' + ');
    await page.getByRole('tab', { name: 'Functions' }).click();
    await waitForPlace({ side: 'functions' });
    const search = page.getByRole('searchbox', { name: 'Find a function' });
    await search.fill('no such thing');
    await page.getByText('No function matches.').waitFor();
    await search.fill('not null');
    await page.locator('summary').filter({ hasText: 'coalesce' }).click();
    assert.equal(
      await page.locator('.reference-entry').count(),
      await page
        .locator('.reference-entry')
        .filter({ hasText: /not null/i })
        .count(),
    );
    await page.getByRole('button', { name: 'Insert into the formula' }).click();
    await assertFormulas('height * 2 + coalesce()');
  });

  test('what is removed from a sheet is gone from its limits too', async () => {
    await go(
      sheetOf(both(), [
        ['a', '1'],
        ['b', '2'],
      ]),
    );
    const limit = (name: string) => page.getByRole('meter', { name: `${name} used` });
    await formulaOf('b').waitFor();
    assert.deepEqual(
      [await limit('items').getAttribute('value'), await limit('calculations').getAttribute('value')],
      ['2', '2'],
    );
    await page.getByRole('button', { name: 'Remove a', exact: true }).click();
    await page.getByRole('button', { name: 'Remove Square', exact: true }).click();
    await page.getByText('1 of 50', { exact: true }).waitFor();
    await page.getByText('1 of 100', { exact: true }).waitFor();
    await page.waitForFunction((id) => !location.hash.includes(id), square);
    assert.deepEqual(sheet(), [[[ramp, 'ramp', 'avg']], [['b', '2']], []]);
    await page.getByRole('button', { name: 'Add a calculation' }).click();
    assert.ok(await formulaOf('c2').isVisible());
  });

  test('what the service refuses about the range is said, and a shorter range is computed', async () => {
    await go(
      `/formulas?from=2016-01-01T00:00:00Z&to=2026-01-05T00:00:00Z&zone=UTC&rollup=P1M&f=${encodeURIComponent(JSON.stringify([[[ramp, 'ramp', 'max']], [], []]))}`,
    );
    await page
      .getByText(/at most 1900 days long with rollup P1M/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: /^Time range/ }).click();
    await page.getByRole('textbox', { name: 'From' }).fill('2025-12-01');
    await page.getByRole('button', { name: 'Apply' }).click();
    await assertValue('ramp', /^95 m$/);
    await page.getByRole('button', { name: 'Zoom out' }).click();
    await page.waitForFunction(() => !location.hash.includes('2025-12-01'));
    assert.equal(spanOf(place()), 2 * 35 * 86_400_000);
  });
});

suite('API console', { concurrency: false }, () => {
  /** What the JSON form of the parameters says. */
  async function params(): Promise<unknown> {
    await page.getByRole('radio', { name: 'JSON' }).click();
    const text = await page.getByLabel('params').inputValue();
    await page.getByRole('radio', { name: 'Form' }).click();
    return JSON.parse(text);
  }

  test('a method is found by a part of its name, of what it does, and by another name', async () => {
    await go('/console');
    const methods = page.getByRole('navigation', { name: 'Methods' });
    const search = page.getByRole('searchbox', { name: 'Find a method' });
    const found = async (text: string) => {
      await search.fill(text);
      return methods.getByRole('link').allInnerTexts();
    };
    assert.deepEqual(await found('clarify.evaluate'), ['evaluate']);
    assert.ok((await found('saveSig')).includes('saveSignals'));
    assert.deepEqual(await found('nothing like it'), []);
    await page.getByText('No method matches.').waitFor();
    await found('selectItems');
    await methods.getByRole('link', { name: 'selectItems' }).click();
    await waitForPlace({ m: 'service.selectItems' });
    await page.getByText('Also called clarify.selectItems').waitFor();
  });

  test('a version without the method says so; another one has it', async () => {
    await go('/console?m=service.evaluate&v=1.0');
    await page.getByText('Version 1.0 has no method service.evaluate.').waitFor();
    await choose('API version', 'Version 1.1');
    await page.getByRole('heading', { name: 'service.evaluate' }).waitFor();
    assert.match(place().get('v') ?? '', /^1\.1/);
  });

  test('choices and switches are sent as values, or left out', async () => {
    await go('/console?m=console.signals.byAge');
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
    assert.deepEqual(await params(), {});
    await choose('order', 'oldest');
    await choose('isSilentOnly', 'false');
    await page.getByLabel('limit', { exact: true }).fill('3');
    assert.deepEqual(await params(), { order: 'oldest', isSilentOnly: false, limit: 3 });
    await choose('isSilentOnly', 'left out');
    await page.getByLabel('limit', { exact: true }).fill('');
    assert.deepEqual(await params(), { order: 'oldest' });
  });

  test('JSON that cannot be read is said and not sent; the form does not open over it', async () => {
    await page.getByRole('radio', { name: 'JSON' }).click();
    const text = page.getByLabel('params');
    await text.fill('{"order": ');
    const run = page.getByRole('button', { name: 'Run', exact: true });
    assert.ok(await run.isDisabled());
    await page.locator('.field-error').filter({ hasText: /JSON/ }).waitFor();
    await page.getByRole('radio', { name: 'Form' }).click();
    assert.ok(await text.isVisible(), 'it stays until it can be read');
    await text.fill('{"order": "newest", "limit": 1}');
    await run.click();
    await page.getByText('HTTP 200').waitFor();
    await text.fill('');
    await page.getByRole('radio', { name: 'Form' }).click();
    assert.deepEqual(await params(), {}, 'no text is no parameters');
    await page.getByLabel('limit', { exact: true }).fill('1');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.locator('.rpc-history li').nth(1).waitFor();
  });

  test('the history has what was run, the newest first, with what failed, and nothing with a password', async () => {
    const history = page.locator('.rpc-history li');
    await page.getByLabel('limit', { exact: true }).fill('-1');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Error -32602').waitFor();
    const [failed, before] = await history.allInnerTexts();
    assert.match(failed!, /console\.signals\.byAge.*"limit":-1.*failed/s);
    assert.match(before!, /"limit":1/);
    assert.doesNotMatch(before!, /failed/);
    const count = await history.count();
    await go(
      `/console?m=console.people.create&p=${encodeURIComponent(JSON.stringify({ name: 'Eve', password: 'x', role: 'viewer' }))}`,
    );
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Error -32602').waitFor();
    assert.equal(await history.count(), count);
    assert.equal(await page.evaluate(() => JSON.stringify(localStorage).includes('Eve')), false);
    await history.nth(1).click();
    await page.getByRole('heading', { name: 'console.signals.byAge' }).waitFor();
    assert.equal(await page.getByLabel('limit', { exact: true }).inputValue(), '1');
  });

  test('a call under way can be stopped, and another made', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/v1/rpc', async (route) => {
      if (route.request().postData()?.includes('console.signals.byAge')) await held;
      await route.continue().catch(() => {});
    });
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    release();
    await page.unroute('**/v1/rpc');
    assert.equal(await page.getByRole('heading', { name: 'Answer' }).count(), 0);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('HTTP 200').waitFor();
  });
});

suite('saved views', { concurrency: false }, () => {
  const views = () => page.getByRole('button', { name: /^(Saved views: .*|Views)$/ });
  const list = () => page.getByRole('list', { name: 'Saved views' });

  /** The names that the service has, in order. */
  async function saved(): Promise<string[]> {
    const answer = (await call('console.views.list')) as { views: { name: string }[] };
    return answer.views.map(({ name }) => name).sort();
  }

  /** Another person, who saves a view. */
  async function saveAsVic(name: string): Promise<void> {
    const password = 'ships sail on the tide';
    await call('console.people.create', { name: 'Vic', password, role: 'viewer' });
    const headers = { origin: new URL(service.url).origin, 'content-type': 'application/json' };
    const session = await fetch(`${service.url}/console/session`, {
      ...{ method: 'POST', headers },
      body: JSON.stringify({ name: 'Vic', password }),
    });
    const { csrfToken } = (await session.json()) as { csrfToken: string };
    const cookie = session.headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ');
    const params = { name, query: `items=${ramp}` };
    const response = await fetch(`${service.url}/v1/rpc`, {
      method: 'POST',
      headers: { ...headers, cookie, 'x-csrf-token': csrfToken, 'x-api-version': '1.2' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'console.views.save', params }),
    });
    assert.equal(((await response.json()) as { error?: object }).error, undefined);
  }

  test('among many one is found by a part of its name; those of others have their names', async () => {
    for (const hall of [1, 2, 3, 4, 5, 6])
      await call('console.views.save', {
        name: `Hall ${hall}`,
        query: `from=now-${hall}d&items=${square}&to=now`,
      });
    await call('console.views.save', { name: 'Sums', query: 'page=formulas' });
    await saveAsVic('Of Vic');
    await go(`/explorer?items=${square}&from=now-2d&to=now`);
    // The views were not saved in this tab, whose list may be some seconds old.
    await page.reload();
    await page.getByRole('button', { name: 'Saved views: Hall 2' }).waitFor();
    await views().click();
    await list().getByRole('listitem').nth(7).waitFor();
    assert.equal(await list().getByRole('listitem').count(), 8);
    const last = list().getByRole('listitem').last();
    assert.match(await textOf(last), /^Sums/, 'those of other pages are last');
    await page.getByRole('searchbox', { name: 'Find a view' }).fill(' vic');
    await list().getByText('Vic', { exact: true }).waitFor();
    assert.match(await textOf(list()), /^Of VicVic/);
    await page.getByRole('button', { name: 'Change “Of Vic”' }).click();
    assert.deepEqual(
      await page.getByRole('menuitem').allInnerTexts(),
      ['Delete'],
      'an administrator may remove it',
    );
    await page.keyboard.press('Escape');
    await page.getByRole('searchbox', { name: 'Find a view' }).fill('cellar');
    await page.getByText('No view matches.').waitFor();
  });

  test('a name that is taken replaces a view only where that is said', async () => {
    await go(`/explorer?items=${ramp}&from=now-9d&to=now`);
    await views().click();
    await page.getByLabel('Save what is shown as').fill('Hall 3');
    await page.getByText('There is one of yours under this name: it is replaced.').waitFor();
    await page.getByRole('button', { name: 'Replace', exact: true }).click();
    await page.getByText('Saved as “Hall 3”').waitFor();
    const names = await saved();
    assert.equal(names.length, 8);
    await page.getByRole('button', { name: 'Change “Hall 1”' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rename the view' });
    await dialog.getByLabel('Name').fill('Hall 3 ');
    await dialog.getByText('There is one of yours under this name').waitFor();
    assert.ok(await dialog.getByRole('button', { name: 'Rename' }).isDisabled());
    // Names belong to people: that of another person is free.
    await dialog.getByLabel('Name').fill('Of Vic');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual(
      await saved(),
      names
        .filter((name) => name !== 'Hall 1')
        .concat('Of Vic')
        .sort(),
    );
  });
});

suite('edits', { concurrency: false }, () => {
  interface Attributes {
    engUnit: string;
    sampleInterval: string | null;
    enumValues: Record<string, string>;
    labels: Record<string, string[]>;
  }

  async function attributesOf(id: string): Promise<Attributes> {
    const { data } = (await call('service.selectItems', { query: { filter: { id } } })) as {
      data: { attributes: Attributes }[];
    };
    return data[0]!.attributes;
  }

  const button = (name: string | RegExp) => page.getByRole('button', { name });

  test('states of an item are renamed, added and removed, and all of it is taken back', async () => {
    await go(`/items/${mode}`);
    await button('Edit').click();
    const states = page.getByRole('group', { name: 'States' });
    await states.getByLabel('Name').nth(2).fill('broken');
    await states.getByRole('button', { name: 'Add' }).click();
    await states.getByLabel('Number').last().fill('7');
    await states.getByLabel('Name').last().fill('testing');
    await states.getByRole('button', { name: 'Remove 0' }).click();
    await page.getByLabel('Sample interval').fill('30 min');
    await button('Save item').click();
    await page.getByText('The item is saved').waitFor();
    const { enumValues, sampleInterval } = await attributesOf(mode);
    assert.deepEqual([enumValues, sampleInterval], [{ 1: 'running', 2: 'broken', 7: 'testing' }, 'PT30M']);
    await button('Undo').last().click();
    await page.getByText('Undone').waitFor();
    const before = await attributesOf(mode);
    assert.deepEqual(before.enumValues, { 0: 'idle', 1: 'running', 2: 'fault' });
    assert.equal(before.sampleInterval, 'PT1H');
  });

  test('a form that was not changed sends nothing', async () => {
    const sent: string[] = [];
    const listen = (request: { postData(): string | null }) => sent.push(request.postData() ?? '');
    page.on('request', listen);
    await button('Edit').click();
    await button('Save item').click();
    await page.getByRole('dialog', { name: 'Edit item' }).waitFor({ state: 'detached' });
    page.off('request', listen);
    assert.ok(!sent.some((body) => body.includes('console.items.edit')));
  });

  test('an edit of many says whom it changes and whom not, before and after each field', async () => {
    await go('/items');
    await button('Edit all 3 …').click();
    const dialog = page.getByRole('dialog', { name: 'Edit 3 items' });
    const show = dialog.getByRole('button', { name: 'Show what changes' });
    assert.ok(await show.isDisabled(), 'a label needs a key and a value');
    await choose('What to do', 'Set unit');
    await dialog.getByRole('textbox', { name: 'Unit' }).fill('m');
    await dialog.getByRole('button', { name: 'Add a step' }).click();
    assert.ok(await show.isDisabled());
    await dialog.getByRole('button', { name: 'Remove step 2' }).click();
    await show.click();
    await dialog.getByText('2 items would change, 1 already have these values').waitFor();
    const changes = (
      await dialog.getByRole('region', { name: 'What changes' }).getByRole('row').allInnerTexts()
    ).slice(1);
    assert.deepEqual(changes.map((row) => row.split(/\s*\t\s*/)).sort(), [
      ['Mode', 'Unit', '–', 'm'],
      ['Square', 'Unit', 'bar', 'm'],
    ]);
    assert.equal((await attributesOf(square)).engUnit, 'bar', 'nothing has changed yet');
    await dialog.getByRole('textbox', { name: 'Unit' }).fill('kPa');
    await dialog.getByText('would change').waitFor({ state: 'detached' });
    await show.click();
    await dialog.getByRole('button', { name: 'Change 3 items' }).click();
    await page.getByText('3 items changed').waitFor();
    const units = async () =>
      Promise.all([ramp, square, mode].map(async (id) => (await attributesOf(id)).engUnit));
    assert.deepEqual(await units(), ['kPa', 'kPa', 'kPa']);
    await button('Undo').last().click();
    await page.getByText('Undone').last().waitFor();
    for (let i = 0; i < 200 && (await units())[2] !== ''; i++) await page.waitForTimeout(50);
    assert.deepEqual(await units(), ['m', 'bar', '']);
  });

  test('labels are replaced and removed by their keys, other labels stay', async () => {
    await button('Edit all 3 …').click();
    const dialog = page.getByRole('dialog', { name: 'Edit 3 items' });
    await dialog.getByLabel('Label', { exact: true }).fill('line');
    await dialog.getByLabel('Values, separated by commas').fill('b, a , b');
    await dialog.getByRole('button', { name: 'Show what changes' }).click();
    await dialog.getByRole('button', { name: 'Change 3 items' }).click();
    await page.getByText('3 items changed').last().waitFor();
    assert.deepEqual((await attributesOf(ramp)).labels, { hall: ['7'], line: ['a', 'b'] });
    await button('Edit all 3 …').click();
    await choose('What to do', 'Remove label');
    await dialog.getByLabel('Label', { exact: true }).fill('hall');
    await dialog.getByRole('button', { name: 'Show what changes' }).click();
    await dialog.getByText('1 item would change, 2 already have these values').waitFor();
    await dialog.getByRole('button', { name: 'Change 1 item' }).click();
    await page.getByText('1 item changed').waitFor();
    assert.deepEqual((await attributesOf(ramp)).labels, { line: ['a', 'b'] });
  });
});

test('no page complained, and nothing was sent elsewhere', () => {
  assert.deepEqual(browser.complaints, []);
});
