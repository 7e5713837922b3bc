/** Every page in both themes and two widths: nothing serious for axe, nothing cut off, no error; with SHOTS=1 a picture of each in shots/. */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client, type CredentialsFile } from '@tidemark/client';
import type { RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { type Barrier, barriersOf } from './support/axe.ts';
import { startBrowser } from './support/chromium.ts';
import { browser, openConsole, page, service } from './support/console.ts';
import { callAs, setUp } from './support/people.ts';

const shots = fileURLToPath(new URL('./shots/', import.meta.url));
/** Pictures of every page are only made when someone wants to look at them. */
const takesShots = process.env.SHOTS !== undefined;
const widths = [1440, 390] as const;
const themes = ['light', 'dark'] as const;

/** Name of the picture → place in the console. */
const places = new Map<string, string>();
/** The problems of all pages, so that one run reports all of them. */
const found: string[] = [];

openConsole({
  setup: 'none',
  prepare: async () => {
    if (takesShots) await mkdir(shots, { recursive: true });
  },
});

suite('pages', { concurrency: false }, () => {
  test('the first run', async () => {
    await page.goto(`${service.url}/`);
    await page.getByRole('heading', { name: 'Set up Tidemark' }).waitFor();
    await examine('setup');
    await walkSetup();
  });

  test('signing in', async () => {
    const token = await setUp(service, browser.context, true);
    await fillIn(token);
    await page.reload();
    const guest = await startBrowser(service.url);
    try {
      const other = await guest.newPage();
      await other.goto(`${service.url}/`);
      await other.getByRole('button', { name: 'Sign in' }).waitFor();
      await examine('sign-in', other);
    } finally {
      await guest.stop();
    }
  });

  test('every page of the list', async () => {
    for (const [name, place] of places) {
      await page.goto(`${service.url}/#${place}`);
      await settled(page);
      await examine(name);
    }
  });

  test('overlays: palette, sheet, zone, dialogs', async () => {
    for (const [name, at, open] of overlays) {
      await page.goto(`${service.url}/#${places.get(at)}`);
      await settled(page);
      await open(page);
      await examine(name, page, name.startsWith('navigation') ? [390] : [1440]);
      await leave(page);
    }
  });

  test('nothing serious was found on any page, in either theme', () => {
    assert.deepEqual(found, []);
  });

  test('nothing was complained of, and nothing sent elsewhere', () => {
    assert.deepEqual(browser.complaints, []);
  });
});

type Open = (page: Page) => Promise<unknown>;

function press(name: string | RegExp): Open {
  return (of) => of.getByRole('button', { name }).first().click();
}

function choose(menu: string, entry: string): Open {
  return async (of) => {
    await of.getByRole('button', { name: menu }).first().click();
    await of.getByRole('menuitem', { name: entry }).click();
  };
}

/** Name of the picture, the page, and how it comes there. */
const overlays: readonly (readonly [string, string, Open])[] = [
  ['palette', 'overview', (of) => of.keyboard.press('Control+k')],
  ['shortcuts', 'explorer', (of) => of.keyboard.press('?')],
  ['saved-views', 'explorer', press('Views')],
  ['time-range', 'explorer', press(/^Time range/)],
  ['display', 'explorer', press('Display')],
  ['zones', 'overview', press(/^Time zone/)],
  ['appearance', 'overview', press('Appearance')],
  ['new-integration', 'integrations', press('New integration')],
  ['new-credential', 'integration', press('New credential')],
  ['rotate', 'integration', choose('Actions for gateway in hall 3', 'Rotate …')],
  ['delete-integration', 'integration', choose('Actions for the integration', 'Delete …')],
  ['filter-form', 'signals', press('Filter')],
  ['filter-json', 'signals-filtered', press('JSON')],
  ['columns', 'signals', press('Columns')],
  ['edit-item', 'item', press('Edit')],
  ['item-of-signal', 'signal', (of) => of.getByRole('tab', { name: 'Item' }).click()],
  ['details-of-signal', 'signal', (of) => of.getByRole('tab', { name: 'Details' }).click()],
  ['points-of-signal', 'signal', (of) => of.getByRole('tab', { name: 'Points' }).click()],
  ['uses-of-item', 'item', (of) => of.getByRole('tab', { name: 'Used in' }).click()],
  ['edit-signal', 'signal', press('Edit')],
  ['edit-many', 'signals', editMany],
  ['publish-many', 'publish', press(/^Publish all/)],
  ['run-as', 'console', press(/Run as/)],
  ['sent', 'console', runAndLook],
  ['disable-integration', 'integration', choose('Actions for the integration', 'Disable …')],
  ['new-rule', 'settings', press('New rule')],
  ['new-person', 'people', press('New person')],
  [
    'navigation',
    'overview',
    async (of) => {
      await of.setViewportSize({ width: 390, height: 844 });
      await of.getByRole('button', { name: 'Open navigation' }).click();
    },
  ],
];

/** An edit of all signals as far as its preview. */
async function editMany(of: Page): Promise<void> {
  await of.getByRole('button', { name: /^Edit all/ }).click();
  await of.getByLabel('Label', { exact: true }).fill('area');
  await of.getByLabel('Values, separated by commas').fill('north');
  await of.getByRole('button', { name: 'Show what changes' }).click();
  await of.getByText(/signals would change/).waitFor();
}

/** A call, and what was sent for it. */
async function runAndLook(of: Page): Promise<void> {
  await of.getByRole('button', { name: 'Run', exact: true }).click();
  await of.getByRole('tab', { name: 'Request' }).click();
}

/** One example of everything, in addition to the demo plant. */
async function fillIn(token: string): Promise<void> {
  const call = (method: string, params: object = {}) =>
    callAs(service, browser.context, token, method, params);
  const { integrations } = (await call('console.integrations.list')) as { integrations: { id: string }[] };
  const plant = integrations[0]!.id;
  const { id: empty } = (await call('console.integrations.create', { name: 'Boiler house gateway' })) as {
    id: string;
  };
  await call('console.credentials.create', {
    integration: plant,
    type: 'client-credentials',
    label: 'gateway in hall 3',
  });
  const { id: old } = (await call('console.integrations.create', { name: 'Gateway of 2019' })) as {
    id: string;
  };
  await failCalls(old, (params) => call('console.credentials.create', params));
  await call('console.integrations.disable', { id: old });
  await call('console.retention.set', { scope: 'all', keep: 'P400D' });
  await call('console.retention.set', { scope: 'label:site=North', keep: 'forever' });
  await call('console.people.create', { name: 'Grace', password: 'ships sail on the tide', role: 'viewer' });
  const { data } = (await call('admin.selectSignals', { integration: plant, include: ['item'] })) as {
    data: {
      id: string;
      attributes: { valueType: string };
      relationships: { item: { data: { id: string } | null } };
    }[];
  };
  const signal = data[0]!;
  const items = data.slice(0, 3).map((each) => each.relationships.item.data?.id ?? '');
  const states = data
    .filter(({ attributes }) => attributes.valueType === 'enum')
    .map((each) => each.relationships.item.data?.id ?? '');
  const pins = [3, 9, 11].map((hours) => (Date.now() - hours * 3_600_000).toString(36)).join('.');
  await call('console.views.save', { name: 'Pumps, this week', query: 'from=now%2Fw&to=now%2Fw' });
  const listed = {
    overview: '/',
    explorer: `/explorer?items=${items.join('.')}`,
    'explorer-empty': '/explorer',
    'explorer-all': `/explorer?items=${data.map((each) => each.relationships.item.data?.id ?? '').join('.')}`,
    'explorer-pins': `/explorer?items=${items.join('.')}&from=now-1d&to=now&vs=day&pins=${pins}`,
    'explorer-states': `/explorer?items=${states.join('.')}&from=now-1d&to=now&tab=states`,
    'explorer-table': `/explorer?items=${items.join('.')}&tab=table&from=now-1d&to=now`,
    formulas: `/formulas?f=${encodeURIComponent(JSON.stringify(sheetOf(items)))}`,
    'formulas-empty': '/formulas',
    console: '/console?m=service.evaluate',
    items: '/items',
    item: `/items/${items[0]}`,
    integrations: '/integrations',
    integration: `/integrations/${plant}`,
    'integration-new': `/integrations/${empty}`,
    'integration-disabled': `/integrations/${old}`,
    signals: `/signals?integration=${plant}`,
    'signals-filtered': `/signals?integration=${plant}&filter=${encodeURIComponent('{"valueType":"numeric","labels.site":{"$exists":true}}')}`,
    signal: `/signals/${plant}/${signal.id}`,
    publish: `/publish?integration=${plant}`,
    review: `/publish?integration=${plant}&ids=${data.slice(0, 2).map(({ id }) => id)}`,
    rules: '/rules',
    'rule-new': '/rules/new',
    usage: '/usage',
    activity: '/activity',
    audit: '/audit',
    health: '/health',
    people: '/people',
    settings: '/settings',
    account: '/account',
    welcome: '/welcome',
    'not-found': '/nothing/here',
  };
  for (const [name, place] of Object.entries(listed)) places.set(name, place);
  // One item that was edited, one signal that was published as it is.
  await call('admin.publishSignals', {
    integration: plant,
    itemsBySignal: {
      [signal.id]: { name: 'Renamed by hand', description: 'Edited after publishing', visible: true },
    },
  });
}

/** Calls of a program that go wrong in two ways. */
async function failCalls(integration: string, create: (params: object) => Promise<unknown>): Promise<void> {
  const made = (await create({ integration, type: 'basic-auth', label: 'PLC' })) as { file: CredentialsFile };
  const client = Client.fromFile(made.file);
  const data = { times: ['yesterday'], series: { 'pump/pressure': [4.2] } };
  await assert.rejects(client.callAny('integration.insert', { integration, data }));
  await assert.rejects(client.callAny('service.selectItems', {}));
}

/** The steps of the set-up behind the first one. */
async function walkSetup(): Promise<void> {
  await page.getByLabel('Set-up code').fill('a-code');
  await page.getByLabel('Your name').fill('Ada');
  for (const label of ['Password', 'Password again'])
    await page.getByLabel(label, { exact: true }).fill('a tide rises twice a day');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByLabel('Name of the instance').waitFor();
  await examine('setup-instance');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('Fill it with a demo plant').waitFor();
  await examine('setup-data');
}

/** A sheet of formulas, one of them with a fault. */
function sheetOf(items: readonly string[]): unknown {
  return [
    items.map((id, i) => [id, `a${i}`, 'avg']),
    [
      ['total', 'a0 + a1'],
      ['smooth', 'movavg(total, 12)'],
      ['faulty', 'a0 + nothing'],
    ],
    [],
  ];
}

/** Closes what is open, and goes to a page without any state. */
async function leave(of: Page): Promise<void> {
  await of.keyboard.press('Escape');
  await of.goto(`${service.url}/#/nothing/here`);
  await of.getByRole('heading', { name: 'There is no such page' }).waitFor();
}

/** Until nothing is loading. */
async function settled(of: Page): Promise<void> {
  await of.getByRole('navigation', { name: 'Pages' }).waitFor({ state: 'attached' });
  await of.locator('main h1').first().waitFor();
  await of
    .locator('.waiting')
    .first()
    .waitFor({ state: 'detached' })
    .catch(() => undefined);
  await of.waitForLoadState('networkidle').catch(() => undefined);
  await of.waitForTimeout(150);
}

/** Looks at what is shown, in both themes at each width. */
async function examine(name: string, of: Page = page, at: readonly number[] = widths): Promise<void> {
  for (const width of at) {
    await of.setViewportSize({ width, height: width === 390 ? 844 : 900 });
    for (const theme of themes) {
      await of.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      await painted(of);
      if (takesShots) await of.screenshot({ path: `${shots}${name}-${width}-${theme}.png`, fullPage: true });
      await lookForBarriers(of, `${name} ${width} ${theme}`, theme === 'light' ? allRules : contrastRules);
    }
    await lookForOverflow(of, `${name} ${width}`);
  }
  await of.setViewportSize({ width: 1440, height: 900 });
}

/** Until the theme and size have come through to everything that is seen, on a busy machine too. */
async function painted(of: Page): Promise<void> {
  await of.waitForTimeout(80);
  await of.evaluate(async () => {
    const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    await nextFrame();
    await nextFrame();
    const ended = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY)
      .map(({ finished }) => finished.catch(() => undefined));
    await Promise.all(ended);
  });
}

const allRules: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
};

/** The rules whose outcome depends on the theme; the others see the same document in both. */
const contrastRules: RunOptions = {
  runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
};

/** The lists of the palette and of zones are scrolled from their search field, which axe does not see. */
const exclude = ['.palette-list', '.zone-dialog .list'];

/** What is found is examined twice: on a busy machine a theme may not have reached some elements the first time. */
async function lookForBarriers(of: Page, where: string, rules: RunOptions): Promise<void> {
  let barriers = await seriousOf(of, rules);
  if (barriers.length > 0) {
    await of.waitForTimeout(1000);
    await painted(of);
    barriers = await seriousOf(of, rules);
  }
  found.push(...barriers.map((barrier) => `${where}: ${barrier}`));
}

async function seriousOf(of: Page, rules: RunOptions): Promise<string[]> {
  const barriers = await barriersOf(of, rules, { exclude });
  return barriers.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(wordsOf);
}

function wordsOf({ id, help, nodes: [first] }: Barrier): string {
  return `${id}: ${help}: ${first?.html.slice(0, 220)} ${first?.failureSummary ?? ''}`;
}

async function lookForOverflow(of: Page, where: string): Promise<void> {
  const [content = 0, room = 0] = await of.evaluate(() => [
    document.documentElement.scrollWidth,
    document.documentElement.clientWidth,
  ]);
  if (content > room + 1) found.push(`${where}: the page is ${content} px wide in ${room} px`);
}
