/** Looks at a page in both themes and two widths: nothing serious for axe, nothing cut off; with SHOTS=1 a picture of each in shots/. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { type Barrier, barriersOf } from './axe.ts';
import { browser, page, service } from './console.ts';

const shots = fileURLToPath(new URL('../shots/', import.meta.url));
/** Pictures of every page are only made when someone wants to look at them. */
const takesShots = process.env.SHOTS !== undefined;
const widths = [1440, 390] as const;
const themes = ['light', 'dark'] as const;

/** The problems of all pages, so that one run reports all of them. */
const found: string[] = [];

/** The tests that end a file of pages. */
export function reportFound(): void {
  test('nothing serious was found on any page, in either theme', () => {
    assert.deepEqual(found, []);
  });

  test('nothing was complained of, and nothing sent elsewhere', () => {
    assert.deepEqual(browser.complaints, []);
  });
}

/** Looks at each of the places. */
export async function examineAll(places: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, place] of Object.entries(places)) {
    await visit(place);
    await examine(name);
  }
}

/** Goes to a place in the console, until nothing is loading. */
export async function visit(place: string): Promise<void> {
  await page.goto(`${service.url}/#${place}`);
  await settled(page);
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

/** Looks at what is shown, in both themes at each width; it begins with the theme that is shown, since a change draws all anew. */
export async function examine(name: string, of: Page = page, at: readonly number[] = widths): Promise<void> {
  for (const width of at) {
    await of.setViewportSize({ width, height: width === 390 ? 844 : 900 });
    const shown = await of.evaluate(() =>
      matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
    );
    for (const theme of shown === 'light' ? themes : themes.toReversed()) {
      await of.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      await painted(of);
      if (takesShots) await of.screenshot({ path: `${shots}${name}-${width}-${theme}.png`, fullPage: true });
      await lookForBarriers(of, `${name} ${width} ${theme}`, theme === shown ? allRules : contrastRules);
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
