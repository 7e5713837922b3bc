/** What became of a call, as those see it who count, trace and log calls. */
import type { CallKind } from '#load/ticket';
import type { Fault } from './fault.ts';
import type { Call } from './method.ts';

/** One call that has ended. */
export interface CallOutcome {
  call: Call;
  /** With the primary namespace; null when there is no such method, so that callers cannot make names up. */
  method: string | null;
  /** Null like the method. */
  load: CallKind | null;
  /** The id as JSON text; null for a notification. */
  idText: string | null;
  /** The code of the fault; 0 when the call succeeded. */
  code: number;
  /** What was answered instead of a result; undefined when the call succeeded. */
  fault?: Fault;
  /** When it began, ms since the process did. */
  startMs: number;
  /** How long it took, waiting for its turn included, until its result was there; not until the client had it. */
  durationMs: number;
}
