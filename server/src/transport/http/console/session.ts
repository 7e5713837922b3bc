/** Authenticates people by session cookie and CSRF token; a cookie alone is not enough, since other sites can cause it to be sent. */
import type { Caller } from '#model/caller';
import type { ConsoleGate } from '#protocol/console-gate';
import type { Exchange } from '../exchange.ts';
import { HttpProblem } from '../problem.ts';
import { isSameOfLength } from '../same-secret.ts';
import { requireSameOrigin } from './same-origin.ts';
import { type CookieForm, readCookie } from './session-cookie.ts';

/** Options for sessions. */
export interface SessionOptions {
  gate: ConsoleGate;
  cookie: CookieForm;
  /** The origin of the configured address, such as `https://signals.example.com`. */
  origin: string;
}

/** The properties of a request that are used. */
type Sent = Pick<Exchange, 'header'>;

/** Whether a request without Authorization was made by the console: it has a session cookie or a CSRF token. */
export function isOfConsole({ cookie }: SessionOptions, exchange: Sent): boolean {
  const hasToken = exchange.header('x-csrf-token') !== undefined;
  return hasToken || readCookie(cookie, exchange.header('cookie')) !== null;
}

/** The person of a request. 401 without a live session, 403 without the session's CSRF token or from another origin. */
export async function authenticateSession(options: SessionOptions, exchange: Sent): Promise<Caller> {
  requireSameOrigin(exchange, options.origin);
  const token = readCookie(options.cookie, exchange.header('cookie'));
  const presence = token === null ? null : await options.gate.authenticate(token);
  // No Basic challenge: the browser would show its own password dialog.
  if (presence === null)
    throw new HttpProblem(401, 'The session is over: sign in', { 'www-authenticate': sessionChallenge });
  if (!isSameOfLength(exchange.header('x-csrf-token'), presence.csrfToken))
    throw new HttpProblem(403, 'The header X-CSRF-Token is missing, or is not that of this session');
  return presence.caller;
}

/** A scheme that is unknown to browsers, since a 401 has to name one. */
export const sessionChallenge = 'Session realm="tidemark"';
