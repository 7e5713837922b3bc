/** Lets a bounded number of reads go on at a time; the others wait in order. */

/** Turns of one store. */
export class Turns {
  readonly #max: number;
  #count = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  /** How many go on or wait. */
  get length(): number {
    return this.#count + this.#waiting.length;
  }

  /** Runs work when it is its turn; an aborted one is rejected with the signal's reason then, or at once. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.#count < this.#max) this.#count++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      signal?.throwIfAborted();
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#count--;
      else next();
    }
  }
}
