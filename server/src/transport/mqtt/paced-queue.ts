/** Work whose cost comes after it, in events: a few pieces in each iteration of the event loop. */

/** A queue of such work, such as the ends of connections: a thousand may end at one time, and each takes 50 microseconds. */
export class PacedQueue {
  readonly #atOnce: number;
  #waiting: (() => void)[] = [];

  /** `atOnce`: pieces of one iteration. */
  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** Adds a piece; it runs soon, after those before it. */
  add(work: () => void): void {
    if (this.#waiting.push(work) === 1) setImmediate(() => this.#runSome());
  }

  #runSome(): void {
    const some = this.#waiting.splice(0, this.#atOnce);
    if (this.#waiting.length > 0) setImmediate(() => this.#runSome());
    for (const work of some) work();
  }
}
