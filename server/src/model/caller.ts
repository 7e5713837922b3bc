/** Who makes a call. */

/** A portion of the API (A5). Integrations always have `integration`, people never; only people have `console`. */
export type Grant = 'integration' | 'admin' | 'service' | 'console';

/** Every grant that an integration may have, in the order in which a token's scope lists them (A2). */
export const grantsAll: readonly Grant[] = ['integration', 'admin', 'service'];

/** What a person may do: `admin` everything that people can, `viewer` only look. */
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
  /** The credential that proved it; of a person the session. */
  credential: string;
  /** The namespaces it may use now. */
  grants: ReadonlySet<Grant>;
  /** Who it is when it is no integration. */
  person?: PersonCaller;
}

/** Where a request comes from. */
export interface ClientOrigin {
  /** An IP address, as far as proxies are trusted. */
  address: string;
  /** What the client calls itself; empty when it does not say. */
  userAgent: string;
  /** 32 hex digits, under which the log has more (W7). */
  traceId: string;
}

/** Whose share of the service a call takes: the integration's, or the person's. */
export function partyOf({ integration, person }: Caller): string {
  return person === undefined ? integration : person.id;
}
