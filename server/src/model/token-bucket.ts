/** A token bucket: limits the average rate of calls, and allows bursts after a pause (L4). */
import type { Rate } from './plan.ts';
import type { RateStatus } from './rate-status.ts';

/** One bucket; its rate comes with each call, since plans change. */
export class TokenBucket {
  /** Numbers of its state. */
  static readonly fields = 2;
  readonly #state: Float64Array;
  readonly #at: number;

  /** A full bucket, or the one whose state is at this place: zeros are a full one. */
  constructor(state: Float64Array = new Float64Array(TokenBucket.fields), at = 0) {
    this.#state = state;
    this.#at = at;
  }

  /** One more than the tokens; 0: full. */
  get #tokens(): number {
    const stored = this.#state[this.#at];
    return stored === 0 ? Number.POSITIVE_INFINITY : stored - 1;
  }

  set #tokens(tokens: number) {
    this.#state[this.#at] = tokens + 1;
  }

  get #atUs(): number {
    return this.#state[this.#at + 1];
  }

  set #atUs(timeUs: number) {
    this.#state[this.#at + 1] = timeUs;
  }

  /** Whole tokens left after the last {@link take}. */
  get left(): number {
    return Math.floor(this.#tokens + 1e-9);
  }

  /** Seconds until it holds `burst` tokens again, after the last {@link take}. */
  fullInS({ perSecond, burst }: Rate): number {
    return (burst - this.#tokens) / perSecond;
  }

  /**
   * Takes `count` tokens, at most as many as a full bucket has. Returns 0, or the seconds until there are enough tokens, without
   * taking any.
   */
  take({ perSecond, burst }: Rate, nowUs: number, count = 1): number {
    // A clock that is set back refills nothing.
    const passedS = Math.max(0, nowUs - this.#atUs) / 1e6;
    this.#tokens = Math.min(burst, this.#tokens + passedS * perSecond);
    this.#atUs = nowUs;
    const needed = Math.min(count, burst);
    // Sums of fractions may end just below a whole token.
    if (this.#tokens < needed - 1e-9) return (needed - this.#tokens) / perSecond;
    this.#tokens = Math.max(0, this.#tokens - needed);
    return 0;
  }
}

/**
 * The state of a bucket after a `take` that returned `waitS`, for response headers. Their window is the time, in whole seconds,
 * in which the bucket is filled.
 */
export function bucketStatus(
  policy: RateStatus['policy'],
  bucket: TokenBucket,
  rate: Rate,
  waitS: number,
): RateStatus {
  const { perSecond, burst } = rate;
  const windowS = Math.max(1, Math.ceil(burst / perSecond));
  const { left } = bucket;
  const untilS = waitS > 0 ? waitS : left === 0 ? 1 / perSecond : bucket.fullInS(rate);
  return {
    policy,
    quota: Math.max(burst, Math.floor(perSecond * windowS)),
    windowS,
    left,
    resetS: Math.max(1, Math.ceil(untilS)),
  };
}
