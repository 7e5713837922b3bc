/** The interfaces that only the console's methods use. */
import type { Audit } from '#domain/audit/audit';
import type { Identity } from '#domain/identity/identity';
import type { History } from '#domain/overview/history';
import type { Latest } from '#domain/overview/latest';
import type { Overview } from '#domain/overview/overview';
import type { Recency } from '#domain/overview/recency';
import type { RecentErrors } from '#domain/overview/recent-errors';
import type { Removal } from '#domain/overview/removal';
import type { Sizes } from '#domain/overview/sizes';
import type { Spacing } from '#domain/overview/spacing';
import type { Trend } from '#domain/overview/trend';
import type { People } from '#domain/people/people';
import type { SavedViews } from '#domain/people/saved-views';
import type { Sessions } from '#domain/people/sessions';
import type { Settings } from '#domain/people/settings';
import type { Plans } from '#domain/plans/plans';
import type { Retention } from '#domain/retention/retention';
import type { Usage } from '#domain/usage/usage';
import type { PersonCaller } from '#model/caller';
import { bug } from '#model/error';
import type { DurationSummary, RunningCall, SlowCall } from '#model/seen-call';
import type { Call } from '#protocol/method';

/** One setting or limit as the console shows it; a secret is not in it. */
export interface ConfigRow {
  name: string;
  value: unknown;
  default: unknown;
  /** `flag`, `environment`, `file` or `default`. */
  origin: string;
  /** What it is for. */
  reason: string;
}

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
  calls: CallWatch;
  /** The components of the service, each with a description of its problem, or null. */
  checks(): Promise<readonly { name: string; problem: string | null }[]>;
  /** Settings and limits. */
  config(): readonly ConfigRow[];
}

/** The services of the domain that only the console uses. */
export interface ConsoleServices {
  people: People;
  sessions: Sessions;
  savedViews: SavedViews;
  settings: Settings;
  retention: Retention;
  plans: Plans;
  identity: Identity;
  overview: Overview;
  errors: RecentErrors;
  recency: Recency;
  removal: Removal;
  latest: Latest;
  history: History;
  sizes: Sizes;
  spacing: Spacing;
  trend: Trend;
  usage: Usage;
  audit: Audit;
  host: Host;
  /** The API's address as clients write it, ending in `/v1/`. */
  apiUrl: string;
}

/** The person of a call: only people have the grant `console`. */
export function personOf({ caller }: Pick<Call, 'caller'>): PersonCaller {
  return caller.person ?? bug('the grant console was given to an integration');
}
