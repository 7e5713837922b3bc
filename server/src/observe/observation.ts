/** Everything that looks on, as one: calls and requests are counted, traced, and where they were slow, logged. */
import type { Limits } from '#model/limits';
import type { Log } from '#model/world';
import type { CallOutcome } from '#protocol/outcome';
import type { HttpObserver, Refusal, RequestOutcome } from '#transport/http/observer';
import { noteRequest, noteSlowCall } from './calls.ts';
import { Metrics } from './metrics.ts';
import { Tracing } from './tracing.ts';

/** What looking on takes. */
export interface ObservationOptions {
  /** Of the program. */
  version: string;
  /** Read at each call. */
  limits: Pick<Limits, 'slowCallMs'>;
  log: Log;
}

/** Looks on. */
export class Observation implements HttpObserver {
  readonly metrics: Metrics;
  /** Null when nobody wants spans. */
  readonly tracing: Tracing | null;
  readonly #limits: Pick<Limits, 'slowCallMs'>;
  readonly #log: Log;

  constructor({ version, limits, log }: ObservationOptions) {
    this.metrics = new Metrics(version);
    this.tracing = Tracing.open(version);
    this.#limits = limits;
    this.#log = log;
  }

  /** A call has ended. */
  onCall(outcome: CallOutcome): void {
    this.metrics.onCall(outcome);
    this.tracing?.onCall(outcome);
    if (noteSlowCall(outcome, this.#limits, this.#log)) this.metrics.onSlowCall(outcome.method);
  }

  onRequest(outcome: RequestOutcome): void {
    this.metrics.onRequest(outcome);
    noteRequest(outcome, this.#log);
  }

  onRefusal(reason: Refusal): void {
    this.metrics.onRefusal(reason);
  }
}
