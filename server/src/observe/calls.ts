/** Log lines for slow calls, with their plan, and at debug level for every request. */
import { partyOf } from '#model/caller';
import type { Log } from '#model/environment';
import type { Limits } from '#model/limits';
import type { CallOutcome } from '#protocol/outcome';
import type { RequestOutcome } from '#transport/http/observer';

/** Logs a call that took longer than the limit and returns whether it did. Parameters and values are not logged. */
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

/** Logs a request at debug level. */
export function noteRequest(outcome: RequestOutcome, log: Log): void {
  const { traceId: trace, route, method, status, durationMs, bytesIn, bytesOut, address, caller } = outcome;
  const ms = Math.round(durationMs * 10) / 10;
  log.debug('request', { trace, method, route, status, ms, bytesIn, bytesOut, address, caller });
}
