/** A request with a session cookie → the person who calls. A cookie alone proves nothing: other pages send it too. */
import { timingSafeEqual } from 'node:crypto';
import type { Caller } from '#model/caller';
import type { ConsoleGate } from '#protocol/console-gate';
import type { Exchange } from '../exchange.ts';
import { HttpProblem } from '../problem.ts';
import { requireSameOrigin } from './same-origin.ts';
import { type CookieForm, readCookie } from './session-cookie.ts';

/** What sessions need of a service. */
export interface SessionOptions {
  gate: ConsoleGate;
  cookie: CookieForm;
  /** The origin of the configured address, such as `https://signals.example.com`. */
  origin: string;
}

/** What is looked at of a request. */
type Sent = Pick<Exchange, 'header'>;

/** Whether a request without Authorization is one of the console's: it has a session cookie, or a CSRF token. */
export function isOfConsole({ cookie }: SessionOptions, exchange: Sent): boolean {
  const hasToken = exchange.header('x-csrf-token') !== undefined;
  return hasToken || readCookie(cookie, exchange.header('cookie')) !== null;
}

/** The person of a request. 401 without a live session, 403 without the session's CSRF token or from another origin. */
export function authenticateSession(options: SessionOptions, exchange: Sent): Caller {
  requireSameOrigin(exchange, options.origin);
  const token = readCookie(options.cookie, exchange.header('cookie'));
  const presence = token === null ? null : options.gate.authenticate(token);
  // No challenge of Basic: a browser would ask for a password by itself.
  if (presence === null)
    throw new HttpProblem(401, 'The session is over: sign in', { 'www-authenticate': sessionChallenge });
  if (!isSame(exchange.header('x-csrf-token'), presence.csrfToken))
    throw new HttpProblem(403, 'The header X-CSRF-Token is missing, or is not that of this session');
  return presence.caller;
}

/** A scheme that no browser knows, since a 401 has to name one. */
export const sessionChallenge = 'Session realm="tidemark"';

function isSame(given: string | undefined, expected: string): boolean {
  if (given?.length !== expected.length) return false;
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
