/** Who makes a call. */

/** A portion of the API (A5). Integrations always have `integration`, people never; only people have `console`. */
export type Grant = 'integration' | 'admin' | 'service' | 'console';

/** Every grant that an integration may have, in the order in which a token's scope lists them (A2). */
export const grantsAll: readonly Grant[] = ['integration', 'admin', 'service'];

/** The role of a person: `admin` may do everything in the console, `viewer` may only read. */
export type Role = 'admin' | 'viewer';

/** A person who is signed in to the console. */
export interface PersonCaller {
  id: string;
  name: string;
  role: Role;
  /** The session that proves it. */
  session: string;
}

/** Who calls, as transport hands it to every method: an authenticated integration, or a person. */
export interface Caller {
  /** The integration's ID (R1); empty for a person. */
  integration: string;
  /** The credential that was used; of a person the session. */
  credential: string;
  /** The namespaces it may use now. */
  grants: ReadonlySet<Grant>;
  /** Set when the caller is a person, not an integration. */
  person?: PersonCaller;
}

/** Where a request comes from. */
export interface ClientOrigin {
  /** An IP address, as far as proxies are trusted. */
  address: string;
  /** X-Client-Name, which a page in a browser can set, then User-Agent; empty when both are absent. */
  userAgent: string;
  /** The trace ID, 32 hex digits; log lines of the request carry it (W7). */
  traceId: string;
}

/** The key of the caller's share of the service: the ID of the integration or person. */
export function partyOf({ integration, person }: Caller): string {
  return person === undefined ? integration : person.id;
}
