/**
 * Rate limits of wrong secrets (A2, A2a, L4e), for each name at each address, and for each address over all names. When a name is
 * guessed at one address, it stays usable from all others, and a secret that was correct before stays usable at that address.
 */
import { hash } from 'node:crypto';
import { addressKey } from '#model/address';
import type { Stopwatch } from '#model/environment';
import type { Limits } from '#model/limits';
import type { RateStatus } from '#model/rate-status';
import type { Coordination, Values, Windows } from '#storage/coordination';
import { windowMs } from '#threads/windows';

/** What a client sends to prove its identity, and from where. */
export interface LoginAttempt {
  /** A user name or a client ID. */
  name: string;
  secret: string;
  address: string;
  /** Whether it is a request for a token; clients make few of these, so an address has fewer wrong ones. */
  isTokenRequest: boolean;
}

/** A correct secret as it is recorded: a digest of the attempt. */
export type RightSecret = string;

/** The limit of an address over all names, as a multiple of the limit of one name. */
const addressFactor = 10;

/** The same at the token endpoint alone. */
const tokenAddressFactor = 3;

/** Names come from outside; ours have 20 characters. */
const nameCharactersMax = 64;

/** Counts wrong secrets, in bounded memory. What is counted does not depend on whether the name exists. */
export class LoginRates {
  readonly #limits: Pick<Limits, 'wrongLoginsPerMinute'>;
  readonly #stopwatch: Stopwatch;
  readonly #pairs: Windows;
  readonly #addresses: Windows;
  readonly #tokenAddresses: Windows;
  /** By digest; 1: a correct attempt. */
  readonly #right: Values;

  /** `limits` is read at each call. */
  constructor(
    limits: Pick<Limits, 'wrongLoginsPerMinute'>,
    stopwatch: Stopwatch,
    coordination: Coordination,
  ) {
    this.#limits = limits;
    this.#stopwatch = stopwatch;
    const counts = (name: string) => coordination.windows(`wrong secrets by ${name}`);
    this.#pairs = counts('name and address');
    this.#addresses = counts('address');
    this.#tokenAddresses = counts('address at the token endpoint');
    this.#right = coordination.values('correct secrets');
  }

  /** The rate that an attempt exceeds; null when its secret may be checked. */
  refusal(attempt: LoginAttempt): RateStatus | null {
    // Usually no secret was wrong within the last minute, and nothing needs to be looked up.
    const lastWrongMs = this.#addresses.lastMs();
    if (lastWrongMs === 0 || this.#stopwatch.elapsedMs() - lastWrongMs > windowMs) return null;
    const resetS = this.#waitS(attempt);
    if (resetS === 0 || this.#right.of(digestOf(attempt)) > 0) return null;
    const quota = this.#limits.wrongLoginsPerMinute;
    return { policy: 'login', quota, windowS: windowMs / 1000, left: 0, resetS };
  }

  /** Records a correct secret, which from now on is accepted even while wrong ones at its address are rate-limited. */
  noteRight(attempt: LoginAttempt): RightSecret {
    const digest = digestOf(attempt);
    this.#right.set(digest, 1);
    return digest;
  }

  /** Records the same correct secret once more, without a digest of it. */
  noteRightAgain(secret: RightSecret): void {
    this.#right.set(secret, 1);
  }

  /** Counts a wrong secret. */
  noteWrong(attempt: LoginAttempt): void {
    this.#right.set(digestOf(attempt), 0);
    this.#pairs.add(pairKey(attempt));
    this.#addresses.add(addressKey(attempt.address));
    if (attempt.isTokenRequest) this.#tokenAddresses.add(addressKey(attempt.address));
  }

  #waitS(attempt: LoginAttempt): number {
    const max = this.#limits.wrongLoginsPerMinute;
    const address = addressKey(attempt.address);
    const waits = [
      waitS(this.#pairs, pairKey(attempt), max),
      waitS(this.#addresses, address, max * addressFactor),
      attempt.isTokenRequest ? waitS(this.#tokenAddresses, address, max * tokenAddressFactor) : 0,
    ];
    return Math.max(...waits);
  }
}

/** How long a key has to wait under a limit per window. */
function waitS(counts: Windows, key: string, max: number): number {
  const { count, leftS } = counts.look(key);
  return count >= max ? leftS : 0;
}

function pairKey({ name, address }: LoginAttempt): string {
  return `${addressKey(address)} ${name.slice(0, nameCharactersMax)}`;
}

function digestOf(attempt: LoginAttempt): string {
  return hash('sha256', JSON.stringify([pairKey(attempt), attempt.name, attempt.secret]), 'base64url');
}
