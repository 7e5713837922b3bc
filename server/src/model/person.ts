/** People: who may sign in to the console, and the sessions in which they do. */
import type { Role } from './caller.ts';

/** A person with a password. */
export interface Person {
  id: string;
  /** What is typed to sign in; unique whatever its case. */
  name: string;
  role: Role;
  /** Parameters, salt and hash as one text; the password itself is never stored. */
  passwordHash: string;
  createdAtMs: number;
  /** When name, role or password were changed last. */
  updatedAtMs: number;
}

/** One signed-in browser. */
export interface Session {
  id: string;
  person: string;
  /** SHA-256 of the token in the browser's cookie, lower-case hex. */
  tokenSha256: string;
  createdAtMs: number;
  /** The latest use that was noted, at most a minute behind. */
  usedAtMs: number;
  /** When it ends however much it is used. */
  expiresAtMs: number;
  /** Where it was begun. */
  address: string;
  /** What the browser called itself then; at most 256 characters. */
  userAgent: string;
}
