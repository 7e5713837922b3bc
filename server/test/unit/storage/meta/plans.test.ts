/** What must be answered from an index is: the plans of the queries that run most. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import type { Comparison, Filter } from '#model/filter';
import { sqliteDialect } from '#storage/meta/dialect';
import type { Searcher, Slot } from '#storage/meta/search';
import { openSqlMetaStore } from '#storage/meta/sql-meta-store';
import type { SqlRunner, SqlValue } from '#storage/meta/sql-runner';
import type { MetaStore } from '#storage/meta-store';
import { DatabaseSyncRunner } from '../../../support/database-sync-runner.ts';
import { newId, query } from '../../../support/resources.ts';
import { KeptLog } from '../../../support/world.ts';

let directory = '';
let runner: DatabaseSyncRunner;
let store: MetaStore;
const asked: [string, readonly SqlValue[]][] = [];

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-meta-'));
  runner = new DatabaseSyncRunner(join(directory, 'meta.db'));
  const listening: SqlRunner & Searcher = {
    read: (sql, params) => {
      asked.push([sql, params]);
      return runner.read(sql, params);
    },
    search: (plan) => {
      const { page, count } = plan.direct ?? { page: plan.candidates, count: plan.end };
      for (const { sql, params } of [plan.end, plan.candidates, count, page])
        asked.push([sql, params.map(asValue)]);
      return runner.search(plan);
    },
    match: (pattern, texts) => runner.match(pattern, texts),
    follow: (sql, params) => runner.follow(sql, params),
    transaction: (work) => runner.transaction(work),
  };
  store = await openSqlMetaStore({ runner: listening, dialect: sqliteDialect, log: new KeptLog() });
});

after(async () => {
  await store.close();
  runner.close();
  await rm(directory, { recursive: true });
});

function asValue(param: SqlValue | Slot): SqlValue {
  return typeof param === 'object' && param !== null && 'slot' in param ? null : param;
}

async function planOf(ask: () => Promise<unknown>): Promise<string> {
  asked.length = 0;
  await ask();
  const [sql, params] = asked[asked.length - 1];
  const rows = await runner.read(`explain query plan ${sql}`, params);
  return rows.map(({ detail }) => detail).join('\n');
}

const labelled = (key: string, value: string): Comparison => ({
  op: 'eq',
  path: { field: 'labels', key },
  value,
});

const byLabel: [string, Filter][] = [
  ['one label', labelled('site', 'a')],
  ['two labels', { op: 'and', filters: [labelled('site', 'a'), labelled('kind', 'b')] }],
  [
    'a label and a name',
    { op: 'and', filters: [{ op: 'eq', path: { field: 'name' }, value: 'x' }, labelled('site', 'a')] },
  ],
];

it('R14 where patterns decide, candidates are read by ranges of ID', async () => {
  const pattern: Filter = { op: 'regex', path: { field: 'name' }, pattern: 'x' };
  const plan = await planOf(() => store.signals.select(query(pattern), null));
  assert.match(plan, /^SEARCH r USING INDEX sqlite_autoindex_signal_\d \(id>\? AND id<\?\)/);
  const both: Filter = { op: 'and', filters: [pattern, labelled('site', 'a')] };
  const labels = await planOf(() => store.signals.select(query(both), newId()));
  assert.match(
    labels,
    /^SEARCH d USING COVERING INDEX .* \(key=\? AND value=\? AND resource>\? AND resource<\?\)/,
  );
  assert.doesNotMatch(plan + labels, /SCAN|TEMP B-TREE/);
});

for (const [title, filter] of byLabel) {
  for (const integration of [null, newId()]) {
    it(`R14 ${title}${integration === null ? '' : ' of one integration'} begins at the label, in order of ID`, async () => {
      const plan = await planOf(() => store.signals.select(query(filter, { limit: 50 }), integration));
      assert.match(plan, /^SEARCH d USING COVERING INDEX signal_label_by_key_value_resource/);
      assert.doesNotMatch(plan, /SCAN|TEMP B-TREE/);
    });
  }
}

it('R14 items by label are found the same way', async () => {
  const plan = await planOf(() => store.items.select(query(labelled('site', 'a'), { limit: 50 })));
  assert.match(plan, /^SEARCH d USING COVERING INDEX item_label_by_key_value_resource/);
  assert.doesNotMatch(plan, /SCAN|TEMP B-TREE/);
});

it('R13 a page of an integration in order of ID is not sorted', async () => {
  const plan = await planOf(() => store.signals.select(query(undefined, { limit: 50 }), newId()));
  assert.doesNotMatch(plan, /SCAN|TEMP B-TREE/);
});

for (const [title, filter, index] of [
  ['input', { op: 'eq', path: { field: 'input' }, value: 'x' }, 'signal_by_input'],
  ['inputs', { op: 'in', path: { field: 'input' }, values: ['x', 'y'] }, 'signal_by_input'],
  ['item', { op: 'eq', path: { field: 'item' }, value: newId() }, 'signal_by_item'],
] as [string, Filter, string][]) {
  it(`R14 signals by ${title} are found by an index`, async () => {
    assert.match(
      await planOf(() => store.signals.select(query(filter), null)),
      new RegExp(`USING (COVERING )?INDEX ${index}`),
    );
  });
}

it('R13 the newest signals come from an index, without a look at all others', async () => {
  const newest = query(undefined, { sort: [{ path: { field: 'createdAt' }, descending: true }], limit: 20 });
  const plan = await planOf(() => store.signals.select(newest, null));
  assert.match(plan, /^SCAN r USING (COVERING )?INDEX signal_by_created_at_ms\n.*LAST TERM/);
});

it('R9 input keys of an integration are found by an index', async () => {
  const plan = await planOf(() => store.signals.byInput(newId(), ['a', 'b', 'c']));
  assert.match(plan, /SEARCH signal USING INDEX .*integration=\? AND input=\?/);
});

it('R14 operands are bound, never part of the SQL', async () => {
  const evil = `x' or 1=1 -- "`;
  for (const path of ['labels', 'annotations', 'enumValues'] as const) {
    for (const op of ['eq', 'ne', 'lt', 'gte'] as const) {
      asked.length = 0;
      await store.signals.select(query({ op, path: { field: path, key: evil }, value: evil }), evil);
      assert.ok(asked.every(([sql]) => !sql.includes(evil)));
    }
  }
});
