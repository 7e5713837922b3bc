/** Payloads that are compressed: gzip or zstd, by their first bytes (M2). */
import type { Ticket } from '#load/ticket';
import { AppError } from '#model/error';
import type { RunStep } from '#model/steps';
import { decodeAll, type Encoding, inflatedBytesMax } from '../http/encoding.ts';
import { HttpProblem } from '../http/problem.ts';

const gzipMark = 0x1f8b;
const zstdMark = 0x28b52ffd;

/** How a payload is compressed; null: it is not. No JSON text begins so. */
export function encodingOfPayload(bytes: Buffer): Encoding | null {
  if (bytes.length >= 4 && bytes.readUInt32BE(0) === zstdMark) return 'zstd';
  return bytes.length >= 2 && bytes.readUInt16BE(0) === gzipMark ? 'gzip' : null;
}

/**
 * Decompresses a payload after taking memory for the result, which is given back with the ticket. `invalid-request` when it is
 * corrupt or too large; rejects as the ticket does.
 */
export function inflatePayload(
  ticket: Ticket,
  encoding: Encoding,
  bytes: Buffer,
  bytesMax: number,
): Promise<Buffer> {
  return ticket.run('inflate', async () => {
    const hold = ticket.hold('inflated');
    await hold.take(inflatedBytesMax(encoding, bytes.length, bytesMax));
    const runStep: RunStep = (step) => ticket.step(step);
    const inflated = await decodeAll(encoding, bytes, bytesMax, runStep).catch(payloadError);
    hold.change(inflated.length);
    return inflated;
  });
}

function payloadError(error: unknown): never {
  if (!(error instanceof HttpProblem)) throw error;
  const words = error.message.replace('The body', 'the payload');
  throw new AppError('invalid-request', `Invalid request: ${words}`);
}
