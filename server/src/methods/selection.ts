/** Selections: the structure of relational answers, and the parameters that choose it (R12). */
import Type, { type Static, type TSchema } from 'typebox';
import { frameOf } from '#domain/query/frame';
import type { Frame } from '#model/frame';
import { ProblemList, quote } from '#model/problem-list';
import type { Item, Signal } from '#model/signal';
import { runSteps, type Steps } from '#model/steps';
import { pieceCharacters } from '#protocol/answer';
import { JsonText } from '#protocol/json-text';
import type { Call } from '#protocol/method';
import { closed, nullable, strict } from '#protocol/schema';
import type { Version } from '#protocol/version';
import { itemResourceSchema, itemText } from './resource-view.ts';

/** The structure of a selection. */
export interface Format {
  /** Data as an array, not as an object keyed by ID; of a frame: one frame for each series. */
  dataAsArray: boolean;
  /** Included resources as `{"items": [...]}`, not as one array. */
  groupIncludedByType: boolean;
}

/** The default for selections of resources. */
export const selectFormat: Format = { dataAsArray: true, groupIncludedByType: false };

/** The default for data frames. */
export const frameFormat: Format = { dataAsArray: false, groupIncludedByType: false };

const flagSchema = Type.Optional(Type.Boolean());

const includeOptions = {
  description: 'Relationships to include: "item" (or "items"); a resource without one includes nothing.',
};

/** The parameter `include`, if its absence is significant (W10). */
export const includeItemsSchema = Type.Array(Type.String(), includeOptions);

const includeSchema = Type.Array(Type.String(), { default: [], ...includeOptions });

const groupIncludedByTypeSchema = Type.Optional(
  Type.Boolean({ description: 'Whether `included` is an object by type.' }),
);

const formatSchema = Type.Optional(
  Type.Object(
    { dataAsArray: flagSchema, groupIncludedByType: flagSchema },
    { ...strict, title: 'SelectionFormat', description: 'How the result is wrapped.' },
  ),
);

/**
 * The parameters for the structure of a selection, by version: 1.1beta2 has no `format`; since then `groupIncludedByType` is a
 * synonym of its member.
 */
export const wrappingSchemas = {
  beta: { include: includeSchema, groupIncludedByType: groupIncludedByTypeSchema },
  format: {
    include: includeSchema,
    format: formatSchema,
    groupIncludedByType: groupIncludedByTypeSchema,
  },
};

/** The parameters that {@link readFormat} reads. */
export interface FormatParams {
  format?: Static<typeof formatSchema>;
  groupIncludedByType?: boolean;
}

/** Reads the structure; the parameter `format` wins over `groupIncludedByType`, which some 1.1 clients still send. */
export function readFormat(params: FormatParams, defaults: Format): Format {
  return {
    dataAsArray: params.format?.dataAsArray ?? defaults.dataAsArray,
    groupIncludedByType:
      params.format?.groupIncludedByType ?? params.groupIncludedByType ?? defaults.groupIncludedByType,
  };
}

/** Whether items are to be included (R12). `invalid-params` for any name but `item` and `items`. */
export function readInclude(include: readonly string[]): boolean {
  const problems = new ProblemList();
  for (const [index, name] of include.entries()) {
    if (name !== 'item' && name !== 'items') {
      problems.add(['include', index], `must be "item", got ${quote(name)}`);
    }
  }
  if (!problems.isEmpty) throw problems.toError();
  return include.length > 0;
}

/** The contents of a selection. */
export interface SelectionParts<Data> {
  version: Version;
  format: Format;
  /** The number of all matches; null when it is not known. */
  total: number | null;
  data: Data;
  /** Null when nothing was requested. In any order, possibly with duplicates. */
  included: readonly Item[] | null;
}

/** Builds the answer (R12); `print` writes a resource of the data. */
export function selection<T extends Signal | Item>(
  parts: SelectionParts<readonly T[]>,
  print: (resource: T) => JsonText,
) {
  const { format, data } = parts;
  return wrapped({
    ...parts,
    data: format.dataAsArray
      ? pageOf(data, print)
      : Object.fromEntries(data.map((resource) => [resource.id, print(resource)])),
  });
}

/** Pages that were printed before. Stores give the same array again while nothing has changed, as far as they keep it. */
const pages = new WeakMap<readonly unknown[], JsonText>();

/** The resources as an array; a short one as one text, which is sent as it is. */
function pageOf<T extends Signal | Item>(
  data: readonly T[],
  print: (resource: T) => JsonText,
): JsonText | readonly JsonText[] {
  const known = pages.get(data);
  if (known !== undefined) return known;
  const resources = data.map(print);
  if (resources.reduce((sum, { text }) => sum + text.length, 0) > pieceCharacters) return resources;
  const page = new JsonText(Buffer.from(`[${resources.map(({ text }) => text).join(',')}]`));
  pages.set(data, page);
  return page;
}

/** Builds the answer whose data is a frame (R12); a frame that is divided is so in steps of the call. */
export async function frameSelection(call: Pick<Call, 'ticket' | 'memory'>, parts: SelectionParts<Frame>) {
  const { format, data } = parts;
  if (!format.dataAsArray) return wrapped(parts);
  call.memory?.note(2 * data.bytes);
  return wrapped({ ...parts, data: await runSteps(divided(data), (step) => call.ticket.step(step)) });
}

function wrapped<Data>({ version, format, total, data, included }: SelectionParts<Data>) {
  return {
    meta: new JsonText(JSON.stringify(printMeta(version, format, total ?? -1))),
    data,
    ...(included === null ? {} : { included: printIncluded(included, format.groupIncludedByType) }),
  };
}

function printMeta(version: Version, format: Format, total: number) {
  if (version === '1.1beta2') return { total, groupIncludedByType: format.groupIncludedByType };
  const { dataAsArray, groupIncludedByType } = format;
  return { total, format: { dataAsArray, groupIncludedByType } };
}

/** One frame for each series, with the rows in which the series has a value. */
function* divided({ timesUs, series }: Frame): Steps<Frame[]> {
  const frames: Frame[] = [];
  for (const [key, values] of series) {
    frames.push(yield* frameOf(timesUs, new Map([[key, values]]), { last: 0, rollup: null }));
  }
  return frames;
}

function printIncluded(items: readonly Item[], grouped: boolean) {
  const byId = new Map(items.map((item) => [item.id, item]));
  const resources = [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1)).map(itemText);
  return grouped ? { items: resources } : resources;
}

/** The schema of a selection of resources in a version. */
export function selectionSchema(version: Version, resource: TSchema) {
  const data = Type.Union([Type.Array(resource), Type.Record(Type.String(), resource)], {
    description: 'An array, or with format.dataAsArray false an object by ID.',
  });
  return closed({ meta: metaSchema(version), data, included: includedSchema });
}

/** The schema of a selection whose data is a frame. */
export function frameSelectionSchema(version: Version) {
  const data = Type.Union([frameSchema, Type.Array(frameSchema)], {
    description: 'One frame, or with format.dataAsArray one for each series.',
  });
  return closed({ meta: metaSchema(version), data, included: includedSchema });
}

/** A data frame as clients read it. */
export const frameSchema = Type.Object(
  {
    times: Type.Array(Type.String({ description: 'RFC 3339, UTC' })),
    series: Type.Record(Type.String(), Type.Array(nullable(Type.Number()))),
  },
  {
    ...strict,
    title: 'DataFrame',
    description: 'Each series is as long as times; null: no value. Also as an Apache Arrow stream (W5e).',
  },
);

const includedSchema = Type.Optional(
  Type.Union([Type.Array(itemResourceSchema), closed({ items: Type.Array(itemResourceSchema) })]),
);

function metaSchema(version: Version) {
  const total = Type.Integer({ minimum: -1, description: 'Number of all matches; -1: not counted.' });
  if (version === '1.1beta2') return closed({ total, groupIncludedByType: Type.Boolean() });
  const format = closed({ dataAsArray: Type.Boolean(), groupIncludedByType: Type.Boolean() });
  return closed({ total, format });
}
