/** Calculated items with their versions, as another instance has exported them (X8a), on the memory store. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { Calculations } from '#domain/calculations/calculations';
import type { CalculationHistory, PastVersion } from '#domain/calculations/history';
import { minuteUs } from '#model/duration';
import { limitDefaults } from '#model/limits';
import type { Item } from '#model/signal';
import { XidSource } from '#model/xid';
import { MemoryMetaStore } from '../../../memory-store/meta-store.ts';
import { problemsIn } from '../../../support/problems.ts';
import { item, newId } from '../../../support/resources.ts';
import { FixedClock, SeededRandom, testAct } from '../../../support/world.ts';

let meta: MemoryMetaStore;
let calculations: Calculations;
let plain: Item;
const id = newId();
const limits = {
  ...limitDefaults,
  calculationVersionsMax: 3,
  calculatedItemsMax: 2,
  formulaCharactersMax: 20,
};

beforeEach(async () => {
  meta = new MemoryMetaStore();
  const clock = new FixedClock();
  calculations = new Calculations({ meta, clock, ids: new XidSource(clock, new SeededRandom(5)), limits });
  plain = item();
  await meta.write((tx) => tx.items.insert([plain]));
});

function past(version: number, formula: string, of = plain.id, alias = 'a'): PastVersion {
  const input = { item: of, alias, aggregation: 'avg', state: null, lead: 0, lag: 0 } as const;
  const calculation = { formula, inputs: [input], intervalUs: minuteUs, version };
  return { calculation, actor: 'person:ada', savedAtMs: version };
}

const history = (...versions: PastVersion[]): CalculationHistory => ({ item: { name: 'c' }, versions });
const restore = (...versions: PastVersion[]) => calculations.restore(testAct, id, history(...versions));
const problemsOf = (call: Promise<unknown>) => call.then(() => assert.fail('it did not fail'), problemsIn);

test('X8a an item is made under its ID with its versions, and gets those that it lacks', async () => {
  const made = await restore(past(1, 'a', newId()), past(2, 'a * 2'));
  assert.deepEqual([made.isChanged, made.item.id, made.item.calculation?.version], [true, id, 2]);
  assert.deepEqual(await restore(past(2, 'a * 2')), { item: made.item, isChanged: false });
  await restore(past(2, 'a * 2'), past(3, 'a * 3'), past(4, 'a * 4'));
  const versions = await calculations.versions(id);
  assert.deepEqual(
    versions.map(({ calculation, actor, savedAtMs }) => [calculation.version, actor, savedAtMs]),
    [4, 3, 2].map((version) => [version, `person:ada, imported by ${testAct.actor}`, version]),
  );
  const every = { isDescending: false, afterSeq: 0, limit: 9, actor: null, action: null, target: null };
  const acts = (await meta.audit.list(every)).map(({ action, target }) => [action, target]);
  assert.deepEqual(acts, [
    ['calculation.save', id],
    ['calculation.save', id],
  ]);
});

test('X8a an item that is another one stays as it is: the conflict says how they differ', async () => {
  await assert.rejects(
    calculations.restore(testAct, plain.id, history(past(1, 'a'))),
    new RegExp(`the item ${plain.id} is there, and is not a calculated item`),
  );
  const { item: before } = await restore(past(2, 'a'));
  await assert.rejects(restore(past(3, 'a')), /is there in version 2, which is not in the history up to 3/);
  await assert.rejects(restore(past(1, 'a')), /is there in version 2, which is not in the history up to 1/);
  await assert.rejects(
    restore(past(2, 'a * 2')),
    new RegExp(`is there with another version 2: "a" over ${plain.id}, and not "a \\* 2" over ${plain.id}`),
  );
  assert.deepEqual(await meta.items.byId([id]), [before]);
});

test('X8a a history cannot make a cycle, nor be without an input, nor be of any size', async () => {
  await restore(past(1, 'a'));
  const other = newId();
  await calculations.restore(testAct, other, history(past(1, 'a', id)));
  const cycle = restore(past(1, 'a'), past(2, 'a', other));
  assert.match((await problemsOf(cycle))['inputs'][0], /^would make a cycle: /);
  // In an earlier version it may have been so.
  await restore(past(1, 'a'), past(2, 'a', other), past(3, 'a + 1'));
  const absent = newId();
  assert.deepEqual(await problemsOf(restore(past(3, 'a + 1'), past(4, 'a', absent))), {
    'inputs.0.id': [`no item has the ID "${absent}"`],
  });
  assert.deepEqual(await problemsOf(restore(past(3, 'a'.repeat(21)), past(5, 'a', plain.id, '1'))), {
    'versions.0.formula': ['must be at most 20 characters, got 21'],
    'versions.1.version': ['must be 4, got 5'],
    'versions.1.inputs': ['must have valid aliases'],
  });
  assert.deepEqual(await problemsOf(restore()), { versions: ['must have at least one version'] });
  const many = [1, 2, 3, 4].map((version) => past(version, 'a'));
  assert.deepEqual(await problemsOf(restore(...many)), { versions: ['must be at most 3, got 4'] });
  await assert.rejects(calculations.restore(testAct, newId(), history(past(1, 'a'))), /which is the limit/);
});
