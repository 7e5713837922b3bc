/** Calculated items on the memory store (C1, C5-C8): what is refused, versions, and what other parts do with them. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { type CalculatedChange, Calculations } from '#domain/calculations/calculations';
import { Signals } from '#domain/signals/signals';
import type { CalculationInput } from '#model/calculation';
import { minuteUs } from '#model/duration';
import { AppError } from '#model/error';
import { limitDefaults } from '#model/limits';
import type { Item } from '#model/signal';
import { XidSource } from '#model/xid';
import { MemoryMetaStore } from '../../../memory-store/meta-store.ts';
import { problemsIn } from '../../../support/problems.ts';
import { integration, item, newId, query } from '../../../support/resources.ts';
import { FixedClock, SeededRandom, testAct } from '../../../support/world.ts';

let meta: MemoryMetaStore;
let clock: FixedClock;
let calculations: Calculations;
let signals: Signals;
let a: Item;
let b: Item;
const limits = {
  ...limitDefaults,
  ...{ calculatedItemsMax: 5, calculationInputsMax: 3, calculationLevelsMax: 3 },
  ...{ calculationItemsMax: 4, calculationVersionsMax: 2 },
};

beforeEach(async () => {
  meta = new MemoryMetaStore();
  clock = new FixedClock();
  const ids = new XidSource(clock, new SeededRandom(5));
  calculations = new Calculations({ meta, clock, ids, limits });
  signals = new Signals({ meta, clock, ids });
  [a, b] = [item(), item()];
  await meta.write((tx) => tx.items.insert([a, b]));
});

function input(id: string, alias: string, changes: Partial<CalculationInput> = {}): CalculationInput {
  return { item: id, alias, aggregation: 'avg', state: null, lead: 0, lag: 0, ...changes };
}

function change(formula: string, inputs: readonly CalculationInput[]): CalculatedChange {
  return { item: { name: 'c', engUnit: 'kW' }, calculation: { formula, inputs, intervalUs: minuteUs } };
}

const create = (formula: string, ...inputs: CalculationInput[]) =>
  calculations.create(testAct, change(formula, inputs));
const problemsOf = (call: Promise<unknown>) => call.then(() => assert.fail('it did not fail'), problemsIn);

test('C1 an item is made with its formula, its interval and notes that say so', async () => {
  const made = await create('a / b', input(a.id, 'a'), input(b.id, 'b', { aggregation: 'max', lag: 1 }));
  assert.deepEqual(await meta.items.byId([made.id]), [made]);
  assert.deepEqual(await calculations.list(), [made]);
  const { name, engUnit, sourceType, sampleIntervalUs } = made.attributes;
  assert.deepEqual([name, engUnit, sourceType, sampleIntervalUs], ['c', 'kW', 'aggregation', minuteUs]);
  assert.deepEqual(Object.fromEntries(made.annotations), {
    'tidemark/calculated/formula': 'a / b',
    'tidemark/calculated/inputs': `a = avg of ${a.id}; b = max of ${b.id}, lag 1`,
    'tidemark/calculated/version': '1',
  });
});

test('C1 every problem is reported with its path', async () => {
  const wrong = {
    item: { engUnit: 'x'.repeat(256) },
    calculation: {
      formula: 'a + c + gapfill(1)',
      inputs: [
        input(a.id, 'a', { lag: 1001 }),
        input(b.id, 'a'),
        input(b.id, 's', { aggregation: 'state-rate' }),
      ],
      intervalUs: 1,
    },
  } as const;
  assert.deepEqual(await problemsOf(calculations.create(testAct, wrong)), {
    'item.name': ['required'],
    'item.engUnit': ['must be at most 255 characters, got 256'],
    'inputs.1.alias': ['must be unique, but inputs.0 has the alias "a" too'],
    'inputs.0.lag': ['must be a whole number from -1000 to 1000, got 1001'],
    'inputs.2.state': ['required'],
    interval: ['must be from PT1S to PT8784H, got PT0.000001S'],
    formula: [
      'at 5: unknown name "c"; the formula of an item sees its inputs',
      'at 17: x of gapfill must be the alias of an input, as only those have a gapDetection',
    ],
  });
  assert.deepEqual(await problemsOf(create('1')), { inputs: ['must have at least one item'] });
  const four = ['a', 'b', 'c', 'd'].map((alias) => input(a.id, alias));
  assert.deepEqual(await problemsOf(create('a', ...four)), { inputs: ['must be at most 3, got 4'] });
  const absent = newId();
  assert.deepEqual(await problemsOf(create('a + b', input(a.id, 'a'), input(absent, 'b'))), {
    'inputs.1.id': [`no item has the ID "${absent}"`],
  });
});

test('C5 cycles are refused, over any number of items', async () => {
  const one = await create('a', input(a.id, 'a'));
  const two = await create('a', input(one.id, 'a'));
  const three = await create('a + b', input(two.id, 'a'), input(b.id, 'b'));
  const self = calculations.change(testAct, one.id, change('a', [input(one.id, 'a')]));
  assert.deepEqual(await problemsOf(self), {
    inputs: [`would make a cycle: ${one.id} uses ${one.id}; an item cannot use itself`],
  });
  const round = calculations.change(testAct, one.id, change('a', [input(three.id, 'a')]));
  assert.deepEqual(await problemsOf(round), {
    inputs: [
      `would make a cycle: ${one.id} uses ${three.id} uses ${two.id} uses ${one.id}; an item cannot use itself`,
    ],
  });
  const formulas = (await calculations.list()).map(({ calculation }) => calculation?.version);
  assert.deepEqual(formulas, [1, 1, 1]);
});

test('C5 levels, inputs at all levels and the number of items are bounded', async () => {
  const one = await create('a', input(a.id, 'a'));
  const two = await create('a', input(one.id, 'a'));
  const three = await create('a', input(two.id, 'a'));
  assert.deepEqual(await problemsOf(create('a', input(three.id, 'a'))), {
    inputs: ['calculated items may use others over at most 3 levels, this would make 4'],
  });
  const other = await create('a', input(b.id, 'a'));
  const deeper = calculations.change(testAct, one.id, change('a', [input(other.id, 'a')]));
  assert.deepEqual(await problemsOf(deeper), {
    inputs: [
      `calculated items may use others over at most 3 levels, this would make 4 of ${three.id}, which uses it`,
    ],
  });
  const wide = create('a + b', input(two.id, 'a'), input(other.id, 'b'));
  assert.deepEqual(await problemsOf(wide), {
    inputs: ['an item may be computed from at most 4 items at all levels, this would be 5'],
  });
  const items = [item(), item()];
  await meta.write((tx) => tx.items.insert(items));
  const [c, d] = items;
  const wide3 = [input(a.id, 'a'), input(c.id, 'b'), input(d.id, 'c')];
  await calculations.change(testAct, two.id, change('a + b', [input(one.id, 'a'), input(c.id, 'b')]));
  assert.deepEqual(await problemsOf(calculations.change(testAct, one.id, change('a + b + c', wide3))), {
    inputs: [
      `an item may be computed from at most 4 items at all levels, this would be 5 of ${three.id}, which uses it`,
    ],
  });
  await create('a', input(a.id, 'a'));
  const isConflict = (error: unknown) => error instanceof AppError && error.kind === 'conflict';
  await assert.rejects(create('a', input(a.id, 'a')), isConflict);
});

test('C7 a changed calculation is a new version; what is the same changes nothing', async () => {
  const one = await create('a', input(a.id, 'a'));
  assert.equal(await calculations.change(testAct, one.id, change('a', [input(a.id, 'a')])), one);
  clock.advance(60);
  const named = { ...change('a', [input(a.id, 'a')]), item: { name: 'other' } };
  const renamed = await calculations.change(testAct, one.id, named);
  assert.deepEqual([renamed.attributes.name, renamed.calculation?.version], ['other', 1]);
  await calculations.change(testAct, one.id, change('a * 2', [input(a.id, 'a')]));
  const last = await calculations.change(testAct, one.id, change('a * 2', [input(a.id, 'a', { lag: 1 })]));
  assert.deepEqual([last.calculation?.version, last.createdAtMs], [3, one.createdAtMs]);
  const versions = await calculations.versions(one.id);
  // The oldest is beyond the limit of this test.
  const kept = versions.map(({ calculation, actor }) => [calculation.version, calculation.formula, actor]);
  assert.deepEqual(kept, [
    [3, 'a * 2', testAct.actor],
    [2, 'a * 2', testAct.actor],
  ]);
  await assert.rejects(calculations.versions(a.id), /is not calculated/);
});

test('C5, C8 an item that others use stays; acts are in the audit', async () => {
  const one = await create('a', input(a.id, 'a'));
  const two = await create('a', input(one.id, 'a'));
  const { inputs, usedBy } = await calculations.uses(one.id);
  assert.deepEqual([inputs, usedBy], [[a], [two]]);
  await assert.rejects(calculations.delete(testAct, one.id), /calculated items use it: "c" \(/);
  await calculations.delete(testAct, two.id);
  await calculations.delete(testAct, one.id);
  assert.deepEqual(await calculations.list(), []);
  await assert.rejects(calculations.delete(testAct, a.id), /is not calculated/);
  const every = { isDescending: false, afterSeq: 0, limit: 100, actor: null, action: null, target: null };
  const rows = await meta.audit.list(every);
  assert.deepEqual(
    rows.map(({ action, target }) => [action, target]),
    [
      ['calculation.save', one.id],
      ['calculation.save', two.id],
      ['calculation.delete', two.id],
      ['calculation.delete', one.id],
    ],
  );
  assert.deepEqual(JSON.parse(rows[0].change).formula, [null, 'a']);
});

test('C6 no signal can feed a calculated item, and its interval is part of its calculation', async () => {
  const mine = newId();
  await meta.write((tx) => tx.integrations.insert(integration({ id: mine })));
  const one = await create('a', input(a.id, 'a'));
  await signals.save(mine, new Map([['x', {}]]), { createOnly: false });
  assert.deepEqual(await problemsOf(signals.connect(testAct, mine, query(), one.id, { dryRun: false })), {
    item: ['is a calculated item, which no signal can feed'],
  });
  const edit = (sampleIntervalUs: number) =>
    signals.editItems(testAct, query(), { sampleIntervalUs }, { dryRun: false });
  assert.deepEqual(await problemsOf(edit(5)), {
    'change.sampleInterval': [
      `the interval of ${one.id} is part of its calculation: save that with another one`,
    ],
  });
  await edit(minuteUs);
  const [after] = await meta.items.byId([one.id]);
  assert.deepEqual(after, one);
});
