/** Work whose cost comes after it, in events: a few pieces in each iteration of the event loop. */

/** A queue of such work, such as the ends of connections: a thousand may end at one time, and each takes 50 microseconds. */
export class PacedQueue {
  readonly #atOnce: number;
  #waiting: (() => void)[] = [];
  #isScheduled = false;
  /** Those who wait until there is room. */
  #forRoom: (() => void)[] = [];

  /** `atOnce`: pieces of one iteration. */
  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** Adds a piece; it runs soon, after those before it. */
  add(work: () => void): void {
    this.#waiting.push(work);
    this.#schedule();
  }

  /** Resolves in a later iteration, when what waits is no more than the pieces of one. */
  room(): Promise<void> {
    return new Promise((resolve) => {
      this.#forRoom.push(resolve);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#runSome());
  }

  #runSome(): void {
    this.#isScheduled = false;
    const some = this.#waiting.splice(0, this.#atOnce);
    if (this.#waiting.length > 0) this.#schedule();
    if (this.#waiting.length <= this.#atOnce) this.#giveRoom();
    for (const work of some) work();
  }

  #giveRoom(): void {
    for (const resolve of this.#forRoom.splice(0, this.#atOnce)) resolve();
    if (this.#forRoom.length > 0) this.#schedule();
  }
}
