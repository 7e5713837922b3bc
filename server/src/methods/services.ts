/** The services that methods may take; each picks those that it uses. */
import type { Domain } from '#domain/domain';
import type { Host } from '#domain/overview/host';
import type { DurationSummary, RunningCall, SlowCall } from '#model/seen-call';

/** The calls of the service. */
export interface CallWatch {
  /** Of all nodes, longest first; nodes that did not answer are added to `silent`. */
  running(silent?: Set<string>): Promise<RunningCall[]>;
  /** Of all nodes, newest first. */
  slow(silent?: Set<string>): Promise<SlowCall[]>;
  /** Of a method, or of all that `insert`, `read` or `change`; null when there was none. */
  durations(of: string): Promise<DurationSummary | null>;
  /** Whether it runs. */
  cancel(id: number, node?: string): Promise<boolean>;
}

/** The domain, the process, and the calls. */
export interface MethodServices extends Domain {
  host: Pick<Host, keyof Host>;
  calls: CallWatch;
}
