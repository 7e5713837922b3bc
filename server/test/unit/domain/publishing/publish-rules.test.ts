/** Publishing rules on the memory store (P1-P8): what they make, in which order, and what they leave to people. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { everyRow } from '#domain/audit/record';
import { joinedItemId, ruleNotes } from '#domain/publishing/notes';
import type { RuleReport } from '#domain/publishing/outcome';
import { PublishRules } from '#domain/publishing/publish-rules';
import type { SignalChange } from '#domain/signals/change';
import { Signals } from '#domain/signals/signals';
import { unmetered } from '#load/account';
import { AppError } from '#model/error';
import { matchAll } from '#model/filter';
import type { PublishRule, PublishRuleChoice } from '#model/publish-rule';
import { idPattern, XidSource } from '#model/xid';
import { MemoryMetaStore } from '../../../memory-store/meta-store.ts';
import { integration, newId, query } from '../../../support/resources.ts';
import { FixedClock, KeptLog, SeededRandom, testAct } from '../../../support/world.ts';

let meta: MemoryMetaStore;
let clock: FixedClock;
let log: KeptLog;
let rules: PublishRules;
let signals: Signals;
const mine = newId();
const limits = { publishRulesMax: 6 };
const all = { outcomesMax: 100 };

beforeEach(async () => {
  meta = new MemoryMetaStore();
  clock = new FixedClock();
  log = new KeptLog();
  const shared = { meta, clock, log, ids: new XidSource(clock, new SeededRandom(5)), limits };
  rules = new PublishRules({ ...shared, accounts: { accountOf: () => unmetered } });
  signals = new Signals({ meta, clock, ids: shared.ids, publishRules: rules });
  await meta.write((tx) => tx.integrations.insert(integration({ id: mine })));
});

function choice(name: string, changes: Partial<PublishRuleChoice> = {}): PublishRuleChoice {
  return {
    name,
    position: 100,
    isEnabled: true,
    integration: null,
    filter: matchAll,
    filterText: '{}',
    item: {
      name: '{name}',
      description: null,
      engUnit: null,
      visible: true,
      copyLabels: true,
      labels: [],
      enumValues: null,
    },
    maps: [],
    joins: null,
    overwrite: false,
    ...changes,
  };
}

function item(changes: Partial<PublishRuleChoice['item']>): PublishRuleChoice['item'] {
  return { ...choice('').item, ...changes };
}

const create = (name: string, changes?: Partial<PublishRuleChoice>) =>
  rules.create(testAct, choice(name, changes));
const change = (rule: PublishRule, changes: Partial<PublishRuleChoice>) =>
  rules.change(testAct, rule.id, (before) => ({ ...before, ...changes }));
const save = (changes: Record<string, SignalChange>) =>
  signals.save(mine, new Map(Object.entries(changes)), { createOnly: false });

async function itemOf(input: string) {
  const [{ item }] = await meta.signals.byInput(mine, [input]);
  const [found] = item === null ? [] : await meta.items.byId([item]);
  return found;
}

/** `input action` of each, with the kind of conflict. */
function told({ outcomes }: RuleReport): string[] {
  const lines = outcomes.map(({ signal, action, conflict }) =>
    [signal.input, action, conflict?.kind].filter((word) => word !== undefined).join(' '),
  );
  return lines.sort();
}

test('P4, P8 a signal that is saved gets its item, and the item follows the signal', async () => {
  const rule = await create('north', {
    filter: { op: 'eq', path: { field: 'labels', key: 'site' }, value: 'n' },
    item: item({
      name: '{labels.site|map:sites} {name}',
      visible: false,
      labels: [
        ['place', '{labels.site}'],
        ['site', null],
        ['absent', '{labels.no}'],
      ],
      enumValues: [['1', 'on']],
    }),
    maps: [['sites', [['n', 'North']]]],
  });
  const labels = new Map([['site', ['n']]]);
  await save({ a: { name: 'A', labels, engUnit: 'm' }, b: { name: 'B' } });
  const made = await itemOf('a');
  assert.deepEqual(
    [made.attributes.name, made.attributes.engUnit, made.visible, [...made.attributes.labels]],
    ['North A', 'm', false, [['place', ['n']]]],
  );
  assert.deepEqual([...made.attributes.enumValues], [['1', 'on']]);
  assert.equal(made.annotations.get(ruleNotes.rule), rule.id, 'P6');
  assert.equal(await itemOf('b'), undefined);
  await save({ a: { name: 'A2', labels } });
  assert.equal((await itemOf('a')).attributes.name, 'North A2');
  await signals.numbers(mine, ['c']);
  assert.equal(await itemOf('c'), undefined, 'it has no label');
  await change(rule, { isEnabled: false });
  await save({ d: { labels } });
  assert.equal(await itemOf('d'), undefined);
});

test('P8 signals that an insert creates are published, and a rule that fails does not fail the save', async () => {
  await create('all');
  await signals.numbers(mine, ['new']);
  assert.equal((await itemOf('new')).attributes.name, 'new');
  const full = new AppError('try-again', 'full');
  const refusing = { ...unmetered, permit: () => Promise.reject(full) };
  const options = { meta, clock, log, ids: new XidSource(clock, new SeededRandom(6)), limits };
  const held = new PublishRules({ ...options, accounts: { accountOf: () => refusing } });
  const saving = new Signals({ meta, clock, ids: options.ids, publishRules: held });
  await saving.save(mine, new Map([['kept', {}]]), { createOnly: false });
  assert.equal(await itemOf('kept'), undefined);
  assert.equal(log.lines[0].message, 'publishing rules could not be applied to saved signals');
  assert.deepEqual(told(await rules.run(testAct, all)), ['kept create', 'new keep'], 'a run makes up for it');
});

test('P4 the rule with the lowest position decides; rules of one position must agree', async () => {
  await save({ a: { name: 'A' } });
  await create('second', { position: 20, item: item({ name: 'second {name}' }) });
  const first = await create('first', { position: 10, item: item({ name: 'first {name}' }) });
  await rules.run(testAct, all);
  assert.equal((await itemOf('a')).attributes.name, 'first A');
  await change(first, { position: 20 });
  const report = await rules.preview(all);
  assert.deepEqual(told(report), ['a conflict rules']);
  assert.match(
    report.outcomes[0].conflict?.message ?? '',
    /^the rules first and second have the same position and give a different name$/,
  );
  await change(first, { position: 20, item: item({ name: 'second {name}' }) });
  assert.deepEqual(told(await rules.run(testAct, all)), ['a update'], 'they agree');
});

test('P7 an item that a person made or changed stays, unless the rule says overwrite', async () => {
  await save({ edited: {}, foreign: {}, same: {} });
  const ids = [...(await meta.signals.byInput(mine, ['foreign', 'same']))].map(({ id, input }) => ({
    id,
    input,
  }));
  const publishing = ids.map(
    ({ id, input }) => [id, { name: input === 'same' ? 'same' : 'hand', visible: true }] as const,
  );
  await signals.publish(testAct, mine, new Map(publishing), { createOnly: false });
  const rule = await create('all');
  assert.deepEqual(told(await rules.run(testAct, all)), [
    'edited create',
    'foreign conflict foreign',
    'same keep',
  ]);
  const { id } = await itemOf('edited');
  const edit = { name: 'by hand' };
  await signals.editItems(testAct, query({ op: 'eq', path: { field: 'id' }, value: id }), edit, {
    dryRun: false,
  });
  assert.deepEqual(told(await rules.run(testAct, all)), [
    'edited conflict edited',
    'foreign conflict foreign',
    'same keep',
  ]);
  assert.equal((await itemOf('edited')).attributes.name, 'by hand');
  await change(rule, { overwrite: true });
  assert.deepEqual(told(await rules.run(testAct, all)), ['edited update', 'foreign update', 'same keep']);
  assert.deepEqual(told(await rules.run(testAct, all)), ['edited keep', 'foreign keep', 'same keep']);
  assert.equal((await itemOf('edited')).attributes.name, 'edited');
});

test('P4 signals join one item by a key, or an item that is there', async () => {
  const tag = (text: string) => ({ annotations: new Map([['tag', text]]) });
  await create('by tag', { joins: { kind: 'key', key: '{annotations.tag|lower}' } });
  await save({ a: tag('T1'), b: tag('t1'), c: tag('t2'), d: {} });
  const [a, b, c] = [await itemOf('a'), await itemOf('b'), await itemOf('c')];
  assert.equal(a.id, b.id);
  assert.notEqual(a.id, c.id);
  assert.equal(a.attributes.name, 'a', 'from the first');
  const [{ id: rule }] = await rules.list();
  assert.equal(a.id, joinedItemId(rule, 't1'), 'the ID depends on the rule and the text');
  assert.match(a.id, idPattern);
  assert.deepEqual(told(await rules.run(testAct, all)), ['a keep', 'b keep', 'c keep', 'd conflict invalid']);
  await save({ b: { ...tag('t2'), name: 'moved' } });
  assert.deepEqual(
    told(await rules.preview(all)).slice(1, 2),
    ['b conflict connected'],
    'it feeds the item of another key',
  );
  await create('to c', {
    position: 1,
    filter: { op: 'eq', path: { field: 'input' }, value: 'd' },
    joins: { kind: 'item', item: c.id },
  });
  await create('to nothing', {
    position: 1,
    filter: { op: 'eq', path: { field: 'input' }, value: 'c' },
    joins: { kind: 'item', item: newId() },
  });
  const report = told(await rules.run(testAct, all));
  assert.deepEqual(report.slice(2), ['c conflict missing', 'd connect']);
  assert.equal((await itemOf('d')).id, c.id);
});

test('P5 a preview of a rule looks at the signals that it matches, and writes nothing', async () => {
  await create('all');
  await save({ a: {}, b: {} });
  const filter = { op: 'eq', path: { field: 'input' }, value: 'a' } as const;
  const before = await meta.items.select(query());
  const draft = rules.draft(choice('draft', { position: 1, filter, item: item({ name: 'X{name}' }) }));
  const report = await rules.preview({ ...all, draft });
  assert.deepEqual(told(report), ['a update']);
  assert.equal(report.outcomes[0].item?.attributes.name, 'Xa');
  assert.equal(report.unmatched, 0);
  assert.deepEqual(await meta.items.select(query()), before);
  const counted = await rules.preview({ outcomesMax: 1 });
  assert.deepEqual([counted.counts.keep, counted.outcomes.length], [2, 1]);
});

test('P2 what is no rule is refused at its path, and there are so many at most', async () => {
  for (const [changes, path] of [
    [{ name: ' ' }, 'name'],
    [{ position: -1 }, 'position'],
    [{ integration: newId() }, 'integration'],
    [{ item: item({ name: '{nane}' }) }, 'item.name'],
    [{ item: item({ labels: [['a b', 'x']] }) }, 'item.labels.a b'],
    [{ item: item({ enumValues: [['x', 'y']] }) }, 'item.enumValues.x'],
    [{ maps: [['a b', []]] }, 'maps.a b'],
    [{ maps: [['a', [['k', 'v'.repeat(1025)]]]] }, 'maps.a'],
    [{ joins: { kind: 'key', key: '{' } }, 'join.key'],
  ] as const) {
    await assert.rejects(create('wrong', changes), (error) => {
      assert.ok(error instanceof AppError, String(error));
      assert.deepEqual(Object.keys(error.params ?? {}), [path]);
      return true;
    });
  }
  await create('r0');
  await assert.rejects(create('r0'), /Invalid params/);
  for (let i = 1; i < limits.publishRulesMax; i++) await create(`r${i}`);
  await assert.rejects(create('one more'), /there are 6 publishing rules, which is the limit/);
  await rules.delete(testAct, (await rules.list())[0].id);
  await create('one more');
  await assert.rejects(rules.delete(testAct, newId()), /no publishing rule has the ID/);
});

test('P9 rules and what they make are in the audit', async () => {
  const rule = await create('all');
  await save({ a: {} });
  await rules.delete(testAct, rule.id);
  const rows = (await meta.audit.list({ ...everyRow, limit: 10 })).map(
    ({ actor, action, target }) => `${actor} ${action} ${target}`,
  );
  assert.deepEqual(rows, [
    `cli:test rule.save ${rule.id}`,
    `service rule.publish ${mine}`,
    `cli:test rule.delete ${rule.id}`,
  ]);
});
