/** How many tokens a client may request (A2): a rate and a burst for each client ID. */
import type { Limits } from '#model/limits';
import type { RateStatus } from '#model/rate-status';
import type { Coordination, Rates } from '#storage/coordination';

/** Counts tokens by client, in bounded memory. Only clients with a valid secret are counted. */
export class TokenRates {
  readonly #limits: Pick<Limits, 'tokenRequestsPerMinute' | 'tokenRequestsBurst'>;
  readonly #rates: Rates;

  /** `limits` is read at each call. */
  constructor(
    limits: Pick<Limits, 'tokenRequestsPerMinute' | 'tokenRequestsBurst'>,
    coordination: Coordination,
  ) {
    this.#limits = limits;
    this.#rates = coordination.rates('token');
  }

  /** Counts a token for a client with a valid secret: the client's status, and whether this token exceeds its rate. */
  take(clientId: string): { rate: RateStatus; isOver: boolean } {
    const { tokenRequestsPerMinute, tokenRequestsBurst: burst } = this.#limits;
    const { waitS, status } = this.#rates.take(clientId, { perSecond: tokenRequestsPerMinute / 60, burst });
    return { rate: status, isOver: waitS > 0 };
  }
}
