/** Writes a save of many signals in several transactions, between which others write (R8, R9). */
import type { Permit } from '#load/account';
import type { Signal } from '#model/signal';
import type { MetaPart } from '#storage/meta-store';
import type { Saved, SignalChange } from './change.ts';
import { type ResourceReads, writeOf } from './plan.ts';
import { type Making, planSave } from './save.ts';

/** Signals of one transaction: some milliseconds, in which no other write goes on. */
const savedAtOnce = 100;

/** How they are saved. */
export interface Saving {
  meta: MetaPart<'signals' | 'items' | 'audit'>;
  integration: string;
  /** Leave what exists untouched. */
  createOnly: boolean;
  /** New signals among them, as far as the caller knows. */
  newCount: number;
  /** Whether the plan limits how many there may be. */
  isLimited: boolean;
  making(): Making;
  /** Permits so many new signals, inside the first transaction; null when none needs to be permitted. */
  permit(tx: ResourceReads, count: number): Promise<Permit | null>;
  /** Called after each transaction with the IDs that it has created or changed. */
  written(ids: readonly string[]): Promise<void>;
}

/** What became of all keys, in their order, and the signals that were created. */
export interface SavedSignals {
  saved: Map<string, Saved>;
  created: Signal[];
}

/**
 * Saves checked changes: in several transactions, or in one where the plan limits how many signals there may be (R9a). Should one
 * fail, what those before it have written remains.
 */
export async function saveInPieces(
  saving: Saving,
  changes: ReadonlyMap<string, SignalChange>,
): Promise<SavedSignals> {
  const outcome: SavedSignals = { saved: new Map(), created: [] };
  const entries = [...changes];
  const { meta, integration, createOnly, isLimited } = saving;
  const atOnce = isLimited ? entries.length : savedAtOnce;
  let permit: Permit | null = null;
  try {
    for (let from = 0; from < entries.length; from += atOnce) {
      const piece = await meta.write(async (tx) => {
        const changing = new Map(entries.slice(from, from + atOnce));
        const plan = await planSave(tx, integration, changing, createOnly, saving.making());
        if (from === 0)
          permit = await saving.permit(tx, isLimited ? plan.newSignals.length : saving.newCount);
        return { saved: plan.result, created: await writeOf(tx, plan) };
      });
      outcome.created.push(...piece.created);
      const ids: string[] = [];
      for (const [input, saved] of piece.saved) {
        outcome.saved.set(input, saved);
        if (saved.created || saved.updated) ids.push(saved.id);
      }
      await saving.written(ids);
    }
  } finally {
    const created = { signals: outcome.created.length, items: 0 };
    if (created.signals > 0) (permit as Permit | null)?.settle(created);
  }
  return outcome;
}
