/** The state of a caller's rate limit, as reported by response headers (L4d). */

/** One limit: its quota for a window, and what remains. */
export interface RateStatus {
  /** The limit's origin: a plan's rate, token requests, or wrong secrets. */
  policy: 'plan' | 'token' | 'login';
  /** Requests allowed in a window. */
  quota: number;
  windowS: number;
  /** Requests allowed now; an integer, at least 0. */
  left: number;
  /** Whole seconds, at least 1: until the next request is allowed when none is left, otherwise until the full quota is. */
  resetS: number;
}
