/** The service, the browser and the page of a test file: started before its tests, stopped after them. */
import { after, afterEach, before } from 'node:test';
import type { Page } from 'playwright-core';
import { type RunningBrowser, startBrowser } from './chromium.ts';
import { PageWatch } from './page-watch.ts';
import { callAs, setUp } from './people.ts';
import { type RunningService, startService } from './service.ts';

/** The service of this test file. */
export let service: RunningService;
/** Its browser. */
export let browser: RunningBrowser;
/** The page on which the tests work; nothing is loaded in it yet when they begin. */
export let page: Page;
/** The session of the administrator, where the service has been set up. */
export let token: string;

/** Calls a method as the administrator. Rejects with the error that the service answers. */
export const call = (method: string, params: object = {}): Promise<unknown> =>
  callAs(service, browser.context, token, method, params);

/** How a test file begins. */
export interface Beginning {
  /** Whether the service is set up, with or without the demo plant; default `with demo`. */
  setup?: 'none' | 'empty' | 'with demo';
  /** Arguments of `tidemark serve`. */
  args?: readonly string[];
  /** Prepares data, before the tests and after the page is made. */
  prepare?: () => Promise<void>;
}

/** Starts what the exports of this module are, for the test file that calls it; a test that fails says what the pages show. */
export function openConsole({ setup = 'with demo', args = [], prepare }: Beginning = {}): void {
  const running = new AsyncDisposableStack();
  let watch: PageWatch | undefined;
  before(async () => {
    service = await startService([...args]);
    running.defer(() => service.stop());
    browser = await startBrowser(service.url);
    running.defer(() => browser.stop());
    if (setup !== 'none') token = await setUp(service, browser.context, setup === 'with demo');
    page = await browser.newPage();
    watch = await PageWatch.begin(page);
    await prepare?.();
  });
  afterEach(async (t) => {
    if (t.passed) return;
    console.error(`When “${t.name}” failed, there was ${await watch?.tell()}`);
  });
  after(() => running.disposeAsync());
}
