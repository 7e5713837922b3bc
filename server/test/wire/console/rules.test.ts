/** console.rules.*: publishing rules, through the whole service. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { consoleOfFile } from '../../support/browser.ts';

const { service, ada, vic } = await consoleOfFile();
const { integration } = service;

const save = (signalsByInput: object) =>
  service.call('integration.saveSignals', { integration, signalsByInput });
const items = async () => (await service.call('service.selectItems', {}, { version: '1.2' })).result.data;
const names = async () => {
  const found: { attributes: { name: string } }[] = Object.values(await items());
  return found.map(({ attributes }) => attributes.name).sort();
};

const rule = {
  name: 'north',
  filter: { 'labels.site': 'n' },
  item: { name: '{labels.site|map:sites} {name|upper}', labels: { place: '{labels.site}', site: null } },
  maps: { sites: { n: 'North' } },
};

test('P1, P8 a rule is saved by an administrator, and signals that are saved become items', async () => {
  assert.equal((await vic.call('console.rules.save', { rule })).error?.code, -32003);
  const saved = await ada.result('console.rules.save', { rule });
  assert.deepEqual((await vic.result('console.rules.list')).rules, [saved]);
  assert.deepEqual([saved.position, saved.enabled, saved.join, saved.overwrite], [100, true, null, false]);
  await save({ a: { name: 'a', labels: { site: ['n'] } }, b: { name: 'b' } });
  assert.deepEqual(await names(), ['North A']);
  const [item] = Object.values(await items()) as { meta: { annotations: Record<string, string> } }[];
  assert.equal(item.meta.annotations['tidemark/publish/rule'], saved.id);
});

test('P6 the state of publishing knows what a rule made', async () => {
  const selected = await ada.result('admin.selectSignals', {
    integration,
    query: { filter: { input: 'a' } },
  });
  const [{ id }] = Object.values(selected.data) as { id: string }[];
  const state = async () => (await vic.result('console.publish.status', { ids: [id] })).byId[id];
  assert.equal((await state()).state, 'in-sync');
  const query = { filter: { id: (await state()).item } };
  await ada.result('console.items.edit', { query, change: { name: 'by hand' } });
  assert.equal((await state()).state, 'item-edited');
  const [{ id: known }] = (await vic.result('console.rules.list')).rules;
  const run = await ada.result('console.rules.run');
  assert.deepEqual([run.counts.conflict, run.unmatched], [1, 1]);
  assert.equal(run.outcomes[0].conflict.kind, 'edited');
  assert.equal(run.outcomes[0].item.attributes.name, 'by hand');
  await ada.result('console.rules.save', { id: known, rule: { ...rule, overwrite: true } });
  assert.equal((await ada.result('console.rules.run', { outcomes: 0 })).counts.update, 1);
  assert.deepEqual(await names(), ['North A']);
});

test('P5 a preview shows what a rule that is not saved would do', async () => {
  const draft = { name: 'others', item: { name: 'other {name}' }, filter: { input: 'b' } };
  const preview = await vic.result('console.rules.preview', { rule: draft });
  assert.equal(preview.counts.create, 1);
  const [{ action, item, signal }] = preview.outcomes;
  assert.deepEqual([action, item.id, item.attributes.name, signal.input], ['create', null, 'other b', 'b']);
  assert.deepEqual(await names(), ['North A']);
  const [{ id }] = (await vic.result('console.rules.list')).rules;
  const changed = await vic.result('console.rules.preview', { id, rule: { ...rule, item: {} } });
  assert.deepEqual([changed.counts.update, changed.outcomes[0].item.attributes.name], [1, 'a']);
  assert.equal((await vic.result('console.rules.preview')).counts.keep, 1);
});

test('P2 what is wrong with a rule is reported at its path', async () => {
  for (const [wrong, path] of [
    [{ ...rule, name: 'x', item: { name: '{nane}' } }, 'rule.item.name'],
    [{ ...rule, name: 'x', filter: { nane: 1 } }, 'rule.filter.nane'],
    [{ ...rule, name: 'x', join: { key: '{' } }, 'rule.join.key'],
    [{ ...rule }, 'rule.name'],
  ] as const) {
    const { error } = await ada.call('console.rules.save', { rule: wrong });
    assert.deepEqual(Object.keys(error?.data.params ?? {}), [path], JSON.stringify(wrong));
  }
  const unknown = await ada.call('console.rules.delete', { id: 'cbpmaq6rpn52969vfl00' });
  assert.deepEqual(Object.keys(unknown.error?.data.params ?? {}), ['id']);
});

test('P9 a deleted rule leaves its items, and the audit has the acts', async () => {
  const [{ id }] = (await vic.result('console.rules.list')).rules;
  await ada.result('console.rules.delete', { id });
  assert.deepEqual(await names(), ['North A']);
  const rows: { action: string }[] = (await ada.result('console.audit.list', { limit: 100 })).rows;
  const acts = rows.map(({ action }) => action).filter((action) => action.startsWith('rule.'));
  assert.deepEqual(acts, ['rule.delete', 'rule.publish', 'rule.save', 'rule.publish', 'rule.save']);
});
