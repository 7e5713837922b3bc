/** The flat view of signals and items: the fields of the interface's resource table side by side (R6). */
import Type, { type TSchema } from 'typebox';
import type { Item, Signal, ValueType } from '#model/signal';
import { closed, nullable, strict, titled } from '#protocol/schema';
import type { Version } from '#protocol/version';
import {
  attributeFields,
  attributeSchemas,
  printDate,
  printFields,
  printMap,
  textMapSchema,
} from './attributes-view.ts';
import { resourceHash } from './hash.ts';
import { idSchema } from './resource-view.ts';

/** What the flat view calls the value type (R6). */
export type ValueTypeName = 'type' | 'valueType';

/** The name of the value type in the flat view of a version. */
export function valueTypeName(version: Version): ValueTypeName {
  return version === '1.1beta1' ? 'type' : 'valueType';
}

function flatSchemas(name: ValueTypeName): Record<string, TSchema> {
  const { valueType, ...others } = attributeSchemas;
  return {
    id: idSchema,
    meta: closed({ contentHash: Type.String(), createdAt: Type.String(), updatedAt: Type.String() }),
    annotations: textMapSchema,
    [name]: valueType,
    ...others,
  };
}

/** A signal as {@link flatSignal} writes it. */
export function flatSignalSchema(name: ValueTypeName) {
  const item = nullable(idSchema);
  return titled('FlatSignal', { ...flatSchemas(name), inputId: Type.String(), item });
}

/** An item as {@link flatItem} writes it. */
export function flatItemSchema(name: ValueTypeName) {
  return Type.Object(flatSchemas(name), { ...strict, title: 'FlatItem' });
}

/** A signal in the flat view. Its hash is that of the relational view (R6). */
export function flatSignal(signal: Signal, name: ValueTypeName): Record<string, unknown> {
  const hash = resourceHash({ ...attributeFields(signal.attributes), input: signal.input });
  return { ...flatFields(signal, hash, name), inputId: signal.input, item: signal.item };
}

/** An item in the flat view. Its hash is that of the relational view (R6). */
export function flatItem(item: Item, name: ValueTypeName): Record<string, unknown> {
  const hash = resourceHash({ ...attributeFields(item.attributes), visible: item.visible });
  return flatFields(item, hash, name);
}

function flatFields(
  resource: Signal | Item,
  contentHash: string,
  name: ValueTypeName,
): Record<string, unknown> {
  const { valueType, ...others } = printFields(attributeFields(resource.attributes));
  return {
    id: resource.id,
    meta: {
      contentHash,
      createdAt: printDate(resource.createdAtMs),
      updatedAt: printDate(resource.updatedAtMs),
    },
    annotations: printMap(resource.annotations),
    [name]: valueType satisfies ValueType,
    ...others,
  };
}

/** Resources in the flat view by ID, in their order. */
export function flatMap<R extends { id: string }>(
  resources: readonly R[],
  print: (resource: R, name: ValueTypeName) => Record<string, unknown>,
  name: ValueTypeName,
): Record<string, unknown> {
  return Object.fromEntries(resources.map((resource) => [resource.id, print(resource, name)]));
}
