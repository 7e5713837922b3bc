/** The fields by which resources are filtered and sorted (R14), under their wire names. */
import { enumKeyOf } from '#domain/signals/attributes';
import type { FieldPath, ScalarField } from '#model/filter';

/** A kind of resource, as relational views name it (R5). */
export type ResourceType = 'signals' | 'items';

/** What a field holds, and so which operands it can be compared with. */
export type FieldKind = 'text' | 'duration' | 'date' | 'flag';

/** A field as a filter or sort key names it. */
export interface Field {
  path: FieldPath;
  kind: FieldKind;
}

const both: readonly ResourceType[] = ['signals', 'items'];

/** Wire name → field, what it holds, and which resources have it. A Map: names come from outside. */
const scalars = new Map<string, [ScalarField, FieldKind, readonly ResourceType[]]>([
  ['id', ['id', 'text', both]],
  ['name', ['name', 'text', both]],
  ['description', ['description', 'text', both]],
  ['type', ['valueType', 'text', both]],
  ['valueType', ['valueType', 'text', both]],
  ['sourceType', ['sourceType', 'text', both]],
  ['engUnit', ['engUnit', 'text', both]],
  ['sampleInterval', ['sampleInterval', 'duration', both]],
  ['gapDetection', ['gapDetection', 'duration', both]],
  ['visible', ['visible', 'flag', ['items']]],
  ['input', ['input', 'text', ['signals']]],
  ['item', ['item', 'text', ['signals']]],
  ['integration', ['integration', 'text', ['signals']]],
  ['createdAt', ['createdAt', 'date', both]],
  ['updatedAt', ['updatedAt', 'date', both]],
]);

const maps = ['labels', 'annotations', 'enumValues'] as const;

/** Reads a field path; everything after the first dot is the key (R14), of enum values without leading zeros (R2). Null: the resource has no such field. */
export function parseFieldPath(text: string, resource: ResourceType): Field | null {
  const dot = text.indexOf('.');
  if (dot >= 0) {
    const field = maps.find((name) => name === text.slice(0, dot));
    const key = text.slice(dot + 1);
    if (field === undefined || key === '') return null;
    return { path: { field, key: field === 'enumValues' ? enumKeyOf(key) : key }, kind: 'text' };
  }
  const scalar = scalars.get(text);
  if (scalar === undefined) return null;
  const [field, kind, resources] = scalar;
  return resources.includes(resource) ? { path: { field }, kind } : null;
}

/** What to say of a path that {@link parseFieldPath} refuses. */
export function unknownField(resource: ResourceType): string {
  const names = [...scalars].filter(([, [, , resources]]) => resources.includes(resource));
  return `unknown field; known are ${names.map(([name]) => name).join(', ')}, ${maps.map((name) => `${name}.<key>`).join(', ')}`;
}
