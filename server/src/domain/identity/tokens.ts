/** Access tokens: JWTs that the service signs and verifies itself (A1). */

import type { JWTPayload } from 'jose';
import { type Grant, grantsAll } from '#model/caller';
import type { Clock } from '#model/environment';
import { bug } from '#model/error';
import type { Limits } from '#model/limits';
import { LruCache } from '#model/lru-cache';
import { issuerOf } from './credentials-file.ts';
import type { IdentityCache } from './identity-cache.ts';

/** What a valid token says. */
export interface Claims {
  /** The credential that it was issued to. */
  credential: string;
  integration: string;
  /** What it may be used for. */
  grants: ReadonlySet<Grant>;
}

interface Verified extends Claims {
  key: string;
  expiresAtS: number;
}

interface TokensOptions {
  cache: IdentityCache;
  clock: Clock;
  /** Looked at for each token. */
  limits: Pick<Limits, 'tokenTtlS'>;
  /** The API's address, ending in `/v1/`: a token's audience. Below it is its issuer. */
  apiUrl: string;
}

/** Only this: what a token's header says of its algorithm is never believed. */
const algorithm = 'HS256';

/** Longer texts are no token of ours. */
const tokenCharactersMax = 4096;

/** Tokens whose signature is remembered to be right. */
const verifiedMax = 10_000;

const scopePrefix = 'invoke:';
const subjectSuffix = '@clients';

/** Loaded with the first token: commands have none. */
const jose = () => import('jose');

/** Issues and verifies tokens. */
export class Tokens {
  readonly #options: TokensOptions;
  readonly #verified = new LruCache<string, Verified>(verifiedMax);

  constructor(options: TokensOptions) {
    this.#options = options;
  }

  /** A token that says this, valid from now for its time. */
  async issue({ credential, integration, grants }: Claims): Promise<string> {
    const { apiUrl, cache, limits } = this.#options;
    const signing = cache.newestKey() ?? bug('there is no signing key');
    const nowS = this.#nowS();
    const { SignJWT } = await jose();
    return new SignJWT({ scope: scopesOf(grants).join(','), integration })
      .setProtectedHeader({ alg: algorithm, typ: 'JWT', kid: signing.id })
      .setIssuer(issuerOf(apiUrl))
      .setSubject(credential + subjectSuffix)
      .setAudience(apiUrl)
      .setIssuedAt(nowS)
      .setExpirationTime(nowS + limits.tokenTtlS)
      .sign(signing.key);
  }

  /** What a token says; null when it is not ours, was changed, or has expired. At once when it was verified before. */
  verify(token: string): Claims | null | Promise<Claims | null> {
    const known = this.#verified.get(token);
    if (known === undefined) return token.length > tokenCharactersMax ? null : this.#verifyNew(token);
    const isLive = known.expiresAtS > this.#nowS() && this.#options.cache.key(known.key) !== undefined;
    return isLive ? known : null;
  }

  async #verifyNew(token: string): Promise<Claims | null> {
    const { apiUrl, cache, clock } = this.#options;
    const { errors, jwtVerify } = await jose();
    const keyOf = (kid = '') => cache.key(kid)?.key ?? Promise.reject(new errors.JWTInvalid('unknown key'));
    try {
      const { payload, protectedHeader } = await jwtVerify(token, ({ kid }) => keyOf(kid), {
        algorithms: [algorithm],
        // Tokens of releases before 0.2 have the audience as their issuer.
        issuer: [issuerOf(apiUrl), apiUrl],
        audience: apiUrl,
        requiredClaims: ['sub', 'iat', 'exp', 'scope', 'integration'],
        currentDate: new Date(clock.nowUs() / 1000),
      });
      const verified = readClaims(payload, String(protectedHeader.kid));
      if (verified !== null) this.#verified.set(token, verified);
      return verified;
    } catch (error) {
      if (error instanceof errors.JOSEError) return null;
      throw error;
    }
  }

  #nowS(): number {
    return Math.floor(this.#options.clock.nowUs() / 1e6);
  }
}

/** Grants as scopes, in the order of `grantsAll`. */
export function scopesOf(grants: ReadonlySet<Grant>): string[] {
  return grantsAll.filter((grant) => grants.has(grant)).map((grant) => scopePrefix + grant);
}

/** Null if the claims have another form, which a release before or after this one may have signed. */
function readClaims(payload: JWTPayload, key: string): Verified | null {
  const { sub, exp, scope, integration } = payload;
  if (!sub?.endsWith(subjectSuffix) || typeof scope !== 'string' || typeof integration !== 'string')
    return null;
  const scopes = scope.split(',');
  return {
    key,
    credential: sub.slice(0, -subjectSuffix.length),
    integration,
    grants: new Set(grantsAll.filter((grant) => scopes.includes(scopePrefix + grant))),
    expiresAtS: Number(exp),
  };
}
