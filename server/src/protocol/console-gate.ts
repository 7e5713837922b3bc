/** What the transports need to know of people; domain/people's `Entrance` has this shape, but for the demo. */
import type { Caller } from '#model/caller';

/** Where a browser is, as far as the service can tell. */
export interface Place {
  address: string;
  userAgent: string;
}

/** A session that a cookie stands for. */
export interface Presence {
  caller: Caller;
  /** Goes along with every call, to show that a page of ours makes it. */
  csrfToken: string;
}

/** The instance as pages show it. */
export interface Instance {
  name: string;
  /** `#rrggbb`; empty: the usual one. */
  color: string;
  /** An IANA name. */
  timeZone: string;
}

/** What the first administrator sends. */
export interface SetUpRequest {
  code: string;
  name: string;
  password: string;
  instance: Partial<Instance>;
  /** Whether an empty service is to be filled with the demo plant. */
  demo: boolean;
}

/** Somebody who is in now, or why not. */
export type Entry =
  | { ok: true; token: string; maxAgeS: number; presence: Presence }
  | { ok: false; reason: 'wrong' }
  | { ok: false; reason: 'throttled'; retryAfterS: number };

/** Lets people in and out. */
export interface ConsoleGate {
  /** Null once there is an administrator. */
  setupCode(): string | null;
  instance(): Instance;
  /** Who a session's token stands for; null when it is over. */
  authenticate(token: string): Presence | null;
  /** Fails with `conflict` once there are people, with `invalid-params` for what it is sent. */
  setUp(request: SetUpRequest, place: Place): Promise<Entry>;
  signIn(name: string, password: string, place: Place): Promise<Entry>;
  /** Nothing happens when the session is over already. */
  signOut(token: string, address: string): Promise<void>;
}
