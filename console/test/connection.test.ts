/** The connection test of a new credential: both types, what can be wrong, and that nothing but the secret proves who calls. */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ServiceError } from '@tidemark/client';
import mqtt from 'mqtt';
import type { Locator, Page, Request } from 'playwright-core';
import { adviceFor } from '../src/pages/integrations/connection.ts';
import { barriersOf } from './support/axe.ts';
import { startBrowser } from './support/chromium.ts';
import { browser, call, openConsole, page, service } from './support/console.ts';
import { setUp } from './support/people.ts';
import { startService } from './support/service.ts';

const shots = fileURLToPath(new URL('./shots/', import.meta.url));

let dialog: Locator;
let integration: string;

openConsole({
  setup: 'empty',
  args: ['--mqtt-port', '0'],
  prepare: async () => {
    dialog = page.getByRole('dialog');
    ({ id: integration } = (await call('console.integrations.create', { name: 'Pump house' })) as {
      id: string;
    });
    await mkdir(shots, { recursive: true });
  },
});

const step = (of: Locator, title: string, outcome: string) =>
  of.getByRole('listitem').filter({ hasText: `${title}: ${outcome}` });

const press = () => dialog.getByRole('button', { name: 'Test the connection' }).press('Enter');

async function makeCredential(of: Page, type: 'Credentials file' | 'Basic pair'): Promise<void> {
  await of.getByRole('button', { name: 'New credential' }).first().click();
  await of.getByRole('dialog').getByText(type, { exact: true }).click();
  await of.getByRole('button', { name: 'Create credential' }).click();
  await of.getByRole('heading', { name: 'Credential created' }).waitFor();
}

/** What a test asks for with a secret; the page's own calls are signed by the session. */
async function sentWhile(work: () => Promise<void>): Promise<Request[]> {
  const sent: Request[] = [];
  const note = (request: Request) => {
    if (!request.headers()['x-csrf-token'] && request.method() === 'POST') sent.push(request);
  };
  page.on('request', note);
  await work();
  page.off('request', note);
  return sent;
}

suite('connection test', { concurrency: false }, () => {
  test('a credentials file is exchanged for a token, and a call with it is answered, without the cookie', async () => {
    await page.goto(`${service.url}/#/integrations/${integration}`);
    await makeCredential(page, 'Credentials file');
    const sent = await sentWhile(async () => {
      await press();
      await dialog.getByText('The credential works: a program can sign in with it.').waitFor();
    });
    await step(dialog, 'Address that programs will use', 'done').waitFor();
    assert.match((await step(dialog, 'Token for the secret', 'done').textContent()) ?? '', /\d m?s$/);
    assert.match((await step(dialog, 'Call as the integration', 'done').textContent()) ?? '', /\d m?s$/);
    assert.deepEqual(
      sent.map((request) => new URL(request.url()).pathname),
      ['/v1/oauth/token', '/v1/rpc'],
    );
    for (const request of sent) assert.equal((await request.allHeaders()).cookie, undefined);
    assert.match((await sent[1]!.allHeaders()).authorization ?? '', /^Bearer /);
    assert.equal(sent[1]!.postDataJSON().method, 'rpc.discover');
  });

  test('the secret is kept nowhere, and what the test did is heard', async () => {
    const secret = (await dialog.locator('.secret code').last().textContent()) ?? '';
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    assert.ok(secret.length > 20 && !kept.includes(secret));
    await dialog.locator('[aria-live=polite]', { hasText: 'Token for the secret: done' }).waitFor();
  });

  test('a disabled integration is said, with what to do; it works again when it is enabled', async () => {
    await call('console.integrations.disable', { id: integration });
    await press();
    const token = step(dialog, 'Token for the secret', 'failed');
    await token.getByText('The integration is disabled. Enable it on its page').waitFor();
    await step(dialog, 'Call as the integration', 'not yet').waitFor();
    await call('console.integrations.enable', { id: integration });
    await press();
    await step(dialog, 'Call as the integration', 'done').waitFor();
  });

  test('M1 a Basic pair makes the call alone, and connects to the broker; once revoked it is refused in words', async () => {
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await makeCredential(page, 'Basic pair');
    const sent = await sentWhile(async () => {
      await press();
      await step(dialog, 'Call as the integration', 'done').waitFor();
    });
    assert.equal(sent.length, 1);
    const connected = step(dialog, 'Connection to the MQTT broker', 'done');
    await connected.waitFor();
    assert.match((await connected.textContent()) ?? '', /\d m?s$/);
    assert.match((await sent[0]!.allHeaders()).authorization ?? '', /^Basic /);
    assert.equal((await sent[0]!.allHeaders()).cookie, undefined);
    const { credentials } = (await call('console.credentials.list', { integration })) as {
      credentials: { id: string; type: string }[];
    };
    const { id } = credentials.find(({ type }) => type === 'basic-auth')!;
    await call('console.credentials.revoke', { id });
    await press();
    await step(dialog, 'Call as the integration', 'failed').getByText('Create a new one.').waitFor();
    await step(dialog, 'Connection to the MQTT broker', 'not yet').waitFor();
  });

  test('a connection test is no program that has signed in; a program is seen by itself, also when its credential is gone', async () => {
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    const tested = page.getByRole('listitem').filter({ hasText: 'a connection test does not count' });
    await tested.getByText(': not yet').waitFor({ state: 'attached' });
    await page.getByText('connection-test').first().waitFor();
    const { credential, file } = (await call('console.credentials.create', {
      integration,
      type: 'basic-auth',
      label: 'PLC',
    })) as { credential: { id: string }; file: { credentials: { clientSecret: string } } };
    const authorization = `Basic ${btoa(`${integration}:${file.credentials.clientSecret}`)}`;
    const answer = await fetch(`${service.url}/v1/rpc`, {
      method: 'POST',
      headers: { authorization, 'x-api-version': '1.2', 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'rpc.discover' }),
    });
    assert.equal(answer.status, 200);
    await tested.getByText(': done').waitFor({ state: 'attached' });
    await page
      .getByRole('row', { name: /PLC/ })
      .getByText(/just now|s ago/)
      .first()
      .waitFor();
    await call('console.credentials.revoke', { id: credential.id });
    await page.reload();
    await page
      .locator('dt', { hasText: 'Last seen' })
      .locator('+ dd')
      .getByText(/just now|s ago/)
      .waitFor();
    await makeCredential(page, 'Basic pair');
  });

  test('M4d the page shows connections over MQTT and the messages of the last minute; a program is seen by them', async () => {
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    const { file } = (await call('console.credentials.create', {
      integration,
      type: 'basic-auth',
      label: 'Board',
    })) as { file: { credentials: { clientSecret: string } } };
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${service.mqttPort}`, {
      username: integration,
      password: file.credentials.clientSecret,
      clientId: 'board-1',
    });
    await client.publishAsync('value/board/temperature', '21.5', { qos: 1 });
    await client.publishAsync('value/board/temperature', 'warm', { qos: 1 });
    const fact = page.locator('dt', { hasText: 'MQTT' }).locator('+ dd');
    const words = '1 connection, in the last minute 2 messages received (1 rejected), 0 delivered';
    await fact.getByText(words).waitFor();
    await page.getByRole('row', { name: /Board/ }).getByText('MQTT board-1').waitFor();
    await page.evaluate(() => scrollTo(0, 0));
    await page.screenshot({ path: `${shots}integration-mqtt.png` });
    await client.endAsync();
    await fact.getByText('0 connections').waitFor();
    await makeCredential(page, 'Basic pair');
    await press();
    await step(dialog, 'Connection to the MQTT broker', 'done').waitFor();
  });

  test('no barrier in either theme, and nothing cut off on a telephone', async () => {
    for (const [width, theme] of [
      [1440, 'light'],
      [1440, 'dark'],
      [390, 'light'],
      [390, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 844 });
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      await page.waitForTimeout(500);
      await page.screenshot({ path: `${shots}connection-${width}-${theme}.png` });
      const barriers = await barriersOf(page, {}, { include: '[role=dialog]' });
      assert.deepEqual(barriers, [], `${width} ${theme}`);
      const cut = await dialog.evaluate((of) => of.scrollWidth - of.clientWidth);
      assert.ok(cut <= 0, `${cut} px are cut off at ${width}`);
    }
    assert.deepEqual(browser.complaints, []);
  });

  test('where the configured address is another one it is said, and nothing is sent there', async () => {
    const far = await startService(['--base-url', 'http://plant.example']);
    const near = { ...far, url: far.listensAt.replace(/\/$/, '') };
    const other = await startBrowser(near.url);
    try {
      await setUp(near, other.context, false);
      const of = await other.newPage();
      await of.goto(`${near.url}/#/welcome`);
      await of.getByRole('button', { name: 'Create it with a credential' }).click();
      const shown = of.getByRole('dialog');
      await shown.getByRole('button', { name: 'Test the connection' }).click();
      const address = step(shown, 'Address that programs will use', 'with a warning');
      await address.getByText(`start the service with --base-url ${near.url}.`).waitFor();
      await shown.getByText('The credential works at the address of your browser.').waitFor();
      assert.deepEqual(other.complaints, []);
    } finally {
      await other.stop();
      await far.stop();
    }
  });

  test('each way to fail has its advice', () => {
    const http = (status: number, retryAfterMs: number | null = null) =>
      adviceFor(new ServiceError('HTTP', { kind: 'http', method: '', status, retryAfterMs }));
    assert.match(http(401), /revoked, replaced or has expired/);
    assert.match(http(429, 2100), /Wait 3 s, then test again/);
    assert.match(http(503), /Wait, then test again/);
    assert.match(http(502), /in front of the service/);
    assert.match(http(400), /refused the request/);
    assert.match(adviceFor(new ServiceError('gone', { kind: 'network', method: '' })), /^No answer/);
    assert.match(adviceFor(new SyntaxError('<html>')), /not from this service/);
  });
});
