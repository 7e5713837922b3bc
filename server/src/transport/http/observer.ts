/** How requests are seen from outside: those who count, trace and log them. */
import type { Trace } from '#protocol/trace';

/** A request that was answered, or not. */
export interface RequestOutcome {
  /** The route's path as it was defined; null where there is none, so that clients cannot make paths up. */
  route: string | null;
  method: string;
  /** 0 when the client was gone before it was answered. */
  status: number;
  /** Until the last byte was handed to the system. */
  durationMs: number;
  /** Of the body as it came. */
  bytesIn: number;
  /** Of the body as it went. */
  bytesOut: number;
  address: string;
  traceId: string;
  /** The ID of the integration or person who called, where that was asked. */
  caller: string | null;
}

/** Why a connection or a request was turned away without being looked at. */
export type Refusal = 'connections' | 'malformed';

/** Sees requests. */
export interface HttpObserver {
  onRequest(outcome: RequestOutcome): void;
  onRefusal(reason: Refusal): void;
}

/** A request as a span of a distributed trace. */
export interface RequestSpan {
  /** Its place, by which answer and log name it; null when the SDK gives it none. */
  trace: Trace | null;
  /** Runs `work` so that spans that are begun in it are children of this one. */
  run<T>(work: () => T): T;
  end(status: number): void;
}

/** Makes spans. */
export interface RequestTracer {
  /** `traceparent` is the request's header. */
  begin(request: { method: string; route: string | null; traceparent: string | undefined }): RequestSpan;
}
