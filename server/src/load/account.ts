/** INTERFACE: the account of an integration: the rates and quotas of its plan, and what it has used of them (L4). Implemented by domain/plans/quota.ts. */
import type { ResourceCounts } from '#model/plan';
import type { RateStatus } from '#model/rate-status';

/** Known at once where this process may decide alone; else when those that share the counters have answered. */
export type Soon<T> = T | Promise<T>;

/** Points that have been counted before they are stored. */
export interface PointsTaken {
  /** Reverts the count, since the points were not stored. */
  giveBack(): void;
}

/** New resources that are within the plan's limits. */
export interface Permit {
  /** Meters those that were created, by default all; must be called after the transaction that creates them has been committed. */
  settle(created?: ResourceCounts): void;
}

/** Decides what an integration may do, and counts what it does. */
export interface Account {
  /** Whether the plan limits how many signals there may be: then those of one call are created in one transaction. */
  readonly limitsSignals: boolean;
  /** Counts a request body; `bytes` is its size after decompression. */
  noteBody(bytes: number): void;
  /**
   * Counts a call of a method (by its primary name), before it runs. Returns the status of its rate, null if it has none. Fails
   * with `RateExceeded` when the rate of a hard plan is exceeded.
   */
  admit(method: string): Soon<RateStatus | null>;
  /** Counts points before they are stored, all or none: `try-again` if they exceed a hard plan (L4c). */
  takePoints(points: number): Soon<PointsTaken>;
  /**
   * Checks whether so many more resources are allowed. Must be called inside the transaction that creates them, in which
   * `existing` counts those there are, so that concurrent transactions cannot exceed the limit together. Fails with `try-again`,
   * with limit and value, when a hard plan does not allow them, or when they are too many new signals for an hour (L4g).
   */
  permit(creating: ResourceCounts, existing: () => Promise<ResourceCounts>): Promise<Permit>;
}

/** The accounts of all integrations. */
export interface Accounts {
  accountOf(integration: string): Account;
}

/** Of callers without a plan, such as people: nothing is limited or counted. */
export const unmetered: Account = {
  limitsSignals: false,
  noteBody() {},
  admit: () => null,
  takePoints: () => ({ giveBack() {} }),
  permit: async () => ({ settle() {} }),
};
