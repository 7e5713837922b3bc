/** A change of signals and items worked out before it is written: reading and deciding first, then one write, or none. */
import type { Item, Signal } from '#model/signal';
import type { MetaPart, MetaReads, MetaWrites, NewSignal } from '#storage/meta-store';

/** What plans are worked out from. */
export type ResourceReads = Pick<MetaReads, 'signals' | 'items'>;

/** What writing them needs: changes are recorded in the audit. */
type ResourceWrites = Pick<MetaWrites, 'signals' | 'items' | 'audit'>;

/** What a change writes, and its answer. */
export interface Plan<R> {
  newSignals: NewSignal[];
  changedSignals: Signal[];
  newItems: Item[];
  changedItems: Item[];
  result: R;
}

/** A plan that writes nothing yet. */
export function emptyPlan<R>(result: R): Plan<R> {
  return { newSignals: [], changedSignals: [], newItems: [], changedItems: [], result };
}

/** Works a plan out from a committed state, and writes nothing: a dry run. */
export async function preview<R>(
  meta: ResourceReads,
  plan: (reads: ResourceReads) => Promise<Plan<R>>,
): Promise<R> {
  return (await plan(meta)).result;
}

/**
 * Carries a plan out. It is worked out twice: first concurrently with all writers, since most saves repeat what is there and need no
 * write at all; then, when there is something to write, again inside the transaction, where nothing can have changed since.
 * `prepare` is called there before anything is written: it may read, refuse and record.
 */
export async function carryOut<R>(
  meta: MetaPart<'signals' | 'items' | 'audit'>,
  plan: (reads: ResourceReads) => Promise<Plan<R>>,
  prepare: (tx: ResourceWrites, plan: Plan<R>) => Promise<void>,
): Promise<R> {
  const before = await plan(meta);
  if (writesNothing(before)) return before.result;
  return meta.write(async (tx) => {
    const final = await plan(tx);
    if (writesNothing(final)) return final.result;
    await prepare(tx, final);
    await writeOf(tx, final);
    return final.result;
  });
}

/** Whether everything is as the plan wants it already. */
export function writesNothing(plan: Plan<unknown>): boolean {
  const { newSignals, changedSignals, newItems, changedItems } = plan;
  return newSignals.length + changedSignals.length + newItems.length + changedItems.length === 0;
}

/** Writes what a plan says, inside its transaction. Returns the signals that it creates, with their numbers. */
export async function writeOf(tx: ResourceWrites, plan: Plan<unknown>): Promise<Signal[]> {
  await tx.items.insert(plan.newItems);
  await tx.items.update(plan.changedItems);
  const created = await tx.signals.insert(plan.newSignals);
  await tx.signals.update(plan.changedSignals);
  return created;
}
