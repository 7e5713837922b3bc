/** The headers that tell how a client stands with a rate: draft-ietf-httpapi-ratelimit-headers (L4d). */
import type { RateStanding } from '#model/rate-standing';

/** `RateLimit-Policy` and `RateLimit`, as structured fields. */
export function rateHeaders({ policy, quota, windowS, left, resetS }: RateStanding): Record<string, string> {
  return {
    'ratelimit-policy': `"${policy}";q=${quota};w=${windowS}`,
    ratelimit: `"${policy}";r=${left};t=${resetS}`,
  };
}

/** Those of a 429: also when to come back. */
export function tooManyHeaders(standing: RateStanding): Record<string, string> {
  return { 'retry-after': String(standing.resetS), ...rateHeaders(standing) };
}
