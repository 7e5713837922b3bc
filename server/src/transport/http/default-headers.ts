/** Security headers of every answer, unless its route sets others. */

const guarded = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

/** HSTS (RFC 6797) for one year, as preload lists require. Does not include subdomains. */
const guardedTls = { ...guarded, 'strict-transport-security': 'max-age=31536000' };

const pairs = Object.entries(guarded);
const pairsTls = Object.entries(guardedTls);
const all = pairs.flat();
const allTls = pairsTls.flat();

/**
 * Names and values in turn, of those headers that a route has not set; with HSTS if the client uses TLS, since it has no effect
 * otherwise.
 */
export function defaultHeaders(isSecure: boolean, own: Readonly<Record<string, unknown>>): readonly string[] {
  const isOwn = ([name]: readonly string[]) => Object.hasOwn(own, name);
  if (!pairsTls.some(isOwn)) return isSecure ? allTls : all;
  return (isSecure ? pairsTls : pairs).filter((pair) => !isOwn(pair)).flat();
}
