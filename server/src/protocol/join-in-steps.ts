/** Joins bytes in steps: memory that is new to the process is made page by page when it is written, which takes longer than to copy. */
import type { Steps } from '#model/steps';

/** Copied before each pause, bytes. */
const pieceBytes = 128 * 1024;

/** Estimated work of copying a byte, ns. */
const byteWork = 1;

/** The bytes of all parts, one after the other, in a buffer of their own. */
export function* joinInSteps(parts: readonly Uint8Array[]): Steps<Buffer> {
  const joined = Buffer.allocUnsafeSlow(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    for (let from = 0; from < part.length; from += pieceBytes) {
      const piece = part.subarray(from, from + pieceBytes);
      joined.set(piece, at);
      at += piece.length;
      yield piece.length * byteWork;
    }
  }
  return joined;
}
