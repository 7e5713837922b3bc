/** What a person does in the explorer with three items whose values are known, step by step in a real browser. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { suite, test } from 'node:test';
import { browser, call, page } from './support/console.ts';
import { firstMs, fourDays, hours, mode, modeAt, openWithKnown, ramp, square } from './support/known.ts';
import { chart, choose, go, place, plotBox, rowsOf, spanOf, textOf, waitForPlace } from './support/places.ts';
import { hour as hourMs } from './support/times.ts';

openWithKnown(() => browser.context.grantPermissions(['clipboard-read', 'clipboard-write']));

/** The cells of an item's row in the readout. */
async function readout(name: string): Promise<string[]> {
  const row = page
    .locator('.readout tbody tr')
    .filter({ has: page.getByRole('button', { name, exact: true }) });
  const cells = await row.first().getByRole('cell').allInnerTexts();
  return cells.map((text) => text.replace(/\s+/g, ' ').trim());
}

/** Waits until the readout of an item begins with these cells. */
async function assertReadout(name: string, expected: readonly string[]): Promise<void> {
  for (
    let i = 0;
    i < 300 && String((await readout(name)).slice(0, expected.length)) !== String(expected);
    i++
  )
    await page.waitForTimeout(50);
  assert.deepEqual((await readout(name)).slice(0, expected.length), expected);
}

/** The parameters of the next call for a frame after an act. */
async function asked(
  act: () => Promise<void>,
): Promise<{ rollup?: string; filter: { series?: { $in: string[] } } }> {
  const request = page.waitForRequest((each) => /service\.dataFrame.*"rollup"/.test(each.postData() ?? ''));
  await act();
  return JSON.parse((await request).postData()!).params.data;
}

async function assertWords(like: RegExp): Promise<void> {
  await page.locator('.data-words').filter({ hasText: like }).waitFor();
}

suite('choosing items', { concurrency: false }, () => {
  test('a beginning offers what there is, one by one and all together', async () => {
    await go('/explorer');
    await page.getByRole('button', { name: 'Ramp', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Chart all 3' }).click();
    await page.waitForFunction(() => location.hash.split('.').length === 3);
    assert.deepEqual(place().get('items')!.split('.').sort(), [mode, ramp, square].sort());
  });

  test('the picker finds by a label, leaves out what is in the chart, and says when nothing is found', async () => {
    await go(`/explorer?items=${square}&${fourDays}`);
    const picker = page.getByRole('combobox', { name: 'Add an item' });
    await picker.fill('hall:7');
    await page.getByRole('option', { name: 'Ramp' }).getByText('hall: 7').waitFor();
    await page.getByRole('option', { name: 'Mode' }).waitFor({ state: 'detached' });
    await picker.fill('square');
    await page.getByText('No item has “square” in it.').waitFor();
    await picker.fill('ram');
    await page.getByRole('option', { name: 'Ramp' }).click();
    await waitForPlace({ items: `${square}.${ramp}` });
    assert.equal(await picker.inputValue(), '', 'ready for the next');
  });

  test('an item is hidden, shown alone, and removed, and the address says so', async () => {
    await go(`/explorer?items=${ramp}.${square}.${mode}&${fourDays}`);
    await assertReadout('Ramp', ['95 m']);
    await page.getByRole('button', { name: 'Square', exact: true }).click();
    await waitForPlace({ off: square });
    await choose('Actions for Ramp', 'Show only this');
    await waitForPlace({ off: `${square}.${mode}` });
    assert.deepEqual(
      await page.locator('.legend-button').evaluateAll((all) => all.map((each) => each.ariaPressed)),
      ['true', 'false', 'false'],
    );
    await choose('Actions for Square', 'Remove from the chart');
    await waitForPlace({ items: `${ramp}.${mode}`, off: mode });
    await choose('Actions for Ramp', 'Copy ID');
    await page.getByText('ID copied').waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), ramp);
    await choose('Actions for Ramp', 'Go to the item');
    await page.getByRole('heading', { level: 1, name: 'Ramp' }).waitFor();
  });

  test('an item that does not exist is named, and removed from the view by a button', async () => {
    await go(`/explorer?items=${ramp}.00000000000000000000&${fourDays}`);
    await page.getByText('Item 00000000000000000000 does not exist').waitFor();
    await assertReadout('Ramp', ['95 m']);
    await page.getByRole('button', { name: 'Remove it' }).click();
    await waitForPlace({ items: ramp });
    await page.getByText('does not exist').waitFor({ state: 'detached' });
  });

  test('the same items go on to the formulas, with the range and the zone', async () => {
    await go(`/explorer?items=${ramp}.${mode}&${fourDays}`);
    await page.getByRole('link', { name: 'Formulas' }).last().click();
    await page.getByRole('textbox', { name: 'Alias of Ramp' }).waitFor();
    assert.deepEqual(JSON.parse(place().get('f')!)[0], [
      [ramp, 'ramp', 'avg'],
      [mode, 'mode', 'state-percent', 0],
    ]);
    assert.deepEqual([place().get('zone'), spanOf(place())], ['UTC', 96 * hourMs]);
  });
});

suite('values', { concurrency: false }, () => {
  test('the readout has the newest value and the summary of every point', async () => {
    await go(`/explorer?items=${ramp}.${square}.${mode}&${fourDays}`);
    await assertWords(/^Every point · 288 points · UTC$/);
    await assertReadout('Ramp', ['95 m', '0', '47.5', '95', '96']);
    await assertReadout('Square', ['9025 bar', '0', '3024.2', '9025', '96']);
    const shares = await page
      .getByRole('list', { name: 'States of Mode' })
      .getByRole('listitem')
      .allInnerTexts();
    const hoursIn = (state: number) => hours.filter((i) => modeAt(i) === state).length;
    assert.deepEqual(
      shares.map((text) => text.replace(/\s+/g, ' ').trim()),
      (['running', 'idle', 'fault'] as const).map(
        (name, i) => `${name} ${((hoursIn([1, 0, 2][i]!) / 96) * 100).toFixed(1)} %`,
      ),
    );
  });

  test('a key reads the values of a row, and what is read aloud is the same', async () => {
    await chart().focus();
    await page.keyboard.press('Home');
    for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowRight');
    await assertReadout('Ramp', ['3 m']);
    await assertReadout('Square', ['9 bar']);
    const said = page
      .getByRole('status')
      .filter({ hasText: '2026-01-01 03:00:00: Ramp 3 m; Square 9 bar; Mode idle' });
    await said.waitFor();
    await assertReadout('Mode', ['idle for 1 h, 2026-01-01 03:00:00 – 04:00:00']);
  });

  test('the pointer reads the nearest row, with a tooltip that names the items', async () => {
    const box = await plotBox();
    await page.mouse.move(box.x + (box.width * 48.2) / 96, box.y + box.height * 0.6);
    const tip = page.locator('.chart-tip');
    await tip.getByText('48 m').waitFor();
    const lines = await tip.locator('li').allInnerTexts();
    assert.deepEqual(
      lines.map((text) => text.replace(/\s+/g, ' ').trim()),
      ['Ramp 48 m', 'Square 2304 bar', 'Mode idle for 1 h'],
    );
    await page.mouse.move(5, 5);
  });

  test('the table has every point in the zone of the view, states by their names', async () => {
    await page.getByRole('radio', { name: 'Table' }).click();
    await waitForPlace({ tab: 'table' });
    const grid = page.getByRole('grid', { name: 'Rows of the view' });
    assert.deepEqual((await rowsOf(grid)).slice(0, 3), [
      ['2026-01-01 00:00:00 UTC', '0', '0', 'idle'],
      ['2026-01-01 01:00:00 UTC', '1', '1', 'running'],
      ['2026-01-01 02:00:00 UTC', '2', '4', 'running'],
    ]);
    await page.getByRole('button', { name: /^Time range/ }).click();
    await choose('Time zone of this view', 'America/St Johns');
    await waitForPlace({ zone: 'America/St_Johns' });
    await page.keyboard.press('Escape');
    await grid.getByText('2025-12-31 20:30:00').waitFor();
    assert.deepEqual((await rowsOf(grid))[0], ['2025-12-31 20:30:00 UTC−03:30', '0', '0', 'idle']);
  });

  test('the file has the same rows as the table', async () => {
    await go(`/explorer?items=${ramp}.${mode}&${fourDays}`);
    await assertReadout('Ramp', ['95 m']);
    const download = page.waitForEvent('download');
    await choose('Download', 'JSON');
    const file = await download;
    assert.equal(file.suggestedFilename(), '2-items-2026-01-01.json');
    const json = JSON.parse(await readFile(await file.path(), 'utf8'));
    assert.deepEqual(json.series, { [ramp]: hours, [mode]: hours.map(modeAt) });
    assert.deepEqual(json.titles, { [ramp]: 'Ramp [m]', [mode]: 'Mode' });
    assert.equal(json.times[95], '2026-01-04T23:00:00Z');
  });
});

suite('buckets', { concurrency: false }, () => {
  test('days have the average of their hours, then what else is chosen', async () => {
    await go(`/explorer?items=${ramp}&${fourDays}&tab=table`);
    const ofDays = await asked(() => choose('Buckets', '1-day buckets'));
    assert.deepEqual([ofDays.rollup, ofDays.filter.series!.$in.length], ['P1D', 4]);
    await waitForPlace({ rollup: 'P1D' });
    const grid = page.getByRole('grid', { name: 'Rows of the view' });
    await grid.getByText('11.5').waitFor();
    assert.deepEqual(await rowsOf(grid), [
      ['2026-01-01 00:00:00 UTC', '11.5', '0', '23', '24'],
      ['2026-01-02 00:00:00 UTC', '35.5', '24', '47', '24'],
      ['2026-01-03 00:00:00 UTC', '59.5', '48', '71', '24'],
      ['2026-01-04 00:00:00 UTC', '83.5', '72', '95', '24'],
    ]);
    await assertWords(/^1-day buckets · 96 points in 4 rows · UTC$/);
    const ofSums = await asked(() => choose('Value of a bucket', 'Sum'));
    assert.deepEqual(ofSums.filter.series!.$in, [`${ramp}_sum`, `${ramp}_count`]);
    await waitForPlace({ show: 'sum' });
    await grid.getByText('276').waitFor();
    await assertReadout('Ramp', ['95 m', '276', '47.5', '2004', '4560', '96']);
    await choose('Buckets', 'One bucket');
    await grid.getByText('4560').waitFor();
    assert.equal((await rowsOf(grid)).length, 1);
  });

  test('only widths are offered that the range can have', async () => {
    await go(`/explorer?items=${ramp}&${fourDays}`);
    const offered = async () => {
      await page.getByRole('button', { name: 'Buckets' }).click();
      await page.getByRole('option', { name: 'One bucket' }).waitFor();
      const texts = await page.getByRole('option').allInnerTexts();
      await page.keyboard.press('Escape');
      return texts.map((text) => text.trim());
    };
    const ofDays = await offered();
    assert.deepEqual([ofDays[0], ofDays[1], ofDays.at(-1)], ['Auto buckets', 'Every point', 'One bucket']);
    assert.ok(ofDays.includes('10-second buckets') && ofDays.includes('2-day buckets'));
    assert.ok(!ofDays.includes('5-second buckets'), 'more than fifty thousand');
    assert.ok(!ofDays.includes('1-week buckets'), 'longer than the range');
    await go(`/explorer?items=${ramp}&from=2025-01-01T00:00:00Z&to=2026-06-01T00:00:00Z&rollup=PT90M`);
    const ofYears = await offered();
    assert.equal(ofYears[2], '1-day buckets', 'hours of more than 400 days are not read');
    assert.equal(ofYears.at(-1), 'Buckets of 90 min', 'what the address has can be seen');
  });

  test('without min and max behind the average these are not asked for', async () => {
    await go(`/explorer?items=${ramp}&${fourDays}&rollup=PT6H`);
    await assertWords(/^6-hour buckets/);
    await page.getByRole('button', { name: 'Display' }).click();
    const { filter } = await asked(() => page.getByText('Min to max behind the average').click());
    assert.deepEqual(filter.series!.$in, [`${ramp}_avg`, `${ramp}_count`]);
    await page.getByRole('radio', { name: 'Step' }).click();
    await waitForPlace({ band: '0', line: 'step' });
    await page.getByRole('radio', { name: 'Bars' }).click();
    await waitForPlace({ line: 'bars' });
    await page.keyboard.press('Escape');
    await page.locator('.readout thead').getByText('Min of buckets').waitFor();
    await choose('Buckets', 'Every point');
    await page.getByRole('button', { name: 'Display' }).click();
    await page.getByText('Bars need buckets').waitFor();
    await page.keyboard.press('Escape');
  });

  test('what the service refuses is said in its words, and mended by another choice', async () => {
    await go(
      `/explorer?items=${ramp}&from=2025-10-01T00:00:00Z&to=2026-01-05T00:00:00Z&zone=UTC&rollup=PT1S`,
    );
    await page
      .getByText(/at most 40 days long with rollup PT1S/)
      .first()
      .waitFor();
    await choose('Buckets', 'Auto buckets');
    await assertReadout('Ramp', ['95 m']);
    await page
      .getByText(/at most 40 days/)
      .first()
      .waitFor({ state: 'detached' });
  });
});

suite('states', { concurrency: false }, () => {
  test('buckets say how long, every point also how often and when', async () => {
    await go(`/explorer?items=${mode}&${fourDays}&rollup=P1D&tab=states`);
    const table = page.getByRole('table', { name: 'How long each state held' });
    const cells = async () =>
      (await table.getByRole('row').allInnerTexts())
        .slice(1)
        .map((row) => row.trim().split(/\s*\t\s*|\s*\n\s*/));
    await table.getByText('running').waitFor();
    const hoursIn = (state: number) => hours.filter((i) => modeAt(i) === state).length;
    assert.equal((await cells()).length, 3);
    await page.getByRole('button', { name: 'Load every point' }).click();
    await waitForPlace({ rollup: 'raw' });
    await table.getByRole('columnheader', { name: 'Longest' }).waitFor();
    const [running, idle, fault] = await cells();
    assert.equal(running!.at(-3), `${((hoursIn(1) / 96) * 100).toFixed(1)} %`);
    assert.equal(running!.at(-1), '2 h');
    assert.equal(idle!.at(-1), '1 h');
    assert.deepEqual(fault!.slice(-4), ['5 h', '5.2 %', '1', '5 h']);
    const grid = page.getByRole('grid', { name: 'Occurrences of states' });
    const head = grid.getByRole('columnheader', { name: 'Held for' });
    await head.getByRole('button').click();
    await head.getByRole('button').click();
    await grid.locator('[aria-sort=descending]').waitFor();
    const [longest] = await rowsOf(grid);
    assert.deepEqual(longest, ['Mode', 'fault', '2026-01-03 02:00:00', '2026-01-03 07:00:00', '5 h']);
  });

  test('an administrator chooses the colour of a state for all people, and takes it back', async () => {
    const annotation = async () => {
      const { data } = (await call('service.selectItems', { query: { filter: { id: mode } } })) as {
        data: { meta: { annotations: Record<string, string> } }[];
      };
      return data[0]!.meta.annotations['console/state-color/1'];
    };
    await choose('Colour of running, Mode', 'Purple');
    await page.getByText('Colour of “running” saved').waitFor();
    assert.equal(await annotation(), 'purple');
    await page.getByRole('button', { name: 'Colour of running, Mode' }).click();
    const purple = page.getByRole('menuitem', { name: 'Purple' });
    await purple.locator('svg').waitFor();
    await page.getByRole('menuitem', { name: 'Automatic' }).click();
    await page.getByText('Colour of “running” saved').nth(1).waitFor();
    assert.equal(await annotation(), undefined);
  });
});

suite('ranges', { concurrency: false }, () => {
  const oneDay = 'from=2026-01-02T00:00:00Z&to=2026-01-03T00:00:00Z&zone=UTC';

  test('buttons go half of the range back and on, and out to twice of it', async () => {
    await go(`/explorer?items=${ramp}&${oneDay}`);
    await page.getByRole('button', { name: 'Earlier' }).click();
    await waitForPlace({ from: '2026-01-01T12:00:00Z', to: '2026-01-02T12:00:00Z' });
    await page.getByRole('button', { name: 'Later' }).click();
    await waitForPlace({ from: '2026-01-02T00:00:00Z', to: '2026-01-03T00:00:00Z' });
    await page.getByRole('button', { name: 'Zoom out' }).click();
    await waitForPlace({ from: '2026-01-01T12:00:00Z', to: '2026-01-03T12:00:00Z' });
  });

  test('each range is a step of the history, other choices are not', async () => {
    await choose('Value of a bucket', 'Maximum');
    await waitForPlace({ show: 'max' });
    await page.goBack();
    await waitForPlace({ from: '2026-01-02T00:00:00Z', to: '2026-01-03T00:00:00Z' });
    await assertReadout('Ramp', ['47 m']);
    await page.goForward();
    await waitForPlace({ from: '2026-01-01T12:00:00Z', show: 'max' });
  });

  test('both ends can be typed; what cannot be meant is said, and nothing changes', async () => {
    await go(`/explorer?items=${ramp}&${oneDay}`);
    await page.getByRole('button', { name: /^Time range/ }).click();
    const [from, to] = ['From', 'To'].map((name) => page.getByRole('textbox', { name, exact: true }));
    assert.deepEqual(
      [await from!.inputValue(), await to!.inputValue()],
      ['2026-01-02 00:00:00', '2026-01-03 00:00:00'],
    );
    await from!.fill('last week');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('must be a time such as').waitFor();
    assert.equal(place().get('from'), '2026-01-02T00:00:00Z');
    await from!.fill('2026-01-01 18:30');
    await to!.fill('2026-01-02');
    await page.getByRole('button', { name: 'Apply' }).click();
    await waitForPlace({ from: '2026-01-01T18:30:00Z', to: '2026-01-02T00:00:00Z' });
    await assertReadout('Ramp', ['23 m', '19', '21', '23', '5']);
  });

  test('weeks begin on the day that is chosen', async () => {
    await go(`/explorer?items=${ramp}&${fourDays}&rollup=P1W&tab=table`);
    const grid = page.getByRole('grid', { name: 'Rows of the view' });
    await grid.getByText('2025-12-29 00:00:00').waitFor();
    await page.getByRole('button', { name: /^Time range/ }).click();
    await choose('Weeks begin on', 'Saturday');
    await waitForPlace({ week: '6' });
    await page.keyboard.press('Escape');
    await grid.getByText('2025-12-27 00:00:00').waitFor();
    assert.deepEqual(
      (await rowsOf(grid)).map(([time, average]) => [time!.slice(0, 10), average]),
      [
        ['2025-12-27', '23.5'],
        ['2026-01-03', '71.5'],
      ],
    );
  });

  test('a day is compared with the one before it, value by value and on the whole', async () => {
    await go(`/explorer?items=${ramp}&${oneDay}`);
    await choose('Compare with', 'A day earlier');
    await waitForPlace({ vs: 'day' });
    await assertWords(/dashed: A day earlier: 2026-01-01 – 2026-01-02/);
    await assertReadout('Ramp', [
      '47 m',
      '24',
      '35.5 earlier 11.5 (+24)',
      '47',
      '852 earlier 276 (+576)',
      '24',
    ]);
    await chart().focus();
    await page.keyboard.press('Home');
    await assertReadout('Ramp', ['24 m earlier 0 (+24)']);
  });

  test('pins of the address are a table of values and of what has changed since the first', async () => {
    const pins = [firstMs + 10 * hourMs, firstMs + 30 * hourMs, firstMs + 200 * hourMs].map((ms) =>
      ms.toString(36),
    );
    await go(`/explorer?items=${ramp}.${mode}&${fourDays}&pins=${pins.join('.')}`);
    const table = page.getByRole('region', { name: 'Pinned times' });
    const row = (name: string) =>
      table.getByRole('row').filter({ hasText: name }).getByRole('cell').allInnerTexts();
    await table.getByText('Δ +20').waitFor();
    const plain = (texts: string[]) => texts.map((text) => text.replace(/\s+/g, ' ').trim());
    assert.deepEqual(plain(await row('Ramp')), ['10 m', '30 m Δ +20', 'outside the window']);
    assert.deepEqual(plain(await row('Mode')), ['running', 'idle', 'outside the window']);
    assert.match(
      await textOf(table.getByRole('row').first()),
      /B 2026-01-02 06:00:00.*Δt 20 h.*C 2026-01-09 08:00:00.*Δt 7 d 22 h/,
    );
    await table.getByRole('button', { name: 'Remove pin B from the table' }).click();
    await waitForPlace({ pins: `${pins[0]}.${pins[2]}` });
    await page.getByRole('button', { name: 'Remove all pins' }).click();
    await waitForPlace({ pins: null });
  });

  test('live mode keeps the length of a range, however long it was', async () => {
    for (const [to, from] of [
      ['2026-01-02T06:00:00Z', 'now-1800m'],
      ['2026-04-01T00:00:00Z', 'now-90d'],
    ] as const) {
      await go(`/explorer?items=${ramp}&from=2026-01-01T00:00:00Z&to=${to}&zone=UTC&rollup=P1D`);
      await page.getByRole('button', { name: 'Live' }).click();
      await waitForPlace({ live: '1', from, to: 'now' });
      await page.getByRole('button', { name: 'Pause' }).click();
      await waitForPlace({ live: null, from });
    }
  });
});

suite('axes', { concurrency: false }, () => {
  test('ends are numbers, the upper above the lower; an axis of its own is in the address', async () => {
    await go(`/explorer?items=${ramp}&${fourDays}`);
    await choose('Actions for Ramp', 'Axis …');
    const dialog = page.getByRole('dialog', { name: 'Axis of Ramp' });
    const apply = dialog.getByRole('button', { name: 'Apply' });
    await dialog.getByLabel('Min, m').fill('ten');
    await dialog.getByText('must be a number').waitFor();
    assert.ok(await apply.isDisabled());
    await dialog.getByLabel('Min, m').fill('200');
    await dialog.getByLabel('Max, m').fill('100');
    await dialog.getByText('must be above the min').waitFor();
    await dialog.getByLabel('Min, m').fill('-100');
    await dialog.getByText('Separate axis').click();
    await apply.click();
    await waitForPlace({ y: `${ramp}~-100~100`, own: ramp });
    const left = page.locator('.chart-label.left:visible');
    await left.filter({ hasText: /^-100$/ }).waitFor();
    assert.deepEqual([(await left.allInnerTexts()).at(-1), (await left.allInnerTexts())[0]].sort(), [
      '-100',
      '100',
    ]);
    await choose('Actions for Ramp', 'Axis …');
    assert.equal(await dialog.getByLabel('Max, m').inputValue(), '100');
    for (const end of ['Min, m', 'Max, m']) await dialog.getByLabel(end).fill('');
    await apply.click();
    await waitForPlace({ y: null });
    await left.filter({ hasText: /^-100$/ }).waitFor({ state: 'hidden' });
  });
});

test('no page complained, and nothing was sent elsewhere', () => {
  assert.deepEqual(browser.complaints, []);
});
