/** Answers requests whose route failed (E3, E4). */
import { Overload } from '#load/overload';
import type { Log } from '#model/environment';
import { AppError, stackOf } from '#model/error';
import { RateExceeded } from '#model/rate-exceeded';
import { unauthenticated } from './authenticate.ts';
import { ClientGone } from './body.ts';
import type { Exchange } from './exchange.ts';
import { HttpProblem } from './problem.ts';
import { tooManyHeaders } from './rate-headers.ts';

/** Answers with the problem for an error; a bug is answered with 500 and logged with its stack. Never rejects. */
export async function answerFailure(exchange: Exchange, error: unknown, log: Log): Promise<void> {
  const problem = exchange.isAbort(error) ? givenUp : toProblem(error);
  if (problem.status === 500)
    log.error('internal error', { trace: exchange.trace.traceId, error: stackOf(error) });
  if (error instanceof ClientGone || exchange.hasBegun) return exchange.destroy();
  try {
    await exchange.sendProblem(problem);
  } catch (cause) {
    log.error('answering failed', { trace: exchange.trace.traceId, error: stackOf(cause) });
    exchange.destroy();
  }
}

/** Of a request that was aborted while it waited. */
const givenUp = new HttpProblem(503, 'Try again: the request waited too long and was given up', {
  'retry-after': '5',
});

/** The problem that answers an error. */
export function toProblem(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof ClientGone) return new HttpProblem(400, 'The body is incomplete');
  if (error instanceof RateExceeded) return new HttpProblem(429, error.message, tooManyHeaders(error.status));
  if (error instanceof Overload)
    return new HttpProblem(503, error.message, { 'retry-after': String(error.retryAfterS) });
  if (error instanceof AppError && error.kind === 'unauthenticated')
    return unauthenticated(error.message, '');
  if (error instanceof AppError && (error.kind === 'try-again' || error.kind === 'unavailable')) {
    const members = error.isUncertain ? { uncertain: true } : {};
    return new HttpProblem(503, error.message, { 'retry-after': '5' }, members);
  }
  return new HttpProblem(500, 'Internal error');
}

/**
 * The problem for an error that is a fault of a call elsewhere (E1), for routes whose clients know HTTP only; null for those that
 * are HTTP errors there too. What a plan does not allow now is 429, so that agents wait.
 */
export function problemOfCall(error: AppError): HttpProblem | null {
  const { kind, message, params } = error;
  if (error instanceof RateExceeded) return null;
  if (kind === 'not-permitted') return new HttpProblem(403, message);
  if (kind === 'try-again') return new HttpProblem(429, message, { 'retry-after': planRetryAfterS });
  if (kind !== 'invalid-params' && kind !== 'invalid-resource') return null;
  const first = Object.entries(params ?? {})[0];
  return new HttpProblem(400, first === undefined ? message : `${first[0]}: ${first[1].join('; ')}`);
}

/** Limits of plans are of an hour or a day; asking once a minute is enough. */
const planRetryAfterS = '60';
