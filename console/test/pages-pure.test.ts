/** What the pages compute, without a browser: the set-up, rules, filters, exports, navigation. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { CredentialsFile, Item, PublishState, Signal } from '@tidemark/client/wire';
import { currentPage, pages } from '../src/app/pages.ts';
import { draftProblem, keepProblem, newDraft, setupOf, stepOfError } from '../src/pages/entry/draft.ts';
import { stepsOf } from '../src/pages/integrations/connection.ts';
import { auditParams } from '../src/pages/operate/audit-params.ts';
import { browserOf } from '../src/pages/people/browser.ts';
import { addPage, countTaken, isTaken, noCounts, type Page } from '../src/pages/publish/counts.ts';
import { draftOf, scopeOf } from '../src/pages/settings/retention.ts';
import { ageParams, agePlace, isByAge, readAge } from '../src/pages/signals/age-filter.ts';
import { exportResources } from '../src/pages/signals/export-signals.ts';
import { lastDay, spread } from '../src/pages/signals/half-hours.ts';
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

suite('signals by the age of their newest point', () => {
  test('an unknown age in the address is any age', () => {
    assert.deepEqual([null, 'P1D', 'silent', 'P2D'].map(readAge), ['any', 'P1D', 'silent', 'any']);
    assert.deepEqual(agePlace('mill', 'silent'), { integration: 'mill', age: 'silent', sort: 'age' });
  });
  test('the call by age is only made for an age or for the order by age', () => {
    assert.deepEqual(
      [isByAge('any', 'name'), isByAge('any', '-age'), isByAge('P1D', 'name')],
      [false, true, true],
    );
  });
  test('silent signals are asked for as such, others by how old they are', () => {
    const params = (age: Parameters<typeof readAge>[0], sort: string) => {
      const { filter: _, ...rest } = ageParams('mill', { filter: {}, sort, age: readAge(age) });
      return rest;
    };
    assert.deepEqual(params('silent', 'age'), { integration: 'mill', order: 'newest', isSilentOnly: true });
    assert.deepEqual(params('P7D', '-age'), { integration: 'mill', order: 'oldest', olderThan: 'P7D' });
    assert.deepEqual(params('any', 'age'), { integration: 'mill', order: 'newest' });
  });
});

suite('the line of the last day', () => {
  const { fromMs, endMs } = lastDay(Date.parse('2026-11-20T10:10:00Z'));
  test('it ends with the present half hour', () => {
    assert.equal(new Date(endMs).toISOString(), '2026-11-20T10:30:00.000Z');
    assert.equal(endMs - fromMs, 86_400_000);
  });
  test('values are at their half hours; others are gaps, and times outside are left out', () => {
    const times = [
      '2026-11-19T10:00:00Z',
      '2026-11-19T10:30:00Z',
      '2026-11-20T10:00:00Z',
      '2026-11-20T10:30:00Z',
    ];
    const line = spread(times, [1, 2, 3, 4], fromMs);
    assert.equal(line.length, 48);
    assert.deepEqual([line[0], line[1], line[47]], [2, null, 3]);
  });
});

suite('publishing all that match', () => {
  const states: Record<string, Pick<PublishState, 'state' | 'isItemEdited'>> = {
    a: { state: 'unpublished', isItemEdited: false },
    b: { state: 'signal-changed', isItemEdited: false },
    c: { state: 'signal-changed', isItemEdited: true },
    d: { state: 'item-edited', isItemEdited: true },
    e: { state: 'in-sync', isItemEdited: false },
  };
  const page = {
    signals: Object.keys(states).map((id) => ({ id })),
    items: new Map(),
    states,
    total: 7,
  } as unknown as Page;
  const options = { takesNew: true, takesChanged: true, takesEdited: false, isVisible: true };
  test('an edited item counts as edited even if its signal has changed too', () => {
    const { unpublished, changed, edited, inSync, seen, total } = addPage(noCounts, page, []);
    assert.deepEqual([unpublished, changed, edited, inSync, seen, total], [1, 1, 2, 1, 5, 7]);
  });
  test('pages add up, with what was created and updated', () => {
    const saved = [
      { id: 'a', created: true, updated: false },
      { id: 'b', created: false, updated: true },
      { id: 'c', created: false, updated: false },
    ];
    const counts = addPage(addPage(noCounts, page, saved), page, saved);
    assert.deepEqual([counts.seen, counts.edited, counts.created, counts.updated], [10, 4, 2, 2]);
  });
  test('edited items are only overwritten on request; what is in sync never is', () => {
    const taken = (takesEdited: boolean) =>
      Object.keys(states).filter((id) => isTaken(page.states[id], { ...options, takesEdited }));
    assert.deepEqual(taken(false), ['a', 'b']);
    assert.deepEqual(taken(true), ['a', 'b', 'c', 'd']);
    assert.equal(isTaken(undefined, options), false, 'a signal without a known state');
    const counts = addPage(noCounts, page, []);
    assert.equal(countTaken(counts, options), 2);
    assert.equal(countTaken(counts, { ...options, takesNew: false, takesEdited: true }), 3);
  });
});

test('a Basic pair is tested without a token', () => {
  const file = (type: 'basic-auth' | 'client-credentials') => ({ credentials: { type } }) as CredentialsFile;
  assert.deepEqual(stepsOf(file('basic-auth'), false), ['address', 'call']);
  assert.deepEqual(stepsOf(file('basic-auth'), true), ['address', 'call', 'mqtt']);
  assert.deepEqual(stepsOf(file('client-credentials'), true), ['address', 'token', 'call']);
});
