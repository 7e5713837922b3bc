/** The interface through which Signals checks the plan's limits before it creates resources (L4). */
import type { MetaReads, ResourceCounts } from '#storage/meta-store';

/** New resources that are within the plan's limits, checked inside an open transaction. */
export interface Permit {
  /** Meters them; must be called after the transaction has been committed. */
  settle(): void;
}

/** Limits the resources of an integration. */
export interface ResourceQuota {
  /**
   * Checks whether the plan allows so many more resources. Must be called inside the transaction that creates them, so that
   * concurrent transactions cannot exceed the limit together. `try-again`, with limit and value, if a hard plan does not.
   */
  permit(reads: Pick<MetaReads, 'signals'>, integration: string, creating: ResourceCounts): Promise<Permit>;
}

/** Unlimited and not metered. */
export const noQuota: ResourceQuota = { permit: async () => ({ settle() {} }) };
