/** Calculated items as clients and files have them (C1). The rules of the values are the domain's; here are the types. */
import Type, { type Static } from 'typebox';
import type { CalculatedChange } from '#domain/calculations/calculations';
import type { CalculationHistory, PastVersion } from '#domain/calculations/history';
import type { CalculationChoice, CalculationInput, CalculationVersion } from '#model/calculation';
import { printDuration } from '#model/duration';
import { bug, withPaths } from '#model/error';
import { instantProblem, parseInstant } from '#model/instant';
import { ProblemList } from '#model/problem-list';
import type { Item } from '#model/signal';
import { nullable, strict, titled } from '#protocol/schema';
import {
  attributeFields,
  attributeSchemas,
  printDate,
  printFields,
  textMapSchema,
} from './attributes-view.ts';
import { itemsSchema, parseItems } from './evaluation.ts';
import { parseFixedDuration } from './interval.ts';
import { idSchema } from './resource-view.ts';
import { itemSaveSchema, parseItemSave } from './save-view.ts';

const formulaSchema = Type.String({
  description: 'Over the aliases of the inputs; see the grammar of formulas (F).',
});
const intervalDescription =
  'A fixed duration: the distance of the values of the item where no rollup is asked for (C4)';

/** The parts of a calculation that are saved. */
export const choiceMembers = {
  formula: formulaSchema,
  inputs: { ...itemsSchema, description: 'The items that the formula uses, as service.evaluate takes them.' },
  interval: Type.Optional(Type.String({ description: `${intervalDescription}; default PT1M.` })),
};

/** A calculated item in a file, as `calculated save` takes it. */
export const calculatedSaveSchema = Type.Object(
  { item: itemSaveSchema('1.2'), ...choiceMembers },
  { ...strict, title: 'CalculatedItemSave' },
);

const inputSchema = titled('CalculationInput', {
  id: Type.String({ description: 'Item ID.' }),
  alias: Type.String(),
  aggregation: Type.String(),
  state: Type.Optional(Type.Integer()),
  lead: Type.Integer(),
  lag: Type.Integer(),
});

const calculationMembers = {
  formula: formulaSchema,
  inputs: Type.Array(inputSchema),
  interval: Type.String({ description: `${intervalDescription}.` }),
  version: Type.Integer({ description: '1 for the first, and one more for each change of the calculation.' }),
};

/** A calculated item. */
export const calculatedSchema = titled('CalculatedItem', {
  id: idSchema,
  attributes: Type.Object(attributeSchemas, { additionalProperties: false }),
  visible: Type.Boolean(),
  annotations: textMapSchema,
  ...calculationMembers,
  createdAt: Type.String(),
  updatedAt: Type.String(),
});

/** A version of a calculation. */
export const versionSchema = titled('CalculationVersion', {
  ...calculationMembers,
  actor: Type.String({ description: 'Who saved it, as in the audit.' }),
  actorName: nullable(Type.String(), {
    description: 'Current name of the person or integration; null: it has none, or was deleted.',
  }),
  savedAt: Type.String(),
});

/** The interval where none is given. */
const intervalDefault = 'PT1M';

/** Reads a calculated item. Fails with every problem of its form, by path. */
export function parseCalculated(view: Static<typeof calculatedSaveSchema>): CalculatedChange {
  const problems = new ProblemList();
  const item = parseItemSave(view.item, ['item'], problems);
  const calculation = parseChoice(view, problems);
  problems.throwIfAny();
  return { item, calculation };
}

function parseChoice(
  { formula, inputs, interval = intervalDefault }: Omit<Static<typeof calculatedSaveSchema>, 'item'>,
  problems: ProblemList,
): CalculationChoice {
  const intervalUs = parseFixedDuration(interval);
  if (typeof intervalUs !== 'number') problems.add(['interval'], intervalUs.problem);
  const parsed = parseItems(inputs, '1.2', problems, 'inputs');
  return {
    formula,
    inputs: parsed.map(({ id: item, alias, aggregation, state, lead, lag }): CalculationInput => {
      return { item, alias, aggregation, state, lead, lag };
    }),
    intervalUs: typeof intervalUs === 'number' ? intervalUs : 0,
  };
}

/** A calculation as {@link choiceMembers} has it. */
export function viewChoice({ formula, inputs, intervalUs }: CalculationChoice) {
  return {
    formula,
    inputs: inputs.map(({ item: id, alias, aggregation, state, lead, lag }) => {
      return { id, alias, aggregation, ...(state !== null && { state }), lead, lag };
    }),
    interval: printDuration({ kind: 'fixed', us: intervalUs }),
  };
}

/** A calculated item, as {@link calculatedSchema} has it. */
export function viewCalculated(item: Item) {
  const { id, attributes, visible, annotations, createdAtMs, updatedAtMs } = item;
  const calculation = item.calculation ?? bug(`item ${id} is not calculated`);
  return {
    id,
    attributes: printFields(attributeFields(attributes)),
    visible,
    annotations: Object.fromEntries(annotations),
    ...viewChoice(calculation),
    version: calculation.version,
    createdAt: printDate(createdAtMs),
    updatedAt: printDate(updatedAtMs),
  };
}

/** A calculated item with its versions, oldest first, as {@link historySchema} takes them. */
export function viewHistory(versions: readonly CalculationVersion[]) {
  return versions.toSorted((a, b) => a.calculation.version - b.calculation.version).map(viewVersion);
}

/** A calculated item as {@link calculatedSaveSchema} takes it. */
export function viewSaved(item: Item) {
  const { attributes, visible, formula, inputs, interval } = viewCalculated(item);
  const { sampleInterval: _, gapDetection, ...fields } = attributes;
  const saved = { ...fields, ...(gapDetection !== null && { gapDetection }), visible };
  return { item: saved, formula, inputs, interval };
}

/** A calculated item with its versions, as `admin.importCalculation` takes it. */
export const historySchema = {
  item: itemSaveSchema('1.2'),
  versions: Type.Array(
    Type.Object({
      ...choiceMembers,
      interval: Type.String({ description: `${intervalDescription}.` }),
      version: Type.Integer({ minimum: 1, description: 'One more than that before it.' }),
      actor: Type.String({ description: 'Who saved it.' }),
      savedAt: Type.String({ description: 'RFC 3339.' }),
    }),
    { description: 'Ascending; the last one is in use.' },
  ),
};

/** Reads a history. Fails with every problem of its form, by path. */
export function parseHistory({
  item,
  versions,
}: Static<Type.TObject<typeof historySchema>>): CalculationHistory {
  const problems = new ProblemList();
  const change = parseItemSave(item, ['item'], problems);
  const parsed = versions.map((view, i) => parsePast(view, i, problems));
  problems.throwIfAny();
  return { item: change, versions: parsed };
}

function parsePast(
  { version, actor, savedAt, ...view }: Static<typeof historySchema.versions>[number],
  i: number,
  problems: ProblemList,
): PastVersion {
  const path = `versions.${i}`;
  const own = new ProblemList();
  const choice = parseChoice(view, own);
  if (!own.isEmpty) problems.take(withPaths(own.toError(), (part) => `${path}.${part}`));
  const savedAtUs = parseInstant(savedAt);
  if (Number.isNaN(savedAtUs)) problems.add([path, 'savedAt'], instantProblem(savedAt));
  return { calculation: { ...choice, version }, actor, savedAtMs: Math.floor(savedAtUs / 1000) };
}

/** A version, as {@link versionSchema} has it. */
export function viewVersion({ calculation, actor, savedAtMs }: CalculationVersion) {
  const { version } = calculation;
  return { ...viewChoice(calculation), version, actor, savedAt: printDate(savedAtMs) };
}
