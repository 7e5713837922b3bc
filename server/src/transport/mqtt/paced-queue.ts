/** Work whose cost comes after it, in events: a few pieces in each iteration of the event loop. */

/** Pieces of one iteration. */
const atOnce = 16;

/** A queue of such work, such as the ends of connections: a thousand may end at one time, and each takes 50 microseconds. */
export class PacedQueue {
  #waiting: (() => void)[] = [];

  /** Adds a piece; it runs soon, after those before it. */
  add(work: () => void): void {
    if (this.#waiting.push(work) === 1) setImmediate(() => this.#runSome());
  }

  #runSome(): void {
    const some = this.#waiting.splice(0, atOnce);
    if (this.#waiting.length > 0) setImmediate(() => this.#runSome());
    for (const work of some) work();
  }
}
