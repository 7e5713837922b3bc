/** Reads a request's body: once, whole, and never more than the limit (E3). */
import type { IncomingMessage } from 'node:http';
import { decodeAll, encodingOf, tooLarge } from './encoding.ts';

/** Is told how many bytes are taken; throws when that is too many. */
interface Taker {
  grow(bytes: number): void;
}

/**
 * The body, decompressed; at most `bytesMax` bytes before and after that (413). Rejects when the client goes away, and as
 * `taker` does.
 */
export async function readBody(
  exchange: { request: IncomingMessage; bytesIn: number },
  bytesMax: number,
  taker?: Taker,
): Promise<Buffer> {
  const { headers } = exchange.request;
  const encoding = encodingOf(headers['content-encoding']);
  const announced = Number(headers['content-length'] ?? 0);
  if (announced > bytesMax) throw tooLarge(bytesMax);
  // What is announced is taken at once: a client that sends slowly keeps others from promising themselves the same memory.
  if (announced > 0) taker?.grow(announced);
  const bytes = await collect(exchange.request, bytesMax, announced > 0 ? undefined : taker);
  exchange.bytesIn = bytes.length;
  if (encoding === null || bytes.length === 0) return bytes;
  const decoded = await decodeAll(encoding, bytes, bytesMax);
  taker?.grow(decoded.length);
  return decoded;
}

/** Thrown when the connection ends before the body does: there is nobody left to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

function collect(request: IncomingMessage, bytesMax: number, taker?: Taker): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      const refusal = size > bytesMax ? tooLarge(bytesMax) : refusalOf(taker, chunk.length);
      if (refusal !== null) settle(() => reject(refusal));
    };
    const onEnd = () => settle(() => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, size)));
    const onGone = () => settle(() => reject(new ClientGone()));
    const settle = (outcome: () => void) => {
      request.off('data', onData).off('end', onEnd).off('close', onGone);
      outcome();
    };
    request.on('data', onData).on('end', onEnd).on('close', onGone);
    request.on('error', onGone);
  });
}

function refusalOf(taker: Taker | undefined, bytes: number): unknown {
  try {
    taker?.grow(bytes);
    return null;
  } catch (error) {
    return error;
  }
}
