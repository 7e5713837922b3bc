/** Changes of signals and items as the audit shows them (L4a). */
import type { Item, Signal } from '#model/signal';
import type { Json } from '../audit/canonical.ts';
import { changesOf } from '../audit/record.ts';
import type { Plan, ResourceReads } from './plan.ts';

/** Resources that one row of the audit names at most: a row stays short enough to be read. */
const resourcesMax = 100;

type View = { [field: string]: Json };

/** What a plan changes, in parts for one row each: `{items: {id: changes}, signals: {id: changes}}`. */
export async function changesOfPlan(reads: ResourceReads, plan: Plan<unknown>): Promise<Json[]> {
  const items = new Map((await reads.items.byId(idsOf(plan.changedItems))).map((item) => [item.id, item]));
  const signals = new Map(
    (await reads.signals.byId(idsOf(plan.changedSignals))).map((signal) => [signal.id, signal]),
  );
  const changes = [
    ...[...plan.newItems, ...plan.changedItems].map((item) => ['items', item, items.get(item.id)] as const),
    ...plan.changedSignals.map((signal) => ['signals', signal, signals.get(signal.id)] as const),
  ].map(([kind, after, before]) => ({
    kind,
    id: after.id,
    change: changesOf(before === undefined ? {} : viewOf(before), viewOf(after)),
  }));
  return inParts(changes);
}

function inParts(changes: readonly { kind: 'items' | 'signals'; id: string; change: Json }[]): Json[] {
  const parts: Json[] = [];
  for (let start = 0; start < changes.length; start += resourcesMax) {
    const part: { [kind: string]: { [id: string]: Json } } = {};
    for (const { kind, id, change } of changes.slice(start, start + resourcesMax)) {
      part[kind] ??= {};
      part[kind][id] = change;
    }
    parts.push(part);
  }
  return parts;
}

function idsOf(resources: readonly { id: string }[]): string[] {
  return resources.map(({ id }) => id);
}

/** A signal or an item with one field for each value; what is empty is left out. */
export function viewOf(resource: Signal | Item): View {
  const { labels, enumValues, ...plain } = resource.attributes;
  const fields: [string, Json][] = [
    ...Object.entries(plain),
    ...[...labels].map(([key, values]): [string, Json] => [`labels.${key}`, [...values]]),
    ...[...enumValues].map(([key, value]): [string, Json] => [`enumValues.${key}`, value]),
    ...[...resource.annotations].map(([key, value]): [string, Json] => [`annotations.${key}`, value]),
    'visible' in resource ? ['visible', resource.visible] : ['item', resource.item],
  ];
  return Object.fromEntries(fields.filter(([, value]) => value !== null && value !== '' && value !== false));
}
