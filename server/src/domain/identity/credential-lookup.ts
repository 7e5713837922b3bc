/** Whether credentials are accepted, as far as this process knows (A1, A1b, A2). */
import type { Grant } from '#model/caller';
import { type Clock, clockMs } from '#model/environment';
import type { TokenRequest } from '#model/token-request';
import type { Credential, Integration } from '#storage/meta-store';
import type { CachedCredential, IdentityCache } from './identity-cache.ts';
import { digestOf, sameDigest } from './secret.ts';
import type { Claims, Tokens } from './tokens.ts';

/** Credentials that are accepted. */
export interface Allowed {
  credential: CachedCredential;
  integration: Integration;
  /** What a token is limited to; null: there is no limit. */
  granted: ReadonlySet<Grant> | null;
}

/** Credentials that are not accepted. */
export interface Refused {
  why: string;
  /** Whose they are, where that is known. */
  integration?: string;
  isDisabled?: boolean;
}

/** The outcome of a lookup. */
export type Found = Allowed | Refused;

/** Why the credentials of a disabled integration are refused. */
export const disabledWords = 'This integration is disabled: an administrator can enable it again';
const expiredWords = 'The credential has expired';

interface LookupOptions {
  cache: IdentityCache;
  tokens: Tokens;
  clock: Clock;
}

/** Finds credentials in memory. */
export class CredentialLookup {
  readonly #options: LookupOptions;

  constructor(options: LookupOptions) {
    this.#options = options;
  }

  /** By a user name and the digest of a password. */
  byPassword(user: string, given: Uint8Array): Found {
    const candidates = this.#options.cache.basicCredentials(user);
    if (candidates.length === 0) sameDigest(undefined, given);
    const matching = candidates.filter((credential) => sameDigest(credential.digest, given));
    const live = matching.find((credential) => this.isLive(credential));
    if (live !== undefined) return this.#enabled(live, null);
    return { why: matching.length > 0 ? expiredWords : 'Wrong password', integration: user };
  }

  /** By an access token. */
  byToken(token: string): Found | Promise<Found> {
    const claims = this.#options.tokens.verify(token);
    return claims instanceof Promise
      ? claims.then((found) => this.#findByClaims(found))
      : this.#findByClaims(claims);
  }

  #findByClaims(claims: Claims | null): Found {
    if (claims === null) return { why: 'The token is not valid' };
    const { integration } = claims;
    const credential = this.#options.cache.credential(claims.credential);
    if (credential === undefined || credential.integration !== integration)
      return { why: 'The credential of the token is revoked', integration };
    return this.isLive(credential)
      ? this.#enabled(credential, claims.grants)
      : { why: expiredWords, integration };
  }

  /** By client credentials. */
  byClient({ clientId, clientSecret }: TokenRequest): Found {
    const credential = this.#options.cache.credential(clientId);
    const isRight = sameDigest(credential?.digest, digestOf(clientSecret));
    const integration = credential?.integration;
    if (credential?.type !== 'client-credentials' || !isRight)
      return { why: 'Wrong client secret', integration };
    return this.isLive(credential) ? this.#enabled(credential, null) : { why: expiredWords, integration };
  }

  #enabled(credential: CachedCredential, granted: ReadonlySet<Grant> | null): Found {
    const integration = this.#options.cache.integration(credential.integration);
    if (integration === undefined) return { why: 'The integration is deleted' };
    if (integration.disabledAtMs === null) return { credential, integration, granted };
    return { why: disabledWords, integration: integration.id, isDisabled: true };
  }

  /** Whether a credential has not expired. */
  isLive({ expiresAtMs }: Pick<Credential, 'expiresAtMs'>): boolean {
    return expiresAtMs === null || expiresAtMs > clockMs(this.#options.clock);
  }
}
