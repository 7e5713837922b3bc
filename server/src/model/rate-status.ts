/** How a caller stands with a limit of how often, as answers tell it (L4d). */

/** One limit: so many in a window, and what is left of it. */
export interface RateStatus {
  /** Whose limit it is: that of a plan, of tokens, of wrong secrets. */
  policy: 'plan' | 'token' | 'login';
  /** How many there may be in a window. */
  quota: number;
  windowS: number;
  /** How many there may be now; whole, at least 0. */
  left: number;
  /** Whole seconds, at least 1: until there may be one again where none is left, else until all of them may. */
  resetS: number;
}
