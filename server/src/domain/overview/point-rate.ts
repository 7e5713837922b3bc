/** How fast points come in: the points of all integrations, looked at every few seconds. */

/** Looks this often, ms. */
const everyMs = 5_000;

/** The rate is that of so many looks, a minute together. */
const looksMax = 12;

/** Keeps an eye on a count that grows, and begins anew at midnight. */
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

  /** Stops looking. */
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
