/** Calls as those see them who look on: no parameter, no result. */

/** A call that runs, or was slow. */
export interface SeenCall {
  /** With the primary namespace. */
  method: string;
  /** The ID of the integration or person. */
  caller: string;
  isPerson: boolean;
  /** Where it came from: an IP address. */
  address: string;
  /** 32 hex digits, under which the log has more (W7). */
  traceId: string;
  startedAtMs: number;
  durationMs: number;
  /** What the operation has decided before it reads; no payload. */
  plan: Readonly<Record<string, unknown>> | null;
}

/** A call that runs. */
export interface RunningCall extends SeenCall {
  /** By which it is cancelled; given once in the life of a process. */
  id: number;
}

/** A call that has ended after more than the limit. */
export interface SlowCall extends SeenCall {
  /** Of the fault; 0 when it succeeded. */
  code: number;
}

/** How long calls took. */
export interface DurationSummary {
  /** Calls since the start. */
  count: number;
  /** Of the last calls, ms: half and nineteen in twenty took no longer than this, and none longer than the last one. */
  medianMs: number;
  p95Ms: number;
  maxMs: number;
}
