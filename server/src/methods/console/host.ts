/** What the console's methods know of the process: figures, and the calls that run. */
import type { DurationSummary, RunningCall, SlowCall } from '#model/seen-call';

/** The backlog of the service. */
export interface Queues {
  /** Calls in progress, including those whose body is still being received. */
  requests: number;
  /** Calls that run and wait, by lane. */
  lanes: readonly { lane: string; runningCount: number; waitingCount: number }[];
  /** Bytes of batches that are queued for the disk, and of batches that are stored but not in blocks yet. */
  queueBytes: number;
  logBytes: number;
  /** How long there has been something to seal, s. */
  sealLagS: number;
}

/** Information about calls. */
export interface CallWatch {
  /** Longest first. */
  running(): RunningCall[];
  /** Newest first. */
  slow(): SlowCall[];
  /** Of a method, or of all that `insert`, `read` or `change`; null when there was none. */
  durations(of: string): DurationSummary | null;
  /** Whether it runs. */
  cancel(id: number): boolean;
}

/** Information about the process. */
export interface Host {
  /** Of the program. */
  version: string;
  /** Of the process, resident. */
  memoryBytes(): number;
  uptimeS(): number;
  /** All files of the store together. */
  storeBytes(): Promise<number>;
  /** Free bytes on the disk of the store; null for a store in memory. */
  diskFreeBytes(): Promise<number | null>;
  queues(): Promise<Queues>;
  /** The components of the service, each with a description of its problem, or null. */
  checks(): Promise<readonly { name: string; problem: string | null }[]>;
  /** Settings and limits, without secrets. */
  config(): readonly { name: string; value: unknown; default: unknown; origin: string; reason: string }[];
}
