/** The first run, signing in, and the pages of signals and of administration in both themes and two widths: nothing serious for axe, nothing cut off, no error; with SHOTS=1 a picture of each. */
import { suite, test } from 'node:test';
import { startBrowser } from './support/chromium.ts';
import { browser, openConsole, page, service } from './support/console.ts';
import { fillIn, type Places } from './support/every-page.ts';
import { examine, examineAll, reportFound } from './support/examine.ts';
import { setUp } from './support/people.ts';

let places: Places;

openConsole({ setup: 'none' });

suite('pages', { concurrency: false }, () => {
  test('the first run', async () => {
    await page.goto(`${service.url}/`);
    await page.getByRole('heading', { name: 'Set up Tidemark' }).waitFor();
    await examine('setup');
    await walkSetup();
  });

  test('signing in', async () => {
    places = await fillIn(await setUp(service, browser.context, true));
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

  test('every page of integrations, signals and publishing', () => examineAll(places.signals));

  test('every page of administration', () => examineAll(places.administration));

  reportFound();
});

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
