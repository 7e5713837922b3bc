/** Headers that every answer has, unless its route says otherwise: what a browser must not do with it. */

const guarded = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

/** A year, as browsers that keep lists of such hosts want it (RFC 6797). Other hosts below this one are not ours to decide on. */
const guardedTls = { ...guarded, 'strict-transport-security': 'max-age=31536000' };

/** The headers; with HSTS where the client came by TLS: elsewhere it has no meaning. */
export function defaultHeaders(isSecure: boolean): Readonly<Record<string, string>> {
  return isSecure ? guardedTls : guarded;
}
