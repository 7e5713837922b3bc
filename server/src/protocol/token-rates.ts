/** How often tokens may be asked for (A2): a fixed number in each minute, by client for tokens, by address for wrong secrets. */
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

const minuteS = 60;

/** Counts token requests. Its memory is bounded by what can be asked in a minute. */
export class TokenRates {
  readonly #tokens: RateLimiterMemory;
  readonly #wrong: RateLimiterMemory;

  constructor(requestsPerMinute: number) {
    this.#tokens = new RateLimiterMemory({
      points: requestsPerMinute,
      duration: minuteS,
      keyPrefix: 'client',
    });
    this.#wrong = new RateLimiterMemory({
      points: requestsPerMinute,
      duration: minuteS,
      keyPrefix: 'address',
    });
  }

  /** Counts a token for a client that has proved itself; how long it has to wait, seconds, 0 when it need not. */
  async takeToken(clientId: string): Promise<number> {
    try {
      await this.#tokens.consume(clientId);
      return 0;
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      return waitS(refusal);
    }
  }

  /** How long an address has to wait that sent wrong secrets, seconds, 0 when it need not. */
  async wrongWaitS(address: string): Promise<number> {
    const known = await this.#wrong.get(addressKey(address));
    return known === null || known.remainingPoints > 0 ? 0 : waitS(known);
  }

  /** Notes a wrong secret. */
  async noteWrong(address: string): Promise<void> {
    await this.#wrong.penalty(addressKey(address));
  }
}

function waitS(result: RateLimiterRes): number {
  return Math.max(1, Math.ceil(result.msBeforeNext / 1000));
}

/** An IPv6 customer has at least 2^64 addresses: they count as one. */
export function addressKey(address: string): string {
  return address.includes(':') && !address.startsWith('::ffff:')
    ? address.split(':').slice(0, 4).join(':')
    : address;
}
