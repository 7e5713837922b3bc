/** Reads a request's body: once, whole, and never more than the limit (E3). Its memory is taken before it is used. */
import type { IncomingMessage } from 'node:http';
import type { Hold } from '#load/hold';
import { Overload } from '#load/overload';
import type { Ticket } from '#load/ticket';
import { decodeAll, type Encoding, encodingOf, inflatedBytesMax, tooLarge } from './encoding.ts';

/** What is read of. */
interface BodySource {
  request: IncomingMessage;
  ticket: Ticket;
  bytesIn: number;
}

/** A body that was received. */
export interface Body {
  bytes: Buffer;
  /** Gives its memory back; nothing may look at the bytes any more. */
  free(): void;
}

/**
 * The body, decompressed; at most `bytesMax` bytes before and after that (413). What is announced is taken before anything is
 * read, and waited for; what is not announced, as it comes, and refused where it is not there. Rejects when the client goes away.
 */
export async function readBody(source: BodySource, bytesMax: number): Promise<Body> {
  const { headers } = source.request;
  const encoding = encodingOf(headers['content-encoding']);
  const announced = Number(headers['content-length'] ?? 0);
  if (announced > bytesMax) throw tooLarge(bytesMax);
  const hold = source.ticket.hold('body');
  if (announced > 0) await hold.take(announced);
  const bytes = await collect(source.request, announced, bytesMax, hold);
  source.bytesIn = bytes.length;
  const body = bodyOf(bytes, hold);
  return encoding === null || bytes.length === 0 ? body : inflate(source.ticket, encoding, body, bytesMax);
}

/** A few at a time, each with room for what may come out at most. */
function inflate(ticket: Ticket, encoding: Encoding, body: Body, bytesMax: number): Promise<Body> {
  return ticket.run('inflate', async () => {
    const hold = ticket.hold('inflated');
    await hold.take(inflatedBytesMax(encoding, body.bytes.length, bytesMax));
    const bytes = await decodeAll(encoding, body.bytes, bytesMax).finally(body.free);
    hold.change(bytes.length);
    return bodyOf(bytes, hold);
  });
}

function bodyOf(bytes: Buffer, hold: Hold): Body {
  const free = () => {
    if (bytes.length >= freedBodyBytesMin) release(bytes);
    hold.leave();
  };
  return { bytes, free };
}

/** Thrown when the connection ends before the body does: there is nobody left to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

const empty = Buffer.alloc(0);

/** The whole body: the chunk itself where it is all that was announced, else a buffer of its own. */
function collect(request: IncomingMessage, announced: number, bytesMax: number, hold: Hold): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let body: Buffer = empty;
    let size = 0;
    const copied: Buffer[] = [];
    const onData = (chunk: Buffer) => {
      const end = size + chunk.length;
      const refusal = end > bytesMax ? tooLarge(bytesMax) : refusalOf(hold, end);
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
        setImmediate(() => copied.forEach(release));
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
 * Gives memory back that nothing else is in. The garbage collector does not see how much hangs on small objects: under load it
 * would let a hundred megabytes of dead bodies gather.
 */
function release(bytes: Buffer): void {
  const buffer = bytes.buffer as ArrayBuffer;
  if (bytes.length >= freedBytesMin && buffer.byteLength === bytes.length) buffer.transfer(0);
}

function refusalOf(hold: Hold, bytes: number): Overload | null {
  if (bytes <= hold.bytes || hold.tryTake(bytes - hold.bytes)) return null;
  return new Overload('requests under way use all the memory that they may');
}
