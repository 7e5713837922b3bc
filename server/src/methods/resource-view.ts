/** The relational view of signals and items (R5). Strict clients refuse unknown members: nothing is to be added here. */
import Type, { type Static } from 'typebox';
import type { Item, Signal } from '#model/signal';
import { JsonText } from '#protocol/json-text';
import { closed, nullable, titled } from '#protocol/schema';
import {
  attributeFields,
  attributeSchemas,
  printDate,
  printFields,
  printMap,
  textMapSchema,
} from './attributes-view.ts';
import { resourceHash } from './hash.ts';

const hashSchema = Type.String({ pattern: '^[0-9a-f]{40}$' });

/** A resource ID (R1). */
export const idSchema = Type.String({ pattern: '^[a-v0-9]{20}$', description: 'Resource ID.' });

const metaSchema = closed({
  annotations: textMapSchema,
  attributesHash: hashSchema,
  relationshipsHash: hashSchema,
  createdAt: Type.String(),
  updatedAt: Type.String(),
});

function toOneSchema(type: string) {
  const identifier = closed({ type: Type.Literal(type), id: idSchema });
  return closed({ data: nullable(identifier) });
}

/** A signal as {@link signalResource} writes it. */
export const signalResourceSchema = titled('Signal', {
  id: idSchema,
  type: Type.Literal('signals'),
  meta: metaSchema,
  attributes: closed({ ...attributeSchemas, input: Type.String() }),
  relationships: closed({ integration: toOneSchema('integrations'), item: toOneSchema('items') }),
});

/** An item as {@link itemResource} writes it. */
export const itemResourceSchema = titled('Item', {
  id: idSchema,
  type: Type.Literal('items'),
  meta: metaSchema,
  attributes: closed({ ...attributeSchemas, visible: Type.Boolean() }),
  relationships: closed({}),
});

/** A signal in the relational view. */
export type SignalResource = Static<typeof signalResourceSchema>;

/** An item in the relational view. */
export type ItemResource = Static<typeof itemResourceSchema>;

/** Writes a signal in the relational view (R5). */
export function signalResource(signal: Signal): SignalResource {
  const relationships = {
    integration: toOne('integrations', signal.integration),
    item: toOne('items', signal.item),
  };
  const fields = { ...attributeFields(signal.attributes), input: signal.input };
  return {
    id: signal.id,
    type: 'signals',
    meta: resourceMeta(signal, fields, relationships),
    attributes: printFields(fields) as SignalResource['attributes'],
    relationships,
  };
}

/** Writes an item in the relational view (R5). */
export function itemResource(item: Item): ItemResource {
  const fields = { ...attributeFields(item.attributes), visible: item.visible };
  return {
    id: item.id,
    type: 'items',
    meta: resourceMeta(item, fields, {}),
    attributes: printFields(fields) as ItemResource['attributes'],
    relationships: {},
  };
}

/** Texts of records that were written before. Stores give the same record again while it has not changed. */
const texts = new WeakMap<Signal | Item, JsonText>();

/** The text of {@link signalResource}. */
export function signalText(signal: Signal): JsonText {
  return texts.getOrInsertComputed(signal, () => new JsonText(JSON.stringify(signalResource(signal))));
}

/** The text of {@link itemResource}. */
export function itemText(item: Item): JsonText {
  return texts.getOrInsertComputed(item, () => new JsonText(JSON.stringify(itemResource(item))));
}

function toOne<Type extends string>(type: Type, id: string): { data: { type: Type; id: string } };
function toOne<Type extends string>(
  type: Type,
  id: string | null,
): { data: { type: Type; id: string } | null };
function toOne(type: string, id: string | null) {
  return { data: id === null ? null : { type, id } };
}

function resourceMeta(resource: Signal | Item, fields: Record<string, unknown>, relationships: object) {
  return {
    annotations: printMap(resource.annotations),
    attributesHash: resourceHash(fields),
    relationshipsHash: relationshipsHash(relationships),
    createdAt: printDate(resource.createdAtMs),
    updatedAt: printDate(resource.updatedAtMs),
  };
}

/** The hash that was last asked for: neighbours in a selection mostly have the same relationships. */
let known = { json: '', hash: '' };

function relationshipsHash(relationships: object): string {
  const json = JSON.stringify(relationships);
  if (json !== known.json) known = { json, hash: resourceHash({ ...relationships }) };
  return known.hash;
}
