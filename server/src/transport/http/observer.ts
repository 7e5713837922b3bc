/** The interfaces of observers of requests: metrics, tracing and logs. */
import type { Trace } from '#protocol/trace';

/** A completed or broken request. */
export interface RequestOutcome {
  /** The path of the route's definition; null for an unknown path, so that clients cannot add arbitrary paths to metrics. */
  route: string | null;
  method: string;
  /** 0 when the client disconnected before the answer. */
  status: number;
  /** Until the last byte was passed to the operating system. */
  durationMs: number;
  /** Size of the received body, before decompression. */
  bytesIn: number;
  /** Size of the sent body, after compression. */
  bytesOut: number;
  address: string;
  traceId: string;
  /** The ID of the calling integration or person, if the route authenticates. */
  caller: string | null;
  isPerson: boolean;
  /** Whether the request became calls, which are reported on their own. */
  hasCall: boolean;
}

/** Why a connection or request was rejected without being processed. */
export type Refusal = 'connections' | 'malformed';

/** Is notified of requests. */
export interface HttpObserver {
  onRequest(outcome: RequestOutcome): void;
  onRefusal(reason: Refusal): void;
}

/** A request as a span of a distributed trace. */
export interface RequestSpan {
  /** Its trace context, which is used in the answer and in logs; null when the SDK provides none. */
  trace: Trace | null;
  /** Runs `work` with this span as the parent of spans that it creates. */
  run<T>(work: () => T): T;
  end(status: number): void;
}

/** Creates spans. */
export interface RequestTracer {
  /** `traceparent` is the request's header. */
  begin(request: { method: string; route: string | null; traceparent: string | undefined }): RequestSpan;
}
