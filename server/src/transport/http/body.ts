/** Reads a request's body: once, whole, and never more than the limit (E3). */
import type { IncomingMessage } from 'node:http';
import { decodeAll, encodingOf, tooLarge } from './encoding.ts';

/** The body, decompressed; at most `bytesMax` bytes before and after that (413). Rejects when the client goes away. */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const encoding = encodingOf(request.headers['content-encoding']);
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax);
  const bytes = await collect(request, bytesMax);
  return encoding === null || bytes.length === 0 ? bytes : decodeAll(encoding, bytes, bytesMax);
}

/** Thrown when the connection ends before the body does: there is nobody left to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

function collect(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > bytesMax) settle(() => reject(tooLarge(bytesMax)));
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
