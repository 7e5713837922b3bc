/** Writing the audit (L4a): one row for each administrative act, in the transaction of the act. */
import type { Act } from '#model/act';
import { type Clock, clockMs } from '#model/environment';
import type { AuditQuery, AuditRow, MetaReads, MetaWrites } from '#storage/meta-store';
import { canonicalJson, type Json } from './canonical.ts';
import { hashOf, noHash } from './chain.ts';

/** An administrative act. */
export interface AuditEntry {
  /** `<noun>.<verb>`, for example `credential.revoke`. */
  action: string;
  /** The ID or name of its target. */
  target: string;
  /** The change, usually `{field: [before, after]}`. Must not contain secrets. */
  change: Json;
}

/**
 * Adds a row to the audit. Call it inside the transaction of the act, so that both are stored or neither.
 */
export async function record(
  tx: Pick<MetaWrites, 'audit'>,
  act: Act,
  clock: Clock,
  entry: AuditEntry,
): Promise<void> {
  const last = await lastRow(tx);
  const row = {
    seq: (last?.seq ?? 0) + 1,
    timeMs: clockMs(clock),
    actor: act.actor,
    origin: act.origin,
    action: entry.action,
    target: entry.target,
    change: canonicalJson(entry.change),
    previous: last?.hash ?? noHash,
  };
  await tx.audit.insert({ ...row, hash: hashOf(row) });
}

/** The newest row; null when there is none. */
export async function lastRow(reads: Pick<MetaReads, 'audit'>): Promise<AuditRow | null> {
  const [row] = await reads.audit.list({ ...everyRow, isDescending: true, limit: 1 });
  return row ?? null;
}

/** Matches every row; narrow it by spreading. */
export const everyRow: Omit<AuditQuery, 'limit'> = {
  isDescending: false,
  afterSeq: 0,
  actor: null,
  action: null,
  target: null,
};

/** The fields that differ, each with what it was and what it is; fields that are missing are null. */
export function changesOf(
  before: { readonly [field: string]: Json },
  after: { readonly [field: string]: Json },
): { [field: string]: Json } {
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  const pairs = [...fields].map((field) => [field, [before[field] ?? null, after[field] ?? null]] as const);
  return Object.fromEntries(pairs.filter(([, [was, is]]) => canonicalJson(was) !== canonicalJson(is)));
}
