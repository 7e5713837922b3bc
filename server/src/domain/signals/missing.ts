/** Creates the signals of keys that an insert names for the first time (R9). */
import type { Permit } from '#load/account';
import type { Signal } from '#model/signal';
import type { MetaPart, NewSignal } from '#storage/meta-store';
import type { SignalChange } from './change.ts';
import { inTurns } from './in-turns.ts';
import type { ResourceReads } from './plan.ts';
import { type Making, newSignal } from './save.ts';

/** Signals of one transaction: some ten milliseconds, in which no other write goes on. */
const createdAtOnce = 250;

/** How they are created. */
interface Creating {
  meta: MetaPart<'signals' | 'items' | 'integrations' | 'audit'>;
  integration: string;
  /** What a new signal is, by its key. */
  describe(input: string): SignalChange;
  making(): Making;
  /** Permits so many, inside the first transaction; null when none needs to be permitted. */
  permit(tx: ResourceReads, count: number): Promise<Permit | null>;
  /** Called after each transaction with the IDs that it has created. */
  created(ids: readonly string[]): Promise<void>;
}

/**
 * Creates those that still do not exist, and puts all of them into `found`: in several transactions where the plan permits, between
 * which others write. Should one fail, those before it remain (R9a).
 */
export async function createMissing(
  creating: Creating,
  inputs: readonly string[],
  found: Map<string, Signal>,
): Promise<Signal[]> {
  const created: Signal[] = [];
  let permit: Permit | null = null;
  try {
    for (let left = inputs; left.length > 0; ) {
      const asked: readonly string[] = permit === null ? left : left.slice(0, createdAtOnce);
      const piece = await creating.meta.write(async (tx) => {
        const known = await tx.signals.byInput(creating.integration, asked);
        for (const signal of known) found.set(signal.input, signal);
        const absent = asked.filter((input) => !found.has(input));
        permit ??= await creating.permit(tx, absent.length);
        const count = permit?.isDivisible ? createdAtOnce : absent.length;
        const fresh = await newSignals(creating, absent.slice(0, count));
        return { created: await tx.signals.insert(fresh), left: absent.slice(count) };
      });
      for (const signal of piece.created) found.set(signal.input, signal);
      created.push(...piece.created);
      left = [...piece.left, ...left.slice(asked.length)];
      await creating.created(piece.created.map(({ id }) => id));
    }
  } finally {
    if (created.length > 0) (permit as Permit | null)?.settle({ signals: created.length, items: 0 });
  }
  return created;
}

async function newSignals(
  { integration, describe, making }: Creating,
  inputs: readonly string[],
): Promise<NewSignal[]> {
  const how = making();
  const fresh: NewSignal[] = [];
  await inTurns(inputs, (input) => fresh.push(newSignal(integration, input, describe(input), how)));
  return fresh;
}
