/** What the protocol and its transports need to know of identity; domain/identity's `Identity` has this shape. */
import type { Caller, ClientOrigin } from '#model/caller';
import type { TokenAnswer, TokenRequest } from '#model/token-request';

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

/** Makes access tokens for clients that prove who they are (A2). */
export interface TokenIssuer {
  /** Never rejects for a wrong request: the answer says what is wrong. */
  issueToken(request: TokenRequest, from: ClientOrigin): Promise<TokenAnswer>;
}
