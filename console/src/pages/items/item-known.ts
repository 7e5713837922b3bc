/** What is known of items beside what they say. */
import type { SignalStatus } from '../../platform/rpc/views.ts';

/** By item ID; what is not there is not known yet. */
export interface ItemFacts {
  statuses: ReadonlyMap<string, SignalStatus>;
  trends: ReadonlyMap<string, readonly (number | null)[]>;
}
