/** Sends a long answer: piece by piece, as fast as the client reads, each in a turn of its own. */
import type { ServerResponse } from 'node:http';
import type { Transform, Writable } from 'node:stream';
import type { Hold } from '#load/hold';
import type { Ticket } from '#load/ticket';
import { type Answer, answerPieces } from '#protocol/answer';

/** A part of an answer, ready to be written. */
export type Piece = string | Buffer;

/** Parts that are made when they are asked for. */
export type Pieces = AsyncGenerator<Piece, void, void>;

/** Where pieces go. */
export interface PieceTarget {
  /** Compresses on the way; null: as they are. */
  encoder: Transform | null;
  response: ServerResponse;
  /** Holds the piece that is under way. */
  hold: Hold;
  /** A client that takes nothing for so long is disconnected. */
  stallMsMax: number;
}

/** The pieces of an answer, each made in a turn of the request's client. */
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

/**
 * Writes `first` and then all the others, and ends the answer. Rejects with what the pieces throw, after breaking the
 * connection: a half answer must not look like a whole one.
 */
export async function sendPieces(first: readonly Piece[], rest: Pieces, target: PieceTarget): Promise<void> {
  const { encoder, response } = target;
  encoder?.pipe(response);
  try {
    for (const piece of first) await sendPiece(piece, target);
    for await (const piece of rest) {
      if (response.destroyed) return;
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

async function sendPiece(piece: Piece, { encoder, response, hold, stallMsMax }: PieceTarget): Promise<void> {
  if (piece.length === 0) return;
  const target: Writable = encoder ?? response;
  // Bytes are shared by all answers that have them.
  const bytes = typeof piece === 'string' ? piece.length : 0;
  await hold.take(bytes);
  if (!response.destroyed && !target.write(piece)) await drained(target, response, stallMsMax);
  hold.give(bytes);
}

/** Waits until `target` takes more, the client has gone, or it has taken nothing for too long and is disconnected. */
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
