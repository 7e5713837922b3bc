/**
 * Rows of the log that cannot be read. Sealing continues without them: each is replaced by a row of the kind "damaged" at the
 * end of the log, so that reads of its signals and times still fail instead of silently missing its points.
 */
import type { DatabaseSync } from 'node:sqlite';
import { StoredDamage } from '../codec/damage.ts';
import { isDamage } from './errors.ts';
import { decodeHead, type RowHead } from './log-head.ts';
import { type LostRow, seqOfLost } from './log-row.ts';

/** Reads the readable parts of a damaged row. */
export function readLost(db: DatabaseSync, seq: number): Omit<LostRow, 'signals'> {
  const headBytes = columnOf(db, seq, 'head');
  const data = columnOf(db, seq, 'data');
  const head = headBytes === null ? null : knownHead(headBytes, seq);
  if (head?.isDamaged === true && data !== null) {
    return { seq: seqOfLost(data), head, bytes: data.subarray(8) };
  }
  return { seq, head, bytes: Buffer.concat([headBytes ?? new Uint8Array(), data ?? new Uint8Array()]) };
}

/** A column of a row; null when it cannot be read. */
function columnOf(db: DatabaseSync, seq: number, column: 'head' | 'data'): Uint8Array | null {
  try {
    const row = db.prepare(`select ${column} as bytes from series_log where seq = ?`).get(seq);
    return row?.bytes instanceof Uint8Array ? row.bytes : null;
  } catch (error) {
    if (isDamage(error)) return null;
    throw error;
  }
}

function knownHead(bytes: Uint8Array, seq: number): RowHead | null {
  try {
    return decodeHead(bytes, seq);
  } catch (error) {
    if (error instanceof StoredDamage) return null;
    throw error;
  }
}
