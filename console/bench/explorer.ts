/**
 * Measures the explorer in a real browser: `node console/bench/explorer.ts [items] [days]`. Fills a service with a value a
 * minute for each item, then reports what a chart of all of them costs, and how many frames a second panning has with
 * 100,000 points on screen. Figures are printed, nothing is asserted: machines differ, and a load above the number of
 * processors says that most of the time was spent waiting for others.
 */
import { cpus, loadavg } from 'node:os';
import type { Page } from 'playwright-core';
import { startBrowser } from '../test/support/chromium.ts';
import { callAs, setUp } from '../test/support/people.ts';
import { type RunningService, startService } from '../test/support/service.ts';

const itemCount = Number(process.argv[2] ?? 50);
const days = Number(process.argv[3] ?? 365);
const rowsOfInsert = 10_000;
const minuteS = 60;
const settlingMs = 20_000;

const service = await startService(['--limit', 'bodyBytesMax=33554432']);
const browser = await startBrowser(service.url);
try {
  const token = await setUp(service, browser.context, false);
  const call = (method: string, params: object) => callAs(service, browser.context, token, method, params);
  const ids = await fill(call);
  await measure(ids);
} finally {
  await browser.stop();
  await service.stop();
}

type Call = (method: string, params: object) => Promise<unknown>;

/** Inserts the recording and publishes it; the IDs of the items. */
async function fill(call: Call): Promise<string[]> {
  const { id } = (await call('console.integrations.create', { name: 'Bench' })) as { id: string };
  const { file } = (await call('console.credentials.create', {
    integration: id,
    type: 'basic-auth',
    label: 'bench',
  })) as {
    file: { credentials: { clientId: string; clientSecret: string } };
  };
  const authorization = `Basic ${btoa(`${file.credentials.clientId}:${file.credentials.clientSecret}`)}`;
  const endS = Math.floor(Date.parse('2026-11-01T00:00:00Z') / 1000);
  const rows = days * 1440;
  const start = performance.now();
  let signals: Record<string, { id: string }> = {};
  for (let row = 0; row < rows; row += rowsOfInsert) {
    const count = Math.min(rowsOfInsert, rows - row);
    const times = Array.from({ length: count }, (_, i) => endS - (rows - row - i) * minuteS);
    const series = Object.fromEntries(
      Array.from({ length: itemCount }, (_, item) => [`s${item}`, times.map((time) => wave(time, item))]),
    );
    signals = await insert(service, authorization, { integration: id, data: { times, series } });
  }
  report('inserted', `${(rows * itemCount) / 1e6} million points in ${seconds(start)} s`);
  const itemsBySignal = Object.fromEntries(
    Object.entries(signals).map(([input, signal]) => [
      signal.id,
      { name: input, sampleInterval: 'PT1M', gapDetection: 'PT5M', engUnit: 'bar', visible: true },
    ]),
  );
  const published = (await call('admin.publishSignals', { integration: id, itemsBySignal })) as {
    itemsBySignal: Record<string, { id: string }>;
  };
  return Object.values(published.itemsBySignal).map((item) => item.id);
}

async function insert(
  { url }: RunningService,
  authorization: string,
  params: object,
): Promise<Record<string, { id: string }>> {
  const response = await fetch(`${url}/v1/rpc`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: authorization },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'integration.insert', params }),
  });
  const { result, error } = (await response.json()) as {
    result?: { signalsByInput: Record<string, { id: string }> };
    error?: unknown;
  };
  if (!result) throw new Error(JSON.stringify(error));
  return result.signalsByInput;
}

async function measure(ids: readonly string[]): Promise<void> {
  const page = await browser.newPage();
  await page.goto(`${service.url}/#/explorer`);
  await page.getByRole('heading', { name: 'Choose what to look at' }).waitFor();
  // What was just inserted is still being put into blocks.
  await page.waitForTimeout(settlingMs);
  const year = { from: '2025-11-01T00:00:00Z', to: '2026-11-01T00:00:00Z' };
  const all: number[] = [];
  for (const round of [1, 2, 3, 4, 5]) {
    await page.goto(`${service.url}/#/nowhere`);
    await page.goto(`${service.url}/#/explorer`);
    await page.getByRole('heading', { name: 'Choose what to look at' }).waitFor();
    await page.waitForTimeout(500);
    const sizes: number[] = [];
    const onResponse = async (response: {
      request(): { postData(): string | null };
      body(): Promise<Buffer>;
    }) => {
      if (response.request().postData()?.includes('service.dataFrame'))
        sizes.push((await response.body()).length);
    };
    page.on('response', onResponse);
    const shown = await page.evaluate(
      showAndWait,
      `#/explorer?items=${ids.join('.')}&from=${year.from}&to=${year.to}&week=${round}`,
    );
    await page.waitForTimeout(500);
    page.off('response', onResponse);
    all.push(shown.totalMs);
    report(
      `chart of ${ids.length} items × ${days} days, round ${round}`,
      `${shown.totalMs.toFixed(0)} ms to the first pixels of data (${shown.parts.join(', ')}), ${sum(sizes) / 1e6} MB of JSON`,
    );
  }
  report(`best of ${all.length}`, `${Math.min(...all).toFixed(0)} ms, first ${all[0]!.toFixed(0)} ms`);
  report('words', (await page.locator('.data-words').textContent()) ?? '');
  await measureEveryPoint(page, ids);
  await page.close();
  await measurePointer(ids);
  await measureFrames(ids);
}

/** Forty days of as many items as give a million points. */
async function measureEveryPoint(page: Page, ids: readonly string[]): Promise<void> {
  const some = ids.slice(0, 17).join('.');
  for (const round of [1, 2]) {
    await page.goto(`${service.url}/#/nowhere`);
    await page.goto(`${service.url}/#/explorer`);
    await page.getByRole('heading', { name: 'Choose what to look at' }).waitFor();
    const hash = `#/explorer?items=${some}&from=2026-09-20T00:00:00Z&to=2026-10-30T00:00:00Z&rollup=raw&week=${round}`;
    const shown = await page.evaluate(showAndWait, hash);
    report(
      `every point, ${((17 * 40 * 1440) / 1e6).toFixed(2)} million, round ${round}`,
      `${shown.totalMs.toFixed(0)} ms to the first pixels of data (${shown.parts.join(', ')}); the page stood still for ${shown.longestMs.toFixed(0)} ms at most`,
    );
  }
}

/** Goes to a view; the ms until the chart has its lines on the screen, and when each call began and ended. Runs in the page. */
function showAndWait(hash: string): Promise<{ totalMs: number; longestMs: number; parts: string[] }> {
  return new Promise((resolve) => {
    const start = performance.now();
    let longestMs = 0;
    const tasks = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longestMs = Math.max(longestMs, duration);
    });
    tasks.observe({ type: 'longtask' });
    const finish = () => {
      const calls = performance
        .getEntriesByType('resource')
        .filter((each) => each.startTime >= start) as PerformanceResourceTiming[];
      const at = (ms: number) => (ms - start).toFixed(0);
      const parts = calls.map(
        ({ name, startTime, responseStart, responseEnd }) =>
          `${name.split('/').at(-1)} ${at(startTime)}-${at(responseStart)}-${at(responseEnd)}`,
      );
      const totalMs = performance.now() - start;
      // Long tasks are told a moment after they end.
      setTimeout(() => resolve({ totalMs, longestMs, parts }), 300);
    };
    location.hash = hash;
    const look = () => {
      const isShown = document.querySelector('.chart[aria-busy=false] canvas');
      const words = document.querySelector('.data-words')?.textContent ?? 'loading';
      // After the frame in which it was drawn.
      if (isShown && !words.includes('loading')) requestAnimationFrame(finish);
      else requestAnimationFrame(look);
    };
    look();
  });
}

/** Ten items raw for a week: 100,800 points. Pans and zooms for two seconds each and counts frames. */
async function measureFrames(ids: readonly string[]): Promise<void> {
  const page = await browser.newPage();
  const ten = ids.slice(0, 10).join('.');
  const week = 'from=2026-10-20T00:00:00Z&to=2026-10-27T00:00:00Z&rollup=raw';
  await page.goto(`${service.url}/#/explorer?items=${ten}&${week}`);
  await page.locator('.chart canvas').first().waitFor();
  await page.waitForTimeout(2500);
  report('words', (await page.locator('.data-words').textContent()) ?? '');
  const box = (await page.locator('.u-over').boundingBox())!;
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.keyboard.down('Shift');
  await page.mouse.down();
  await countFrames(page, 'pan, 100,800 points', (n) => page.mouse.move(x + 60 * Math.sin(n / 12), y));
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await page.waitForTimeout(1500);
  await page.keyboard.down('Control');
  await countFrames(page, 'zoom, 100,800 points', (n) => page.mouse.wheel(0, n % 40 < 20 ? -12 : 12));
  await page.keyboard.up('Control');
  await page.close();
}

/** Moves the pointer over a chart of all items: each has its value in the table below. */
async function measurePointer(ids: readonly string[]): Promise<void> {
  const page = await browser.newPage();
  const month = 'from=2026-10-01T00:00:00Z&to=2026-11-01T00:00:00Z';
  await page.goto(`${service.url}/#/explorer?items=${ids.join('.')}&${month}`);
  await page.locator('.chart canvas').first().waitFor();
  await page.waitForTimeout(2500);
  const box = (await page.locator('.u-over').boundingBox())!;
  await countFrames(page, `pointer over ${ids.length} items`, (n) =>
    page.mouse.move(box.x + box.width * (0.5 + 0.4 * Math.sin(n / 40)), box.y + box.height / 2),
  );
  await page.close();
}

/** Acts for two seconds, and reports the frames of the page meanwhile. */
async function countFrames(page: Page, what: string, act: (n: number) => Promise<void>): Promise<void> {
  await page.evaluate(() => {
    const stamps: number[] = [];
    Object.assign(window, { stamps });
    const tick = (at: number) => {
      stamps.push(at);
      if (stamps.length < 10_000) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  const end = performance.now() + 2000;
  for (let n = 0; performance.now() < end; n++) await act(n);
  const stamps = await page.evaluate(() => [...(window as unknown as { stamps: number[] }).stamps]);
  const gaps = stamps
    .slice(1)
    .map((at, i) => at - stamps[i]!)
    .sort((a, b) => a - b);
  const rate = (1000 * gaps.length) / sum(gaps);
  const longest = gaps.slice(-3).map((gap) => gap.toFixed(0));
  report(what, `${rate.toFixed(1)} frames a second; longest frames ${longest.join(', ')} ms`);
}

function wave(timeS: number, item: number): number {
  const noise = ((Math.imul(timeS / 60 + item * 7919, 0x9e3779b1) >>> 8) & 1023) / 1023;
  return Math.round((50 + item + 20 * Math.sin(timeS / 13_751 + item) + 3 * noise) * 100) / 100;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function seconds(sinceMs: number): string {
  return ((performance.now() - sinceMs) / 1000).toFixed(1);
}

/** The load says how far the figures can be believed: above the number of processors they waited for others. */
function report(what: string, figures: string): void {
  process.stdout.write(
    `${what}: ${figures} (load ${loadavg()[0]!.toFixed(1)} on ${cpus().length} processors)\n`,
  );
}
