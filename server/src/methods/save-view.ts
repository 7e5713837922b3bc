/** Signals and items as clients save them (R2, R8, R10). The rules of the values are the domain's; here are the types. */

import Type, { type Static } from 'typebox';
import type { ItemChange, SignalChange } from '#domain/signals/change';
import { inTurns, type StepRunner } from '#domain/signals/in-turns';
import { invalidParams, withPaths } from '#model/error';
import type { ProblemList } from '#model/problem-list';
import { nullable } from '#protocol/schema';
import { ignoresUnknown, type Version } from '#protocol/version';
import { parseFixedDuration } from './interval.ts';

function text(description: string) {
  return Type.Optional(Type.String({ description }));
}

const texts = Type.Record(Type.String(), Type.String());
const values = nullable(Type.Array(Type.String()));

const signalMembers = {
  annotations: Type.Optional({ ...texts, description: 'Merged into the stored ones; "" removes one.' }),
  name: text('1-128 characters.'),
  type: text('A synonym of valueType.'),
  valueType: text('"numeric" (default) or "enum".'),
  description: text('At most 1,000 characters.'),
  labels: Type.Optional(Type.Record(Type.String(), values, { description: 'Label key to a set of values.' })),
  engUnit: text('At most 255 characters.'),
  enumValues: Type.Optional({
    ...texts,
    description: '"0".."9999" (leading zeros are dropped) to a text of 1-128 characters.',
  }),
  sourceType: text('"measurement" (default), "aggregation" or "prediction".'),
  sampleInterval: text('A fixed duration such as PT15M; null: unset.'),
  gapDetection: text('A fixed duration such as PT15M; null: unset.'),
};

const itemMembers = {
  ...signalMembers,
  visible: Type.Optional(Type.Boolean({ description: 'A flag for user interfaces, default false.' })),
};

/** The save view of a signal. Versions before 1.1 ignore members that they do not know (W4). */
export function signalSaveSchema(version: Version) {
  return Type.Object(signalMembers, {
    additionalProperties: ignoresUnknown(version),
    title: 'SignalSave',
  });
}

/** The save view of an item; 1.1beta1 requires `name`, `type` and `sourceType` (R10). */
export function itemSaveSchema(version: Version) {
  return Type.Object(itemMembers, {
    additionalProperties: ignoresUnknown(version),
    title: 'ItemSave',
  });
}

type SignalSave = Static<ReturnType<typeof signalSaveSchema>>;
/** An item as a client saves it. */
export type ItemSave = Static<ReturnType<typeof itemSaveSchema>>;

/** Options of reading saves. */
export interface SavesOptions {
  signalsMax: number;
  /** Takes what is wrong, which the domain throws together with what it finds itself (E2). */
  problems: ProblemList;
  runner?: StepRunner;
}

/** Reads the signals of a save, by input key, in turns. Notes problems by path below `path`. */
export function parseSignalSaves(
  views: Readonly<Record<string, SignalSave>>,
  path: string,
  options: SavesOptions,
): Promise<Map<string, SignalChange>> {
  return parseEach(views, path, parseSave, options);
}

/** Reads the items of a publication, by signal ID, in turns; `required` members must be there (R10). Notes problems by path. */
export function parseItemSaves(
  views: Readonly<Record<string, ItemSave>>,
  path: string,
  required: readonly (keyof ItemSave)[],
  options: SavesOptions,
): Promise<Map<string, ItemChange>> {
  const parse: Parse<ItemSave, ItemChange> = (view, viewPath, problems) => {
    requireMembers(view, required, viewPath, problems);
    return parseItemSave(view, viewPath, problems);
  };
  return parseEach(views, path, parse, options);
}

/** Reads one item; problems are noted below `path`. */
export function parseItemSave(view: ItemSave, path: string[], problems: ProblemList): ItemChange {
  return { ...parseSave(view, path, problems), visible: view.visible };
}

type Parse<View, Change> = (view: View, path: string[], problems: ProblemList) => Change;

async function parseEach<View, Change>(
  views: Readonly<Record<string, View>>,
  path: string,
  parse: Parse<View, Change>,
  { signalsMax, problems, runner }: SavesOptions,
): Promise<Map<string, Change>> {
  const keys = Object.keys(views);
  if (keys.length > signalsMax)
    throw invalidParams({ [path]: [`must have at most ${signalsMax} signals, got ${keys.length}`] });
  const changes = new Map<string, Change>();
  await inTurns(keys, (key) => changes.set(key, parse(views[key], [path, key], problems)), runner);
  return changes;
}

/** Runs a save; its problems with a value type are reported under the synonym that the view has (E2, R2). */
export async function withSpelling<T>(
  views: Readonly<Record<string, SignalSave>>,
  path: string,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw withPaths(error, (at) => {
      const key = at.slice(path.length + 1, -valueTypeEnd.length);
      const isType = at.endsWith(valueTypeEnd) && Object.hasOwn(views, key) && !views[key].valueType;
      return isType ? `${path}.${key}.type` : at;
    });
  }
}

const valueTypeEnd = '.valueType';

/** A member under either of its names counts as there. */
function requireMembers(
  view: ItemSave,
  required: readonly (keyof ItemSave)[],
  path: readonly string[],
  problems: ProblemList,
): void {
  for (const name of required) {
    const value = name === 'type' ? (view.type ?? view.valueType) : view[name];
    if (name === 'type' && problems.has(`${path.join('.')}.valueType`)) continue;
    if (value === undefined) problems.add([...path, name], 'required');
  }
}

function parseSave(view: SignalSave, path: readonly string[], problems: ProblemList): SignalChange {
  return {
    name: view.name,
    description: view.description,
    valueType: parseValueType(view, path, problems),
    sourceType: view.sourceType,
    engUnit: view.engUnit,
    sampleIntervalUs: parseInterval(view.sampleInterval, [...path, 'sampleInterval'], problems),
    gapDetectionUs: parseInterval(view.gapDetection, [...path, 'gapDetection'], problems),
    labels: new Map(Object.entries(view.labels ?? {}).map(([key, values]) => [key, values ?? []])),
    enumValues: new Map(Object.entries(view.enumValues ?? {})),
    annotations: new Map(Object.entries(view.annotations ?? {})),
  };
}

/** `type` and `valueType` are synonyms (R2); an empty one gives way to the other. */
function parseValueType(
  view: SignalSave,
  path: readonly string[],
  problems: ProblemList,
): string | undefined {
  const { type, valueType } = view;
  if (type && valueType && type !== valueType) {
    problems.add(
      [...path, 'type'],
      `must be the same as valueType ${JSON.stringify(valueType)}, or left out`,
    );
  }
  return valueType || type || undefined;
}

function parseInterval(value: string | undefined, path: string[], problems: ProblemList): number | null {
  if (value === undefined) return null;
  const us = parseFixedDuration(value);
  if (typeof us !== 'number') problems.add(path, us.problem);
  else if (us < 0) problems.add(path, `must not be negative, got ${JSON.stringify(value)}`);
  return typeof us === 'number' && us >= 0 ? us : null;
}
