/** The interface through which the protocol and its transports use identity; implemented by domain/identity's `Identity`. */
import type { Caller, ClientOrigin } from '#model/caller';
import type { TokenAnswer, TokenRequest } from '#model/token-request';

/**
 * Finds the caller of credentials (A1). A result that is known at once need not be a promise. Fails with `unauthenticated` and
 * a reason when correct credentials are not accepted, for example because the integration is disabled (A1b).
 */
export interface Authenticator {
  /** The caller with this user name and password; null when they are wrong. */
  authenticateBasic(
    user: string,
    password: string,
    from: ClientOrigin,
  ): Caller | null | Promise<Caller | null>;
  /** The caller that a token was issued to; null when the token is not valid. */
  authenticateBearer(token: string, from: ClientOrigin): Caller | null | Promise<Caller | null>;
  /**
   * A caller as it is now, with its present grants; null when its credential is revoked, expired, or its integration disabled.
   * `from` is where it uses the credential; null: it only looks.
   */
  recheck(caller: Caller, from: ClientOrigin | null): Caller | null;
}

/** Finds integrations whose clients another broker has authenticated (M5). */
export interface IntegrationCallers {
  /** An integration as a caller without a credential; null: there is none. `unauthenticated` when it is disabled. */
  callerOfIntegration(id: string): Caller | null | Promise<Caller | null>;
}

/** Issues access tokens to authenticated clients (A2). */
export interface TokenIssuer {
  /** An invalid request does not reject; the answer describes the error. */
  issueToken(request: TokenRequest, from: ClientOrigin): Promise<TokenAnswer>;
}
