/** The requests of one connection, one after the other: the next one begins when the answer before it has left. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Requests that may wait behind the one under way. A client that sends more before it has read its answers is disconnected: the
 * runtime parses whatever has arrived, and each parsed request takes memory.
 */
const waitingMax = 16;

/** A request of a connection. */
interface Pipelined {
  response: ServerResponse;
  start(): void;
  /** The connection has ended before it was its turn. */
  drop(): void;
}

/** One connection's requests. */
export class Pipeline {
  #isBusy = false;
  readonly #waiting: Pipelined[] = [];

  constructor(socket: Socket) {
    socket.once('close', () => {
      for (const { drop } of this.#waiting.splice(0)) drop();
    });
  }

  /** Starts a request when those before it are answered; false when too many wait already. */
  add(pipelined: Pipelined): boolean {
    if (this.#isBusy) return this.#waiting.length < waitingMax && this.#waiting.push(pipelined) > 0;
    this.#run(pipelined);
    return true;
  }

  #run({ response, start }: Pipelined): void {
    this.#isBusy = true;
    response.once('close', () => {
      this.#isBusy = false;
      const next = this.#waiting.shift();
      if (next !== undefined) this.#run(next);
    });
    start();
  }
}
