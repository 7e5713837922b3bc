/** Integrations and credentials as the audit shows them: everything that matters, and no secret. */
import type { Credential, Integration } from '#storage/meta-store';
import type { Json } from '../audit/canonical.ts';

/** An integration's fields. */
export function integrationView(integration: Integration): { [field: string]: Json } {
  const { name, grants, plan, disabledAtMs } = integration;
  return { name, grants, plan, ...(disabledAtMs !== null && { disabled: true }) };
}

/** A credential's fields: neither its secret nor the digest of it. */
export function credentialView(credential: Credential): { [field: string]: Json } {
  const { integration, type, label, expiresAtMs } = credential;
  const expiresAt = expiresAtMs === null ? null : new Date(expiresAtMs).toISOString();
  return { integration, type, label, expiresAt };
}
