/** Further data of items. */
import type { SignalStatus } from '@tidemark/client/wire';

/** By item ID; what is not there is not known yet. */
export interface ItemFacts {
  statuses: ReadonlyMap<string, SignalStatus | null>;
  trends: ReadonlyMap<string, readonly (number | null)[]>;
}
