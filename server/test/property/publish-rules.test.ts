/** Publishing rules over random signals and rules: a preview says what a run does, and a second run changes nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { RuleOutcome, RuleReport } from '#domain/publishing/outcome';
import { PublishRules } from '#domain/publishing/publish-rules';
import { unmetered } from '#load/account';
import type { Filter } from '#model/filter';
import type { PublishRuleChoice, RuleJoin } from '#model/publish-rule';
import { XidSource } from '#model/xid';
import { MemoryMetaStore } from '../memory-store/meta-store.ts';
import { attributes, integration, item, newId, query, signal } from '../support/resources.ts';
import { FixedClock, KeptLog, SeededRandom, testAct } from '../support/world.ts';

const mine = newId();
const shared = [newId(), newId()];

const signals = fc.array(
  fc.record({
    site: fc.constantFrom('n', 's', ''),
    name: fc.constantFrom('one', 'two', 'three'),
    item: fc.constantFrom(null, null, ...shared),
  }),
  { minLength: 1, maxLength: 30 },
);

const filters: Filter[] = [
  { op: 'and', filters: [] },
  { op: 'eq', path: { field: 'labels', key: 'site' }, value: 'n' },
  { op: 'eq', path: { field: 'name' }, value: 'one' },
  { op: 'regex', path: { field: 'name' }, pattern: '^t' },
];

const joins: RuleJoin[] = [
  null,
  { kind: 'key', key: '{labels.site}' },
  { kind: 'key', key: '{name|upper}' },
  { kind: 'item', item: shared[0] },
];

const choices = fc.array(
  fc.record({
    position: fc.constantFrom(1, 2),
    isEnabled: fc.constantFrom(true, true, false),
    filter: fc.constantFrom(...filters),
    name: fc.constantFrom('{name}', '{labels.site}-{name}', '{labels.site|default:"x"|upper}', 'fixed'),
    visible: fc.boolean(),
    joins: fc.constantFrom(...joins),
    overwrite: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
);

function ruleOf(
  {
    name,
    visible,
    ...choice
  }: { name: string; visible: boolean } & Pick<
    PublishRuleChoice,
    'position' | 'isEnabled' | 'filter' | 'joins' | 'overwrite'
  >,
  index: number,
): PublishRuleChoice {
  const templates = { description: null, engUnit: null, copyLabels: true, labels: [], enumValues: null };
  return {
    ...choice,
    name: `rule ${index}`,
    integration: null,
    filterText: '{}',
    item: { name, visible, ...templates },
    maps: [],
  };
}

/** What a report says, without the IDs of items that are new. */
function said({ counts, unmatched, outcomes }: RuleReport) {
  const line = ({ signal, rule, action, item, conflict }: RuleOutcome) => ({
    input: signal.input,
    rule,
    action,
    item: item && { ...item.attributes, visible: item.visible },
    kind: conflict?.kind ?? null,
  });
  return { counts, unmatched, outcomes: outcomes.map(line) };
}

test('P5 a preview says what a run does, and a second run changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(signals, choices, async (given, chosen) => {
      const meta = new MemoryMetaStore();
      const clock = new FixedClock();
      const ids = new XidSource(clock, new SeededRandom(9));
      const options = { meta, clock, log: new KeptLog(), ids, limits: { publishRulesMax: 10 } };
      const rules = new PublishRules({ ...options, accounts: { accountOf: () => unmetered } });
      await meta.write(async (tx) => {
        await tx.integrations.insert(integration({ id: mine }));
        await tx.items.insert(shared.map((id) => item({ id })));
        await tx.signals.insert(
          given.map(({ site, name, item }, i) =>
            signal(mine, `s${i}`, {
              item,
              attributes: attributes({ name, labels: new Map(site === '' ? [] : [['site', [site]]]) }),
            }),
          ),
        );
      });
      for (const [i, choice] of chosen.entries()) await rules.create(testAct, ruleOf(choice, i));
      const preview = await rules.preview({ outcomesMax: 100 });
      clock.advance(1);
      const run = await rules.run(testAct, { outcomesMax: 100 });
      assert.deepEqual(said(preview), said(run));
      const after = [await meta.signals.select(query(), null), await meta.items.select(query())];
      clock.advance(1);
      const again = await rules.run(testAct, { outcomesMax: 100 });
      assert.equal(again.counts.create + again.counts.update + again.counts.connect, 0);
      assert.equal(again.counts.conflict, run.counts.conflict);
      assert.deepEqual([await meta.signals.select(query(), null), await meta.items.select(query())], after);
    }),
    { numRuns: 200 },
  );
});
