/** Reads a request's body as a whole, up to the limit (E3). Memory is reserved before it is used. */

import type { IncomingMessage } from 'node:http';
import type { Hold } from '#load/hold';
import { Overload } from '#load/overload';
import type { Ticket } from '#load/ticket';
import { freeMemory } from '#model/free-memory';
import type { RunStep } from '#model/steps';
import { decodeAll, type Encoding, encodingOf, inflatedBytesMax, tooLarge } from './encoding.ts';

/** The request whose body is read. */
interface BodySource {
  request: IncomingMessage;
  ticket: Ticket;
  bytesIn: number;
}

/** A received body. */
export interface Body {
  bytes: Buffer;
  /** Releases its memory, once; the bytes must not be used afterwards. */
  free(): void;
}

/**
 * Reads and decompresses the body; at most `bytesMax` bytes before and after decompression (413). Memory for a body of known
 * length is reserved, if necessary after waiting, before anything is read; memory for a chunked body is reserved as it arrives,
 * and the body is rejected if none is available. Rejects when the client disconnects. With `isInflated` false it stays compressed.
 */
export async function readBody(source: BodySource, bytesMax: number, isInflated = true): Promise<Body> {
  const { headers } = source.request;
  const encoding = isInflated ? encodingOf(headers['content-encoding']) : null;
  const announced = Number(headers['content-length'] ?? 0);
  if (announced > bytesMax) throw tooLarge(bytesMax);
  const hold = source.ticket.hold('body');
  const waiting = announced > 0 ? hold.take(announced) : null;
  if (waiting !== null) await waiting;
  const bytes =
    arrived(source.request, announced) ?? (await collect(source.request, announced, bytesMax, hold));
  source.bytesIn = bytes.length;
  const body = bodyOf(bytes, hold);
  return encoding === null || bytes.length === 0 ? body : inflate(source.ticket, encoding, body, bytesMax);
}

/** Decompresses a few bodies at a time, each after reserving memory for its maximum output. */
function inflate(ticket: Ticket, encoding: Encoding, body: Body, bytesMax: number): Promise<Body> {
  return ticket.run('inflate', async () => {
    const hold = ticket.hold('inflated');
    await hold.take(inflatedBytesMax(encoding, body.bytes.length, bytesMax));
    const runStep: RunStep = (step) => ticket.step(step);
    const bytes = await decodeAll(encoding, body.bytes, bytesMax, runStep).finally(body.free);
    hold.change(bytes.length);
    return bodyOf(bytes, hold);
  });
}

function bodyOf(bytes: Buffer, hold: Hold): Body {
  const free = () => {
    if (bytes.length >= freedBodyBytesMin) freeMemory(bytes);
    hold.leave();
  };
  return { bytes, free };
}

/** Thrown when the connection ends before the body does; no answer can be sent. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** A body that is there already, as a small one is that came with its head; else null. Events for it take several microseconds. */
function arrived(request: IncomingMessage, announced: number): Buffer | null {
  const isWhole = announced > 0 && request.complete && request.readableLength === announced;
  return isWhole && !request.destroyed ? request.read() : null;
}

const empty = Buffer.alloc(0);

/** The whole body: the received chunk if it has the announced length, else a separate buffer. */
function collect(request: IncomingMessage, announced: number, bytesMax: number, hold: Hold): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let body: Buffer = empty;
    let size = 0;
    const onData = (chunk: Buffer) => {
      const end = size + chunk.length;
      const refusal = end > bytesMax ? tooLarge(bytesMax) : refusalOf(hold, end);
      if (refusal !== null) return fail(refusal);
      if (chunk.length === announced) body = chunk;
      else {
        if (end > body.length) body = grown(body, size, Math.max(announced, end));
        body.set(chunk, size);
        freeMemory(chunk);
      }
      size = end;
    };
    const onEnd = () => {
      leave();
      resolve(size === body.length ? body : body.subarray(0, size));
    };
    const onGone = () => fail(new ClientGone());
    const fail = (error: Error) => {
      leave();
      freeMemory(body);
      reject(error);
    };
    const leave = () => request.off('data', onData).off('end', onEnd).off('close', onGone);
    request.on('data', onData).on('end', onEnd).on('close', onGone);
    request.on('error', onGone);
  });
}

/** Chunked bodies have an unknown length; doubling the buffer reduces copying. */
function grown(body: Buffer, size: number, sizeMin: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(sizeMin, 2 * size));
  body.copy(larger, 0, 0, size);
  freeMemory(body);
  return larger;
}

/** Larger than one read of a socket, so that the buffer is not a chunk that is shared with other data. */
const freedBodyBytesMin = 64 * 1024 + 1;

function refusalOf(hold: Hold, bytes: number): Overload | null {
  if (bytes <= hold.bytes || hold.tryTake(bytes - hold.bytes)) return null;
  return new Overload('requests under way use all the memory that they may');
}
