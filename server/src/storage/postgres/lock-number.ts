/** Numbers of advisory locks, which all nodes derive from the same words. */
import { createHash } from 'node:crypto';

/** A number for a purpose in a schema, within 48 bits. */
export function lockNumber(schema: string, purpose: string): number {
  return createHash('sha256').update(`tidemark ${schema} ${purpose}`).digest().readIntBE(0, 6);
}
