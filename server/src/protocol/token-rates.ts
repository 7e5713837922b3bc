/** How many tokens a client may request (A2): a rate and a burst for each client ID. */
import type { Stopwatch } from '#model/environment';
import type { Limits } from '#model/limits';
import type { RateStatus } from '#model/rate-status';
import { bucketStatus, TokenBucket } from '#model/token-bucket';

/** Clients that are counted at the same time. Only clients with a valid secret are counted. */
const clientsMax = 10_000;

/** Counts tokens by client, in bounded memory. */
export class TokenRates {
  readonly #limits: Pick<Limits, 'tokenRequestsPerMinute' | 'tokenRequestsBurst'>;
  readonly #stopwatch: Stopwatch;
  readonly #buckets = new Map<string, TokenBucket>();

  /** `limits` is read at each call. */
  constructor(limits: Pick<Limits, 'tokenRequestsPerMinute' | 'tokenRequestsBurst'>, stopwatch: Stopwatch) {
    this.#limits = limits;
    this.#stopwatch = stopwatch;
  }

  /** Counts a token for a client with a valid secret: the client's status, and whether this token exceeds its rate. */
  take(clientId: string): { rate: RateStatus; isOver: boolean } {
    const { tokenRequestsPerMinute, tokenRequestsBurst: burst } = this.#limits;
    const rate = { perSecond: tokenRequestsPerMinute / 60, burst };
    const bucket = this.#bucket(clientId);
    const waitS = bucket.take(rate, this.#stopwatch.elapsedMs() * 1000);
    return { rate: bucketStatus('token', bucket, rate, waitS), isOver: waitS > 0 };
  }

  /** The client's bucket, which becomes the newest; the oldest one is evicted. */
  #bucket(clientId: string): TokenBucket {
    const bucket = this.#buckets.get(clientId) ?? new TokenBucket();
    this.#buckets.delete(clientId);
    this.#buckets.set(clientId, bucket);
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size <= clientsMax) break;
      this.#buckets.delete(oldest);
    }
    return bucket;
  }
}
