/** Sends a long answer: piece by piece, as fast as the client reads, letting other requests run in between. */
import type { ServerResponse } from 'node:http';
import type { Transform, Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Writes all pieces, through `encoder` where there is one, and ends the answer. A client that takes nothing for
 * `stallMsMax` is disconnected. Rejects with what the pieces throw, after breaking the connection: a half answer must not
 * look like a whole one.
 */
export async function sendPieces(
  pieces: Iterable<Buffer>,
  encoder: Transform | null,
  response: ServerResponse,
  stallMsMax: number,
): Promise<void> {
  encoder?.pipe(response);
  const target: Writable = encoder ?? response;
  try {
    for (const piece of pieces) {
      if (response.destroyed) return;
      if (target.write(piece)) await nextTurn();
      else await drained(target, response, stallMsMax);
    }
    target.end();
  } catch (error) {
    response.destroy();
    throw error;
  } finally {
    if (response.destroyed) encoder?.destroy();
  }
}

/** Waits until `target` takes more, the client has gone, or it has stood still too long and is cut off. */
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
