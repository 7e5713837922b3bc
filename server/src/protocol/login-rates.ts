/**
 * How often a password may be wrong (L4e): counted for each user name at each address, and for each address over all user
 * names. Neither locks anybody out elsewhere, so that nobody can be kept out by those who guess his password.
 */
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { addressKey } from './token-rates.ts';

const windowS = 60;

/** Wrong passwords of an address for each of one user name there: one client that is set up wrongly locks out no other. */
const addressFactor = 10;

/** User names come from outside; ours have 20 characters. */
const userCharactersMax = 64;

/** Counts wrong passwords. Its memory is bounded by what one address may get wrong in a minute, times the addresses. */
export class LoginRates {
  readonly #pairs: RateLimiterMemory;
  readonly #addresses: RateLimiterMemory;
  #lastWrongMs = Number.NEGATIVE_INFINITY;

  constructor(wrongPerMinute: number) {
    this.#pairs = new RateLimiterMemory({ points: wrongPerMinute, duration: windowS, keyPrefix: 'login' });
    this.#addresses = new RateLimiterMemory({
      points: wrongPerMinute * addressFactor,
      duration: windowS,
      keyPrefix: 'address',
    });
  }

  /** Whether no password was wrong lately, as a rule: then nobody has to wait, and nothing need be looked up. */
  get isQuiet(): boolean {
    return performance.now() - this.#lastWrongMs > windowS * 1000;
  }

  /** How long a user name has to wait at an address, whole seconds; 0 when it need not. */
  async waitS(user: string, address: string): Promise<number> {
    const [pair, all] = await Promise.all([
      this.#pairs.get(pairKey(user, address)),
      this.#addresses.get(addressKey(address)),
    ]);
    return Math.max(waitOf(pair), waitOf(all));
  }

  /** Counts a wrong password. */
  noteWrong(user: string, address: string): void {
    this.#lastWrongMs = performance.now();
    void this.#pairs.penalty(pairKey(user, address));
    void this.#addresses.penalty(addressKey(address));
  }
}

function pairKey(user: string, address: string): string {
  return `${addressKey(address)} ${user.slice(0, userCharactersMax)}`;
}

function waitOf(known: RateLimiterRes | null): number {
  if (known === null || known.remainingPoints > 0) return 0;
  return Math.max(1, Math.ceil(known.msBeforeNext / 1000));
}
