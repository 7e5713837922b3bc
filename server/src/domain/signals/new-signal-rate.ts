/** How many signals an integration may create in an hour: a program that makes a key of each value is stopped (L4g). */
import type { Clock } from '#model/environment';
import { AppError } from '#model/error';
import type { Limits } from '#model/limits';
import { LruCache } from '#model/lru-cache';
import { TokenBucket } from '#model/token-bucket';

/** Integrations that are counted at the same time; the one that created signals longest ago is forgotten. */
const integrationsMax = 10_000;

/** Counts new signals by integration. */
export class NewSignalRate {
  readonly #limits: Pick<Limits, 'newSignalsPerHourMax'>;
  readonly #clock: Clock;
  readonly #buckets = new LruCache<string, TokenBucket>(integrationsMax);

  /** `limits` is read at each call. */
  constructor(limits: Pick<Limits, 'newSignalsPerHourMax'>, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Counts so many new signals, all or none. `try-again`, with the time until they are possible, when they exceed the rate. */
  take(integration: string, count: number): void {
    if (count === 0) return;
    const max = this.#limits.newSignalsPerHourMax;
    const rate = { perSecond: max / 3600, burst: max };
    const bucket = this.#buckets.getOrMake(integration, () => new TokenBucket());
    const waitS = bucket.take(rate, this.#clock.nowUs(), count);
    if (waitS === 0) return;
    throw new AppError(
      'try-again',
      `Too many new signals: an integration may create ${max} an hour; ${count} more are possible in ${Math.ceil(waitS)} s`,
    );
  }
}
