/** People, their sessions and the views that they save: records ⇄ rows of their tables. */
import type { Role } from '#model/caller';
import type { Person, Session } from '#model/person';
import type { SavedView } from '#model/saved-view';
import type { SqlRow } from './sql-runner.ts';

/** The person in a row. */
export function personOf(row: SqlRow): Person {
  return {
    id: String(row.id),
    name: String(row.name),
    role: row.role as Role,
    passwordHash: String(row.password_hash),
    createdAtMs: Number(row.created_at_ms),
    updatedAtMs: Number(row.updated_at_ms),
  };
}

/** The columns of a person that may change. */
export function personColumns({ name, role, passwordHash, updatedAtMs }: Person) {
  return { name, role, password_hash: passwordHash, updated_at_ms: updatedAtMs };
}

/** The session in a row. */
export function sessionOf(row: SqlRow): Session {
  return {
    id: String(row.id),
    person: String(row.person),
    tokenSha256: String(row.token_sha256),
    createdAtMs: Number(row.created_at_ms),
    usedAtMs: Number(row.used_at_ms),
    expiresAtMs: Number(row.expires_at_ms),
    address: String(row.address),
    userAgent: String(row.user_agent),
  };
}

/** The row of a session. */
export function sessionRow(session: Session) {
  return {
    id: session.id,
    person: session.person,
    token_sha256: session.tokenSha256,
    created_at_ms: session.createdAtMs,
    used_at_ms: session.usedAtMs,
    expires_at_ms: session.expiresAtMs,
    address: session.address,
    user_agent: session.userAgent,
  };
}

/** The saved view in a row. */
export function savedViewOf(row: SqlRow): SavedView {
  return {
    id: String(row.id),
    name: String(row.name),
    query: String(row.query),
    owner: String(row.owner),
    createdAtMs: Number(row.created_at_ms),
    updatedAtMs: Number(row.updated_at_ms),
  };
}
