/** Security headers of every answer, unless its route sets others. */

const guarded = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

/** HSTS (RFC 6797) for one year, as preload lists require. Does not include subdomains. */
const guardedTls = { ...guarded, 'strict-transport-security': 'max-age=31536000' };

/** The headers; with HSTS if the client uses TLS, since it has no effect otherwise. */
export function defaultHeaders(isSecure: boolean): Readonly<Record<string, string>> {
  return isSecure ? guardedTls : guarded;
}
