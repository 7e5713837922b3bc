/** The file that an integration's owner downloads and gives to a client (A4). */
import type { Credential } from '#storage/meta-store';

/** A credentials file's content: these members and no others. */
export interface CredentialsFile {
  /** Ends in `/v1/`. */
  apiUrl: string;
  integration: string;
  credentials: { type: 'client-credentials' | 'basic-auth'; clientId: string; clientSecret: string };
}

/** The credentials file of a new credential; for Basic the client ID is the integration's ID, which is the user name (A1). */
export function credentialsFile(apiUrl: string, credential: Credential, secret: string): CredentialsFile {
  const clientId = credential.type === 'basic-auth' ? credential.integration : credential.id;
  return {
    apiUrl,
    integration: credential.integration,
    credentials: { type: credential.type, clientId, clientSecret: secret },
  };
}

/** The API address under a base address: exactly one slash between, `/v1/` at the end. */
export function apiUrlOf(baseUrl: string): string {
  return `${baseUrl.replace(/\/+$/, '')}/v1/`;
}

/** The issuer of tokens (RFC 8414): the base address without a slash at its end. */
export function issuerOf(apiUrl: string): string {
  return apiUrl.replace(/\/v1\/$/, '');
}
