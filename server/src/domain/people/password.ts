/** Passwords of people: scrypt (RFC 7914), since chosen passwords can be guessed, unlike random secrets. */
import { type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { Lane } from '#load/lane';
import type { Random } from '#model/environment';
import type { Limits } from '#model/limits';
import type { NumberTables } from '#threads/number-table';

/** The cost of a hash; the default takes 2^17 × 8 × 128 bytes = 128 MiB and about a quarter of a second. */
export interface PasswordCost {
  /** Binary logarithm of N. */
  logN: number;
  r: number;
  p: number;
}

/** The cost of new hashes. */
export const passwordCost: PasswordCost = { logN: 17, r: 8, p: 1 };

const saltBytes = 16;
const hashBytes = 32;

/** A parsed hash. */
type Stored = Readonly<{ cost: PasswordCost; salt: Buffer; hash: Buffer }>;

/** Creates and verifies hashes, one at a time in the process because of their memory, on a thread of the runtime's pool. */
export class Passwords {
  readonly #random: Random;
  readonly #cost: PasswordCost;
  readonly #lane: Lane;

  /** At most `passwordsWaitingMax` are computed or wait; it is read at each use. */
  constructor(
    random: Random,
    limits: Pick<Limits, 'passwordsWaitingMax'>,
    tables: NumberTables,
    cost: PasswordCost = passwordCost,
  ) {
    this.#random = random;
    this.#cost = cost;
    this.#lane = new Lane(
      'passwords',
      () => ({ runningMax: 1, waitingMax: limits.passwordsWaitingMax - 1, ownRunningMax: 1 }),
      tables,
    );
  }

  /** `scrypt$17$8$1$<salt>$<hash>`: a hash with all that is needed to check it. `try-again` when too many wait. */
  async hash(password: string): Promise<string> {
    const salt = Buffer.from(this.#random.bytes(saltBytes));
    const hash = await this.#compute(password, salt, this.#cost);
    const { logN, r, p } = this.#cost;
    return ['scrypt', logN, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$');
  }

  /** Whether a password matches a hash; false for null, in the same time. `try-again` as above. */
  async verify(password: string, stored: string | null): Promise<boolean> {
    const read = stored === null ? null : parseHash(stored);
    const absent = { cost: this.#cost, salt: Buffer.alloc(saltBytes), hash: Buffer.alloc(hashBytes) };
    const { cost, salt, hash } = read ?? absent;
    const computed = await this.#compute(password, salt, cost);
    return timingSafeEqual(computed, hash) && read !== null;
  }

  /** Whether a hash has another cost than new ones, and should be replaced. */
  isOutdated(stored: string): boolean {
    const cost = parseHash(stored)?.cost;
    return cost?.logN !== this.#cost.logN || cost.r !== this.#cost.r || cost.p !== this.#cost.p;
  }

  async #compute(password: string, salt: Buffer, { logN, r, p }: PasswordCost): Promise<Buffer> {
    const options = { N: 2 ** logN, r, p, maxmem: 2 * 128 * 2 ** logN * r };
    const leave = await this.#lane.enter(everyone, neverAborted);
    try {
      return await compute(password.normalize('NFKC'), salt, options);
    } finally {
      leave();
    }
  }
}

/** All passwords wait in one queue, until they are computed. */
const everyone = '';
const { signal } = new AbortController();
const neverAborted = () => signal;

function compute(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, hashBytes, options, (error, hash) =>
      error === null ? resolve(hash) : reject(error),
    );
  });
}

/** Parses a hash; null for any other text, which no password matches. */
function parseHash(stored: string): Stored | null {
  const match = /^scrypt\$(\d{1,2})\$(\d{1,2})\$(\d{1,2})\$([\w-]{22})\$([\w-]{43})$/.exec(stored);
  if (match === null) return null;
  const [logN, r, p] = match.slice(1, 4).map(Number);
  return {
    cost: { logN, r, p },
    salt: Buffer.from(match[4], 'base64url'),
    hash: Buffer.from(match[5], 'base64url'),
  };
}
