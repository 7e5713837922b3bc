/** Requests for access tokens and their answers (A2), as the token endpoint and the identities exchange them. */

/** What a client sends for a token. */
export interface TokenRequest {
  clientId: string;
  clientSecret: string;
  /** The addresses that the token is wanted for, from `audience` and `resource` (RFC 8707); none: this service. */
  audiences: readonly string[];
  /** The scopes that the token is wanted for; none: all that the client is granted. */
  scopes: readonly string[];
}

/** A token, or why there is none (RFC 6749 §5.2, RFC 8707 §2). */
export type TokenAnswer =
  | {
      ok: true;
      accessToken: string;
      /** For example `invoke:integration`, `invoke:admin`; in the order of `grantsAll`. */
      scopes: readonly string[];
      expiresInS: number;
    }
  | { ok: false; error: 'invalid_client' | 'invalid_target' | 'invalid_scope'; description: string };

/** An answer without a token. */
export type TokenRefusal = Extract<TokenAnswer, { ok: false }>;
