/** Sessions in the browser: signing in and out, sessions that end, other tabs, other persons, one's own password. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import type { Session } from '../src/platform/session/session.ts';
import { browser, call, openConsole, page, service } from './support/console.ts';
import { ada, callAs } from './support/people.ts';

const grace = { name: 'Grace', password: 'ships sail on the tide' } as const;

openConsole({
  setup: 'empty',
  prepare: async () => {
    await call('console.integrations.create', { name: 'Pump house' });
    await call('console.people.create', { ...grace, role: 'viewer' });
  },
});

suite('sessions', { concurrency: false }, () => {
  test('a service that cannot be reached at the start is said, and asked again with a button', async () => {
    await page.route('**/console/session', (route) => route.abort());
    await page.goto(service.url);
    await page.getByText('The service cannot be reached. Is it running').waitFor();
    await page.unroute('**/console/session');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });

  test('a page whose code could not be loaded says so, and is loaded again with a button', async () => {
    await page.route(/health-page/, (route) => route.abort());
    await go(page, '#/health');
    await page.getByRole('heading', { name: 'This page has failed' }).waitFor();
    await page.unroute(/health-page/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor();
  });

  test('a link is opened after signing in, with all that is in it', async () => {
    await browser.context.clearCookies();
    await page.goto(`${service.url}/#/usage?days=7`);
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.waitForFunction(() => document.title === 'Sign in · Harbour works');
    await signIn(page, ada);
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    assert.ok(await page.getByRole('radio', { name: '7 days' }).isChecked());
  });

  test('a form without name or password is not sent; a wrong password leaves the name', async () => {
    await signOut(page, ada.name);
    let sent = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/console/session')) sent += 1;
    });
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill(` ${grace.name} `);
    await page.keyboard.press('Enter');
    assert.equal(sent, 0);
    await page.getByLabel('Password').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('The name or the password is wrong').waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'Name' }).inputValue(), ` ${grace.name} `);
    await page.getByLabel('Password').fill(grace.password);
    await page.keyboard.press('Enter');
    await person(page, 'Grace, viewer').waitFor();
    assert.equal(sent, 2, 'one wrong and one right attempt');
  });

  test('a viewer is not led to pages for administrators, and has none at their addresses', async () => {
    await page.goto(`${service.url}/#/people`);
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('account');
    await page.getByRole('menuitem', { name: 'Account' }).first().waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('people');
    await page.getByRole('menuitem', { name: 'Search signals for “people”' }).waitFor();
    assert.equal(await page.getByRole('menuitem', { name: /^People/ }).count(), 0);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
  });

  test('one’s own password: what is wrong stands at its field, and other sessions end with the change', async () => {
    const current = cookieOf(await browser.context.cookies());
    await browser.context.clearCookies();
    const other = await enter(grace);
    await browser.context.clearCookies();
    await browser.context.addCookies([current]);
    await go(page, '#/account');
    const sessions = page.getByRole('grid', { name: 'Your sessions' });
    await sessions.getByText('this one').waitFor();
    await sessions.getByRole('button', { name: 'Sign out' }).first().waitFor();
    const change = page.getByRole('button', { name: 'Change password' });
    const next = 'the moon moves all seas';
    await page.getByLabel('Current password').fill('not it at all');
    await page.getByLabel('New password', { exact: true }).fill(next);
    await page.getByLabel('New password again').fill('the moon');
    await page.getByText('The two passwords differ.').waitFor();
    assert.ok(await change.isDisabled());
    await page.getByLabel('New password again').fill(next);
    await change.click();
    await page.locator('.field', { hasText: 'Current password' }).locator('.field-error').waitFor();
    await page.getByLabel('Current password').fill(grace.password);
    await change.click();
    await page.getByText('Password changed; your other sessions have ended').waitFor();
    assert.equal(await page.getByLabel('New password', { exact: true }).inputValue(), '');
    await sessions.getByRole('button', { name: 'Sign out' }).waitFor({ state: 'detached' });
    await page.getByLabel('Current password').fill(next);
    await page.getByLabel('New password', { exact: true }).fill(grace.password);
    await page.getByLabel('New password again').fill(grace.password);
    await change.click();
    await page.waitForFunction(() => document.querySelector<HTMLInputElement>('input')?.value === '');
    await browser.context.clearCookies();
    await browser.context.addCookies([other]);
    assert.equal((await session()).status, 'anonymous');
    await browser.context.clearCookies();
    await browser.context.addCookies([current]);
  });

  test('signing in as another person in one tab changes the person in the other', async () => {
    const tab = await browser.newPage();
    await tab.goto(`${service.url}/#/account`);
    await person(tab, 'Grace, viewer').waitFor();
    await signOut(tab, grace.name);
    await signIn(tab, ada);
    await person(tab, 'Ada, admin').waitFor();
    await go(page, '#/integrations');
    await person(page, 'Ada, admin').waitFor();
    await page.getByRole('link', { name: 'Pump house' }).waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    await page.getByRole('button', { name: 'New integration' }).waitFor();
    await signOut(tab, ada.name);
    await go(page, '#/items');
    await page.getByText('Your session has ended.').waitFor();
    await tab.close();
    await signIn(page, ada);
    await page.getByRole('heading', { name: 'Items' }).waitFor();
  });

  test('after a session has ended, the next person does not see what the first one saw', async () => {
    await go(page, '#/integrations');
    await page.getByRole('link', { name: 'Pump house' }).waitFor();
    await endSession();
    await go(page, '#/activity');
    await page.getByText('Your session has ended.').waitFor();
    await go(page, '#/integrations');
    const held: Route[] = [];
    await page.route('**/v1/rpc', (route) => void held.push(route));
    await signIn(page, grace);
    await page.getByRole('heading', { name: 'Integrations', level: 1 }).waitFor();
    await person(page, 'Grace, viewer').waitFor();
    assert.equal(await page.getByRole('link', { name: 'Pump house' }).count(), 0);
    for (const route of held) await route.continue();
    await page.unroute('**/v1/rpc');
    await page.getByRole('link', { name: 'Pump house' }).waitFor();
  });

  test('signing out of a session that is already over is signing out', async () => {
    await endSession();
    await signOut(page, grace.name);
    assert.equal(await page.getByText('Your session has ended').count(), 0);
  });

  test('too many wrong attempts are refused for some time, which is said', async () => {
    let status = 0;
    for (let attempt = 0; attempt < 15 && status !== 429; attempt++) {
      const answer = page.waitForResponse((response) => response.request().method() === 'POST');
      await signIn(page, { name: 'Mallory', password: 'wrong' });
      status = (await answer).status();
    }
    await page.getByText(/Too many wrong attempts. Try again in \d+ s/).waitFor();
  });

  test('nothing was complained of, except calls that were cut off here', () => {
    const others = browser.complaints.filter((text) => !/net::ERR_FAILED|health-page/.test(text));
    assert.deepEqual(others, []);
  });
});

const person = (of: Page, name: string) => of.getByRole('button', { name });

async function go(of: Page, place: string): Promise<void> {
  await of.evaluate((hash) => {
    location.hash = hash;
  }, place);
}

async function signIn(of: Page, { name, password }: { name: string; password: string }): Promise<void> {
  await of.getByRole('textbox', { name: 'Name' }).fill(name);
  await of.getByLabel('Password').fill(password);
  await of.getByRole('button', { name: 'Sign in' }).click();
}

async function signOut(of: Page, name: string): Promise<void> {
  await person(of, `${name}, `).click();
  await of.getByRole('menuitem', { name: 'Sign out' }).click();
  await of.getByRole('heading', { name: 'Sign in' }).waitFor();
}

function enterAs(data: { name: string; password: string }) {
  const headers = { origin: new URL(service.url).origin };
  return browser.context.request.post(`${service.url}/console/session`, { headers, data });
}

/** Signs in without a page; the cookie of the new session, which the browser has from then on. */
async function enter(data: { name: string; password: string }) {
  assert.equal((await enterAs(data)).status(), 200);
  return cookieOf(await browser.context.cookies());
}

type Cookie = Awaited<ReturnType<typeof browser.context.cookies>>[number];

function cookieOf(cookies: readonly Cookie[]): Cookie {
  const [cookie] = cookies;
  assert.ok(cookie, 'no session');
  return cookie;
}

/** The session as the service knows it. */
async function session(): Promise<Session> {
  return (await browser.context.request.get(`${service.url}/console/session`)).json();
}

/** Ends the session of the browser without the page. */
async function endSession(): Promise<void> {
  const { csrfToken = '' } = await session();
  const call = (method: string, params: object = {}) =>
    callAs(service, browser.context, csrfToken, method, params);
  const { sessions } = (await call('console.sessions.list')) as {
    sessions: { id: string; current: boolean }[];
  };
  await call('console.sessions.revoke', { id: sessions.find(({ current }) => current)?.id });
}
