/** Saving signals by input key (R8). */
import type { Signal } from '#model/signal';
import type { NewSignal } from '#storage/meta-store';

import { attributesOf, mergeAnnotations, sameAttributes } from './attributes.ts';
import type { Saved, SignalChange } from './change.ts';
import { inTurns } from './in-turns.ts';
import { emptyPlan, type Plan, type ResourceReads } from './plan.ts';

/** What making a resource needs. */
export interface Making {
  /** A new ID. */
  nextId(): string;
  nowMs: number;
}

/** Works out what saving checked changes means for one integration's signals. */
export async function planSave(
  reads: ResourceReads,
  integration: string,
  changes: ReadonlyMap<string, SignalChange>,
  createOnly: boolean,
  making: Making,
): Promise<Plan<Map<string, Saved>>> {
  const plan = emptyPlan(new Map<string, Saved>());
  const stored = await reads.signals.byInput(integration, [...changes.keys()]);
  const byInput = new Map(stored.map((signal) => [signal.input, signal]));
  await inTurns(changes, ([input, change]) => {
    const signal = byInput.get(input);
    const saved =
      signal === undefined ? null : createOnly ? signal : changedSignal(signal, change, making.nowMs);
    if (saved === null) plan.newSignals.push(newSignal(integration, input, change, making));
    else if (saved !== signal) plan.changedSignals.push(saved);
    const id = saved?.id ?? plan.newSignals[plan.newSignals.length - 1].id;
    plan.result.set(input, { id, created: saved === null, updated: saved !== null && saved !== signal });
  });
  return plan;
}

/** A signal as a first save, or the first points of an unknown key, make it (R9). */
function newSignal(
  integration: string,
  input: string,
  change: SignalChange,
  { nextId, nowMs }: Making,
): NewSignal {
  return {
    id: nextId(),
    integration,
    input,
    attributes: attributesOf(change, input),
    annotations: mergeAnnotations(new Map(), change.annotations),
    item: null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
}

/** The signal after a change; the same object when nothing changes. */
function changedSignal(signal: Signal, change: SignalChange, nowMs: number): Signal {
  const attributes = attributesOf(change, signal.input);
  const annotations = mergeAnnotations(signal.annotations, change.annotations);
  if (annotations === signal.annotations && sameAttributes(attributes, signal.attributes)) return signal;
  return { ...signal, attributes, annotations, updatedAtMs: nowMs };
}
