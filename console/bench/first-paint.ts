/**
 * Measures how soon a page shows something, in a real browser that has nothing of it in its cache:
 * `node console/bench/first-paint.ts [rounds]`. Figures are printed, nothing is asserted: machines differ.
 */
import { cpus, loadavg } from 'node:os';
import type { Page } from 'playwright-core';
import { type RunningBrowser, startBrowser } from '../test/support/chromium.ts';
import { setUp } from '../test/support/people.ts';
import { startService } from '../test/support/service.ts';

const rounds = Number(process.argv[2] ?? 5);

/** When something was painted first, and when the page's own heading was there, ms after the navigation began. */
interface Loaded {
  painted: number;
  headed: number;
}

const service = await startService([]);
const browser = await startBrowser(service.url);
try {
  await report('set-up', '/', browser);
  await setUp(service, browser.context, true);
  for (const path of ['/#/overview', '/#/explorer', '/#/signals']) await report(path, path, browser);
} finally {
  await browser.stop();
  await service.stop();
}

async function report(name: string, path: string, running: RunningBrowser): Promise<void> {
  const all: Loaded[] = [];
  for (let round = 0; round < rounds; round++) all.push(await load(`${service.url}${path}`, running));
  const painted = median(all.map((one) => one.painted));
  const headed = median(all.map((one) => one.headed));
  const load1 = loadavg()[0].toFixed(1);
  process.stdout.write(
    `${name}: first paint ${painted} ms, heading ${headed} ms, medians of ${rounds} (load ${load1} on ${cpus().length} processors)\n`,
  );
}

async function load(url: string, running: RunningBrowser): Promise<Loaded> {
  const page = await running.newPage();
  await forgetCache(page);
  await page.goto(url);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  const headed = await page.evaluate(() => performance.now());
  const paint = () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime;
  await page.waitForFunction(paint);
  const painted = (await page.evaluate(paint)) ?? Number.NaN;
  await page.close();
  return { painted: Math.round(painted), headed: Math.round(headed) };
}

async function forgetCache(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[(values.length - 1) >> 1];
}
