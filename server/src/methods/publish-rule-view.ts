/** Publishing rules as clients and files have them (P1, P2). The rules of the values are the domain's; here are the types. */
import Type, { type Static } from 'typebox';
import type { Limits } from '#model/limits';
import { ProblemList } from '#model/problem-list';
import type { Entries, ItemTemplate, PublishRule, PublishRuleChoice, RuleJoin } from '#model/publish-rule';
import { nullable, strict, titled } from '#protocol/schema';
import { printDate } from './attributes-view.ts';
import { parseFilter } from './filter.ts';
import { filterRules } from './resource-query.ts';
import { idSchema } from './resource-view.ts';

const template = 'A template, such as {labels.site|lower}/{name}';

const itemSchema = Type.Object(
  {
    name: Type.Optional(Type.String({ description: `${template}; default {name}.` })),
    description: Type.Optional(nullable(Type.String(), { description: `${template}; null: as the signal.` })),
    engUnit: Type.Optional(nullable(Type.String(), { description: `${template}; null: as the signal.` })),
    visible: Type.Optional(Type.Boolean({ description: 'Default true.' })),
    copyLabels: Type.Optional(
      Type.Boolean({ description: 'Whether the item has the labels of the signal; default true.' }),
    ),
    labels: Type.Optional(
      Type.Record(Type.String(), nullable(Type.String()), {
        description: 'Label key to a template; null: the item does not have the label.',
      }),
    ),
    enumValues: Type.Optional(
      nullable(Type.Record(Type.String(), Type.String()), {
        description: 'The texts of its states; null: as the signal.',
      }),
    ),
  },
  { ...strict, description: 'How the item is made of the signal.' },
);

const joinSchema = Type.Union(
  [
    Type.Object({ key: Type.String({ description: template }) }, strict),
    Type.Object({ item: idSchema }, strict),
    Type.Null(),
  ],
  {
    description:
      'Null: an item for each signal; key: signals with the same text share an item; item: signals feed this item, which stays as it is.',
  },
);

const choiceMembers = {
  name: Type.String({ description: '1-128 characters; unique.' }),
  position: Type.Optional(
    Type.Integer({ description: 'A rule with a lower position takes precedence; default 100.' }),
  ),
  enabled: Type.Optional(Type.Boolean({ description: 'Default true.' })),
  integration: Type.Optional(
    nullable(Type.String(), { description: 'Only its signals; null: those of all.' }),
  ),
  filter: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'Which signals (R14); {}: all.' }),
  ),
  item: Type.Optional(itemSchema),
  maps: Type.Optional(
    Type.Record(Type.String(), Type.Record(Type.String(), Type.String()), {
      description: 'Value map to its entries, for the step map of templates; "*" is for all other values.',
    }),
  ),
  join: Type.Optional(joinSchema),
  overwrite: Type.Optional(
    Type.Boolean({ description: 'Whether items that a person made or changed are replaced; default false.' }),
  ),
};

/** What an administrator saves. */
export const ruleSaveSchema = Type.Object(choiceMembers, { ...strict, title: 'PublishRuleSave' });

/** A stored rule. */
export const ruleSchema = titled('PublishRule', {
  id: idSchema,
  ...choiceMembers,
  createdAt: Type.String(),
  updatedAt: Type.String(),
});

/** Where a rule without one is: between those that are to go before, and those after. */
const positionDefault = 100;

/** Reads a rule; absent members take their default. Fails with every problem of the filter, by path below the rule. */
export function parseRule(view: Static<typeof ruleSaveSchema>, limits: Limits): PublishRuleChoice {
  const problems = new ProblemList();
  const rules = filterRules({ resource: 'signals', limits });
  const filter = parseFilter(view.filter, 'filter', rules, problems);
  problems.throwIfAny();
  return {
    name: view.name,
    position: view.position ?? positionDefault,
    isEnabled: view.enabled ?? true,
    integration: view.integration ?? null,
    filter,
    filterText: JSON.stringify(view.filter ?? {}),
    item: parseItem(view.item ?? {}),
    maps: Object.entries(view.maps ?? {}).map(([name, entries]) => [name, Object.entries(entries)]),
    joins: parseJoin(view.join ?? null),
    overwrite: view.overwrite ?? false,
  };
}

function parseItem(view: Static<typeof itemSchema>): ItemTemplate {
  return {
    name: view.name ?? '{name}',
    description: view.description ?? null,
    engUnit: view.engUnit ?? null,
    visible: view.visible ?? true,
    copyLabels: view.copyLabels ?? true,
    labels: Object.entries(view.labels ?? {}),
    enumValues: view.enumValues == null ? null : Object.entries(view.enumValues),
  };
}

function parseJoin(view: Static<typeof joinSchema>): RuleJoin {
  if (view === null) return null;
  return 'key' in view ? { kind: 'key', key: view.key } : { kind: 'item', item: view.item };
}

/** A rule as {@link ruleSaveSchema} has it, every member there. */
export function viewChoice(rule: PublishRuleChoice) {
  const { joins, item, maps } = rule;
  return {
    name: rule.name,
    position: rule.position,
    enabled: rule.isEnabled,
    integration: rule.integration,
    filter: JSON.parse(rule.filterText) as Record<string, unknown>,
    item: {
      ...item,
      labels: objectOf(item.labels),
      enumValues: item.enumValues === null ? null : objectOf(item.enumValues),
    },
    maps: objectOf(maps.map(([name, entries]) => [name, objectOf(entries)])),
    join: joins === null ? null : joins.kind === 'key' ? { key: joins.key } : { item: joins.item },
    overwrite: rule.overwrite,
  };
}

/** `Object.fromEntries` makes every key, `__proto__` too, a plain own member. */
function objectOf<Value>(entries: Entries<Value>): Record<string, Value> {
  return Object.fromEntries(entries);
}

/** A stored rule, as {@link ruleSchema} has it. */
export function viewRule(rule: PublishRule) {
  return {
    id: rule.id,
    ...viewChoice(rule),
    createdAt: printDate(rule.createdAtMs),
    updatedAt: printDate(rule.updatedAtMs),
  };
}
