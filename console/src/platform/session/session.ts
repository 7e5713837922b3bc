/** Who is signed in: set-up, sign-in and sign-out over the console's own routes. */
import type { Person as WirePerson } from '@tidemark/client/wire';
import { baseUrl } from '../rpc/base.ts';
import { notReached, RpcError } from '../rpc/rpc-error.ts';

/** What a person may do: everything, or look only. */
export type Role = WirePerson['role'];

/** A signed-in person. */
export type Person = Pick<WirePerson, 'id' | 'name' | 'role'>;

/** The answer of the session route. */
export interface Session {
  status: 'setup' | 'anonymous' | 'signed-in';
  instance: {
    name: string;
    /** `#rrggbb`; empty: the usual one. */
    color: string;
    /** The default. */
    timeZone: string;
    /** Of the program; only who is signed in learns it. */
    version?: string;
  };
  /** The configured address of the service; absent before sign-in. */
  baseUrl?: string;
  person?: Person;
  /** Goes with every call that the cookie signs. */
  csrfToken?: string;
  /** A person was signed in here until the service ended that. */
  hasEnded?: boolean;
}

/** What the first administrator says in the set-up. */
export interface Setup {
  /** Printed by the service when it starts without any person. */
  code: string;
  name: string;
  password: string;
  instanceName?: string;
  color?: string;
  timeZone?: string;
  demo?: boolean;
}

/** The session as it is. */
export function readSession(): Promise<Session> {
  return send('GET', 'console/session');
}

/** Creates the first administrator and signs in. Fails with what is wrong, by field. */
export function setUp(setup: Setup): Promise<Session> {
  return send('POST', 'console/setup', setup);
}

/** Signs in. Fails with status 401 for a wrong name or password, 429 for too many attempts. */
export function signIn(name: string, password: string): Promise<Session> {
  return send('POST', 'console/session', { name, password });
}

/** Signs out; afterwards the cookie is worth nothing. */
export async function signOut(csrfToken: string | undefined): Promise<void> {
  await send('DELETE', 'console/session', undefined, csrfToken);
}

async function send<T>(method: string, path: string, body?: object, csrfToken?: string): Promise<T> {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    credentials: 'same-origin',
    headers: {
      Accept: 'application/json',
      ...(body ? { 'Content-Type': 'application/json' } : {}),
      ...(csrfToken ? { 'X-CSRF-Token': csrfToken } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  }).catch(() => {
    throw notReached();
  });
  const answer: unknown = response.status === 204 ? null : await response.json().catch(() => null);
  if (!response.ok) throw problemOf(response, answer);
  return answer as T;
}

/** RFC 9457: what the service says is wrong. */
export function problemOf(response: Response, answer: unknown): RpcError {
  const problem = (typeof answer === 'object' && answer !== null ? answer : {}) as {
    title?: string;
    detail?: string;
    params?: Record<string, string[]>;
  };
  const message = problem.detail ?? problem.title ?? `The service answered ${response.status}.`;
  const trace = response.headers.get('traceparent')?.split('-')[1] ?? null;
  return new RpcError(message, { status: response.status, trace, params: problem.params ?? {} });
}
