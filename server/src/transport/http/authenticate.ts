/** Finds the caller from the header Authorization or from a person's session (A1, A3). */
import type { Socket } from 'node:net';
import type { Caller } from '#model/caller';
import type { RateStatus } from '#model/rate-status';
import { type BasicCredentials, parseBasic, parseBearer } from '#protocol/authorization';
import {
  checkPassword,
  type PasswordCheck,
  type PasswordOptions,
  type ProvenPassword,
  recheckPassword,
} from '#protocol/passwords';
import { authenticateSession, isOfConsole, type SessionOptions } from './console/session.ts';
import type { Exchange } from './exchange.ts';
import { HttpProblem } from './problem.ts';
import { tooManyHeaders } from './rate-headers.ts';
import { isSameOfLength } from './same-secret.ts';

const basicChallenge = 'Basic realm="tidemark", charset="UTF-8"';
const bearerChallenge = 'Bearer realm="tidemark"';

/** Dependencies of authentication. */
export interface AuthenticateOptions extends PasswordOptions {
  /** Authenticates people by their sessions; undefined: people cannot call. */
  sessions?: SessionOptions;
}

/** What a caller is found from; without a request each password is checked. */
type CredentialSource = Pick<Exchange, 'header' | 'address' | 'origin'> & Partial<Pick<Exchange, 'request'>>;

/** The password that a connection has proved last, and by what: programs send the same header with each request. */
const proven = new WeakMap<Socket, ProvenPassword & { header: string; address: string }>();

/** The caller of a request. 401 with both challenges if there is none (RFC 6750 §3); 429 after too many wrong passwords. */
export function authenticate(
  options: AuthenticateOptions,
  exchange: CredentialSource,
): Caller | Promise<Caller> {
  const header = exchange.header('authorization');
  const { sessions } = options;
  if (header === undefined && sessions !== undefined && isOfConsole(sessions, exchange))
    return authenticateSession(sessions, exchange);
  if (header === undefined) throw unauthenticated('This needs credentials: Basic, or a Bearer token', '');
  const known = recheck(options, header, exchange);
  if (known !== null) return known;
  const token = parseBearer(header);
  if (token !== null)
    return required(
      options.authenticator.authenticateBearer(token, exchange.origin),
      'The token is invalid or has expired',
      invalidToken,
    );
  const basic = parseBasic(header);
  if (basic === null) throw unauthenticated('The header Authorization must be Basic or Bearer', '');
  return authenticateBasic(options, basic, header, exchange);
}

/** The caller whom the last header of the connection named, if this one is the same, and still valid. */
function recheck(options: AuthenticateOptions, header: string, source: CredentialSource): Caller | null {
  const known = source.request && proven.get(source.request.socket);
  if (known === undefined || known.address !== source.address) return null;
  if (!isSameOfLength(header, known.header)) return null;
  return recheckPassword(options, known, source.origin);
}

function tooManyWrong(rate: RateStatus): HttpProblem {
  const words = `Too many wrong passwords; try again in ${rate.resetS} s`;
  return new HttpProblem(429, words, tooManyHeaders(rate));
}

/** 401 for a wrong password, 429 after too many of them. */
function authenticateBasic(
  options: AuthenticateOptions,
  credentials: BasicCredentials,
  header: string,
  { request, address, origin }: CredentialSource,
): Caller | Promise<Caller> {
  const required = ({ caller, rate, right }: PasswordCheck): Caller => {
    if (rate !== null) throw tooManyWrong(rate);
    if (caller === null || right === null) throw unauthenticated('The credentials are wrong', '');
    if (request !== undefined) proven.set(request.socket, { header, address, caller, right });
    return caller;
  };
  const checking = checkPassword(options, credentials, origin);
  return checking instanceof Promise ? checking.then(required) : required(checking);
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
