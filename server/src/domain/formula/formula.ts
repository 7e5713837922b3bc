/**
 * The door of the formula language (query.md F): what domain/query needs to plan and evaluate the calculations of one
 * request. Pure: no clock, no disk, no store; pausing is a hook of the caller.
 *
 * Use: {@link planCalculations} before reading (it says which columns are needed, and how far outside the window),
 * then {@link evaluateCalculations} over the columns that were read.
 */
import type { Limits } from '#model/limits';

/** A calculation as it was asked for. */
export interface Calculation {
  alias: string;
  formula: string;
}

/** How many buckets outside the window are looked at: whole numbers from 0 to `limits.offsetBucketsMax`. */
export interface Reach {
  /** Buckets before the window. */
  back: number;
  /** Buckets after the window. */
  ahead: number;
}

/** An item or group that formulas can name. */
export interface SignalFacts {
  /** How long gapfill carries a value, µs: the item's gapDetection; Infinity where it is unset (F4). */
  gapUs: number;
}

/** What the calculations of one request may refer to, and what they are to be computed over. */
export interface Scope {
  /** Items and groups by alias. */
  signals: ReadonlyMap<string, SignalFacts>;
  /** The aliases that are returned (Q11), or null for all; what they do not need is neither read nor computed. */
  returned: ReadonlySet<string> | null;
  /** Buckets of the window. */
  bucketCount: number;
  /** The narrowest bucket that can occur, µs (of days: 23 h or less); null with `window`: nothing outside is read. */
  bucketUsMin: number | null;
  limits: Limits;
}

/** The buckets of the columns: the window's, and those around it that {@link CalculationPlan.reach} asks for. */
export interface BucketRun {
  /** Bucket i is `[edgesUs[i], edgesUs[i + 1])`; one more edge than the columns have values. */
  edgesUs: Float64Array;
  /** Index of the window's first bucket: how many buckets lie before the window; at least `reach.back`. */
  first: number;
  /** Number of buckets in the window; at least `reach.ahead` more follow. */
  count: number;
}

/** How a long evaluation stays polite. */
export interface Manners {
  /** Ends the evaluation: its reason is thrown. Checked about every 10 ms of work. */
  signal?: AbortSignal | undefined;
  /** Awaited about every 10 ms of work, so that others get a turn (`setImmediate` as a promise). */
  pause: () => Promise<void>;
}

/** Calculations that are checked and ready: what they need, and how to compute them. */
export interface CalculationPlan {
  /** Items and groups that are needed by calculations, each with how far outside the window. Others are absent. */
  needs: ReadonlyMap<string, Reach>;
  /** The furthest of {@link needs}: by how much the plan of the read is to be widened. */
  reach: Reach;
}

/**
 * Checks all calculations, in order, and prepares those that are needed.
 * Fails with `invalid-params`: problems by path `calculations.<index>.formula` (F6), of all formulas at once; by path
 * `calculations` when together they are too much work for this many buckets.
 */
export declare function planCalculations(
  calculations: readonly Calculation[],
  scope: Scope,
): CalculationPlan;

/**
 * Computes the calculations of a plan that are returned: alias → values of the window's buckets (`buckets.count` each,
 * NaN for null; never infinite, never -0), in the order asked for. `columns` has every alias of `plan.needs`, each as
 * long as `buckets` (bucketCount = edgesUs.length - 1), NaN for null; they are not changed.
 */
export declare function evaluateCalculations(
  plan: CalculationPlan,
  columns: ReadonlyMap<string, Float64Array>,
  buckets: BucketRun,
  manners: Manners,
): Promise<Map<string, Float64Array>>;

/** Why this alias cannot be used (its form, or a name that formulas already have: Q11), or null when it can. */
export declare function aliasProblem(alias: string): string | null;
