/** All observers as one: calls and requests are counted and traced, slow ones are logged. */
import { partyOf } from '#model/caller';
import type { Log } from '#model/environment';
import type { Failure } from '#model/failure';
import type { Limits } from '#model/limits';
import type { CallOutcome } from '#protocol/outcome';
import type { Members } from '#storage/coordination';
import type { HttpObserver, Refusal, RequestOutcome } from '#transport/http/observer';
import type { Activity } from './activity.ts';
import { failureOfCall, failureOfRequest } from './failures.ts';
import { Metrics } from './metrics.ts';
import { Tracing } from './tracing.ts';

/** Options of {@link Observation}. */
export interface ObservationOptions {
  /** Of the program. */
  version: string;
  /** Read at each call. */
  limits: Pick<Limits, 'slowCallMs'>;
  log: Log;
  /** Default: there is one thread. */
  members?: Members;
  /** Tracks running calls and durations. */
  activity?: Activity;
  /** Receives failures of integrations; people see their own errors. */
  errors?: { note(failure: Failure): void };
}

/** Observes calls and requests. */
export class Observation implements HttpObserver {
  readonly metrics: Metrics;
  /** Null when no tracing SDK is loaded. */
  readonly tracing: Tracing | null;
  readonly #options: ObservationOptions;

  constructor(options: ObservationOptions) {
    this.metrics = new Metrics(options.version, options.members);
    this.tracing = Tracing.open(options.version);
    this.#options = options;
  }

  /** A call has ended. */
  onCall(outcome: CallOutcome): void {
    this.metrics.onCall(outcome);
    this.tracing?.onCall(outcome);
    if (noteSlowCall(outcome, this.#options)) this.metrics.onSlowCall(outcome.method);
    this.#options.activity?.onCall(outcome);
    this.#reportFailure(failureOfCall(outcome));
  }

  onRequest(outcome: RequestOutcome): void {
    this.metrics.onRequest(outcome);
    noteRequest(outcome, this.#options.log);
    this.#reportFailure(failureOfRequest(outcome));
  }

  onRefusal(reason: Refusal): void {
    this.metrics.onRefusal(reason);
  }

  #reportFailure(failure: Failure | null): void {
    if (failure !== null) this.#options.errors?.note(failure);
  }
}

/** Logs a call that took longer than the limit and returns whether it did. Parameters and values are not logged. */
function noteSlowCall(
  outcome: CallOutcome,
  { limits, log }: Pick<ObservationOptions, 'limits' | 'log'>,
): boolean {
  const { call, method, code, durationMs } = outcome;
  if (durationMs < limits.slowCallMs) return false;
  log.warn('slow call', {
    trace: call.traceId,
    method,
    version: call.version,
    caller: partyOf(call.caller),
    ms: Math.round(durationMs),
    code,
    plan: call.plan?.(),
  });
  return true;
}

/** Logs a request at debug level. */
function noteRequest(outcome: RequestOutcome, log: Log): void {
  const { traceId: trace, route, method, status, durationMs, bytesIn, bytesOut, address, caller } = outcome;
  const ms = Math.round(durationMs * 10) / 10;
  log.debug('request', { trace, method, route, status, ms, bytesIn, bytesOut, address, caller });
}
