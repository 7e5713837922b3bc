/** Debian's Chromium without a window, driven over its debugging protocol; it knows no other host than the service. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';

/** The browser that has no window takes a quarter less of the processor than the one that hides its window. */
const installed = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

const executablePath =
  process.env.CHROMIUM_PATH ?? installed.find((path) => existsSync(path)) ?? installed[0]!;

if (!existsSync(executablePath)) {
  throw new Error(
    `the tests of the console need Chromium, and ${executablePath} does not exist: install it (Debian: apt-get install chromium-headless-shell, or chromium) or set CHROMIUM_PATH`,
  );
}

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The environment of the browser. */
export interface BrowserOptions {
  width?: number;
  height?: number;
  timezoneId?: string;
  locale?: string;
}

/** A browser with a profile of its own. */
export interface RunningBrowser {
  context: BrowserContext;
  /** What a page complained of, and requests to other hosts: a test looks at it when it ends. */
  complaints: string[];
  newPage(): Promise<Page>;
  stop(): Promise<void>;
}

/** Starts the browser for a service at `url`. */
export async function startBrowser(url: string, options: BrowserOptions = {}): Promise<RunningBrowser> {
  const { width = 1440, height = 900, timezoneId = 'Europe/Berlin', locale = 'en-GB' } = options;
  const profile = await mkdtemp(join(tmpdir(), 'tidemark-chromium-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    args,
    viewport: { width, height },
    timezoneId,
    locale,
    acceptDownloads: true,
    colorScheme: 'light',
  });
  context.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  const newPage = async () => {
    const page = await context.newPage();
    listen(page, url, complaints);
    return page;
  };
  const stop = async () => {
    await context.close();
    await rm(profile, { recursive: true, force: true });
  };
  return { context, complaints, newPage, stop };
}

/** Errors, refusals by the content security policy, and anything sent elsewhere. */
function listen(page: Page, url: string, complaints: string[]): void {
  page.on('pageerror', (error) => complaints.push(`page error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    // A refused call is an answer like any other; chromium reports its status all the same.
    if (/Failed to load resource: the server responded with a status of 4\d\d/.test(message.text())) return;
    complaints.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const sent = request.url();
    if (!sent.startsWith(url) && !/^(data|blob|about):/.test(sent)) complaints.push(`sent to ${sent}`);
  });
}
