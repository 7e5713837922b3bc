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
  const bytes = await collect(exchange.request, announced, bytesMax, announced > 0 ? undefined : taker);
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

const empty = Buffer.alloc(0);

/** The whole body: the chunk itself where it is all that was announced, else a buffer of its own. */
function collect(
  request: IncomingMessage,
  announced: number,
  bytesMax: number,
  taker?: Taker,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let body: Buffer = empty;
    let size = 0;
    const copied: Buffer[] = [];
    const onData = (chunk: Buffer) => {
      const end = size + chunk.length;
      const refusal = end > bytesMax ? tooLarge(bytesMax) : refusalOf(taker, chunk.length);
      if (refusal !== null) return settle(() => reject(refusal));
      if (chunk.length === announced) body = chunk;
      else {
        if (end > body.length) body = grown(body, size, Math.max(announced, end));
        body.set(chunk, size);
        copied.push(chunk);
      }
      size = end;
    };
    const onEnd = () =>
      settle(() => {
        // Not yet: the parser may be in the middle of the last one.
        setImmediate(() => copied.forEach(free));
        resolve(size === body.length ? body : body.subarray(0, size));
      });
    const onGone = () => settle(() => reject(new ClientGone()));
    const settle = (outcome: () => void) => {
      request.off('data', onData).off('end', onEnd).off('close', onGone);
      outcome();
    };
    request.on('data', onData).on('end', onEnd).on('close', onGone);
    request.on('error', onGone);
  });
}

/** What is not announced comes in chunks of any size: room for twice as much costs fewer copies. */
function grown(body: Buffer, size: number, sizeMin: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(sizeMin, 2 * size));
  body.copy(larger, 0, 0, size);
  return larger;
}

/** Smaller ones are as well left to the garbage collector. */
const freedBytesMin = 8 * 1024;

/** More than one read of a socket gives, so that a body is no chunk, of which others may have a part. */
const freedBodyBytesMin = 64 * 1024 + 1;

/**
 * Gives the memory of a large body back; nothing may look at it any more. The garbage collector does not see how much memory
 * hangs on small objects: under load it would let a hundred megabytes of dead bodies gather.
 */
export function freeBody(body: Buffer): void {
  if (body.length >= freedBodyBytesMin) free(body);
}

/** Gives memory back that nothing else is in. */
function free(bytes: Buffer): void {
  const buffer = bytes.buffer as ArrayBuffer;
  if (bytes.length >= freedBytesMin && buffer.byteLength === bytes.length) buffer.transfer(0);
}

function refusalOf(taker: Taker | undefined, bytes: number): unknown {
  try {
    taker?.grow(bytes);
    return null;
  } catch (error) {
    return error;
  }
}
