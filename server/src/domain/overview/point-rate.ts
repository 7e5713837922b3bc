/** The rate of inserted points of all integrations, sampled every few seconds. */

/** Sampling interval, ms. */
const everyMs = 5_000;

/** Number of samples in the rate: one minute. */
const looksMax = 12;

/** Samples a count that grows and is reset at midnight. */
export class PointRate {
  readonly #count: () => number;
  readonly #timer: NodeJS.Timeout;
  readonly #grown: number[] = [];
  #last: number;

  constructor(count: () => number) {
    this.#count = count;
    this.#last = count();
    this.#timer = setInterval(() => this.#look(), everyMs);
    this.#timer.unref();
  }

  /** Points a second, over the last minute. */
  get perSecond(): number {
    if (this.#grown.length === 0) return 0;
    const sum = this.#grown.reduce((total, grown) => total + grown, 0);
    return sum / ((this.#grown.length * everyMs) / 1000);
  }

  /** Stops sampling. */
  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const count = this.#count();
    this.#grown.push(count >= this.#last ? count - this.#last : count);
    this.#last = count;
    if (this.#grown.length > looksMax) this.#grown.shift();
  }
}
