/** What the log learns of calls and requests: those that were slow, with their plan; and, when it is to tell all, each one. */
import { partyOf } from '#model/caller';
import type { Log } from '#model/environment';
import type { Limits } from '#model/limits';
import type { CallOutcome } from '#protocol/outcome';
import type { RequestOutcome } from '#transport/http/observer';

/** Tells the log of a call that took longer than the limit; whether it did. No parameter and no value is told. */
export function noteSlowCall(outcome: CallOutcome, limits: Pick<Limits, 'slowCallMs'>, log: Log): boolean {
  const { call, method, code, durationMs } = outcome;
  if (durationMs < limits.slowCallMs) return false;
  log.warn('slow call', {
    trace: call.traceId,
    method,
    version: call.version,
    caller: partyOf(call.caller),
    ms: Math.round(durationMs),
    code,
    plan: call.plan,
  });
  return true;
}

/** The line of a request in the log, at debug. */
export function noteRequest(outcome: RequestOutcome, log: Log): void {
  const { traceId: trace, route, method, status, durationMs, bytesIn, bytesOut, address, caller } = outcome;
  const ms = Math.round(durationMs * 10) / 10;
  log.debug('request', { trace, method, route, status, ms, bytesIn, bytesOut, address, caller });
}
