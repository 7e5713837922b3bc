/** The outcome of a call, for metrics, traces and logs. */
import type { CallKind } from '#load/ticket';
import type { Fault } from './fault.ts';
import type { Call } from './method.ts';

/** A completed call. */
export interface CallOutcome {
  call: Call;
  /** With the primary namespace; null for an unknown method, so that clients cannot add arbitrary names to metrics. */
  method: string | null;
  /** Null like the method. */
  load: CallKind | null;
  /** The id as JSON text; null for a notification. */
  idText: string | null;
  /** The code of the fault; 0 when the call succeeded. */
  code: number;
  /** The fault that was answered; undefined when the call succeeded. */
  fault?: Fault;
  /** When it began, ms since the start of the process. */
  startMs: number;
  /** Duration until the result was available, including waiting time; excludes sending the answer. */
  durationMs: number;
}
