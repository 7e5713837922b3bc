/** How a client proves who it is. */

import type { Environment } from './environment.ts';
import { TokenKeeper, type TokenStore } from './token.ts';
import type { CredentialsFile } from './wire.ts';

/** What a client may prove itself with: a credentials file's `credentials`, or the session of a browser. */
export type Credentials =
  | CredentialsFile['credentials']
  | {
      type: 'session';
      /** The token that `console/session` answers; undefined while no person is signed in. */
      csrfToken(): string | undefined;
    };

/** What goes along with a request. */
export interface Proof {
  headers: Record<string, string>;
  /** The proof was refused; whether there may be another one, for one more attempt. */
  refused(): boolean;
}

/** Proves who calls. */
export type Prover = () => Promise<Proof>;

/** Prepares proving; tokens are kept by what it returns, and between runs in `tokens`. */
export function proverOf(
  credentials: Credentials,
  apiUrl: string,
  environment: Environment,
  tokens?: TokenStore,
): Prover {
  if (credentials.type === 'session')
    return async () => ({ headers: csrfHeader(credentials.csrfToken()), refused: () => false });
  const { clientId, clientSecret } = credentials;
  if (credentials.type === 'basic-auth') {
    const proof = { headers: { authorization: basic(clientId, clientSecret) }, refused: () => false };
    return async () => proof;
  }
  const keeper = new TokenKeeper({ apiUrl, clientId, clientSecret }, environment, tokens);
  return async () => {
    const token = await keeper.token();
    return { headers: { authorization: `Bearer ${token}` }, refused: () => refuse(keeper, token) };
  };
}

function refuse(keeper: TokenKeeper, token: string): true {
  keeper.refuse(token);
  return true;
}

function csrfHeader(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { 'x-csrf-token': token };
}

/** RFC 7617, in UTF-8. */
function basic(user: string, password: string): string {
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}
