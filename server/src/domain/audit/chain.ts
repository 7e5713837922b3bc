/** The chain of the audit: each row's hash covers the row and the hash before it, so no row can be changed, moved or left out unseen. */
import { hash } from 'node:crypto';
import type { AuditRow } from '#storage/store';
import { canonicalJson, type Json } from './canonical.ts';

/** Stands for the hash before the first row. */
export const noHash = '0'.repeat(64);

/** The action that forgets old rows; its row is the anchor of those that are left. */
export const pruneAction = 'audit.prune';

/** A row without its hash. */
export type UnhashedRow = Omit<AuditRow, 'hash'>;

/** A row as it is exported, and hashed: an auditor needs nothing else. */
export function auditView(row: UnhashedRow): { [key: string]: Json } {
  const { seq, timeMs, actor, origin, action, target, change, previous } = row;
  const time = new Date(timeMs).toISOString();
  return { seq, time, actor, origin, action, target, change: JSON.parse(change) as Json, previous };
}

/** The hash of a row: SHA-256, lower-case hex, of the canonical JSON of its view. */
export function hashOf(row: UnhashedRow): string {
  return hash('sha256', canonicalJson(auditView(row)), 'hex');
}

/** The end of a chain; who keeps it elsewhere sees also when rows were cut off at the end. */
export interface ChainHead {
  seq: number;
  hash: string;
}

/** What a walk along the chain has come to. */
export type ChainVerdict =
  | { ok: true; rows: number; firstSeq: number; head: ChainHead }
  | { ok: false; seq: number; problem: string };

/** Walks along the rows in order and says where the chain is broken first. */
export class ChainWalk {
  readonly #expected: ChainHead | null;
  #rows = 0;
  #firstSeq = 0;
  #head: ChainHead = { seq: 0, hash: noHash };
  #anchor: ChainHead | null = null;
  #isExpectedSeen: boolean;
  /** What the newest pruning says that it left: the row before the first one. */
  #pruned: ChainHead | null = null;

  /** `expected` is a head that was noted before: it must still be in the chain, or have been pruned. */
  constructor(expected: ChainHead | null) {
    this.#expected = expected;
    this.#isExpectedSeen = expected === null;
  }

  /** Takes the next row; what is wrong with it, or null. */
  step(row: AuditRow): string | null {
    if (this.#rows === 0) this.#begin(row);
    else if (row.seq !== this.#head.seq + 1) return `the row before it, ${row.seq - 1}, is missing`;
    if (row.previous !== this.#head.hash) return 'it does not follow from the row before it';
    if (row.hash !== hashOrNull(row)) return 'its content is not what its hash says';
    if (row.action === pruneAction) this.#pruned = headOf(row.change);
    this.#head = { seq: row.seq, hash: row.hash };
    this.#rows++;
    if (this.#expected?.seq !== row.seq) return null;
    this.#isExpectedSeen = true;
    return this.#expected.hash === row.hash ? null : 'its hash is not the one that was expected';
  }

  /** The verdict after the last row, where each {@link step} found nothing. */
  end(): ChainVerdict {
    const anchor = this.#anchor;
    const isAnchored =
      anchor === null || (this.#pruned?.seq === anchor.seq && this.#pruned.hash === anchor.hash);
    if (!isAnchored) return broken(anchor.seq, 'rows up to it are missing, and no pruning says so');
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
    return null; // What changed is no JSON any more.
  }
}

function headOf(change: string): ChainHead {
  const { seq, hash } = JSON.parse(change) as { seq: number; hash: string };
  return { seq, hash };
}
