/** console.signals.edit and console.items.edit: change fields of many resources, with a dry run (R8a). */
import Type, { type Static } from 'typebox';
import { changesOf } from '#domain/audit/record';
import { type Edited, type EditOutcome, isChanged, type ResourceEdit } from '#domain/signals/edit';
import { ProblemList } from '#model/problem-list';
import type { Item, Signal } from '#model/signal';
import type { Method } from '#protocol/method';
import { closed, nullable, strict, titled } from '#protocol/schema';
import { actOf } from '../act.ts';
import { attributeFields } from '../attributes-view.ts';
import { integrationSchema, requireKnown } from '../integration-param.ts';
import { parseFixedDuration } from '../interval.ts';
import { parseResourceQuery, queryRules, resourceQuerySchema } from '../resource-query.ts';
import { idSchema } from '../resource-view.ts';
import type { MethodServices } from '../services.ts';
import { dryRunSchema, signalRules } from '../signal-selection.ts';
import { defineConsole } from './define-console.ts';

function text(description: string) {
  return Type.Optional(Type.String({ description }));
}

function intervalOrNull(description: string) {
  return Type.Optional(nullable(Type.String(), { description }));
}

function mapOf<V extends Type.TSchema>(value: V, description: string) {
  return Type.Optional(Type.Record(Type.String(), nullable(value), { description }));
}

const changeMembers = {
  name: text('1-128 characters.'),
  description: text('At most 1,000 characters.'),
  valueType: text('"numeric" or "enum".'),
  sourceType: text('"measurement", "aggregation" or "prediction".'),
  engUnit: text('At most 255 characters.'),
  sampleInterval: intervalOrNull('A fixed duration such as PT15M; null: unset.'),
  gapDetection: intervalOrNull('A fixed duration such as PT15M; null: unset.'),
  labels: mapOf(Type.Array(Type.String()), 'Label key to its values from now on; null removes the label.'),
  enumValues: mapOf(Type.String(), 'State to its text from now on; null removes the state.'),
  annotations: mapOf(Type.String(), 'Merged into the stored ones; null or "" removes one.'),
};

const described = { ...strict, description: 'Absent fields remain unchanged.' };
const signalChangeSchema = Type.Object(changeMembers, { ...described, title: 'SignalEdit' });
const itemChangeSchema = Type.Object(
  { ...changeMembers, visible: Type.Optional(Type.Boolean({ description: 'A flag for user interfaces.' })) },
  { ...described, title: 'ItemEdit' },
);

const valueSchema = Type.Union([Type.String(), Type.Array(Type.String()), Type.Boolean(), Type.Null()]);

const editedSchema = titled('EditedResource', {
  id: idSchema,
  input: Type.Optional(Type.String({ description: 'Of a signal.' })),
  name: Type.String({ description: 'Before the edit.' }),
  changes: Type.Record(Type.String(), Type.Tuple([valueSchema, valueSchema]), {
    description: 'Field to [before, after]; entries of maps have a path such as labels.site.',
  }),
});

const resultSchema = closed({
  total: nullable(Type.Integer(), {
    description: 'Number of all matches, if the query asked for it.',
  }),
  selected: Type.Integer({ description: 'Number of selected resources.' }),
  last: nullable(idSchema, {
    description:
      'ID of the last selected resource; if sorted by ID, the next call continues with {"id": {"$gt": last}}.',
  }),
  edited: Type.Array(editedSchema, { description: 'Resources that the edit changes.' }),
});

type Services = Pick<MethodServices, 'signals' | 'identity' | 'limits'>;

/** The definitions. */
export function consoleSignalsEdit(services: Services): Method[] {
  return [editItemsMethod(services), editSignalsMethod(services)];
}

function editSignalsMethod({ signals, identity, limits }: Services): Method {
  return defineConsole({
    name: 'console.signals.edit',
    summary: 'Changes some fields of the signals that a query selects.',
    params: Type.Object({
      integration: integrationSchema,
      query: Type.Optional(resourceQuerySchema),
      change: signalChangeSchema,
      dryRun: dryRunSchema,
    }),
    result: resultSchema,
    async run(call, { integration, query, change, dryRun }) {
      const selected = parseResourceQuery(query, 'query', signalRules(limits));
      const edit = parseEdit(change);
      requireKnown(identity, integration);
      return answer(await signals.editSignals(actOf(call), integration, selected, edit, { dryRun }));
    },
  });
}

function editItemsMethod({ signals, limits }: Services): Method {
  return defineConsole({
    name: 'console.items.edit',
    summary: 'Changes some fields of the items that a query selects.',
    params: Type.Object({
      query: Type.Optional(resourceQuerySchema),
      change: itemChangeSchema,
      dryRun: dryRunSchema,
    }),
    result: resultSchema,
    async run(call, { query, change, dryRun }) {
      const rules = queryRules('items', 20, limits.selectLimitMax, limits);
      const selected = parseResourceQuery(query, 'query', rules);
      return answer(await signals.editItems(actOf(call), selected, parseEdit(change), { dryRun }));
    },
  });
}

function answer({ edited, total }: EditOutcome<Signal | Item>) {
  return {
    total,
    selected: edited.length,
    last: edited.at(-1)?.before.id ?? null,
    edited: edited.filter(isChanged).map(view),
  };
}

type Change = Static<typeof itemChangeSchema>;

function parseEdit({
  sampleInterval,
  gapDetection,
  labels,
  enumValues,
  annotations,
  ...plain
}: Change): ResourceEdit {
  const problems = new ProblemList();
  const edit: ResourceEdit = {
    ...plain,
    sampleIntervalUs: parseInterval(sampleInterval, 'sampleInterval', problems),
    gapDetectionUs: parseInterval(gapDetection, 'gapDetection', problems),
    labels: mapOrNone(labels),
    enumValues: mapOrNone(enumValues),
    annotations: new Map(Object.entries(annotations ?? {}).map(([key, value]) => [key, value ?? ''])),
  };
  if (!problems.isEmpty) throw problems.toError();
  return edit;
}

function mapOrNone<V>(entries: Readonly<Record<string, V>> | undefined): ReadonlyMap<string, V> | undefined {
  return entries && new Map(Object.entries(entries));
}

/** Undefined: unchanged. */
function parseInterval(
  value: string | null | undefined,
  name: string,
  problems: ProblemList,
): number | null | undefined {
  if (value === undefined || value === null) return value;
  const us = parseFixedDuration(value);
  if (typeof us === 'number' && us >= 0) return us;
  problems.add(['change', name], typeof us === 'number' ? 'must not be negative' : us.problem);
  return undefined;
}

function view({ before, after }: Edited<Signal | Item>) {
  const { id, attributes } = before;
  const input = 'input' in before ? { input: before.input } : {};
  return { id, ...input, name: attributes.name, changes: changesOf(fieldsOf(before), fieldsOf(after)) };
}

/** One entry for each value, under the path by which a filter names it. */
function fieldsOf(resource: Signal | Item) {
  const { labels, enumValues, ...plain } = attributeFields(resource.attributes);
  return Object.fromEntries([
    ...Object.entries(plain),
    ...[...labels].map(([key, values]) => [`labels.${key}`, values] as const),
    ...[...enumValues].map(([key, value]) => [`enumValues.${key}`, value] as const),
    ...('visible' in resource ? [['visible', resource.visible] as const] : []),
    ...[...resource.annotations].map(([key, value]) => [`annotations.${key}`, value] as const),
  ]);
}
