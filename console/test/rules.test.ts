/** Publishing rules in a browser: a rule is tried while it is written, saved, and runs; a conflict is shown; the rule is deleted. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Client, type CredentialsFile } from '@tidemark/client';
import { browser, call, openConsole, page, service } from './support/console.ts';

let integration: string;

openConsole({
  setup: 'empty',
  prepare: async () => {
    ({ id: integration } = (await call('console.integrations.create', { name: 'Mill' })) as { id: string });
    const made = await call('console.credentials.create', { integration, type: 'client-credentials' });
    const { file } = made as { file: CredentialsFile };
    const labels = { site: ['n'] };
    const signalsByInput = { 'mill/1': { name: 'One', labels }, 'mill/2': { name: 'Two' } };
    await Client.fromFile(file).call('integration.saveSignals', { integration, signalsByInput });
  },
});

interface Items {
  data: { id: string; attributes: { name: string } }[];
}

async function names(): Promise<string[]> {
  const { data } = (await call('service.selectItems')) as Items;
  return data.map(({ attributes }) => attributes.name).sort();
}

const button = (name: string) => page.getByRole('button', { name, exact: true });
const grid = (name: string) => page.getByRole('grid', { name });

suite('publishing rules', { concurrency: false }, () => {
  test('a rule is tried while it is written, and saved', async () => {
    await page.goto(`${service.url}/#/rules`);
    await page.getByRole('link', { name: 'New rule' }).first().click();
    await page.getByRole('heading', { name: 'New publishing rule' }).waitFor();
    await grid('What this rule would do now').getByText('mill/2').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('north');
    await page.getByLabel('Filter of the signals').fill('{"labels.site": "n"}');
    await page.getByLabel('Name of the item').fill('{nane}');
    await page.getByText(/unknown value "nane"/).waitFor();
    await page.getByLabel('Name of the item').fill('{labels.site|upper} {name}');
    await grid('What this rule would do now').getByText('N One').waitFor();
    await page.getByText(/^1 new item, 0 changed/).waitFor();
    await button('Save rule').click();
    await grid('Rules').getByRole('link', { name: 'north' }).waitFor();
    assert.deepEqual(await names(), [], 'saving a rule runs nothing');
  });

  test('a run makes the items, and a conflict is shown', async () => {
    await button('Run now').click();
    await page.getByText(/^1 new item, 0 changed/).waitFor();
    assert.deepEqual(await names(), ['N One']);
    const [item] = ((await call('service.selectItems')) as Items).data;
    await call('console.items.edit', { query: { filter: { id: item!.id } }, change: { name: 'By hand' } });
    await button('Preview all').click();
    await grid('What a run would do now')
      .getByText(/was changed since a rule made it/)
      .waitFor();
    await page.goto(`${service.url}/#/items/${item!.id}`);
    await page.getByRole('link', { name: 'Rule north' }).click();
    await page.getByRole('heading', { name: 'north' }).waitFor();
  });

  test('a rule is deleted; its items stay', async () => {
    await page.goto(`${service.url}/#/rules`);
    await page.getByRole('button', { name: 'Actions for north' }).click();
    await page.getByRole('menuitem', { name: 'Delete …' }).click();
    await button('Delete rule').click();
    await page
      .getByRole('heading', { name: 'No rule yet' })
      .or(page.getByText('No rule yet'))
      .first()
      .waitFor();
    assert.deepEqual(await names(), ['By hand']);
  });

  test('nothing was complained of, and nothing sent elsewhere', () => {
    assert.deepEqual(browser.complaints, []);
  });
});
