/** What becomes of a request whose route failed (E3, E4). */
import { AppError } from '#model/error';
import { RateExceeded } from '#model/rate-exceeded';
import type { Log } from '#model/world';
import { Overload } from '#protocol/overload';
import { ClientGone } from './body.ts';
import type { Exchange } from './exchange.ts';
import { HttpProblem } from './problem.ts';

/** Answers with the problem that an error is; a bug is 500 for the client and a stack for the log. Never rejects. */
export async function answerFailure(exchange: Exchange, error: unknown, log: Log): Promise<void> {
  const problem = toProblem(error);
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

function toProblem(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof ClientGone) return new HttpProblem(400, 'The body is not complete');
  if (error instanceof RateExceeded) return tooSoon(error);
  if (error instanceof Overload)
    return new HttpProblem(503, error.message, { 'retry-after': String(error.retryAfterS) });
  if (error instanceof AppError && error.kind === 'try-again')
    return new HttpProblem(503, error.message, { 'retry-after': '5' });
  return new HttpProblem(500, 'Internal error');
}

/** The draft of the RateLimit headers knows windows: here the shortest one, in whole seconds, that fills the bucket. */
function tooSoon({ message, rate, retryAfterS }: RateExceeded): HttpProblem {
  const windowS = Math.max(1, Math.ceil(rate.burst / rate.perSecond));
  const quota = Math.max(rate.burst, Math.floor(rate.perSecond * windowS));
  return new HttpProblem(429, message, {
    'retry-after': String(retryAfterS),
    'ratelimit-policy': `"plan";q=${quota};w=${windowS}`,
    ratelimit: `"plan";r=0;t=${retryAfterS}`,
  });
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
