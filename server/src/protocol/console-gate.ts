/** The interface through which transports sign people in and out; implemented by domain/people's `SignIns`. */
import type { Caller } from '#model/caller';

/** The client of a session, as far as it is known. */
export interface Place {
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
  /** Whether to fill an empty service with the demo plant. */
  demo: boolean;
}

/** The result of an attempt to sign in. */
export type Entry =
  | { ok: true; token: string; maxAgeS: number; presence: Presence }
  | { ok: false; reason: 'wrong' }
  | { ok: false; reason: 'throttled'; retryAfterS: number };

/** Signs people in and out. */
export interface ConsoleGate {
  /** The code for the set-up; null once there is an administrator. */
  setupCode(): string | null;
  instance(): Instance;
  /** The session of a token; null when it has ended. */
  authenticate(token: string): Presence | null;
  /** Creates the first administrator. Fails with `conflict` once there are people, and with `invalid-params`. */
  setUp(request: SetUpRequest, place: Place): Promise<Entry>;
  signIn(name: string, password: string, place: Place): Promise<Entry>;
  /** Ends a session; does nothing when it has ended already. */
  signOut(token: string, address: string): Promise<void>;
}
