/**
 * How often a secret may be wrong (L4e, A2, A2a): counted for each name at each address, and for each address over all
 * names. Neither locks anybody out elsewhere, so that nobody can be kept out by those who guess his secret.
 */
import { addressKey } from '#model/address';
import type { Limits } from '#model/limits';
import type { RateStatus } from '#model/rate-status';
import { WindowCounts, windowMs } from './window-counts.ts';

/** Wrong secrets of an address for each of one name there: one client that is set up wrongly locks out no other. */
const addressFactor = 10;

/** Names come from outside; ours have 20 characters. */
const nameCharactersMax = 64;

/** Counts wrong secrets, in bounded memory. What is counted does not depend on whether there is such a name. */
export class LoginRates {
  readonly #limits: Pick<Limits, 'wrongLoginsPerMinute'>;
  readonly #pairs = new WindowCounts();
  readonly #addresses = new WindowCounts();
  /** Those at the token endpoint alone: its clients ask once in two hours, and guessing there is held to less. */
  readonly #tokenAddresses = new WindowCounts();
  #lastWrongMs = Number.NEGATIVE_INFINITY;

  /** `limits` is read at each call. */
  constructor(limits: Pick<Limits, 'wrongLoginsPerMinute'>) {
    this.#limits = limits;
  }

  /** How a name, a user's or a client's, stands at an address where it has to wait; null when it need not. */
  refusal(name: string, address: string): RateStatus | null {
    // As a rule nothing was wrong lately: then nobody has to wait, and nothing need be looked up.
    if (performance.now() - this.#lastWrongMs > windowMs) return null;
    const max = this.#limits.wrongLoginsPerMinute;
    const pairS = waitS(this.#pairs, pairKey(name, address), max);
    const allS = waitS(this.#addresses, addressKey(address), max * addressFactor);
    return this.#rateStatus(Math.max(pairS, allS));
  }

  /** As {@link refusal}, at the token endpoint, where an address waits sooner. */
  tokenRefusal(clientId: string, address: string): RateStatus | null {
    if (performance.now() - this.#lastWrongMs > windowMs) return null;
    const hereS = waitS(this.#tokenAddresses, addressKey(address), this.#limits.wrongLoginsPerMinute);
    return hereS > 0 ? this.#rateStatus(hereS) : this.refusal(clientId, address);
  }

  /** Counts a wrong secret. */
  noteWrong(name: string, address: string): void {
    this.#lastWrongMs = performance.now();
    this.#pairs.add(pairKey(name, address));
    this.#addresses.add(addressKey(address));
  }

  /** Counts a wrong secret at the token endpoint. */
  noteWrongToken(clientId: string, address: string): void {
    this.noteWrong(clientId, address);
    this.#tokenAddresses.add(addressKey(address));
  }

  #rateStatus(resetS: number): RateStatus | null {
    const quota = this.#limits.wrongLoginsPerMinute;
    return resetS === 0 ? null : { policy: 'login', quota, windowS: windowMs / 1000, left: 0, resetS };
  }
}

/** How long a key has to wait that may come so often. */
function waitS(counts: WindowCounts, key: string, max: number): number {
  const { count, leftS } = counts.look(key);
  return count >= max ? leftS : 0;
}

function pairKey(name: string, address: string): string {
  return `${addressKey(address)} ${name.slice(0, nameCharactersMax)}`;
}
