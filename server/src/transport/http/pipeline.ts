/** Processes the requests of a connection sequentially: each begins when the previous answer has been sent. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Maximum number of requests that wait for the current one. A client that sends more before reading its answers is disconnected,
 * since the runtime parses everything that has arrived, and each parsed request takes memory.
 */
const waitingMax = 16;

/** A request of a connection. */
interface Pipelined {
  response: ServerResponse;
  start(): void;
  /** Called when the connection ends before the request could begin. */
  drop(): void;
}

/** The requests of one connection. */
export class Pipeline {
  #isBusy = false;
  readonly #waiting: Pipelined[] = [];

  constructor(socket: Socket) {
    socket.once('close', () => {
      for (const { drop } of this.#waiting.splice(0)) drop();
    });
  }

  /** Starts a request after the previous ones are answered; false when too many are waiting. */
  add(pipelined: Pipelined): boolean {
    if (this.#isBusy) return this.#waiting.length < waitingMax && this.#waiting.push(pipelined) > 0;
    this.#run(pipelined);
    return true;
  }

  #run({ response, start }: Pipelined): void {
    this.#isBusy = true;
    // It comes once: `once` would take longer.
    response.on('close', () => {
      this.#isBusy = false;
      const next = this.#waiting.shift();
      if (next !== undefined) this.#run(next);
    });
    start();
  }
}
