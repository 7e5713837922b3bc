/** When a failed call is worth another attempt, and after which pause. */
import type { ServiceError } from './error.ts';

/** How patient a client is. */
export interface RetryPolicy {
  /** Attempts after the first; 0: none. Default 4. */
  retries: number;
  /** About the first pause; each further one may be twice as long. Default 250. */
  firstMs: number;
  /** The longest pause. Where the service asks for a longer one, the call fails at once. Default 30,000. */
  longestMs: number;
}

/** The default policy. */
export const usualRetries: RetryPolicy = { retries: 4, firstMs: 250, longestMs: 30_000 };

/** The service is too busy, or a plan is used up, and nothing was done. */
const tryAgainCode = -32015;

/**
 * The pause before the next attempt, ms; null when there is to be none. `attempt` counts from 0. What the service has
 * refused to begin (429, 503) is safe to send again; what may have been carried out, and whose answer was lost, only when
 * twice does what once does. `random` is at least 0, below 1.
 */
export function retryPauseMs(
  error: ServiceError,
  attempt: number,
  isIdempotent: boolean,
  policy: RetryPolicy,
  random: number,
): number | null {
  if (attempt >= policy.retries || !isWorthIt(error, isIdempotent)) return null;
  const ceilingMs = Math.min(policy.firstMs * 2 ** attempt, policy.longestMs);
  if (error.retryAfterMs === null) return ceilingMs * (0.5 + random / 2);
  // All clients get the same time from the service: they must not all retry at that time.
  return error.retryAfterMs > policy.longestMs ? null : error.retryAfterMs + policy.firstMs * random;
}

function isWorthIt({ kind, status, code, isUncertain }: ServiceError, isIdempotent: boolean): boolean {
  if (status === 429 || status === 503) return isIdempotent || !isUncertain;
  const isLost = kind === 'network' || kind === 'timeout' || status === 502 || status === 504;
  return isIdempotent && (isLost || code === tryAgainCode);
}

/**
 * Whether carrying a method out twice does what once does. True of every method but those of the console that make or
 * change something: a second integration, credential or person would appear, or a password be changed back to wrong.
 */
export function isIdempotent(method: string): boolean {
  const name = method.toLowerCase();
  if (!name.startsWith('console.')) return true;
  return /\.(list|status|overview|usage|health|config)$/.test(name);
}
