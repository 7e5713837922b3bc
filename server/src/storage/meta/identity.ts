/** Integrations and credentials: records ⇄ rows of their tables. */
import type { Grant } from '#model/caller';
import type { Credential, CredentialType, Integration } from '#storage/store';
import { numberOrNull } from './resource.ts';
import type { SqlRow } from './sql-runner.ts';

/** The integration in a row. */
export function integrationOf(row: SqlRow): Integration {
  return {
    id: String(row.id),
    name: String(row.name),
    grants: JSON.parse(String(row.grants)) as Grant[],
    plan: String(row.plan),
    createdAtMs: Number(row.created_at_ms),
    disabledAtMs: numberOrNull(row.disabled_at_ms),
  };
}

/** The columns of an integration that may change. */
export function integrationColumns({ name, grants, plan, disabledAtMs }: Integration) {
  return { name, grants: JSON.stringify(grants), plan, disabled_at_ms: disabledAtMs };
}

/** The credential in a row. */
export function credentialOf(row: SqlRow): Credential {
  return {
    id: String(row.id),
    integration: String(row.integration),
    type: row.type as CredentialType,
    label: String(row.label),
    secretSha256: String(row.secret_sha256),
    createdAtMs: Number(row.created_at_ms),
    lastUsedAtMs: numberOrNull(row.last_used_at_ms),
    lastUsedFrom:
      row.last_used_address === null
        ? null
        : { address: String(row.last_used_address), userAgent: String(row.last_used_agent) },
    expiresAtMs: numberOrNull(row.expires_at_ms),
  };
}

/** The columns of a credential that may change. */
export function credentialColumns({ label, lastUsedAtMs, lastUsedFrom, expiresAtMs }: Credential) {
  return {
    label,
    last_used_at_ms: lastUsedAtMs,
    last_used_address: lastUsedFrom?.address ?? null,
    last_used_agent: lastUsedFrom?.userAgent ?? null,
    expires_at_ms: expiresAtMs,
  };
}
