/** Sends a long answer piece by piece, as fast as the client reads, yielding to other requests between pieces. */
import type { ServerResponse } from 'node:http';
import type { Transform, Writable } from 'node:stream';
import type { Hold } from '#load/hold';
import type { Ticket } from '#load/ticket';
import { type Answer, answerPieces, type Piece } from '#protocol/answer';

/** Parts that are produced on demand. */
export type Pieces = AsyncGenerator<Piece, void, void>;

/** The destination of pieces. */
export interface PieceTarget {
  /** Compresses the pieces; null: no compression. */
  encoder: Transform | null;
  response: ServerResponse;
  /** Decides when a piece may be written. */
  ticket: Ticket;
  /** Charged with the memory of the piece being sent. */
  hold: Hold;
  /** A client that reads nothing for this long is disconnected. */
  stallMsMax: number;
}

/** Yields the pieces of an answer, each in its client's turn of the scheduler. */
export async function* piecesOf(answer: Answer, ticket: Ticket): Pieces {
  if (Symbol.asyncIterator in answer) {
    for await (const part of answer) yield* piecesOf(part, ticket);
    return;
  }
  const pieces = answerPieces(answer);
  for (;;) {
    const { done, value } = await ticket.step(() => pieces.next());
    if (done) return;
    yield value;
  }
}

/** An answer up to this length is sent with its length, if there is memory for it: clients read it faster than chunks. */
const gatheredBytesMax = 1024 * 1024;

/** Adds pieces to `first`, and takes their memory, until that is the whole answer: its length. Null: there is more. */
export async function gather(first: Piece[], rest: Pieces, hold: Hold): Promise<number | null> {
  let length = first.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  while (length <= gatheredBytesMax) {
    const { done, value } = await rest.next();
    if (done) return length;
    first.push(value);
    length += Buffer.byteLength(value);
    if (hold.tryTake(value.length)) continue;
    hold.note(value.length);
    return null;
  }
  return null;
}

/**
 * Writes `first`, whose memory has been taken, and then all other pieces, and ends the answer. If producing a piece fails, breaks
 * the connection, so that the incomplete answer cannot be mistaken for a complete one, and rejects with the error.
 */
export async function sendPieces(first: readonly Piece[], rest: Pieces, target: PieceTarget): Promise<void> {
  const { encoder, response } = target;
  encoder?.pipe(response);
  try {
    for (const piece of first) await sendPiece(piece, target);
    for await (const piece of rest) {
      if (response.destroyed) return;
      await target.hold.take(piece.length);
      await sendPiece(piece, target);
    }
    (encoder ?? response).end();
  } catch (error) {
    response.destroy();
    throw error;
  } finally {
    if (response.destroyed) encoder?.destroy();
  }
}

async function sendPiece(piece: Piece, target: PieceTarget): Promise<void> {
  const { response, ticket, hold } = target;
  if (piece.length === 0) return;
  if (!response.destroyed) await ticket.step(() => write(piece, target));
  const writable = target.encoder ?? response;
  // Not the result of write: the event may have come already.
  if (writable.writableNeedDrain) await drained(writable, response, target.stallMsMax);
  hold.give(piece.length);
}

/** Writes to the socket at once: otherwise the runtime does so after this step, where the time is not measured. */
function write(piece: Piece, { encoder, response }: PieceTarget): void {
  const { socket } = response;
  socket?.cork();
  (encoder ?? response).write(piece);
  socket?.uncork();
}

/** Waits until `target` accepts more, the client has disconnected, or it is disconnected because it has read nothing for too long. */
function drained(target: Writable, response: ServerResponse, stallMsMax: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      target.off('drain', done);
      response.off('close', done);
      resolve();
    };
    const timer = setTimeout(() => {
      response.destroy();
      done();
    }, stallMsMax);
    target.once('drain', done);
    response.once('close', done);
    if (response.destroyed) done();
  });
}
