/** The headers with a client's rate status: draft-ietf-httpapi-ratelimit-headers (L4d). */
import type { RateStatus } from '#model/rate-status';

/** `RateLimit-Policy` and `RateLimit`, as structured fields. */
export function rateHeaders({ policy, quota, windowS, left, resetS }: RateStatus): Record<string, string> {
  return {
    'ratelimit-policy': `"${policy}";q=${quota};w=${windowS}`,
    ratelimit: `"${policy}";r=${left};t=${resetS}`,
  };
}

/** The headers of a 429, including Retry-After. */
export function tooManyHeaders(rate: RateStatus): Record<string, string> {
  return { 'retry-after': String(rate.resetS), ...rateHeaders(rate) };
}
