/** Sends a long answer piece by piece, as fast as the client reads, yielding to other requests between pieces. */

import type { ServerResponse } from 'node:http';
import type { Transform, Writable } from 'node:stream';
import type { Soon } from '#load/account';
import type { Hold } from '#load/hold';
import type { Ticket } from '#load/ticket';
import { freeMemory } from '#model/free-memory';
import {
  type Answer,
  answerPieces,
  type CallAnswer,
  type Piece,
  pieceCharacters,
  readyPieces,
} from '#protocol/answer';
import { isFresh } from '#protocol/fresh-bytes';

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
  /** Whether nobody else has the pieces: their memory is freed once they are written. */
  areOwn: boolean;
}

/** The first pieces of an answer, and the rest; null: there is no more. */
interface Beginning {
  pieces: Piece[];
  rest: Pieces | null;
}

/** Takes pieces of an answer until they are long, or all. Rejects when the request has ended, or throws. */
export function beginAnswer(answer: Answer, ticket: Ticket): Soon<Beginning> {
  const ready = Array.isArray(answer) ? readyPieces(answer) : null;
  if (ready === null) return beginPrinting(answer, ticket);
  ticket.requireOpen();
  return { pieces: ready, rest: null };
}

async function beginPrinting(answer: Answer, ticket: Ticket): Promise<Beginning> {
  const pieces: Piece[] = [];
  if (Symbol.asyncIterator in answer) {
    const rest = partsOf(answer, ticket);
    for (let length = 0; length <= pieceCharacters; length += pieces[pieces.length - 1].length) {
      const { done, value } = await rest.next();
      if (done) return { pieces, rest: null };
      pieces.push(value);
    }
    return { pieces, rest };
  }
  const source = answerPieces(answer);
  while (!(await ticket.step(() => takePieces(source, pieces)))) {
    if (bytesOf(pieces) > pieceCharacters) return { pieces, rest: inSteps(source, ticket) };
  }
  return { pieces, rest: null };
}

/** Takes pieces in one step, until they are long, or there is nothing to take in this step. Whether there are no more. */
function takePieces(source: Iterator<Piece, void>, pieces: Piece[]): boolean {
  for (let length = 0; length <= pieceCharacters; ) {
    const { done, value } = source.next();
    if (done) return true;
    if (value.length === 0) return false;
    pieces.push(value);
    length += value.length;
  }
  return false;
}

/** The length of all together in UTF-8. */
export function bytesOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
}

/** Yields the pieces of the answers of a batch as they become available. */
async function* partsOf(answers: AsyncIterable<CallAnswer>, ticket: Ticket): Pieces {
  for await (const answer of answers) yield* inSteps(answerPieces(answer), ticket);
}

/** Yields pieces, each in its client's turn of the scheduler. */
async function* inSteps(source: Iterator<Piece, void>, ticket: Ticket): Pieces {
  for (;;) {
    const { done, value } = await ticket.step(() => source.next());
    if (done) return;
    yield value;
  }
}

/** An answer up to this length is sent with its length, if there is memory for it: clients read it faster than chunks. */
const gatheredBytesMax = 1024 * 1024;

/** Adds pieces to `first`, and takes their memory, until that is the whole answer: its length. Null: there is more. */
export async function gather(first: Piece[], rest: Pieces, hold: Hold): Promise<number | null> {
  let length = bytesOf(first);
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
  const { length } = piece;
  if (length === 0) return;
  if (!response.destroyed) await ticket.step(() => writeAtOnce(piece, target));
  const writable = target.encoder ?? response;
  // Not the result of write: the event may have come already.
  if (writable.writableNeedDrain) await drained(writable, response, target.stallMsMax);
  hold.give(length);
}

/** Writes to the socket at once: otherwise the runtime does so after this step, where the time is not measured. */
export function writeAtOnce(
  piece: Piece,
  { encoder, response, areOwn }: Pick<PieceTarget, 'encoder' | 'response' | 'areOwn'>,
): void {
  const { socket } = response;
  socket?.cork();
  (encoder ?? response).write(piece, freeing(piece, areOwn));
  socket?.uncork();
}

/** What is to be called when a piece has been written: frees its memory, if nothing else uses it, as in `isOwn`. */
export function freeing(piece: Piece, isOwn = false): (() => void) | undefined {
  if (typeof piece === 'string' || !(isOwn || isFresh(piece))) return undefined;
  return () => freeMemory(piece);
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
