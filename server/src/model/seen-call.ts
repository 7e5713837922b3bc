/** Calls as shown to administrators; without parameters and results. */

/** A running or slow call. */
export interface SeenCall {
  /** With the primary namespace. */
  method: string;
  /** The ID of the integration or person. */
  caller: string;
  isPerson: boolean;
  /** The client's IP address. */
  address: string;
  /** The trace ID, 32 hex digits (W7). */
  traceId: string;
  startedAtMs: number;
  durationMs: number;
  /** The name of the node; empty where there is only one. */
  node: string;
  /** The operation's plan, without payload. */
  plan: Readonly<Record<string, unknown>> | null;
}

/** A running call. */
export interface RunningCall extends SeenCall {
  /** Identifies the call for cancelling; unique within the node. */
  id: number;
}

/** A finished call that exceeded the limit for slow calls. */
export interface SlowCall extends SeenCall {
  /** The error code; 0 for success. */
  code: number;
}

/** Durations of calls. */
export interface DurationSummary {
  /** Calls since the start. */
  count: number;
  /** Median, 95th percentile and maximum of the most recent calls, ms. */
  medianMs: number;
  p95Ms: number;
  maxMs: number;
}
