/** What Signals asks before it creates resources: whether the integration's plan has room for them (L4). */
import type { MetaReads, ResourceCounts } from '#storage/store';

/** Room that was found for new resources, inside an open transaction. */
export interface Permit {
  /** Meters them; to be called when the transaction has been committed. */
  settle(): void;
}

/** Knows how many resources an integration may have. */
export interface ResourceQuota {
  /**
   * Looks, inside the transaction that will create them, whether there is room for so many more: concurrent transactions
   * cannot exceed it together. `try-again` where a hard plan has none, naming limit and value.
   */
  permit(reads: MetaReads, integration: string, creating: ResourceCounts): Promise<Permit>;
}

/** Room for everything, metered nowhere. */
export const noQuota: ResourceQuota = { permit: async () => ({ settle() {} }) };
