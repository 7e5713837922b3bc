/** console.publish.*: publishes signals, and records their state so that later changes can be detected. */
import Type, { type Static } from 'typebox';
import { isChangedSince, isMadeByRule } from '#domain/publishing/notes';
import { attributesOf } from '#domain/signals/attributes';
import type { ItemChange } from '#domain/signals/change';
import type { Item, Signal } from '#model/signal';
import type { Method } from '#protocol/method';
import { closed, nullable, titled } from '#protocol/schema';
import { actOf } from '../act.ts';
import { attributeFields } from '../attributes-view.ts';
import { integrationSchema, requireKnown } from '../integration-param.ts';
import { idSchema, itemResource, signalResource } from '../resource-view.ts';
import { itemSaveSchema, parseItemSaves } from '../save-view.ts';
import type { MethodServices } from '../services.ts';
import { printSaved, savedSchema } from '../summary.ts';
import { idsParam } from './console-schemas.ts';
import { defineConsole } from './define-console.ts';

/** The annotations of an item that record what it was published from. */
const noteKeys = {
  signalHash: 'tidemark/publish/signal-hash',
  itemHash: 'tidemark/publish/item-hash',
} as const;

/** Signals of one call. */
const idsMax = 1000;

const stateSchema = titled('PublishState', {
  state: Type.Enum(['unpublished', 'in-sync', 'signal-changed', 'item-edited'], {
    description: 'What has changed since the signal was published; if both have, "signal-changed".',
  }),
  item: nullable(idSchema),
  isItemEdited: Type.Boolean({ description: 'Whether the item was changed since it was published.' }),
  differs: Type.Array(Type.String(), { description: 'Attributes in which signal and item differ.' }),
});

type State = Static<typeof stateSchema>;

type Services = Pick<MethodServices, 'signals' | 'identity'>;

/** The definitions. */
export function consolePublish({ signals, identity }: Services): Method[] {
  return [
    defineConsole({
      role: 'viewer',
      name: 'console.publish.status',
      summary: 'Returns whether signals are published, and what has changed since.',
      params: Type.Object({
        ids: idsParam('signal', idsMax),
      }),
      result: closed({ byId: Type.Record(Type.String(), stateSchema) }),
      async run(_call, { ids }) {
        const found = await signals.signalsById(ids);
        const itemIds = found.flatMap(({ item }) => (item === null ? [] : [item]));
        const items = new Map((await signals.itemsById(itemIds)).map((item) => [item.id, item]));
        return { byId: Object.fromEntries(found.map((signal) => [signal.id, stateOf(signal, items)])) };
      },
    }),
    defineConsole({
      name: 'console.publish.apply',
      summary:
        'Publishes signals as admin.publishSignals does, and records their state in annotations of the items.',
      params: Type.Object({
        integration: integrationSchema,
        itemsBySignal: Type.Record(Type.String(), itemSaveSchema('1.2'), {
          description: 'Signal ID to item.',
        }),
      }),
      result: savedSchema('itemsBySignal', '1.2'),
      async run(call, { integration, itemsBySignal }, problems) {
        requireKnown(identity, integration);
        const changes = await parseItemSaves(itemsBySignal, 'itemsBySignal', [], {
          signalsMax: idsMax,
          problems,
          runner: call.ticket,
        });
        const found = new Map((await signals.signalsById([...changes.keys()])).map((one) => [one.id, one]));
        const noted = new Map([...changes].map(([id, change]) => [id, withNotes(change, found.get(id))]));
        const saved = await signals.publish(actOf(call), integration, noted, {
          createOnly: false,
          problems,
          runner: call.ticket,
        });
        return { itemsBySignal: printSaved(saved, '1.2') };
      },
    }),
  ];
}

/** Unknown signals are skipped here; publishing rejects them with their path. */
function withNotes(change: ItemChange, signal: Signal | undefined): ItemChange {
  if (signal === undefined) return change;
  const notes = [
    [noteKeys.signalHash, hashOfSignal(signal)],
    [noteKeys.itemHash, hashOfItem(itemAfter(change, signal))],
  ] as const;
  return { ...change, annotations: new Map([...(change.annotations ?? []), ...notes]) };
}

/** The item after publishing, with the fields that its hash covers. */
function itemAfter(change: ItemChange, { id, attributes }: Signal): Item {
  return {
    id,
    attributes: attributesOf(change, attributes.name),
    annotations: new Map(),
    visible: change.visible ?? false,
    calculation: null,
    createdAtMs: 0,
    updatedAtMs: 0,
  };
}

function stateOf(signal: Signal, items: ReadonlyMap<string, Item>): State {
  const item = signal.item === null ? undefined : items.get(signal.item);
  if (item === undefined) return { state: 'unpublished', item: null, isItemEdited: false, differs: [] };
  const differs = differences(signal, item);
  const { isSignalChanged, isItemEdited } = changesSince(signal, item, differs.length > 0);
  const state = isSignalChanged ? 'signal-changed' : isItemEdited ? 'item-edited' : 'in-sync';
  return { state, item: item.id, isItemEdited, differs };
}

/** Determined by the annotations; if another program has published the item, by comparing attributes and dates. */
function changesSince(signal: Signal, item: Item, isDifferent: boolean) {
  const signalHash = item.annotations.get(noteKeys.signalHash);
  const itemHash = item.annotations.get(noteKeys.itemHash);
  if (signalHash !== undefined && itemHash !== undefined)
    return {
      isSignalChanged: signalHash !== hashOfSignal(signal),
      isItemEdited: itemHash !== hashOfItem(item),
    };
  const isSignalYounger = signal.updatedAtMs > item.updatedAtMs;
  // A rule makes an item that differs from its signal.
  if (isMadeByRule(item)) return { isSignalChanged: isSignalYounger, isItemEdited: isChangedSince(item) };
  return { isSignalChanged: isDifferent && isSignalYounger, isItemEdited: isDifferent && !isSignalYounger };
}

function differences(signal: Signal, item: Item): string[] {
  const [a, b] = [signalResource(signal).attributes, itemResource(item).attributes];
  const names = Object.keys(attributeFields(signal.attributes)) as (keyof typeof a & keyof typeof b)[];
  return names.filter((name) => JSON.stringify(a[name]) !== JSON.stringify(b[name]));
}

function hashOfSignal(signal: Signal): string {
  return signalResource(signal).meta.attributesHash;
}

function hashOfItem(item: Item): string {
  return itemResource(item).meta.attributesHash;
}
