/** What the pages compute, without a browser: the set-up, rules, filters, exports, navigation. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Item, Signal } from '@tidemark/client/wire';
import { currentPage, pages } from '../src/app/pages.ts';
import { draftProblem, keepProblem, newDraft, setupOf, stepOfError } from '../src/pages/entry/draft.ts';
import { auditParams } from '../src/pages/operate/audit-params.ts';
import { browserOf } from '../src/pages/people/browser.ts';
import { draftOf, scopeOf } from '../src/pages/settings/retention.ts';
import { exportResources } from '../src/pages/signals/export-signals.ts';
import { matchPath } from '../src/platform/router/place.ts';
import { RpcError } from '../src/platform/rpc/rpc-error.ts';

suite('the set-up form', () => {
  const draft = {
    ...newDraft({ name: 'Tidemark', color: '#0b7285', timeZone: 'UTC' }),
    code: ' 1234 ',
    name: ' Ada ',
    password: 'a tide rises twice a day',
    again: 'a tide rises twice a day',
  };
  test('it starts with the name and colour of the instance, and keeps points forever', () => {
    const fresh = newDraft({ name: 'Harbour', color: '#2563c9', timeZone: 'UTC' });
    assert.equal(fresh.instanceName, 'Harbour');
    assert.equal(fresh.color, '#2563c9');
    assert.equal(fresh.keep, 'forever');
  });
  test('each missing field has its error', () => {
    assert.equal(draftProblem(draft), null);
    const problems = draftProblem({ ...draft, code: ' ', name: '', password: 'short', again: 'other' });
    assert.deepEqual(Object.keys(problems ?? {}), ['code', 'name', 'password', 'again']);
    assert.match(problems?.password ?? '', /12 characters, got 5/);
  });
  test('what is sent is trimmed, without the repeated password and the rule', () => {
    const { timeZone: _, ...sent } = setupOf(draft);
    assert.deepEqual(sent, {
      code: '1234',
      name: 'Ada',
      password: 'a tide rises twice a day',
      instanceName: 'Tidemark',
      color: '#0b7285',
      demo: false,
    });
  });
  const lengths = ['forever', 'P90D', 'P1Y6M', 'PT36H', 'p2w'];
  for (const keep of lengths)
    test(`points can be kept ${keep}`, () => assert.equal(keepProblem(keep), undefined));
  for (const keep of ['', 'P', 'PT', 'soon', '90', 'P1.5D'])
    test(`“${keep}” is no length`, () => assert.match(keepProblem(keep) ?? '', /duration such as P180D/));
  test('an error opens the step that has its field', () => {
    const error = (status: number, params: Record<string, string[]>) =>
      new RpcError('no', { status, params });
    assert.equal(stepOfError(error(401, {})), 0, 'a wrong code');
    assert.equal(stepOfError(error(400, { password: ['short'] })), 0);
    assert.equal(stepOfError(error(400, { timeZone: ['unknown'] })), 1);
    assert.equal(stepOfError(error(500, {})), 2);
    assert.equal(stepOfError(new Error('lost')), 2);
  });
});

suite('retention rules', () => {
  const names = new Map([
    ['a', 'Pump house'],
    ['b', 'Mill'],
  ]);
  test('a new one is for all signals and 400 days, with the first integration at hand', () => {
    const draft = draftOf(null, names);
    assert.equal(scopeOf(draft), 'all');
    assert.equal(draft.keep, 'P400D');
    assert.equal(scopeOf({ ...draft, kind: 'integration' }), 'integration:a');
  });
  test('a label is written without the spaces around it', () => {
    const draft = {
      ...draftOf(null, new Map()),
      kind: 'label',
      key: ' site ',
      value: 'North shore ',
    } as const;
    assert.equal(scopeOf(draft), 'label:site=North shore');
  });
  test('an existing one keeps its length', () =>
    assert.equal(draftOf({ scope: 'all', keep: 'P7D' }, names).keep, 'P7D'));
});

suite('the filter of the audit log', () => {
  const params = (query: string, zone = 'Europe/Berlin') => auditParams(new URLSearchParams(query), zone);
  test('empty fields and other keys are left out', () =>
    assert.deepEqual(params('action=+credential.revoke+&actor=+&sort=x'), {
      filter: { action: 'credential.revoke' },
    }));
  test('times are those of the zone', () =>
    assert.deepEqual(params('from=2026-07-01T00:00&until=2026-11-20T10:30'), {
      filter: {},
      from: '2026-06-30T22:00:00.000Z',
      until: '2026-11-20T09:30:00.000Z',
    }));
  test('a time that is only half entered is left out', () =>
    assert.deepEqual(params('from=2026-07'), { filter: {} }));
});

suite('browsers by their user agents', () => {
  const cases = [
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0',
      'Edge on Windows',
    ],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Safari/604.1', 'Safari on iPhone'],
    ['curl/8.9', 'curl/8.9'],
    ['', 'unknown'],
  ] as const;
  for (const [agent, name] of cases) test(name, () => assert.equal(browserOf(agent), name));
});

suite('the export of a list', () => {
  const signal = (id: string): Signal =>
    ({
      type: 'signals',
      id,
      attributes: {
        name: `Pump "${id}"`,
        description: '',
        valueType: 'numeric',
        sourceType: 'measurement',
        engUnit: '°C',
        sampleInterval: 'PT1M',
        gapDetection: null,
        labels: { site: ['North', 'South'] },
        enumValues: {},
        input: `pump/${id}`,
      },
      relationships: { item: { data: null }, integration: { data: null } },
      meta: {
        annotations: {},
        attributesHash: '',
        relationshipsHash: '',
        createdAt: '2026-01-01',
        updatedAt: '2026-01-02',
      },
    }) as unknown as Signal;
  test('all pages are one file with one head, and maps are JSON', async () => {
    const all = Array.from({ length: 1001 }, (_, i) => signal(String(i)));
    const asked: number[] = [];
    const csv = await exportResources(async (skip, limit) => {
      asked.push(skip);
      return { rows: all.slice(skip, skip + limit) };
    });
    const lines = csv.trimEnd().split('\r\n');
    assert.deepEqual(asked, [0, 1000]);
    assert.equal(lines.length, 1 + 1001);
    assert.match(lines[0]!, /^id,input,item,name,description/);
    assert.match(lines[1]!, /^0,pump\/0,,"Pump ""0""",,numeric,measurement,°C,PT1M,,/);
    assert.ok(lines[1]!.includes('"{""site"":[""North"",""South""]}"'));
  });
  test('of items, whether they are visible; nothing at all makes an empty file', async () => {
    const item = { ...signal('x'), type: 'items' } as unknown as Item;
    const csv = await exportResources(async () => ({
      rows: [{ ...item, attributes: { ...item.attributes, visible: false } }],
    }));
    assert.match(csv, /^id,visible,name/);
    assert.match(csv, /\r\nx,false,/);
    assert.equal(await exportResources(async () => ({ rows: [] })), '');
  });
});

suite('the list of pages', () => {
  test('no path and no key is there twice', () => {
    for (const field of ['path', 'key'] as const) {
      const values = pages.flatMap((page) => page[field] ?? []);
      assert.equal(new Set(values).size, values.length, field);
    }
  });
  test('every page of the navigation has an icon; those with parameters are not in it', () => {
    for (const { path, group, icon } of pages) {
      if (group) assert.ok(icon, path);
      if (path.includes(':')) assert.equal(group, undefined, path);
    }
  });
  test('only one page matches each path', () => {
    for (const path of ['/', '/signals', '/signals/a/b', '/items/x', '/integrations/x'])
      assert.equal(pages.filter((page) => matchPath(page.path, path)).length, 1, path);
  });
  test('a page below another one is marked at that one', () => {
    const shown = pages.filter(({ group }) => group);
    const titleAt = (path: string) => currentPage(shown, path)?.title;
    assert.equal(titleAt('/'), 'Overview');
    assert.equal(titleAt('/signals/a/b'), 'Signals');
    assert.equal(titleAt('/settings'), 'Settings');
    assert.equal(titleAt('/itemsx'), undefined);
  });
});
