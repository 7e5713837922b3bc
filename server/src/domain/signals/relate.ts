/** Connecting signals to items, and annotating them (R11). */
import { invalidParams } from '#model/error';
import type { ResourceQuery } from '#model/filter';
import { ProblemList } from '#model/problem-list';
import type { Annotations, Signal } from '#model/signal';
import type { Selected } from '#storage/meta-store';

import { mergeAnnotations } from './attributes.ts';
import { emptyPlan, type Plan, type ResourceReads } from './plan.ts';
import { describeUnknownItems, describeUnknownSignals } from './unknown-ids.ts';

/** Annotations to be merged into one signal. */
export interface Annotating {
  id: string;
  annotations: Annotations;
}

/** Works out what it means that the selected signals feed `item`, or none when it is null. */
export async function planConnection(
  reads: ResourceReads,
  integration: string,
  query: ResourceQuery,
  item: string | null,
  nowMs: number,
): Promise<Plan<Selected<Signal>>> {
  if (item !== null) await checkItem(reads, item);
  const { records, total } = await reads.signals.select(query, integration);
  const after = records.map((signal) =>
    signal.item === item ? signal : { ...signal, item, updatedAtMs: nowMs },
  );
  const plan = emptyPlan({ records: after, total });
  plan.changedSignals.push(...after.filter((signal, i) => signal !== records[i]));
  return plan;
}

/** An item that signals can feed. */
async function checkItem(reads: ResourceReads, id: string): Promise<void> {
  const [item] = await reads.items.byId([id]);
  if (item === undefined) {
    const problems = await describeUnknownItems(reads, [id]);
    throw invalidParams({ item: [...problems.values()] });
  }
  if (item.calculation !== null)
    throw invalidParams({ item: ['is a calculated item, which no signal can feed'] });
}

/** Works out what annotating means; the result has each signal once, where it was named first. */
export async function planAnnotations(
  reads: ResourceReads,
  integration: string,
  changes: readonly Annotating[],
  nowMs: number,
): Promise<Plan<Selected<Signal>>> {
  const stored = await reads.signals.byId(changes.map(({ id }) => id));
  const before = new Map(
    stored.filter((signal) => signal.integration === integration).map((signal) => [signal.id, signal]),
  );
  await refuseUnknown(reads, changes, before, integration);
  const after = new Map<string, Signal>();
  for (const { id, annotations } of changes) {
    const signal = after.get(id) ?? (before.get(id) as Signal);
    const merged = mergeAnnotations(signal.annotations, annotations);
    const same = merged === signal.annotations;
    after.set(id, same ? signal : { ...signal, annotations: merged, updatedAtMs: nowMs });
  }
  const records = [...after.values()];
  const plan = emptyPlan({ records, total: records.length });
  plan.changedSignals.push(...records.filter((signal) => signal !== before.get(signal.id)));
  return plan;
}

async function refuseUnknown(
  reads: ResourceReads,
  changes: readonly Annotating[],
  known: ReadonlyMap<string, Signal>,
  integration: string,
): Promise<void> {
  const unknown = [...changes.entries()].filter(([, { id }]) => !known.has(id));
  if (unknown.length === 0) return;
  const ids = unknown.map(([, { id }]) => id);
  const described = await describeUnknownSignals(reads, ids, integration);
  const problems = new ProblemList();
  for (const [i, { id }] of unknown) problems.add(['data', i, 'id'], described.get(id) ?? '');
  throw problems.toError();
}
