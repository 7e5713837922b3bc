/** Changes of single fields, as the service takes and answers them; how they are undone, and what they are called. */
import type { EditedResource, PublishState } from '@tidemark/client/wire';
import type { ParamsOf } from '../../platform/rpc/rpc.ts';
import type { Attributes } from '../../platform/rpc/shapes.ts';

/** What is to be changed: fields, and entries of maps, of which null removes one. What is not named stays. */
export type Change = ParamsOf<'console.items.edit'>['change'];

const maps = ['labels', 'enumValues', 'annotations'] as const;

/** A field, or one entry of a map. */
export function changeOf(path: string, value: unknown): Change {
  const map = maps.find((name) => path.startsWith(`${name}.`));
  return map === undefined ? { [path]: value } : { [map]: { [path.slice(map.length + 1)]: value } };
}

/** Several changes as one; of two of the same field the later counts. */
export function mergeChanges(changes: readonly Change[]): Change {
  const whole: Record<string, unknown> = {};
  for (const change of changes)
    for (const [name, value] of Object.entries(change))
      whole[name] = isMap(name) ? { ...(whole[name] as object | undefined), ...(value as object) } : value;
  return whole;
}

/** Whether it would change anything. */
export function isEmptyChange(change: Change): boolean {
  return Object.keys(change).length === 0;
}

/** The changes that undo an edit: resources that need the same change are grouped. */
export function undoOf(edited: readonly EditedResource[]): { ids: string[]; change: Change }[] {
  const groups = Map.groupBy(edited, ({ changes }) => JSON.stringify(backwards(changes)));
  return [...groups.values()].map((group) => ({
    ids: group.map(({ id }) => id),
    change: backwards(group[0]!.changes),
  }));
}

function backwards(changes: EditedResource['changes']): Change {
  return mergeChanges(Object.entries(changes).map(([path, [before]]) => changeOf(path, before)));
}

/** What makes the second of the first: of both only the members that are fields. */
export function changeBetween(before: object, after: object): Change {
  const was = new Map<string, unknown>(Object.entries(before));
  return mergeChanges(
    Object.entries(after).flatMap(([name, is]) => {
      if (isMap(name)) return entryChanges(name, (was.get(name) ?? {}) as Entries, is as Entries);
      return was.get(name) === is ? [] : [{ [name]: is } as Change];
    }),
  );
}

type Entries = Readonly<Record<string, unknown>>;

function entryChanges(name: string, was: Entries, is: Entries): Change[] {
  const keys = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  return keys
    .filter((key) => JSON.stringify(was[key]) !== JSON.stringify(is[key]))
    .map((key) => changeOf(`${name}.${key}`, is[key] ?? null));
}

function isMap(name: string): boolean {
  return (maps as readonly string[]).includes(name);
}

/** The names of the describing fields, in the order in which they are shown. */
export const attributeTitles: Readonly<Record<keyof Attributes, string>> = {
  name: 'Name',
  description: 'Description',
  valueType: 'Type',
  sourceType: 'Source',
  engUnit: 'Unit',
  sampleInterval: 'Sample interval',
  gapDetection: 'Gap detection',
  labels: 'Labels',
  enumValues: 'States',
};

/** The describing fields in this order. */
export const attributeNames = Object.keys(attributeTitles) as readonly (keyof Attributes)[];

/** The titles of the fields in which a signal and its item differ; empty if there are none. */
export function differingFields(state: PublishState | undefined): string {
  const titles: Readonly<Record<string, string>> = attributeTitles;
  return state?.differs.map((name) => titles[name] ?? name).join(', ') ?? '';
}

/** Fields that a path names, with the singular of maps. */
const pathTitles: Readonly<Record<string, string>> = {
  ...attributeTitles,
  labels: 'Label',
  enumValues: 'State',
  annotations: 'Annotation',
  visible: 'Visible',
};

/** What a path is called: `Unit`, `Label site`. */
export function titleOfPath(path: string): string {
  const [name = '', ...key] = path.split('.');
  return [pathTitles[name] ?? name, ...(key.length > 0 ? [key.join('.')] : [])].join(' ');
}

/** A value as text; empty where there is none. */
export function printEditValue(value: unknown): string {
  if (value == null || value === '') return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return Array.isArray(value) ? value.join(', ') || '(no value)' : String(value);
}
