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
  test('the set-up, a page by its address, and snippets that name the prefix', async () => {
    await page.goto(url);
    assert.equal(page.url(), `${url}/`);
    await page.getByLabel('Set-up code').fill(service.setupCode);
    await page.getByLabel('Your name').fill(ada.name);
    await page.getByLabel('Password', { exact: true }).fill(ada.password);
    await page.getByLabel('Password again').fill(ada.password);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText(`${url}/`).waitFor();
    await page.getByRole('button', { name: 'Finish set-up' }).click();
    await page.getByText(`${url}/v1/rpc`).first().waitFor();
    await page.goto(`${url}/#/health`);
    await page.reload();
    await page.getByRole('grid', { name: 'Settings' }).waitFor();
  });

  test('nothing was complained of, and nothing sent elsewhere', () => {
    assert.deepEqual(browser.complaints, []);
  });
});
