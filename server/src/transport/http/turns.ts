/**
 * Large bodies take turns: parsing one holds up everything else, so integrations alternate, and between two rounds the
 * event loop sees to its sockets. A client with a small body waits for one round, however many large ones there are.
 */
import { bug } from '#model/error';

/** Bodies up to this size need no turn: they are parsed in less time than a turn takes. */
export const turnBytesMin = 64 * 1024;

/** Parsed in one round: a few milliseconds. */
const roundBytesMax = 512 * 1024;

interface Waiting {
  bytes: number;
  start(): void;
}

/** Hands out turns. */
export class Turns {
  /** By integration; the one that was served last stands last. */
  readonly #waiting = new Map<string, Waiting[]>();
  #isScheduled = false;

  /** Resolves when it is this body's turn. */
  take(integration: string, bytes: number): Promise<void> {
    return new Promise((start) => {
      const own = this.#waiting.get(integration);
      if (own === undefined) this.#waiting.set(integration, [{ bytes, start }]);
      else own.push({ bytes, start });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.size === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#round();
      this.#schedule();
    });
  }

  #round(): void {
    let bytes = 0;
    while (bytes < roundBytesMax && this.#waiting.size > 0) bytes += this.#startNext();
  }

  #startNext(): number {
    const [[integration, own]] = this.#waiting;
    const next = own.shift() ?? bug('an integration without a body stood in line');
    this.#waiting.delete(integration);
    if (own.length > 0) this.#waiting.set(integration, own);
    next.start();
    return next.bytes;
  }
}
