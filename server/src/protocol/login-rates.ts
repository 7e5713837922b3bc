/**
 * How often a secret may be wrong (L4e, A2a): counted for each name at each address, and for each address over all names.
 * Neither locks anybody out elsewhere, so that nobody can be kept out by those who guess his secret.
 */
import { addressKey } from '#model/address';
import type { Limits } from '#model/limits';
import type { RateStanding } from '#model/rate-standing';
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
  #lastWrongMs = Number.NEGATIVE_INFINITY;

  /** `limits` is read at each call. */
  constructor(limits: Pick<Limits, 'wrongLoginsPerMinute'>) {
    this.#limits = limits;
  }

  /** How a name, a user's or a client's, stands at an address where it has to wait; null when it need not. */
  refusal(name: string, address: string): RateStanding | null {
    // As a rule nothing was wrong lately: then nobody has to wait, and nothing need be looked up.
    if (performance.now() - this.#lastWrongMs > windowMs) return null;
    const max = this.#limits.wrongLoginsPerMinute;
    const pair = this.#pairs.look(pairKey(name, address));
    const all = this.#addresses.look(addressKey(address));
    const pairS = pair.count >= max ? pair.leftS : 0;
    const allS = all.count >= max * addressFactor ? all.leftS : 0;
    const resetS = Math.max(pairS, allS);
    return resetS === 0 ? null : { policy: 'login', quota: max, windowS: windowMs / 1000, left: 0, resetS };
  }

  /** Counts a wrong secret. */
  noteWrong(name: string, address: string): void {
    this.#lastWrongMs = performance.now();
    this.#pairs.add(pairKey(name, address));
    this.#addresses.add(addressKey(address));
  }
}

function pairKey(name: string, address: string): string {
  return `${addressKey(address)} ${name.slice(0, nameCharactersMax)}`;
}
