/** Publishing items from signals (R10). */
import { ProblemList } from '#model/problem-list';
import type { Item, Signal } from '#model/signal';
import { attributesOf, mergeAnnotations, sameAttributes } from './attributes.ts';
import type { ItemChange, Saved } from './change.ts';
import { inTurns } from './in-turns.ts';
import { emptyPlan, type Plan, type ResourceReads } from './plan.ts';
import type { Making } from './save.ts';
import { describeUnknownSignals } from './unknown-ids.ts';

/** Works out what publishing checked changes means; `invalid-params` for a signal that the integration does not have. */
export async function planPublish(
  reads: ResourceReads,
  integration: string,
  changes: ReadonlyMap<string, ItemChange>,
  createOnly: boolean,
  making: Making,
): Promise<Plan<Map<string, Saved>>> {
  const signals = await signalsOf(reads, integration, [...changes.keys()]);
  const items = await itemsOf(reads, signals.values());
  const changed = new Map<string, Item>();
  const plan = emptyPlan(new Map<string, Saved>());
  await inTurns(signals, ([id, signal]) => {
    const change = changes.get(id) ?? {};
    const stored = signal.item === null ? undefined : items.get(signal.item);
    if (stored === undefined) {
      const item = newItem(signal, change, making);
      plan.newItems.push(item);
      plan.changedSignals.push({ ...signal, item: item.id, updatedAtMs: making.nowMs });
      plan.result.set(id, { id: item.id, created: true, updated: false });
    } else {
      const item = createOnly ? stored : changedItem(stored, signal, change, making.nowMs);
      if (item !== stored) changed.set(item.id, item);
      items.set(item.id, item);
      plan.result.set(id, { id: item.id, created: false, updated: item !== stored });
    }
  });
  plan.changedItems.push(...changed.values());
  return plan;
}

/** The signals in the order asked for; every one must be of this integration. */
async function signalsOf(
  reads: ResourceReads,
  integration: string,
  ids: readonly string[],
): Promise<Map<string, Signal>> {
  const found = new Map((await reads.signals.byId(ids)).map((signal) => [signal.id, signal]));
  const isKnown = (id: string) => found.get(id)?.integration === integration;
  const unknown = ids.filter((id) => !isKnown(id));
  if (unknown.length === 0) return new Map(ids.map((id) => [id, found.get(id) as Signal]));
  const problems = new ProblemList();
  for (const [id, problem] of await describeUnknownSignals(reads, unknown, integration))
    problems.add(['itemsBySignal', id], problem);
  throw problems.toError();
}

async function itemsOf(reads: ResourceReads, signals: Iterable<Signal>): Promise<Map<string, Item>> {
  const ids = [...signals].flatMap(({ item }) => (item === null ? [] : [item]));
  const items = ids.length === 0 ? [] : await reads.items.byId(ids);
  return new Map(items.map((item) => [item.id, item]));
}

function newItem(signal: Signal, change: ItemChange, { nextId, nowMs }: Making): Item {
  return {
    id: nextId(),
    attributes: attributesOf(change, signal.attributes.name),
    annotations: mergeAnnotations(new Map(), change.annotations),
    visible: change.visible ?? false,
    calculation: null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
}

/** The item after a change; the same object when nothing changes. */
function changedItem(item: Item, signal: Signal, change: ItemChange, nowMs: number): Item {
  const attributes = attributesOf(change, signal.attributes.name);
  const annotations = mergeAnnotations(item.annotations, change.annotations);
  const visible = change.visible ?? false;
  const same =
    visible === item.visible &&
    annotations === item.annotations &&
    sameAttributes(attributes, item.attributes);
  return same ? item : { ...item, attributes, annotations, visible, updatedAtMs: nowMs };
}
