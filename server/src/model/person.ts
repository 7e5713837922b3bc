/** People who may sign in to the console, and their sessions. */
import type { Role } from './caller.ts';

/** A person with a password. */
export interface Person {
  id: string;
  /** The sign-in name; unique regardless of case. */
  name: string;
  role: Role;
  /** Parameters, salt and hash as one text; the password itself is never stored. */
  passwordHash: string;
  createdAtMs: number;
  /** When name, role or password was last changed. */
  updatedAtMs: number;
}

/** One signed-in browser. */
export interface Session {
  id: string;
  person: string;
  /** SHA-256 of the token in the browser's cookie, lower-case hex. */
  tokenSha256: string;
  createdAtMs: number;
  /** The last recorded use; up to a minute old. */
  usedAtMs: number;
  /** When the session ends regardless of use. */
  expiresAtMs: number;
  /** The address from which it was started. */
  address: string;
  /** The User-Agent at sign-in; at most 256 characters. */
  userAgent: string;
}
