/** A token bucket: so many calls a second on average, and some more at once after a pause (L4). */
import type { Rate } from '#model/plan';

/** The state of one bucket; its rate comes with each call, since plans change. */
export class TokenBucket {
  #tokens = Number.POSITIVE_INFINITY;
  #atUs = 0;

  /** Whole tokens that there are after the last {@link take}. */
  get left(): number {
    return Math.floor(this.#tokens + 1e-9);
  }

  /** Seconds until it holds `burst` tokens again, after the last {@link take}. */
  fullInS({ perSecond, burst }: Rate): number {
    return (burst - this.#tokens) / perSecond;
  }

  /** Takes a token; 0 when there was one, else the seconds until there is. Takes nothing then. */
  take({ perSecond, burst }: Rate, nowUs: number): number {
    // A clock that is set back refills nothing.
    const passedS = Math.max(0, nowUs - this.#atUs) / 1e6;
    this.#tokens = Math.min(burst, this.#tokens + passedS * perSecond);
    this.#atUs = nowUs;
    // Sums of fractions may end just below a whole token.
    if (this.#tokens < 1 - 1e-9) return (1 - this.#tokens) / perSecond;
    this.#tokens = Math.max(0, this.#tokens - 1);
    return 0;
  }
}
