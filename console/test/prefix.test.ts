/** The console behind a proxy, below a path. */
import assert from 'node:assert/strict';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { type RunningBrowser, startBrowser } from './support/chromium.ts';
import { ada } from './support/people.ts';
import { type RunningService, startService } from './support/service.ts';

let proxy: Server;
let service: RunningService;
let browser: RunningBrowser;
let page: Page;
let url = '';
let target = '';

before(async () => {
  proxy = createServer((incoming, outgoing) => {
    const onward = request(
      `${target}${incoming.url}`,
      { method: incoming.method, headers: incoming.headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/plant/tidemark`;
  service = await startService(['--base-url', url]);
  target = service.listensAt;
  browser = await startBrowser(url);
  page = await browser.newPage();
});

after(async () => {
  await browser?.stop();
  await service?.stop();
  proxy?.closeAllConnections();
  await new Promise((resolve) => proxy?.close(resolve));
});

suite('below a path prefix', { concurrency: false }, () => {
  test('a set-up at another address is reported, with what to set', async () => {
    const elsewhere = await startBrowser(service.listensAt);
    try {
      const other = await elsewhere.newPage();
      await other.goto(service.listensAt);
      await toInstance(other);
      await other.getByText('but it is configured for').waitFor();
      await other.getByText(url, { exact: true }).waitFor();
      await other.getByText(`--base-url ${service.listensAt}`).waitFor();
      assert.deepEqual(elsewhere.complaints, []);
    } finally {
      await elsewhere.stop();
    }
  });

  test('the set-up, a page by its address, and snippets that name the prefix', async () => {
    await page.goto(url);
    assert.equal(page.url(), `${url}/`);
    await toInstance(page);
    await page.getByText('Your browser and the configuration agree').waitFor();
    await page.getByText(url, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Finish set-up' }).click();
    await page.getByRole('button', { name: 'Create it with a credential' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    await page.getByText(`${url}/v1/rpc`).first().waitFor();
    await page.goto(`${url}/#/health`);
    await page.reload();
    await page.getByRole('grid', { name: 'Settings' }).waitFor();
  });

  test('nothing was complained of, and nothing sent elsewhere', () => {
    assert.deepEqual(browser.complaints, []);
  });
});

/** Fills the first step of the set-up in, and goes on to the second. */
async function toInstance(of: Page): Promise<void> {
  await of.getByLabel('Set-up code').fill(service.setupCode);
  await of.getByLabel('Your name').fill(ada.name);
  await of.getByLabel('Password', { exact: true }).fill(ada.password);
  await of.getByLabel('Password again').fill(ada.password);
  await of.getByRole('button', { name: 'Continue' }).click();
}
