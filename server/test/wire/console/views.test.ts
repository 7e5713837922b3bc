/** console.views.*: saved views, through the whole service. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adaAt, type Browser, consoleOfFile, vicAt } from '../../support/browser.ts';
import { startService } from '../../support/service.ts';

const { service, ada, vic } = await consoleOfFile({ limits: { savedViewsMax: 3 } });

interface View {
  id: string;
  name: string;
  query: string;
  owner: { name: string | null };
  mine: boolean;
  createdAt: string;
  updatedAt: string;
}

const listed = async (browser: Browser) => (await browser.result('console.views.list')).views as View[];
const names = async (browser: Browser) => (await listed(browser)).map(({ name, mine }) => `${name} ${mine}`);

test('A5g every person saves views and sees those of all, by name', async () => {
  const saved = await vic.result('console.views.save', { name: 'Tanks', query: 'items=a%2Cb&from=-P1D' });
  assert.deepEqual([saved.owner.name, saved.mine], ['Vic', true]);
  await ada.result('console.views.save', { name: 'Boilers', query: '' });
  await ada.result('console.views.save', { name: 'Tanks', query: 'items=c' });
  assert.deepEqual((await names(vic)).sort(), ['Boilers false', 'Tanks false', 'Tanks true']);
  assert.deepEqual(
    (await listed(ada)).map(({ name }) => name),
    ['Boilers', 'Tanks', 'Tanks'],
  );
});

test('A5g saving under a name again replaces one’s own view and no other', async () => {
  service.clock.advance(60);
  const again = await vic.result('console.views.save', { name: 'Tanks', query: 'items=z' });
  assert.notEqual(again.createdAt, again.updatedAt);
  assert.deepEqual((await listed(vic)).map(({ query }) => query).sort(), ['', 'items=c', 'items=z']);
});

test('A5g there are so many views at most, and what is no view is refused at its path', async () => {
  const { error } = await vic.call('console.views.save', { name: 'One more', query: '' });
  assert.equal(error?.code, -32009);
  const wrong = [
    [{ name: '', query: '' }, 'name'],
    [{ name: ' x', query: '' }, 'name'],
    [{ name: 'x'.repeat(129), query: '' }, 'name'],
    [{ name: 'x\ny', query: '' }, 'name'],
    [{ name: 'x', query: 'a b' }, 'query'],
    [{ name: 'x', query: 'é' }, 'query'],
    [{ name: 'x', query: 'x'.repeat(8193) }, 'query'],
  ] as const;
  for (const [params, path] of wrong) {
    const answer = await vic.call('console.views.save', params);
    assert.deepEqual(Object.keys(answer.error?.data.params ?? {}), [path], JSON.stringify(params));
  }
});

test('A5g a viewer removes own views, an administrator any, and that is in the audit', async () => {
  const views = await listed(vic);
  const boilers = views.find(({ name }) => name === 'Boilers') as View;
  const mine = views.find(({ mine }) => mine) as View;
  const refused = await vic.call('console.views.delete', { id: boilers.id });
  assert.deepEqual(Object.keys(refused.error?.data.params ?? {}), ['id']);
  await ada.result('console.views.delete', { id: boilers.id });
  const audit = async () =>
    (await ada.result('console.audit.list', { filter: { action: 'view.delete' } })).rows;
  assert.deepEqual(await audit(), []);
  await ada.result('console.views.delete', { id: mine.id });
  const rows = await audit();
  assert.deepEqual([rows.length, rows[0].target, rows[0].change.name], [1, mine.id, ['Tanks', null]]);
  assert.deepEqual(await names(ada), ['Tanks true']);
});

test('A5g the view of a deleted person stays', async () => {
  await vic.result('console.views.save', { name: 'Left', query: 'items=q' });
  const people = (await ada.result('console.people.list')).people as { id: string; name: string }[];
  await ada.result('console.people.delete', { id: people.find(({ name }) => name === 'Vic')?.id });
  await service.settle();
  const left = (await listed(ada)).find(({ name }) => name === 'Left');
  assert.deepEqual([left?.owner.name, left?.query], [null, 'items=q']);
});

test('A5g one person cannot use up the views of all', async () => {
  const small = await startService({ limits: { savedViewsMax: 3, savedViewsPerPersonMax: 2 } });
  try {
    const other = await adaAt(small);
    const one = await vicAt(small);
    for (const name of ['a', 'b']) await one.result('console.views.save', { name, query: '' });
    const refused = await one.call('console.views.save', { name: 'c', query: '' });
    assert.equal(refused.error?.code, -32009);
    assert.match(refused.error?.message ?? '', /you have 2 saved views, which is the limit/);
    await one.result('console.views.save', { name: 'a', query: 'items=x' });
    await other.result('console.views.save', { name: 'c', query: '' });
  } finally {
    await small.close();
  }
});
