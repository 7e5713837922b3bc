/** The manual in a browser: from the console to a page, by its search, and under the policy of the service. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { browser, openConsole, page, service } from './support/console.ts';

openConsole();

suite('the manual', { concurrency: false }, () => {
  test('the navigation leads to it, and its search to a heading', async () => {
    await page.goto(service.url);
    const opened = page.context().waitForEvent('page');
    await page.getByRole('link', { name: 'Manual' }).click();
    const manual = await opened;
    await manual.getByRole('heading', { name: 'The manual of Tidemark' }).waitFor();
    const box = manual.getByRole('searchbox');
    // The page is drawn before its program runs, which opens the search.
    while (!(await box.isVisible())) {
      await manual
        .getByRole('button', { name: 'Search' })
        .first()
        .click({ timeout: 2000 })
        .catch(() => null);
      await box.waitFor({ timeout: 2000 }).catch(() => null);
    }
    await box.fill('movavg');
    await manual
      .getByRole('option', { name: /movavg/ })
      .first()
      .click();
    await manual.getByRole('heading', { name: /movavg/ }).waitFor();
    assert.match(manual.url(), /docs\/reference\/functions/);
    await manual.close();
    assert.deepEqual(browser.complaints, []);
  });
});
