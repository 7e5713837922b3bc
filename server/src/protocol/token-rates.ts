/** How many tokens a client may request (A2): a rate and a burst for each client ID. */
import type { Stopwatch } from '#model/environment';
import type { Limits } from '#model/limits';
import { LruCache } from '#model/lru-cache';
import type { RateStatus } from '#model/rate-status';
import { bucketStatus, TokenBucket } from '#model/token-bucket';

/** Clients that are counted at the same time; the least recent one is evicted. Only clients with a valid secret are counted. */
const clientsMax = 10_000;

/** Counts tokens by client, in bounded memory. */
export class TokenRates {
  readonly #limits: Pick<Limits, 'tokenRequestsPerMinute' | 'tokenRequestsBurst'>;
  readonly #stopwatch: Stopwatch;
  readonly #buckets = new LruCache<string, TokenBucket>(clientsMax);

  /** `limits` is read at each call. */
  constructor(limits: Pick<Limits, 'tokenRequestsPerMinute' | 'tokenRequestsBurst'>, stopwatch: Stopwatch) {
    this.#limits = limits;
    this.#stopwatch = stopwatch;
  }

  /** Counts a token for a client with a valid secret: the client's status, and whether this token exceeds its rate. */
  take(clientId: string): { rate: RateStatus; isOver: boolean } {
    const { tokenRequestsPerMinute, tokenRequestsBurst: burst } = this.#limits;
    const rate = { perSecond: tokenRequestsPerMinute / 60, burst };
    const bucket = this.#buckets.getOrMake(clientId, () => new TokenBucket());
    const waitS = bucket.take(rate, this.#stopwatch.elapsedMs() * 1000);
    return { rate: bucketStatus('token', bucket, rate, waitS), isOver: waitS > 0 };
  }
}
