/** The header Authorization: Basic (RFC 7617) and Bearer (RFC 6750). */

/** A user name and a password. */
export interface BasicCredentials {
  user: string;
  password: string;
}

const basicForm = /^Basic +([A-Za-z0-9+/_-]+={0,2}) *$/i;
const bearerForm = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i;

/** Reads `Basic <base64 of user:password>`, in UTF-8; null when the header is something else. */
export function parseBasic(header: string): BasicCredentials | null {
  const match = basicForm.exec(header);
  if (match === null) return null;
  const text = Buffer.from(match[1], 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? null : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** Reads `Bearer <token>`; null when the header is something else. */
export function parseBearer(header: string): string | null {
  return bearerForm.exec(header)?.[1] ?? null;
}
