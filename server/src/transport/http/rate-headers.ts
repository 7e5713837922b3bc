/** The headers that tell how a client stands with a rate: draft-ietf-httpapi-ratelimit-headers (L4d). */
import type { RateStatus } from '#model/rate-status';

/** `RateLimit-Policy` and `RateLimit`, as structured fields. */
export function rateHeaders({ policy, quota, windowS, left, resetS }: RateStatus): Record<string, string> {
  return {
    'ratelimit-policy': `"${policy}";q=${quota};w=${windowS}`,
    ratelimit: `"${policy}";r=${left};t=${resetS}`,
  };
}

/** Those of a 429: also when to come back. */
export function tooManyHeaders(rate: RateStatus): Record<string, string> {
  return { 'retry-after': String(rate.resetS), ...rateHeaders(rate) };
}
