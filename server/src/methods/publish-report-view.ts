/** What publishing rules did or would do, as clients see it (P5). */
import Type from 'typebox';
import { conflictKinds, type RuleOutcome, type RuleReport, ruleActions } from '#domain/publishing/outcome';
import { closed, nullable, titled } from '#protocol/schema';
import { attributeFields, attributeSchemas, printFields } from './attributes-view.ts';
import { idSchema } from './resource-view.ts';

const outcomeSchema = titled('PublishRuleOutcome', {
  signal: closed({ id: idSchema, integration: idSchema, input: Type.String(), name: Type.String() }),
  rule: Type.String({ description: 'ID of the rule that decides.' }),
  action: Type.Enum([...ruleActions], {
    description:
      '"create": the signal gets an item; "update": its item changes; "connect": it feeds an item that is there; "keep": nothing changes; "conflict": nothing changes, because of what "conflict" says.',
  }),
  item: nullable(
    closed({
      id: nullable(idSchema, { description: 'Null: the item would be created.' }),
      attributes: closed(attributeSchemas),
      visible: Type.Boolean(),
    }),
    { description: 'The item afterwards; of a conflict, as it is; null: there is none.' },
  ),
  conflict: nullable(closed({ kind: Type.Enum([...conflictKinds]), message: Type.String() }), {
    description: 'Why the rule does not do what it says (P7); null: there is no conflict.',
  }),
});

/** The report of a run or a preview. */
export const reportSchema = titled('PublishRuleReport', {
  counts: closed(
    Object.fromEntries(ruleActions.map((action) => [action, Type.Integer()])) as Record<
      (typeof ruleActions)[number],
      ReturnType<typeof Type.Integer>
    >,
  ),
  unmatched: Type.Integer({ description: 'Signals that were looked at and that no rule matches.' }),
  outcomes: Type.Array(outcomeSchema, {
    description: 'The first of them: conflicts, then changes, then what stays.',
  }),
});

/** Writes a report; `isPreview`: items that would be created have no ID. */
export function viewReport({ counts, unmatched, outcomes }: RuleReport, isPreview: boolean) {
  return { counts, unmatched, outcomes: outcomes.map((outcome) => viewOutcome(outcome, isPreview)) };
}

function viewOutcome({ signal, rule, action, item, conflict }: RuleOutcome, isPreview: boolean) {
  const { id, integration, input, attributes } = signal;
  const isNew = isPreview && action === 'create';
  return {
    signal: { id, integration, input, name: attributes.name },
    rule,
    action,
    item: item && {
      id: isNew ? null : item.id,
      attributes: printFields(attributeFields(item.attributes)),
      visible: item.visible,
    },
    conflict,
  };
}
