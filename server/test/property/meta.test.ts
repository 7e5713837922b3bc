/** Any MetaStore is the memory one: random data, random changes, random filters and orders, the same answers. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import type { ItemCalculation } from '#model/calculation';
import type { Comparison, FieldPath, Filter, ResourceQuery, ScalarField } from '#model/filter';
import type { Attributes, Item, Signal } from '#model/signal';
import { sqliteDialect } from '#storage/meta/dialect';
import type { SearchPlan } from '#storage/meta/search';
import { openSqlMetaStore } from '#storage/meta/sql-meta-store';
import type { FedItem, MetaStore, NewSignal } from '#storage/meta-store';
import { MemoryMetaStore } from '../memory-store/meta-store.ts';
import { DatabaseSyncRunner } from '../support/database-sync-runner.ts';
import { KeptLog } from '../support/world.ts';

let directory = '';
let runner: DatabaseSyncRunner;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tidemark-meta-'));
});

after(() => rm(directory, { recursive: true }));

const plain = { noNullPrototype: true };

/** Few different texts, so that they meet; all the odd ones among them. */
const texts = [
  '',
  'a',
  'A',
  'b',
  'ab',
  "it's",
  '"',
  '%',
  '_',
  '\\',
  '日本',
  '\ue000',
  '\u{1f600}',
  '\u0001',
  'é',
  'é',
  '1',
  '01',
  'null',
  '$',
  "'; drop table signal; --",
];
const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...texts) },
  {
    weight: 1,
    arbitrary: fc
      .string({ unit: 'binary', maxLength: 8 })
      .filter((made) => made.isWellFormed() && !made.includes('\0')),
  },
);
const keys = ['a', 'b', '__proto__', 'constructor', 'a/b', '1', '10', '-', '_'];
const key = fc.constantFrom(...keys);
const duration = fc.constantFrom(null, 1, 500_000, 60_000_000);
const dateMs = fc.integer({ min: 0, max: 3 });
const ids = Array.from({ length: 12 }, (_, i) => `${'0'.repeat(18)}${String(i).padStart(2, '0')}`);
const integrations = ids.slice(0, 3);

function mapOf<V>(value: fc.Arbitrary<V>): fc.Arbitrary<ReadonlyMap<string, V>> {
  return fc.array(fc.tuple(key, value), { maxLength: 4 }).map((entries) => new Map(entries));
}

const labelSet = fc
  .uniqueArray(text, { maxLength: 3 })
  .map((values) => values.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));

const attributes: fc.Arbitrary<Attributes> = fc.record(
  {
    name: text,
    description: text,
    valueType: fc.constantFrom('numeric', 'enum'),
    sourceType: fc.constantFrom('measurement', 'aggregation', 'prediction'),
    engUnit: text,
    sampleIntervalUs: duration,
    gapDetectionUs: duration,
    labels: mapOf(labelSet),
    enumValues: mapOf(text),
  },
  plain,
);

const shared = {
  id: fc.constantFrom(...ids),
  attributes,
  annotations: mapOf(text),
  createdAtMs: dateMs,
  updatedAtMs: dateMs,
};

const signal: fc.Arbitrary<NewSignal> = fc.record(
  {
    ...shared,
    integration: fc.constantFrom(...integrations),
    input: fc.constantFrom('x', 'y', 'z', 'X', 'a/b', '1', '10', '__proto__'),
    item: fc.option(fc.constantFrom(...ids)),
  },
  plain,
);

const calculation: fc.Arbitrary<ItemCalculation> = fc.record(
  {
    formula: fc.constantFrom('a', 'a / "\\'),
    inputs: fc.constantFrom(
      [],
      [{ item: 'x', alias: 'a', aggregation: 'avg', state: null, lead: 0, lag: -1 }],
    ),
    intervalUs: fc.constantFrom(1, 60e6),
    version: fc.constantFrom(1, 7),
  },
  plain,
);

const item: fc.Arbitrary<Item> = fc.record(
  { ...shared, visible: fc.boolean(), calculation: fc.option(calculation) },
  plain,
);

type Command =
  | { do: 'insert signals'; signals: NewSignal[] }
  | { do: 'insert items'; items: Item[] }
  | { do: 'update signals'; signals: NewSignal[] }
  | { do: 'update items'; items: Item[] }
  | { do: 'delete integration'; id: string };

const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    do: fc.constant('insert signals' as const),
    signals: fc.uniqueArray(signal, { maxLength: 6, selector: ({ id }) => id }),
  }),
  fc.record({
    do: fc.constant('insert items' as const),
    items: fc.uniqueArray(item, { maxLength: 6, selector: ({ id }) => id }),
  }),
  fc.record({
    do: fc.constant('update signals' as const),
    signals: fc.uniqueArray(signal, { maxLength: 6, selector: ({ id }) => id }),
  }),
  fc.record({
    do: fc.constant('update items' as const),
    items: fc.uniqueArray(item, { maxLength: 6, selector: ({ id }) => id }),
  }),
  fc.record({ do: fc.constant('delete integration' as const), id: fc.constantFrom(...integrations) }),
);

const scalarFields: ScalarField[] = [
  'id',
  'name',
  'description',
  'valueType',
  'sourceType',
  'engUnit',
  'sampleInterval',
  'gapDetection',
  'createdAt',
  'updatedAt',
];
const own: Record<'signals' | 'items', ScalarField[]> = {
  signals: ['input', 'item', 'integration'],
  items: ['visible'],
};

function pathOf(kind: 'signals' | 'items'): fc.Arbitrary<FieldPath> {
  const entry = fc.record({
    field: fc.constantFrom('labels' as const, 'annotations' as const, 'enumValues' as const),
    key: fc.oneof({ weight: 5, arbitrary: key }, { weight: 1, arbitrary: text }),
  });
  return fc.oneof(fc.record({ field: fc.constantFrom(...scalarFields, ...own[kind]) }), entry);
}

const ordered = fc.oneof(text, fc.constantFrom(...ids), fc.constantFrom(0, 1, 2, 500_000, 60_000_000));
const operand = fc.oneof(
  ordered,
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom('enum', 'measurement', 'x'),
);
const patterns = ['', 'a', '^a', '(?i)A', '.', '^.$', '[^a]', '\\pL', '%', "'", 'a|b', '\\x{1f600}', '^$'];

function comparisonOf(kind: 'signals' | 'items'): fc.Arbitrary<Comparison> {
  const path = pathOf(kind);
  return fc.oneof(
    fc.record({ op: fc.constantFrom('eq' as const, 'ne' as const), path, value: operand }),
    fc.record({
      op: fc.constantFrom('lt' as const, 'lte' as const, 'gt' as const, 'gte' as const),
      path,
      value: ordered,
    }),
    fc.record({
      op: fc.constantFrom('in' as const, 'nin' as const),
      path,
      values: fc.array(operand, { maxLength: 4 }),
    }),
    fc.record({ op: fc.constant('regex' as const), path, pattern: fc.constantFrom(...patterns) }),
    fc.record({ op: fc.constant('exists' as const), path, value: fc.boolean() }),
    fc.record({
      op: fc.constant('eq' as const),
      path: fc.record({ field: fc.constant('labels' as const), key }),
      value: text,
    }),
  );
}

function queryOf(kind: 'signals' | 'items'): fc.Arbitrary<ResourceQuery> {
  const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 3, depthSize: 'small', withCrossShrink: true },
      comparisonOf(kind),
      fc.record({
        op: fc.constantFrom('and' as const, 'or' as const),
        filters: fc.array(tie('filter'), { maxLength: 3 }),
      }),
    ),
  }));
  return fc.record({
    filter,
    sort: fc.array(fc.record({ path: pathOf(kind), descending: fc.boolean() }), { maxLength: 2 }),
    limit: fc.constantFrom(0, 1, 2, 50),
    skip: fc.constantFrom(0, 0, 1, 3),
    total: fc.boolean(),
  });
}

/** What a store answers to a command, or that it refuses. */
async function run(store: MetaStore, command: Command): Promise<unknown> {
  const work = store.write(async (tx): Promise<unknown> => {
    if (command.do === 'insert signals') return tx.signals.insert(command.signals);
    if (command.do === 'insert items') return tx.items.insert(command.items);
    if (command.do === 'update items') return tx.items.update(command.items);
    if (command.do === 'delete integration') return tx.integrations.deleteWithSignals(command.id);
    return tx.signals.update(command.signals.map((one): Signal => ({ ...one, number: 0 })));
  });
  return work.catch(() => 'refused');
}

test('R13, R14 SQL answers as memory does, whatever is stored and asked', async () => {
  let runs = 0;
  const cases = fc.record({
    commands: fc.array(command, { minLength: 1, maxLength: 6 }),
    signals: fc.array(fc.tuple(queryOf('signals'), fc.option(fc.constantFrom(...integrations))), {
      minLength: 5,
      maxLength: 10,
    }),
    items: fc.array(queryOf('items'), { minLength: 5, maxLength: 10 }),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ commands, signals, items }) => {
      const walked = (plan: SearchPlan): SearchPlan => ({ ...plan, direct: null, rows: 2 });
      runner = new DatabaseSyncRunner(join(directory, `${runs++}.db`), runs % 2 === 0 ? walked : undefined);
      const sql = await openSqlMetaStore({
        runner,
        dialect: sqliteDialect,
        log: new KeptLog(),
        keepsAnswers: true,
      });
      const memory = new MemoryMetaStore();
      try {
        for (const one of commands) assert.deepEqual(await run(sql, one), await run(memory, one));
        for (const [query, integration] of signals) {
          assert.deepEqual(
            await sql.signals.select(query, integration),
            await memory.signals.select(query, integration),
          );
        }
        for (const query of items) {
          assert.deepEqual(await sql.items.select(query), await memory.items.select(query));
          assert.deepEqual(await sql.items.selectFed(query), await memory.items.selectFed(query));
        }
        assert.deepEqual(await sql.signals.ofItems(ids), await memory.signals.ofItems(ids));
        assert.deepEqual(sorted(await sql.items.fedById(ids)), sorted(await memory.items.fedById(ids)));
      } finally {
        await sql.close();
        runner.close();
      }
    }),
    { numRuns: 300 },
  );
});

function sorted(items: FedItem[]): FedItem[] {
  return items.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}
