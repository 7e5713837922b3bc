/** What the protocol and its transports need to know of identity; domain/identity's `Identity` has this shape. */
import type { Caller, ClientOrigin } from '#model/caller';

/**
 * Says who credentials stand for (A1). An answer that is known at once need not be a promise. An `unauthenticated` error says
 * why credentials that are right are refused all the same (A1b).
 */
export interface Authenticator {
  /** The caller with this user name and password; null when they are wrong. */
  authenticateBasic(
    user: string,
    password: string,
    from: ClientOrigin,
  ): Caller | null | Promise<Caller | null>;
  /** The caller that a token stands for; null when it is not valid now. */
  authenticateBearer(token: string, from: ClientOrigin): Caller | null | Promise<Caller | null>;
}

/** What a client sends for a token (A2). */
export interface TokenRequest {
  clientId: string;
  clientSecret: string;
  /** The API address it wants the token for. */
  audience: string | undefined;
}

/** A token, or why there is none (RFC 6749 §5.2, RFC 8707 §2). */
export type TokenAnswer =
  | { ok: true; accessToken: string; scopes: readonly string[]; expiresInS: number }
  | { ok: false; error: 'invalid_client' | 'invalid_request' | 'invalid_target'; description: string };

/** Makes access tokens for clients that prove who they are (A2). */
export interface TokenIssuer {
  /** Never rejects for a wrong request: the answer says what is wrong. */
  issueToken(request: TokenRequest, from: ClientOrigin): Promise<TokenAnswer>;
}
