/** Writes a save of many signals in several transactions, between which others write (R8, R9). */
import type { Permit } from '#load/account';
import type { Signal } from '#model/signal';
import type { MetaPart } from '#storage/meta-store';
import type { Saved, SignalChange } from './change.ts';
import { type Plan, type ResourceReads, writeOf, writesNothing } from './plan.ts';
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
  /** Whether others have saved the last piece meanwhile: then they may have saved the next one too, which needs no transaction. */
  let isSaved = false;
  try {
    for (let from = 0; from < entries.length; from += atOnce) {
      const changing = new Map(entries.slice(from, from + atOnce));
      const planFrom = (reads: ResourceReads) =>
        planSave(reads, integration, changing, createOnly, saving.making());
      let plan: Plan<Map<string, Saved>> | null = isSaved ? await planFrom(meta) : null;
      let created: readonly Signal[] = [];
      if (plan === null || !writesNothing(plan)) {
        [plan, created] = await meta.write(async (tx) => {
          const final = await planFrom(tx);
          const newCount = isLimited ? final.newSignals.length : saving.newCount;
          if (from === 0) permit = await saving.permit(tx, newCount);
          return [final, await writeOf(tx, final)] as const;
        });
      }
      isSaved = writesNothing(plan);
      outcome.created.push(...created);
      const ids: string[] = [];
      for (const [input, saved] of plan.result) {
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
