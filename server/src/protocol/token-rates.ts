/** How often tokens may be asked for (A2): a fixed number in each minute, by client. */
import type { Limits } from '#model/limits';
import type { RateStatus } from '#model/rate-status';
import { WindowCounts, windowMs } from './window-counts.ts';

/** Counts tokens, in bounded memory. */
export class TokenRates {
  readonly #limits: Pick<Limits, 'tokenRequestsPerMinute'>;
  readonly #counts = new WindowCounts();

  /** `limits` is read at each call. */
  constructor(limits: Pick<Limits, 'tokenRequestsPerMinute'>) {
    this.#limits = limits;
  }

  /** Counts a token for a client that has proved itself: how it stands, and whether this is one too many. */
  take(clientId: string): { rate: RateStatus; isOver: boolean } {
    const quota = this.#limits.tokenRequestsPerMinute;
    const count = this.#counts.add(clientId);
    const left = Math.max(0, quota - count);
    const { leftS: resetS } = this.#counts.look(clientId);
    const rate: RateStatus = { policy: 'token', quota, windowS: windowMs / 1000, left, resetS };
    return { rate, isOver: count > quota };
  }
}
