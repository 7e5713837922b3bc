/** Finds the caller from the header Authorization or from a person's session (A1, A3). */
import type { Caller, ClientOrigin } from '#model/caller';
import type { RateStatus } from '#model/rate-status';
import type { Authenticator } from '#protocol/authenticator';
import { type BasicCredentials, parseBasic, parseBearer } from '#protocol/authorization';
import type { LoginRates } from '#protocol/login-rates';
import { authenticateSession, isOfConsole, type SessionOptions } from './console/session.ts';
import type { Exchange } from './exchange.ts';
import { HttpProblem } from './problem.ts';
import { tooManyHeaders } from './rate-headers.ts';

const basicChallenge = 'Basic realm="tidemark", charset="UTF-8"';
const bearerChallenge = 'Bearer realm="tidemark"';

/** Dependencies of authentication. */
export interface AuthenticateOptions {
  authenticator: Authenticator;
  logins: LoginRates;
  /** Authenticates people by their sessions; undefined: people cannot call. */
  sessions?: SessionOptions;
}

/** The caller of a request. 401 with both challenges if there is none (RFC 6750 §3); 429 after too many wrong passwords. */
export function authenticate(
  options: AuthenticateOptions,
  exchange: Pick<Exchange, 'header' | 'address' | 'origin'>,
): Caller | Promise<Caller> {
  const header = exchange.header('authorization');
  const { sessions } = options;
  if (header === undefined && sessions !== undefined && isOfConsole(sessions, exchange))
    return authenticateSession(sessions, exchange);
  if (header === undefined) throw unauthenticated('This needs credentials: Basic, or a Bearer token', '');
  const token = parseBearer(header);
  if (token !== null)
    return required(
      options.authenticator.authenticateBearer(token, exchange.origin),
      'The token is not valid, or no longer',
      invalidToken,
    );
  const basic = parseBasic(header);
  if (basic === null) throw unauthenticated('The header Authorization must be Basic or Bearer', '');
  return checkPassword(options, basic, exchange.origin);
}

function tooManyWrong(rate: RateStatus): HttpProblem {
  const words = `Too many wrong passwords; try again in ${rate.resetS} s`;
  return new HttpProblem(429, words, tooManyHeaders(rate));
}

/** After too many wrong passwords, only passwords that were correct before are checked (L4e). */
function checkPassword(
  { authenticator, logins }: AuthenticateOptions,
  { user, password }: BasicCredentials,
  from: ClientOrigin,
): Caller | Promise<Caller> {
  const attempt = { name: user, secret: password, address: from.address, isTokenRequest: false };
  const refusal = logins.refusal(attempt);
  if (refusal !== null) throw tooManyWrong(refusal);
  const check = (caller: Caller | null): Caller => {
    if (caller === null) {
      logins.noteWrong(attempt);
      throw unauthenticated('The credentials are wrong', '');
    }
    logins.noteRight(attempt);
    return caller;
  };
  const caller = authenticator.authenticateBasic(user, password, from);
  return caller instanceof Promise ? caller.then(check) : check(caller);
}

const invalidToken = ', error="invalid_token"';

/** Synchronous if the authenticator is, since most callers are found in memory. */
function required(
  caller: Caller | null | Promise<Caller | null>,
  words: string,
  error: string,
): Caller | Promise<Caller> {
  if (caller instanceof Promise) return caller.then((caller) => required(caller, words, error));
  if (caller === null) throw unauthenticated(words, error);
  return caller;
}

/** 401 with both challenges; `error` ends that of Bearer. */
export function unauthenticated(words: string, error: string): HttpProblem {
  return new HttpProblem(401, words, { 'www-authenticate': [basicChallenge, `${bearerChallenge}${error}`] });
}
