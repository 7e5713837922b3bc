/** Signing in to the console, as transports and the domain exchange it. */
import type { Caller } from './caller.ts';

/** The client of a session, as far as it is known. */
export interface SessionClient {
  address: string;
  userAgent: string;
}

/** The session of a cookie. */
export interface Presence {
  caller: Caller;
  /** Sent with every call to prove that it was made by a page of the console. */
  csrfToken: string;
}

/** The settings of the instance that pages show. */
export interface Instance {
  name: string;
  /** `#rrggbb`; empty: the default colour. */
  color: string;
  /** An IANA name. */
  timeZone: string;
}

/** The data of the set-up, sent by the first administrator. */
export interface SetUpRequest {
  code: string;
  name: string;
  password: string;
  instance: Partial<Instance>;
}

/** The result of an attempt to sign in. */
export type SignInResult =
  | { ok: true; token: string; maxAgeS: number; presence: Presence }
  | { ok: false; reason: 'wrong' }
  | { ok: false; reason: 'throttled'; retryAfterS: number };
