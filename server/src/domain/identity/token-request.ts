/** Whether a client may have the token that it requests (A2). */
import { type Grant, grantsAll } from '#model/caller';
import type { TokenRefusal, TokenRequest } from '#model/token-request';
import { scopesOf } from './tokens.ts';

/**
 * The grants of the token: those that the client has, narrowed to the scopes that it asks for. A refusal for an audience
 * that is not among `audiences`, of which the first is this service's own, and for scopes that are unknown or not granted.
 */
export function grantsOfRequest(
  request: TokenRequest,
  audiences: readonly string[],
  granted: ReadonlySet<Grant>,
): ReadonlySet<Grant> | TokenRefusal {
  const known = new Set(audiences.map(withoutSlash));
  if (!request.audiences.every((audience) => known.has(withoutSlash(audience))))
    return tokenRefusal('invalid_target', `audience must be ${audiences[0]}, or absent`);
  if (request.scopes.length === 0) return granted;
  const scopes = new Set(request.scopes);
  const asked = new Set(grantsAll.filter((grant) => scopes.has(scopesOf(new Set([grant]))[0])));
  if (asked.size < scopes.size) {
    const names = scopesOf(new Set(grantsAll)).join(', ');
    return tokenRefusal('invalid_scope', `scope must be of ${names}`);
  }
  const narrowed = asked.intersection(granted);
  if (narrowed.size > 0) return narrowed;
  return tokenRefusal('invalid_scope', 'none of the requested scopes is granted to this integration');
}

/** An answer with the reason why there is no token. */
export function tokenRefusal(error: TokenRefusal['error'], description: string): TokenRefusal {
  return { ok: false, error, description };
}

function withoutSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url;
}
