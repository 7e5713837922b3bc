/** The hash chain of the audit log: each row's hash covers the row and the previous hash, so changed, moved or missing rows are detected. */
import { hash } from 'node:crypto';
import type { AuditRow } from '#storage/meta-store';
import { canonicalJson, type Json } from './canonical.ts';

/** The previous hash of the first row. */
export const noHash = '0'.repeat(64);

/** The action that prunes old rows; its row anchors the remaining ones. */
export const pruneAction = 'audit.prune';

/** A row without its hash. */
type UnhashedRow = Omit<AuditRow, 'hash'>;

/** A row as it is exported and hashed. */
export function auditView(row: UnhashedRow): { [key: string]: Json } {
  const { seq, timeMs, actor, origin, action, target, change, previous } = row;
  const time = new Date(timeMs).toISOString();
  return { seq, time, actor, origin, action, target, change: JSON.parse(change) as Json, previous };
}

/** The hash of a row: SHA-256, lower-case hex, of the canonical JSON of its view. */
export function hashOf(row: UnhashedRow): string {
  return hash('sha256', canonicalJson(auditView(row)), 'hex');
}

/** The last row of a chain. Kept elsewhere, it also reveals rows removed from the end. */
export interface ChainHead {
  seq: number;
  hash: string;
}

/** The result of verifying a chain. */
export type ChainVerdict =
  | { ok: true; rows: number; firstSeq: number; head: ChainHead }
  | { ok: false; seq: number; problem: string };

/** Verifies rows in order and reports the first break. */
export class ChainWalk {
  readonly #expected: ChainHead | null;
  #rows = 0;
  #firstSeq = 0;
  #head: ChainHead = { seq: 0, hash: noHash };
  #anchor: ChainHead | null = null;
  #isExpectedSeen: boolean;
  /** The last deleted row according to the newest pruning. */
  #pruned: ChainHead | null = null;

  /** `expected` is a head that was recorded earlier: it must still be in the chain or have been pruned. */
  constructor(expected: ChainHead | null) {
    this.#expected = expected;
    this.#isExpectedSeen = expected === null;
  }

  /** Checks the next row; returns its problem, or null. */
  step(row: AuditRow): string | null {
    if (this.#rows === 0) this.#begin(row);
    else if (row.seq !== this.#head.seq + 1) return `the row before it, ${row.seq - 1}, is missing`;
    if (row.previous !== this.#head.hash) return 'its previous hash does not match the row before it';
    if (row.hash !== hashOrNull(row)) return 'its content does not match its hash';
    if (row.action === pruneAction) this.#pruned = headOf(row.change);
    this.#head = { seq: row.seq, hash: row.hash };
    this.#rows++;
    if (this.#expected?.seq !== row.seq) return null;
    this.#isExpectedSeen = true;
    return this.#expected.hash === row.hash ? null : 'its hash differs from the expected one';
  }

  /** The verdict after the last row, where each {@link step} found nothing. */
  end(): ChainVerdict {
    const anchor = this.#anchor;
    const isAnchored =
      anchor === null || (this.#pruned?.seq === anchor.seq && this.#pruned.hash === anchor.hash);
    if (!isAnchored) return broken(anchor.seq, 'the rows up to it are missing without a record of pruning');
    const expected = this.#expected;
    if (expected !== null && !this.#isExpectedSeen && expected.seq > (anchor?.seq ?? 0)) {
      return broken(expected.seq, 'it was expected, and is missing');
    }
    return { ok: true, rows: this.#rows, firstSeq: this.#firstSeq, head: this.#head };
  }

  #begin(row: AuditRow): void {
    this.#firstSeq = row.seq;
    this.#head = { seq: row.seq - 1, hash: row.seq === 1 ? noHash : row.previous };
    if (row.seq > 1) this.#anchor = this.#head;
  }
}

function broken(seq: number, problem: string): ChainVerdict {
  return { ok: false, seq, problem };
}

function hashOrNull(row: AuditRow): string | null {
  try {
    return hashOf(row);
  } catch {
    return null; // The change is not valid JSON any more.
  }
}

function headOf(change: string): ChainHead {
  const { seq, hash } = JSON.parse(change) as { seq: number; hash: string };
  return { seq, hash };
}
