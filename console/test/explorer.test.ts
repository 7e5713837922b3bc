/** Explorer, formulas and API console in a real browser, against a real service. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { suite, test } from 'node:test';
import mqtt from 'mqtt';
import type { Locator } from 'playwright-core';
import { browser, call, openConsole, page, service } from './support/console.ts';
import { addItem, chart, go, place, plotBox, spanOf, textOf } from './support/places.ts';
import { feedItem, itemsByName, storeItem } from './support/stored.ts';

/** Item IDs of the demo plant by name. */
let items: Map<string, string>;
/** An hourly item across the autumn change of 2025. */
let hourly: string;

openConsole({
  args: ['--mqtt-port', '0'],
  prepare: async () => {
    items = await itemsByName({ 'labels.site': 'Demo plant' });
    const hours = Array.from({ length: 100 }, (_, i) => i);
    const fromS = Date.parse('2025-10-24T22:00:00Z') / 1000;
    hourly = await storeItem(
      { name: 'Hourly' },
      hours.map((i) => fromS + i * 3600),
      hours,
    );
  },
});

suite('explorer', { concurrency: false }, () => {
  test('an item is found by a part of its name and a label, charted, and stands in the address', async () => {
    await go('/explorer');
    await page.getByRole('heading', { name: 'Choose what to look at' }).waitFor();
    await addItem('bearing site:demo', 'Pump 1 bearing temperature');
    await chart().waitFor();
    assert.equal(place().get('items'), items.get('Pump 1 bearing temperature'));
    assert.match((await chart().getAttribute('aria-label')) ?? '', /Pump 1 bearing temperature; Last 7 days/);
    await assertWords(/Every point/);
  });

  test('many points come in buckets chosen by the pixels, and it says so', async () => {
    await go(`/explorer?items=${[...items.values()].join('.')}`);
    await chart().waitFor();
    await assertWords(/^\d+-minute buckets, from pixel width · /);
    const frame = await lastFrame(() => page.getByRole('button', { name: 'Refresh' }).click());
    assert.match(String((frame.params.data as { rollup?: string }).rollup), /^PT\d+M$/);
  });

  test('CSV has what the service says, for each bucket', async () => {
    const id = items.get('Pump 1 flow')!;
    await go(`/explorer?items=${id}&from=now-1d%2Fd&to=now-1d%2Fd&zone=Asia/Kathmandu&rollup=PT6H`);
    await chart().waitFor();
    const { params } = await lastFrame(() => page.getByRole('button', { name: 'Refresh' }).click());
    const csv = await save('CSV');
    const { data } = (await call('service.dataFrame', params)) as { data: Frame };
    const [head, ...lines] = csv.trimEnd().split('\r\n');
    assert.match(head!, /^time,Pump 1 flow average \[m³\/h\],Pump 1 flow minimum \[m³\/h\],/);
    assert.equal(lines.length, data.times.length);
    assert.ok(lines.length >= 4);
    const titles = { average: 'avg', minimum: 'min', maximum: 'max', count: 'count' };
    const statistics = head!
      .split(',')
      .slice(1)
      .map((title) => /flow (\w+)/.exec(title)![1]! as keyof typeof titles);
    for (const [row, line] of lines.entries()) {
      const [time, ...values] = line.split(',');
      assert.match(time!, /\+05:45$/);
      assert.equal(Date.parse(time!), Date.parse(data.times[row]!));
      assert.deepEqual(
        values.map(Number),
        statistics.map((each) => data.series[`${id}_${titles[each]}`]![row]),
      );
    }
    const json = JSON.parse(await save('JSON')) as Frame;
    assert.deepEqual(json.times, data.times);
  });

  test('Q3 the day of the autumn change has 25 hours, in the chart, the table and the file', async () => {
    await go(
      `/explorer?items=${hourly}&from=2025-10-24T22:00:00Z&to=2025-10-27T23:00:00Z&zone=Europe/Oslo&rollup=P1D&show=count&tab=table`,
    );
    await page.getByRole('grid').waitFor();
    await assertWords(/UTC\+02:00 → UTC\+01:00/);
    const rows = await page.getByRole('grid').getByRole('row').allInnerTexts();
    const flat = rows.slice(1).map((row) => row.replace(/\s+/g, ' ').trim());
    assert.deepEqual(flat, [
      '2025-10-25 00:00:00 UTC+02:00 24',
      '2025-10-26 00:00:00 UTC+02:00 25',
      '2025-10-27 00:00:00 UTC+01:00 24',
    ]);
    assert.match(await save('CSV'), /^2025-10-26T00:00:00\+02:00,25\r$/m);
  });

  test('a view comes back whole from its address', async () => {
    const [a, b] = [items.get('Pump 1 flow')!, items.get('Tank 1 level')!];
    await go(
      `/explorer?items=${a}.${b}&off=${b}&from=now-2d&to=now&zone=Asia/Tokyo&rollup=PT1H&line=step&show=max`,
    );
    await chart().waitFor();
    await page.reload();
    await chart().waitFor();
    assert.equal(
      await page.getByRole('button', { name: 'Tank 1 level', exact: true }).getAttribute('aria-pressed'),
      'false',
    );
    await page.getByRole('button', { name: 'Time range: Last 2 days Asia/Tokyo UTC+09:00' }).waitFor();
    await assertWords(/^1-hour buckets · /);
    await page.getByRole('button', { name: 'Tank 1 level', exact: true }).click();
    await page.waitForFunction(() => !location.hash.includes('off='));
  });

  test('everything that dragging does, a key does: cursor, selection, zoom, and back', async () => {
    await go(`/explorer?items=${items.get('Outdoor temperature')}&from=now-24h&to=now&rollup=PT1H`);
    await chart().focus();
    await page.keyboard.press('Home');
    await cursorHead().filter({ hasText: /^20/ }).waitFor();
    const first = await textOf(cursorHead());
    for (let n = 0; n < 3; n++) await page.keyboard.press('ArrowRight');
    const fourthMs = Date.parse(`${first.replace(' ', 'T')}Z`) + 3 * 3_600_000;
    const fourth = new Date(fourthMs).toISOString().slice(0, 19).replace('T', ' ');
    await cursorHead().filter({ hasText: fourth }).waitFor();
    await page
      .getByRole('status')
      .filter({ hasText: `${fourth}: Outdoor temperature` })
      .waitFor();
    for (let n = 0; n < 4; n++) await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => /from=20\d\d/.test(location.hash));
    assert.equal(Date.parse(place().get('to')!) - Date.parse(place().get('from')!), 4 * 3_600_000);
    await chart().focus();
    await page.keyboard.press('-');
    await page.waitForFunction(() => location.hash.includes('from=now-24h'));
    await page.keyboard.press('Escape');
    await page.locator('.readout thead').getByText('Last', { exact: true }).waitFor();
  });

  test('dragging zooms, Shift and dragging pans, the wheel with Ctrl zooms, a double click goes back', async () => {
    await go(`/explorer?items=${items.get('Outdoor temperature')}&from=now-24h&to=now`);
    const box = await plotBox();
    const at = (share: number) => [box.x + box.width * share, box.y + box.height / 2] as const;
    await page.mouse.move(...at(0.25));
    await page.mouse.down();
    await page.mouse.move(...at(0.5), { steps: 4 });
    await page.mouse.up();
    await page.waitForFunction(() => /from=20\d\d/.test(location.hash));
    const zoomed = spanOf(place());
    assert.ok(Math.abs(zoomed - 6 * 3_600_000) < 10 * 60_000, `${zoomed / 3_600_000} h`);
    const before = place().get('from')!;
    await page.keyboard.down('Shift');
    await page.mouse.move(...at(0.25));
    await page.mouse.down();
    await page.mouse.move(...at(0.75), { steps: 6 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await page.waitForFunction((from) => !location.hash.includes(encodeURIComponent(from)), before);
    assert.ok(Math.abs(Date.parse(before) - Date.parse(place().get('from')!) - 3 * 3_600_000) < 10 * 60_000);
    assert.equal(spanOf(place()), zoomed);
    await page.mouse.move(...at(0.5));
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -300);
    await page.keyboard.up('Control');
    await page.waitForFunction((span) => {
      const at = new URLSearchParams(location.hash.split('?')[1]);
      return Date.parse(at.get('to')!) - Date.parse(at.get('from')!) < span;
    }, zoomed);
    await page.mouse.dblclick(...at(0.5));
    await page.waitForFunction((span) => {
      const at = new URLSearchParams(location.hash.split('?')[1]);
      return Date.parse(at.get('to')!) - Date.parse(at.get('from')!) >= span;
    }, zoomed);
  });

  test('states have text, in the readout and to be heard', async () => {
    await go(`/explorer?items=${items.get('Pump 1 state')}&from=now-6h&to=now`);
    await chart().focus();
    await page.keyboard.press('End');
    await page
      .getByRole('status')
      .filter({ hasText: /Pump 1 state (stopped|starting|running|fault)/ })
      .waitFor();
    const shares = await textOf(page.getByRole('list', { name: 'States of Pump 1 state' }));
    assert.match(shares, /running\s*\d+\.\d %/);
  });

  test('a range of clock times is read in the zone of the view', async () => {
    await go(`/explorer?items=${hourly}&zone=Europe/Oslo`);
    await page.getByRole('button', { name: /^Time range/ }).click();
    await page.getByRole('textbox', { name: 'From' }).fill('2025-10-26 00:00');
    await page.getByRole('textbox', { name: 'To', exact: true }).fill('2025-10-25');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('must be after the start').waitFor();
    await page.getByRole('textbox', { name: 'To', exact: true }).fill('2025-10-27');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.waitForFunction(() => location.hash.includes('2025-10-25T22'));
    assert.equal(spanOf(place()), 25 * 3_600_000);
  });

  test('live mode draws new points, and states, without asking again', async () => {
    const second = () => Math.floor(Date.now() / 1000);
    const level = await feedItem({ name: 'Tank level' }, [second() - 60], [1]);
    const enumValues = { 0: 'closed', 1: 'wide open' };
    const valve = await feedItem(
      { name: 'Drain valve', valueType: 'enum', enumValues },
      [second() - 60],
      [0],
    );
    await go(`/explorer?items=${level.id}.${valve.id}&from=now-5m&to=now`);
    await chart().waitFor();
    const [, stream] = await Promise.all([
      page.getByRole('button', { name: 'Live' }).click(),
      page.waitForResponse((response) => response.url().includes('/v1/live?')),
    ]);
    assert.equal(stream.status(), 200);
    const readout = page.getByRole('row', { name: /Tank level/ }).filter({ hasText: '123.25' });
    await level.insert([second()], [123.25]);
    await readout.waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.postData() ?? ''));
    await level.insert([second() - 30], [77]);
    await valve.insert([second()], [1]);
    await page
      .getByRole('row', { name: /Drain valve/ })
      .filter({ hasText: 'wide open' })
      .waitFor();
    await level.insert([second() + 1], [124.75]);
    await page
      .getByRole('row', { name: /Tank level/ })
      .filter({ hasText: '124.75' })
      .waitFor();
    const everyPoint = asked.filter((body) => /service\.dataFrame/.test(body) && !/"rollup"/.test(body));
    assert.deepEqual(everyPoint, []);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.waitForFunction(() => !location.hash.includes('live='));
  });

  test('M4 N3 a point that is published over MQTT is on the chart within a second', async () => {
    const second = () => Math.floor(Date.now() / 1000);
    const { id, login } = await feedItem({ name: 'Sluice' }, [second() - 60], [1]);
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${service.mqttPort}`, login);
    await go(`/explorer?items=${id}&from=now-5m&to=now`);
    await chart().waitFor();
    await Promise.all([
      page.waitForResponse((response) => response.url().includes('/v1/live?')),
      page.getByRole('button', { name: 'Live' }).click(),
    ]);
    const delaysMs: number[] = [];
    for (let value = 100.25; value < 110; value++) {
      const drawn = page
        .getByRole('row', { name: /Sluice/ })
        .filter({ hasText: `${value}` })
        .waitFor();
      const beganMs = Date.now();
      await client.publishAsync('value/input', `{"value":${value},"time":${second()}}`, { qos: 1 });
      await drawn;
      delaysMs.push(Date.now() - beganMs);
    }
    await client.endAsync();
    // Other tests delay most of them: the fastest shows how long the way itself takes.
    assert.ok(Math.min(...delaysMs) < 1000, `ms: ${delaysMs}`);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.waitForFunction(() => !location.hash.includes('live='));
  });

  test('the list of items shows a new value as it comes', async () => {
    const second = () => Math.floor(Date.now() / 1000);
    const gauge = await feedItem({ name: 'Rain gauge' }, [second() - 60], [1.5]);
    const following = page.waitForResponse((response) => response.url().includes('/v1/live?'));
    await go('/items?q=Rain');
    const row = page.getByRole('row', { name: /Rain gauge/ });
    await row.filter({ hasText: '1.5' }).waitFor();
    await following;
    // From here on the list gets no answer when it asks.
    await page.route('**/v1/rpc', async (route) => {
      if (!/console\.items\.status/.test(route.request().postData() ?? '')) await route.continue();
    });
    await gauge.insert([second()], [27.75]);
    await row.filter({ hasText: '27.75' }).waitFor();
    await page.unroute('**/v1/rpc');
  });

  test('live mode asks again by itself where buckets are shown, and pause ends it', async () => {
    await go(`/explorer?items=${items.get('Outdoor temperature')}&from=now-15m&to=now&rollup=PT1M`);
    await chart().waitFor();
    await page.getByRole('button', { name: 'Live' }).click();
    await page.waitForResponse(isFrameCall);
    await page.waitForResponse(isFrameCall);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.waitForFunction(() => !location.hash.includes('live='));
  });
});

suite('formulas', { concurrency: false }, () => {
  test('a formula is completed, computed while it is typed, and drawn', async () => {
    await go('/formulas');
    await page.getByRole('heading', { name: 'Nothing to compute yet' }).waitFor();
    for (const name of ['Pump 1 flow', 'Pump 1 power']) await addItem(name, name);
    await page.getByRole('button', { name: 'Add a calculation' }).click();
    await page.getByRole('textbox', { name: 'Formula of c1' }).click();
    await page.keyboard.type('2 * pump_1_f');
    await page.locator('.cm-tooltip-autocomplete').getByText('pump_1_flow').waitFor();
    // The list takes keys a moment after it opens, lest it surprise.
    await page.waitForTimeout(150);
    await page.keyboard.press('Enter');
    await value('c1').waitFor();
    const { params } = await lastCall(/service\.evaluate/, () =>
      page.getByRole('button', { name: 'Compute again' }).click(),
    );
    const { data } = (await call('service.evaluate', params)) as { data: Frame };
    const last = data.times.length - 1;
    assert.equal(data.series.c1![last], 2 * data.series.pump_1_flow![last]!);
    await page.reload();
    await value('c1').waitFor();
    assert.equal(await textOf(page.getByRole('textbox', { name: 'Formula of c1' })), '2 * pump_1_flow');
  });

  test('F6 a fault is underlined where it is, said below, and the rest stays drawn', async () => {
    const sheet = [
      [[items.get('Pump 1 flow'), 'flow', 'avg']],
      [
        ['ok', 'flow + 1'],
        ['bad', 'flow + c9'],
        ['after', 'bad * 2'],
      ],
      [],
    ];
    await go(`/formulas?f=${encodeURIComponent(JSON.stringify(sheet))}`);
    await page.getByText('At 8: unknown name "c9"').waitFor();
    assert.equal(await textOf(page.locator('.cm-lintRange-error').first()), 'c9');
    assert.equal(
      await page.getByRole('textbox', { name: 'Formula of bad' }).getAttribute('aria-invalid'),
      'true',
    );
    await value('ok').waitFor();
    assert.equal(await value('after').count(), 0);
  });

  test('an alias is renamed in the formulas that use it', async () => {
    await page.getByRole('textbox', { name: 'Alias of Pump 1 flow' }).fill('q');
    await page.keyboard.press('Tab');
    await page.waitForFunction(
      () =>
        decodeURIComponent(location.hash).includes('q+++1') ||
        decodeURIComponent(location.hash).includes('q + 1'),
    );
    assert.equal(await textOf(page.getByRole('textbox', { name: 'Formula of ok' })), 'q + 1');
  });

  test('F3 F4 every example of the reference that can be run gives what it says', async () => {
    await page.getByRole('tab', { name: 'Functions' }).click();
    await page.evaluate(() => {
      for (const each of document.querySelectorAll<HTMLDetailsElement>('details')) each.open = true;
    });
    const examples = page
      .locator('.reference-examples li')
      .filter({ has: page.getByRole('button', { name: /^Run/ }) });
    const ran = await examples.count();
    // All at once: the answers come while others are asked for.
    await page.evaluate(() => {
      for (const each of document.querySelectorAll<HTMLButtonElement>('.reference-examples button'))
        each.click();
    });
    await examples
      .nth(ran - 1)
      .getByRole('status')
      .locator('code')
      .waitFor();
    await page.waitForFunction(
      (count) => document.querySelectorAll('.reference-examples [role=status] code').length === count,
      ran,
    );
    const gives = await examples.locator('> span:first-child > code:last-of-type').allTextContents();
    assert.deepEqual(await examples.getByRole('status').locator('code').allTextContents(), gives);
    assert.ok(ran > 50, `${ran} were run`);
  });
});

suite('API console', { concurrency: false }, () => {
  test('a method is chosen, run, and its answer shown with time and headers', async () => {
    await go('/console?m=service.selectItems');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText(/^HTTP 200$/).waitFor();
    assert.match(await textOf(page.getByRole('figure', { name: 'Body of the answer' })), /"total"/);
    await page.getByRole('tab', { name: /^Headers/ }).click();
    assert.match(
      await textOf(page.getByRole('figure', { name: 'Headers of the answer' })),
      /x-api-version: 1\.2/,
    );
  });

  test('E2 an error is explained, with its parameters at their fields', async () => {
    const params = encodeURIComponent(JSON.stringify({ query: { limit: 100_000 } }));
    await go(`/console?m=service.selectItems&p=${params}`);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('Error -32602').waitFor();
    await page.getByText('A parameter is wrong.').waitFor();
    await page.locator('.field-error').getByText('must be at most 1000, got 100000').waitFor();
  });

  test('W9 another version has its own methods', async () => {
    await go('/console?v=1.0');
    const methods = page.getByRole('navigation', { name: 'Methods' });
    await methods.getByRole('link', { name: 'saveSignals' }).waitFor();
    assert.equal(await methods.getByRole('link', { name: 'evaluate' }).count(), 0);
  });

  test('what was called can be called again, and forgotten', async () => {
    await go('/console?m=service.evaluate');
    await page
      .getByRole('link', { name: /service\.selectItems/ })
      .first()
      .click();
    await page.waitForFunction(() => location.hash.includes('service.selectItems'));
    await page.getByRole('button', { name: 'Clear' }).click();
    assert.equal(await page.getByRole('heading', { name: 'History' }).count(), 0);
  });
});

test('no page complained, and nothing was sent elsewhere', () => {
  assert.deepEqual(browser.complaints, []);
});

interface Frame {
  times: string[];
  series: Record<string, (number | null)[]>;
}

/** The line above the chart comes to say this; it may say another thing first, while items are still being looked up. */
async function assertWords(like: RegExp): Promise<void> {
  const line = page.locator('.data-words');
  await line
    .filter({ hasText: like })
    .waitFor()
    .catch(async () => assert.match(await textOf(line), like));
}

/** The cell with the last value of a series. */
function value(alias: string) {
  return page
    .locator('.readout tbody tr')
    .filter({ has: page.getByRole('button', { name: alias, exact: true }) });
}

/** The heading of the values: the time of the cursor. */
function cursorHead(): Locator {
  return page.locator('.readout thead th').nth(1);
}

function isFrameCall(response: { request(): { postData(): string | null } }): boolean {
  return response.request().postData()?.includes('service.dataFrame') ?? false;
}

async function lastFrame(act: () => Promise<void>) {
  // The overview asks too, once.
  await page.locator('.strip[aria-busy=false]').waitFor();
  // Without a rollup are the calls for the newest points.
  return lastCall(/"service\.dataFrame".*"rollup":"/, act);
}

/** The first call after an action whose request matches. */
async function lastCall(
  request: RegExp,
  act: () => Promise<void>,
): Promise<{ params: Record<string, unknown> }> {
  const sent = page.waitForResponse((response) => request.test(response.request().postData() ?? ''));
  await act();
  return JSON.parse((await sent).request().postData()!) as { params: Record<string, unknown> };
}

async function save(format: 'CSV' | 'JSON'): Promise<string> {
  await page.getByRole('button', { name: 'Download' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: format, exact: true }).click();
  return readFile(await (await download).path(), 'utf8');
}
